package throttle

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// corp are the domains of the tests.
var corp = []Domain{{"corp", "corp.example"}, {"partner", "mail.partner.example"}}

// A name in a policy file is that of an account however either is written, by
// which the gate calls him.
func TestNamesOfOneAccount(t *testing.T) {
	for _, tt := range []struct {
		domains       []Domain
		listed        string
		callers, none []string
	}{
		{nil, `CORP\Émile`, []string{"émile@corp", `corp\ÉMILE`, "Émile@CORP."}, []string{"émile", "émile@corp.example", "emile@corp"}},
		{corp, `CORP\Émile`, []string{"émile@corp.example", `corp\ÉMILE`, "Émile", `\émile`}, []string{"émile@partner", "emile"}},
		{nil, "jane@corp.example.", []string{"jane@corp.example", `CORP.Example\Jane`}, []string{"jane", "jane@corp"}},
		{nil, "s-12", []string{"S-12", "s-12", "s-12@corp"}, []string{"s-1-2"}},
		{corp, "s-12", []string{"S-12", "s-12@corp"}, []string{"S-1-2", "s-12@partner"}},
		{corp, "s-1234", []string{"S-1234", "s-1234@CORP", "s-1234@corp.example"}, []string{"s-1234@partner"}},
		{corp, " s-1-5-21-1013", []string{"S-1-5-21-1013", "s-1-5-21-1013"}, []string{"S-1-5-21-1014"}},
		{corp, "jdoe", []string{"JDOE", `CORP\jdoe`, "jdoe@corp.example"}, []string{`PARTNER\jdoe`, "jdoe@elsewhere.example"}},
		{nil, "jdoe", []string{"JDOE", `CORP\jdoe`, "jdoe@corp.example", `PARTNER\jdoe`}, []string{"jane"}},
		{nil, "k\u212a", []string{"KK", `CORP\kk`}, []string{"k"}}, // the sign of the kelvin is a K
		{corp, strings.Repeat("x", 250), []string{`corp\` + strings.Repeat("X", 250)}, []string{"x"}},
	} {
		b := compiled(t, File{Policies: []Policy{{Name: "P"}}, Users: map[string]string{tt.listed: "P"}, Domains: tt.domains})
		for _, caller := range slices.Concat(tt.callers, tt.none) {
			want := BuiltIn
			if slices.Contains(tt.callers, caller) {
				want = "P"
			}
			for _, name := range []string{caller, Account(caller, tt.domains)} {
				if got := b.Effective(name).Policy; got != want {
					t.Errorf("%q listed, %q asked: got %s, want %s", tt.listed, name, got, want)
				}
			}
		}
	}
}

// drawName is a name as people and programs write it, or is none.
func drawName() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.StringMatching(`[ \\]?(CORP|corp\.example|partner|É|x)?[\\.]?[A-Za-zÉéÄßıİſK$ .-]{0,5}(@(CORP|Corp\.Example|mail\.partner\.example|x\.y|b@c)?[ .]?)?`),
		rapid.StringMatching(`[sS]-1?-?[0-9-]{0,9}`),
		rapid.String(),
	)
}

// Whoever a file names has what it says when the gate asks for him, by the name
// that the gate gives him or by the file's own; and is named to people by it.
func TestTheGateAndTheBookKnowOneAccount(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := File{Policies: []Policy{{Name: "P"}}, Users: map[string]string{}, Domains: corp[:rapid.IntRange(0, 2).Draw(t, "domains")]}
		names := rapid.SliceOfN(drawName(), 1, 8).Draw(t, "names")
		accounts := map[string]bool{}
		for _, name := range names {
			a := Account(name, f.Domains)
			if _, err := Compile(File{Users: map[string]string{name: "P"}, Domains: f.Domains}); (err == nil) != (a != "") {
				t.Fatalf("%q is the account %q, and a file with it: %v", name, a, err)
			}
			if a != "" && !accounts[a] {
				accounts[a], f.Users[name] = true, "P"
			}
		}
		b, err := Compile(f)
		if err != nil {
			t.Fatal(err)
		}
		for name := range f.Users {
			a := Account(name, f.Domains)
			if i, why := b.standing(a); why != assigned || b.standings[i].Policy != "P" {
				t.Fatalf("%q: as %q he has %s", name, a, b.standings[i].Policy)
			}
			if x, y := b.Explain(name), b.Explain(a); x.Policy != "P" || x.User != a || y.User != a {
				t.Fatalf("%q, asked himself: %s has %s, and %s as %q", name, x.User, x.Policy, y.User, a)
			}
		}
	})
}

// The name of an account is its own, with domains and without.
func TestAccountsKeepTheirNames(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		domains := corp[:rapid.IntRange(0, 2).Draw(t, "domains")]
		once := account(drawName().Draw(t, "name"), domains)
		if once == "" {
			return
		}
		if twice := account(once, domains); twice != once {
			t.Fatalf("%q became %q", once, twice)
		}
	})
}

func FuzzAccount(f *testing.F) {
	for _, s := range []string{"", `CORP\Émile`, "jane@corp.example.", "s-12", "S-1-5", `\a@b`, "a@b@", "a@b\\c", "\xff", strings.Repeat("a", 257)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, name string) {
		for n := range len(corp) + 1 {
			a := Account(name, corp[:n])
			if account(a, corp[:n]) != a || len(name) > maxAccount && a != "" || n > 0 && a != "" && !isSID(a) && !strings.Contains(a, "@") {
				t.Errorf("%q of %d domains: %q, and that again %q", name, n, a, account(a, corp[:n]))
			}
		}
	})
}
