package throttle

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// says makes the values of a policy: name, number, name, number…
func says(t testing.TB, pairs ...any) map[Parameter]Value {
	t.Helper()
	out := map[Parameter]Value{}
	for i := 0; i < len(pairs); i += 2 {
		v, ok := pairs[i+1].(Value)
		if !ok {
			v = Number(int64(pairs[i+1].(int)))
		}
		out[parameter(t, pairs[i].(string))] = v
	}
	return out
}

func compiled(t testing.TB, f File) *Book {
	t.Helper()
	b, err := Compile(f)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// The path of document 000: the assigned policy, where that is missing or
// corrupt the organization's default, where that is too the fallback policy.
// Every step down says why.
func TestFallbackPath(t *testing.T) {
	const deleted = "SomeDomain/Configuration/Deleted Objects/XYZ\nDEL:3fb98144-b317-413b-9a19-78003fd5a633"
	xyz := Policy{Name: "XYZ", Generation: Exchange2010, Values: says(t, "EWSMaxConcurrency", 3)}
	standard := Policy{Name: "Default", Scope: Organization, Generation: Exchange2010, Values: says(t, "EWSMaxConcurrency", 7)}
	torn := func(p Policy) Policy { p.Invalid = errTorn; return p }
	gone := func(p Policy) Policy { p.Deleted = true; return p }
	for _, tt := range []struct {
		name     string
		policies []Policy
		link     string
		want     string // policy, EWSMaxConcurrency and why others are not it
	}{
		{"assigned", []Policy{xyz, standard}, "XYZ", "XYZ 3"},
		{"in another letter case", []Policy{xyz, standard}, "xyz", "XYZ 3"},
		{"assigned to none", []Policy{xyz, standard}, "", "Default 7"},
		{"missing", []Policy{standard}, "XYZ", "Default 7; XYZ: there is no policy of that name"},
		{"corrupt", []Policy{torn(xyz), standard}, "XYZ", "Default 7; XYZ: it cannot be used: EWSMaxConcurrency is not a number"},
		{"deleted", []Policy{gone(xyz), standard}, "XYZ", "Default 7; XYZ: it was deleted while it was assigned: assign another"},
		{"deleted, and only the link is left", []Policy{standard}, deleted, "Default 7; XYZ: it was deleted while it was assigned: assign another"},
		{"deleted, and the default has been made anew under its name", []Policy{{Name: "XYZ", Scope: Organization, Generation: Exchange2010, Values: says(t, "EWSMaxConcurrency", 8)}}, deleted,
			"XYZ 8; XYZ: it was deleted while it was assigned: assign another"},
		{"the default is corrupt", []Policy{xyz, torn(standard)}, "", "built-in fallback 10; Default: it cannot be used: EWSMaxConcurrency is not a number"},
		{"the default was deleted", []Policy{xyz, gone(standard)}, "", "built-in fallback 10; Default: it was deleted while it was assigned: assign another"},
		{"a corrupt default is nobody's who has another", []Policy{xyz, torn(standard)}, "XYZ", "XYZ 3; Default: it cannot be used: EWSMaxConcurrency is not a number"},
		{"both are corrupt", []Policy{torn(xyz), torn(standard)}, "XYZ",
			"built-in fallback 10; XYZ: it cannot be used: EWSMaxConcurrency is not a number; Default: it cannot be used: EWSMaxConcurrency is not a number"},
		{"missing, and no default", nil, "XYZ", "built-in fallback 10; XYZ: there is no policy of that name"},
		{"no default", []Policy{xyz}, "", "built-in fallback 10"},
	} {
		f := File{Generation: Exchange2010, Policies: tt.policies, Users: map[string]string{"ken": tt.link}}
		if got := told(t, compiled(t, f).Effective("Ken"), "EWSMaxConcurrency"); got != tt.want {
			t.Errorf("%s:\ngot  %s\nwant %s", tt.name, got, tt.want)
		}
	}
}

func told(t testing.TB, e Effective, name string) string {
	t.Helper()
	s, ok := e.Setting(parameter(t, name))
	if !ok {
		t.Fatalf("no %s in generation %s", name, e.Generation)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s", e.Policy, s.Value)
	for _, f := range e.Falls {
		fmt.Fprintf(&b, "; %s: %s", f.Policy, f.Why)
	}
	return b.String()
}

// Since 2013 each parameter is inherited by itself: Regular, Organization,
// Global, built in. In 2010 $null lifts a limit; since 2013 it gives it back.
func TestInheritance(t *testing.T) {
	unset, unlimited := Value{State: Unset}, Value{State: NoLimit}
	b := compiled(t, File{
		Policies: []Policy{
			{Name: "R", Values: says(t, "EwsMaxBurst", 1, "OwaMaxBurst", unset, "PopMaxBurst", unlimited, "IsServiceAccount", 1)},
			{Name: "O", Scope: Organization, Values: says(t, "EwsMaxBurst", 2, "OwaMaxBurst", 2, "PopMaxBurst", 2, "EasMaxBurst", unset)},
			{Name: "G", Scope: Global, Values: says(t, "EwsMaxBurst", 3, "RcaMaxBurst", 3, "EasMaxBurst", 3, "ImapMaxBurst", unset)},
			{Name: "Old", Generation: Exchange2010, Values: says(t, "EWSPercentTimeInCAS", unset, "EWSPercentTimeInAD", unlimited, "EWSMaxConcurrency", 4)},
		},
		Users: map[string]string{"r": "R", "g": "G", "old": "Old"},
	})
	for _, tt := range []struct{ caller, name, want string }{
		{"r", "EwsMaxBurst", "1 of R"}, {"r", "OwaMaxBurst", "2 of O"}, {"r", "PopMaxBurst", "unlimited of R"}, {"r", "RcaMaxBurst", "3 of G"},
		{"r", "EasMaxBurst", "3 of G"}, {"r", "ImapMaxBurst", "3600000 of built-in fallback"}, {"r", "IsServiceAccount", "1 of R"},
		{"x", "EwsMaxBurst", "2 of O"}, {"x", "RcaMaxBurst", "3 of G"}, {"x", "IsServiceAccount", "0 of built-in fallback"},
		{"g", "OwaMaxBurst", "480000 of built-in fallback"}, {"g", "EwsMaxBurst", "3 of G"}, // nobody inherits from a narrower scope
		{"old", "EWSPercentTimeInCAS", "unset of Old"}, {"old", "EWSPercentTimeInAD", "unlimited of Old"}, {"old", "EWSMaxConcurrency", "4 of Old"},
		{"old", "EWSPercentTimeInMailboxRPC", "60 of built-in fallback"},
	} {
		e := b.Effective(tt.caller)
		s, _ := e.Setting(parameter(t, tt.name))
		if got := s.Value.String() + " of " + s.From; got != tt.want {
			t.Errorf("%s, %s: got %s, want %s", tt.caller, tt.name, got, tt.want)
		}
	}
	old := b.Effective("old")
	if len(old.Falls) != 2 || !strings.Contains(old.Falls[0].Why, "of generation 2013: a policy of 2010 inherits nothing from it") {
		t.Errorf("got %v, want why nothing is inherited across generations", old.Falls)
	}
	if _, ok := old.Setting(parameter(t, "EwsMaxBurst")); ok {
		t.Error("a policy of 2010 has a burst")
	}
}

func TestCompileRefuses(t *testing.T) {
	for _, tt := range []struct {
		f    File
		want string
	}{
		{File{Policies: []Policy{{Name: "A"}, {Name: "a"}}}, `policy "a": want a name that no other has`},
		{File{Policies: []Policy{{}}}, `policy "": want a name that no other has`},
		{File{Policies: []Policy{{Name: "A", Scope: Organization}, {Name: "B", Scope: Organization}}}, `policy "B": "A" is of scope organization too, and there can be one`},
		{File{Policies: []Policy{{Name: "A", Scope: Global}, {Name: "B", Scope: Global}}}, `policy "B": "A" is of scope global too, and there can be one`},
		{File{Default: "A"}, `default "A": no policy has that name`},
		{File{Default: "B", Policies: []Policy{{Name: "A", Scope: Organization}, {Name: "B"}}}, `default "B": "A" is of scope organization, and there can be one default`},
		{File{Users: map[string]string{"a": "", "A": ""}}, `user "a": listed twice`},
		{File{Users: map[string]string{"a": "x", "A": "y"}}, `user "a": listed twice`},
		{File{Users: map[string]string{`corp\a`: "x", "A@Corp": "y"}}, `user "corp\\a": listed twice`},
		{File{Users: map[string]string{`corp\a`: "x", "a@corp.example": "y"}, Domains: []Domain{{"corp", "corp.example"}}}, `user "corp\\a": listed twice`},
		{File{Users: map[string]string{"a\x00b": "x"}}, `user "a\x00b": no name of an account`},
		{File{Outside: []string{`a\b\c`}}, `outside: "a\\b\\c" is no name of an account`},
		{File{Users: map[string]string{"É": "x", "é": "y"}}, `user "é": listed twice`},
		{File{Default: "B", Policies: []Policy{{Name: "A", Scope: Organization, Deleted: true}, {Name: "B", Scope: Organization}}}, ""},
	} {
		b, err := Compile(tt.f)
		if tt.want == "" && err == nil && b != nil {
			continue
		}
		if err == nil || err.Error() != tt.want || b != nil {
			t.Errorf("%+v: got %v, want %q", tt.f, err, tt.want)
		}
	}
}

func TestNamed(t *testing.T) {
	b := compiled(t, File{Policies: []Policy{{Name: "Gold", Values: says(t, "EwsMaxBurst", 1)}, {Name: "G", Scope: Global}}})
	if e, ok := b.Named("GOLD"); !ok || e.Policy != "Gold" || b.Policies()[0].Name != "G" {
		t.Errorf("got %s, %v, %v", e.Policy, ok, b.Policies())
	}
	if _, ok := b.Named("Silver"); ok {
		t.Error("a policy that is not there is found")
	}
	if b.Fallback().Policy != BuiltIn || b.Generation() != Exchange2013 {
		t.Errorf("got %s of %s", b.Fallback().Policy, b.Generation())
	}
}

// Equal files make equal Books, whatever the order of maps: a reload that
// changed nothing is known as such.
func TestEqualFilesMakeEqualBooks(t *testing.T) {
	file := func() File {
		f := File{Users: map[string]string{}}
		for i := range 20 {
			f.Policies = append(f.Policies, Policy{Name: fmt.Sprint("P", i), Values: says(t, "EwsMaxBurst", i)})
			f.Users[fmt.Sprint("u", i)], f.Users[fmt.Sprint("v", i)] = fmt.Sprint("p", i), fmt.Sprint("Missing", i)
		}
		return f
	}
	for range 10 {
		if a, b := compiled(t, file()), compiled(t, file()); !reflect.DeepEqual(a, b) {
			t.Fatal("got two Books of one file")
		}
	}
}

// For any file, every caller has a value for every parameter that decides, and
// whoever is on the path of one policy in use says so.
func TestEveryoneHasAPolicy(t *testing.T) {
	all := []Parameter{parameter(t, "EwsMaxConcurrency"), parameter(t, "EwsMaxBurst"), parameter(t, "EwsPercentTimeInCAS"), parameter(t, "IsServiceAccount")}
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom([]string{"A", "B", "C", "D"})
		f := File{Generation: rapid.SampledFrom(Generations()).Draw(t, "generation"), Users: map[string]string{}}
		for i, n := range []string{"A", "B", "C"}[:rapid.IntRange(0, 3).Draw(t, "policies")] {
			p := Policy{Name: n, Generation: rapid.SampledFrom(Generations()).Draw(t, "of"), Values: map[Parameter]Value{}, Deleted: rapid.Bool().Draw(t, "deleted")}
			if p.Scope = Scope(i); rapid.Bool().Draw(t, "regular") {
				p.Scope = Regular
			}
			if rapid.Bool().Draw(t, "torn") {
				p.Invalid = errTorn
			}
			for _, of := range all {
				p.Values[of] = Value{rapid.SampledFrom([]State{Inherited, Unset, NoLimit, Given}).Draw(t, "state"), 0}
			}
			f.Policies = append(f.Policies, p)
		}
		for _, u := range []string{"u", "v$"} {
			f.Users[u] = name.Draw(t, "link")
		}
		b, err := Compile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, caller := range []string{"u", "v$", "w", "x$"} {
			e := b.Effective(caller)
			if want := assignedModel(f, caller); e.Policy != want {
				t.Fatalf("%s: got %s, want %s", caller, e.Policy, want)
			}
			for _, s := range e.Settings {
				if !s.Value.settles(e.Generation) || s.From == "" || (s.From == BuiltIn) == (s.Status == Stated) {
					t.Fatalf("%s: got %+v", caller, s)
				}
			}
			if e.Asked != "" && e.Policy != e.Asked && len(e.Falls) == 0 {
				t.Fatalf("%s: has %s for %s, and nothing says why", caller, e.Policy, e.Asked)
			}
		}
	})
}

// assignedModel is the path in plain words: what is assigned, else the
// organization's, else the global one, each if it can be used.
func assignedModel(f File, caller string) string {
	link, ok := f.Users[caller]
	if !ok && strings.HasSuffix(caller, "$") {
		return BuiltIn
	}
	own := func(p Policy) bool { return ok && p.Name == link }
	path := []func(Policy) bool{own, func(p Policy) bool { return p.Scope == Organization }, func(p Policy) bool { return p.Scope == Global }}
	if strings.HasSuffix(caller, "$") { // of no organization
		path = path[:1]
	}
	for _, want := range path {
		for _, p := range f.Policies {
			if want(p) && p.unusable() == "" {
				return p.Name
			}
		}
	}
	return BuiltIn
}
