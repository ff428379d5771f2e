package exchange

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"evenkeel/policy/throttle"
)

// everyPolicy complains of policies, one by one and together.
func (c *checker) everyPolicy() {
	c.defaults()
	behind := c.behind()
	for i, p := range c.policies {
		if p.Deleted {
			continue
		}
		e, ok := c.book.Named(p.Name)
		if !ok {
			continue
		}
		c.falls(p, e)
		c.values(p, e, behind)
		if p.Scope == throttle.Regular {
			c.unused(p, i)
			c.unlimited(p, i, e, behind)
		}
	}
}

// defaults: there is one. Policies of 2013 and later have a global one,
// and may have one of the organization.
func (c *checker) defaults() {
	var names [3][]string
	for _, p := range c.policies {
		if !p.Deleted {
			names[p.Scope] = append(names[p.Scope], p.Name)
		}
	}
	for _, s := range []throttle.Scope{throttle.Organization, throttle.Global} {
		if len(names[s]) > 1 {
			slices.Sort(names[s])
			c.add(SeveralDefaults, strings.Join(names[s], ", "), fmt.Sprintf("%d policies are of scope %s, and there can be one: which of them counts is left to chance (event 2902)", len(names[s]), s), c.single(names[s]))
		}
	}
	if c.Export.defaults && len(names[throttle.Organization])+len(names[throttle.Global]) == 0 {
		c.add(NoDefault, "default policy", "no policy is the default: who has none of his own has what is built in, which cannot be changed (event 2901)", c.restore())
	}
}

// single leaves one default of several.
func (c *checker) single(names []string) string {
	if c.generation() == throttle.Exchange2013 {
		return "keep the one that Exchange made: Remove-ThrottlingPolicy -Identity NAME for each of the others, once nobody has it"
	}
	lines := make([]string, 0, len(names))
	for _, name := range names[1:] {
		lines = append(lines, setPolicy(name, "IsDefault", "$false"))
	}
	return strings.Join(lines, "; ")
}

func (c *checker) restore() string {
	if c.generation() == throttle.Exchange2013 {
		return "export with no -ThrottlingPolicyScope; if there is no global policy indeed, the setup of Exchange makes it again: Setup.exe /PrepareAD"
	}
	return "Set-ThrottlingPolicy -Identity NAME -IsDefault $true, for the policy that is to be the default"
}

// behind is what a policy that says nothing has: the default's values.
func (c *checker) behind() throttle.Effective {
	for _, s := range [...]throttle.Scope{throttle.Organization, throttle.Global} {
		if i := c.Export.standard(s); i >= 0 && !c.policies[i].Deleted {
			if e, ok := c.book.Named(c.policies[i].Name); ok {
				return e
			}
		}
	}
	return c.book.Fallback()
}

// falls: what a policy leaves open is in policies behind it.
func (c *checker) falls(p policy, e throttle.Effective) {
	if len(e.Falls) == 0 {
		return
	}
	var why []string
	for _, f := range e.Falls {
		why = append(why, strconv.Quote(f.Policy)+" is passed over: "+f.Why)
	}
	c.add(ImplicitFallback, p.Name, "what it leaves open is built in, since "+strings.Join(why, "; "), "state every value in it, or make it anew on this version: New-ThrottlingPolicy")
}

func (c *checker) unused(p policy, i int) {
	if c.assigned && !c.partial && len(c.users[i]) == 0 && !p.legacy {
		c.add(UnusedPolicy, p.Name, "no account in the export has it", "Remove-ThrottlingPolicy -Identity "+Quote(p.Name))
	}
}

// unlimited: a policy that lifts all of a component's limits that others have.
// Accounts of services have it, and one of them can take a server down.
func (c *checker) unlimited(p policy, i int, e, behind throttle.Effective) {
	if len(c.users[i]) == 0 {
		return
	}
	var free, pairs []string
	for _, component := range [...]throttle.Component{throttle.EAS, throttle.EWS, throttle.IMAP, throttle.OutlookService, throttle.OWA, throttle.POP, throttle.PowerShell, throttle.RCA} {
		if lifted(&e, component) && !lifted(&behind, component) {
			free = append(free, component.String())
			pairs = append(pairs, bounds(&behind, component, e.Generation)...)
		}
	}
	if len(free) > 0 {
		c.add(UnlimitedAccount, p.Name, "nothing limits "+c.names(i)+" in "+strings.Join(free, ", ")+": one of them that runs away takes what all others need", limitPolicy(p.Name, pairs))
	}
}

// lifted says that neither how many requests nor their time is limited.
func lifted(e *throttle.Effective, c throttle.Component) (none bool) {
	for _, s := range e.Settings {
		of, ok := s.Parameter.Component()
		if !ok || of != c {
			continue
		}
		switch s.Parameter.Part() {
		case throttle.Concurrency, throttle.LocalTime, throttle.AD, throttle.CAS, throttle.RPC:
			if s.Value.State == throttle.Given {
				return false
			}
			none = true
		}
	}
	return none // a generation that does not know the component lifts nothing
}

// bounds are what limits others, to begin with: ten times as much at once, or,
// where that is free for all, their time as it is; else what is built in.
func bounds(behind *throttle.Effective, c throttle.Component, g throttle.Generation) []string {
	others := func(of throttle.Parameter) throttle.Value {
		s, _ := behind.Setting(of)
		return s.Value
	}
	fresh := func(of throttle.Parameter) throttle.Value { return of.Fresh(g).Value }
	for _, value := range [...]func(throttle.Parameter) throttle.Value{others, fresh} {
		for _, part := range [...]throttle.Part{throttle.Concurrency, throttle.LocalTime, throttle.CAS, throttle.RPC, throttle.AD} {
			if pairs := bound(c, part, g, value); len(pairs) > 0 {
				return pairs
			}
		}
	}
	return nil
}

// bound is the part of bounds that a generation has parameters for.
func bound(c throttle.Component, part throttle.Part, g throttle.Generation, value func(throttle.Parameter) throttle.Value) (pairs []string) {
	for of := range throttle.Parameters() {
		v := value(of)
		if in, ok := of.Component(); !ok || in != c || of.Part() != part || !of.Of(g) || v.State != throttle.Given || v.N == 0 {
			continue
		}
		if part == throttle.Concurrency {
			v.N = min(of.Most(), 10*v.N)
		}
		pairs = append(pairs, of.String(), strconv.FormatInt(v.N, 10))
	}
	return pairs
}

// names are the accounts of a policy, or the first of them.
func (c *checker) names(i int) string {
	var names []string
	for _, a := range c.users[i] {
		names = append(names, c.Export.accounts[a].caller)
	}
	return few(names)
}

// few are the first of the names in order, and how many there are besides.
func few(names []string) string {
	const most = 5
	slices.Sort(names)
	if len(names) > most {
		return strings.Join(names[:most], ", ") + fmt.Sprintf(" and %d others", len(names)-most)
	}
	return strings.Join(names, ", ")
}
