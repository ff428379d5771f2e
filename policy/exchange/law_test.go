package exchange

import (
	"bytes"
	"maps"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"evenkeel/policy/throttle"
)

// Whatever names and links there are, the forms that keep every letter give back
// the same users with the same links, and the same values of policies.
func TestFormsAgree(t *testing.T) {
	name := rapid.StringMatching(`[A-Za-z][A-Za-z0-9'"$` + "`" + `,;&<>%\\_x é節📧.-]{0,40}[a-z]`)
	link := rapid.OneOf(rapid.Just(""), name, rapid.Map(name, func(s string) string { return s + "\nDEL:" + guid }), rapid.Map(name, func(s string) string { return "CN=" + s + `\0ADEL:` + guid + ",CN=Deleted Objects" }))
	values := rapid.SampledFrom([]any{nil, limit("Unlimited"), limit("0"), limit("27"), limit("2147483647")})
	rapid.Check(t, func(t *rapid.T) {
		links := map[string]string{}
		var mailboxes []made
		for i, l := range rapid.SliceOfN(link, 1, 8).Draw(t, "links") {
			user := rapid.Just(name.Draw(t, "name")).Draw(t, "user")
			if _, twice := links[user]; twice || clash(links, user) {
				continue
			}
			var value any = l
			if l = strings.TrimSpace(l); l == "" {
				value = nil
			}
			links[user] = l
			mailboxes = append(mailboxes, made{{"Name", user}, {"ThrottlingPolicy", value}, {"Identity", string(rune('a' + i))}})
		}
		if len(mailboxes) == 0 {
			t.Skip("no name was one")
		}
		policy := made{{"Name", name.Draw(t, "policy")}, {"ThrottlingPolicyScope", "Global"}, {"EwsMaxConcurrency", values.Draw(t, "n")}, {"OwaMaxBurst", values.Draw(t, "burst")}, {"IsServiceAccount", rapid.Bool().Draw(t, "service")}}
		var first throttle.Policy
		for form, write := range writers {
			if form == "list" || form == "csv;" {
				continue // a window that breaks lines loses blanks; semicolons in names
			}
			x := Export{}
			for file, b := range map[string][]byte{"m": write(mailboxes), "p": write([]made{policy})} {
				if err := x.Read(file, bytes.NewReader(b)); err != nil {
					t.Fatalf("%s: %v\n%s", form, err, b)
				}
			}
			f := x.File()
			want := maps.Clone(links)
			for user, l := range want {
				want[user] = x.target(l)
			}
			if !maps.Equal(f.Users, want) {
				t.Fatalf("%s: got %q\nwant %q", form, f.Users, want)
			}
			if first.Name == "" {
				first = f.Policies[0]
			}
			if p := f.Policies[0]; p.Name != policy[0].value || !maps.Equal(p.Values, first.Values) {
				t.Fatalf("%s: %+v, and %+v in another form", form, p, first)
			}
		}
	})
}

// clash says that File would not keep user: it is another's name, or none.
func clash(links map[string]string, user string) bool {
	name := throttle.Account(user, nil)
	for other := range links {
		if throttle.Account(other, nil) == name {
			return true
		}
	}
	return name == ""
}

// A quoted text is read back by PowerShell's rules as it was.
func TestQuoteLaw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringMatching("[ -~\u2018\u2019\u201a\u201b\u00e9]{0,30}").Draw(t, "text")
		if got := unquote(Quote(s)); got != s {
			t.Fatalf("%q is read as %q", Quote(s), got)
		}
	})
}

// unquote reads a single-quoted string: a quote of any kind, twice, is one, and
// one alone ends it, so that what is behind is not of the string.
func unquote(s string) string {
	in := []rune(s)
	if len(in) < 2 || in[0] != '\'' {
		return "not quoted"
	}
	var out strings.Builder
	for i := 1; i < len(in); i++ {
		if !strings.ContainsRune("'\u2018\u2019\u201a\u201b", in[i]) {
			out.WriteRune(in[i])
			continue
		}
		if i == len(in)-1 {
			return out.String()
		}
		if i++; !strings.ContainsRune("'\u2018\u2019\u201a\u201b", in[i]) || i == len(in)-1 {
			return "ends early"
		}
		out.WriteRune(in[i-1])
	}
	return "does not end"
}
