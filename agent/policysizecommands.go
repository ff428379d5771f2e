package main

import (
	"fmt"
	"strings"

	"evenkeel/policy/exchange"
	"evenkeel/policy/throttle"
)

// sizeCommands raise what throttles an account: in its policy, where that is known to
// be its alone, or else in one of its own, which is made (own). Nothing is lowered.
func sizeCommands(book *throttle.Book, name string, all []throttle.Sized) (commands []string, own bool) {
	var raise []exchange.Setting
	for _, z := range all {
		raise = append(raise, raised(z)...)
	}
	if len(raise) == 0 {
		return []string{}, false
	}
	present := all[0].Present // an account has one policy
	if book.Alone(name) {
		return []string{exchange.SetPolicy(present.Policy, raise)}, false
	}
	return exchange.NewPolicy(newName(book, "Sized "+name), sizeIdentity(name), keeping(book, present, raise)), true
}

// raised are the values of a component that are too small.
func raised(z throttle.Sized) (out []exchange.Setting) {
	for _, n := range z.Raise() {
		if n.Parameter.Part() == throttle.Hanging { // which no cmdlet sets
			continue
		}
		v := throttle.Number(n.Write)
		if n.Write > n.Parameter.Most() {
			v = throttle.Value{State: throttle.NoLimit}
		}
		out = append(out, exchange.Setting{Parameter: n.Parameter, Value: asWritten(v, z.Present.Generation)})
	}
	return out
}

// keeping is what a policy must say that stands in for the present one: all that
// that says itself, since what is behind it stays behind the new one, and what is raised.
func keeping(book *throttle.Book, present throttle.Effective, raise []exchange.Setting) (out []exchange.Setting) {
	values := map[throttle.Parameter]throttle.Value{}
	for _, p := range book.Policies() {
		if p.Scope != throttle.Regular || throttle.Fold(p.Name) != throttle.Fold(present.Policy) {
			continue
		}
		for x := range throttle.Parameters() {
			values[x] = p.Values[x]
		}
	}
	for _, s := range raise {
		values[s.Parameter] = s.Value
	}
	for x := range throttle.Parameters() {
		if values[x].State != throttle.Inherited && x.Of(present.Generation) {
			out = append(out, exchange.Setting{Parameter: x, Value: asWritten(values[x], present.Generation)})
		}
	}
	return out
}

// asWritten is v as policies of g say it: no limit was $null in 2010.
func asWritten(v throttle.Value, g throttle.Generation) throttle.Value {
	if v.State == throttle.NoLimit && g != throttle.Exchange2013 {
		return throttle.Value{State: throttle.Unset}
	}
	return v
}

// newName is a name that no policy has.
func newName(book *throttle.Book, name string) string {
	for i := 1; ; i++ {
		try := name
		if i > 1 {
			try = fmt.Sprintf("%s %d", name, i)
		}
		if _, taken := book.Named(try); !taken {
			return try
		}
	}
}

// sizeIdentity is what Exchange knows an account by: where only the short name of
// its domain is known, DOMAIN\user.
func sizeIdentity(account string) string {
	user, domain, _ := strings.Cut(account, "@")
	if domain == "" || strings.Contains(domain, ".") {
		return account
	}
	return strings.ToUpper(domain) + `\` + user
}
