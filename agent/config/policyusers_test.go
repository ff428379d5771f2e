package config

import (
	"errors"
	"testing"

	"evenkeel/policy/throttle"
)

// Who is assigned to what, in both ways to write it; a link to a deleted policy
// is no mistake of the file, and falls back.
func TestUsersOfPolicies(t *testing.T) {
	b := policies(t, `
policies: [{name: Standard, scope: organization}, {name: Gold}]
users:
  jdoe: Gold
  CORP\ann: GOLD
  joe@example.com: null
  ken: "CN=XYZ\\0ADEL:4d73d344-d66f-4eed-85f9-b6c95dcd2a13,CN=Deleted Objects"
  4711: Gold
outside: [contact]
`)
	listed := policies(t, `
policies: [{name: Standard, scope: organization}, {name: Gold}]
users:
  - {name: jdoe, policy: Gold}
  - {name: 'CORP\ann', policy: GOLD}
  - {name: joe@example.com, policy: ''}
  - {name: ken, policy: "x/XYZ\nDEL:4d73d344"}
  - {name: 4711, policy: Gold}
outside: [contact]
`)
	for caller, want := range map[string]string{
		"jdoe": "Gold", `corp\jdoe`: "Gold", `corp\Ann`: "Gold", "ann": "Standard", "joe@example.com": "Standard", "4711": "Gold", "ken": "Standard, not XYZ", "contact": "built-in fallback", "EX01$": "built-in fallback",
	} {
		for _, book := range []*throttle.Book{b, listed} {
			e := book.Effective(caller)
			got := e.Policy
			if len(e.Falls) > 0 {
				got += ", not " + e.Falls[0].Policy
			}
			if got != want {
				t.Errorf("%s: got %s, want %s", caller, got, want)
			}
		}
	}
}

// With domains one user can be written in more ways, and a name without a domain
// is of the first of them; without, it stands for every domain.
func TestUsersOfDomains(t *testing.T) {
	given := throttle.File{Domains: []throttle.Domain{{Short: "corp", Full: "corp.example"}, {Short: "lab", Full: "lab.example"}}}
	_, err := Policies("p.yaml", []byte("policies: [{name: A}]\nusers:\n  jdoe: A\n  CORP\\jdoe: A\n"), given)
	var ps Problems
	if !errors.As(err, &ps) || len(ps) != 1 || ps[0].headline() != `p.yaml:4:3: users.CORP\jdoe: CORP\jdoe is listed twice, first in line 3` {
		t.Errorf("got %v", err)
	}
	const text = "policies: [{name: A}]\nusers: {jdoe: A, ann: A, ann@lab.example: null, ken: A}\noutside: [ken@lab.example]"
	with, err := Policies("p.yaml", []byte(text), given)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ caller, with, without string }{
		{`CORP\jdoe`, "A", "A"},
		{"jdoe@lab.example", throttle.BuiltIn, "A"},
		{"ann@corp.example", "A", "A"},
		{"ann@lab.example", throttle.BuiltIn, throttle.BuiltIn},
		{"ken", "A", "A"},
		{"ken@lab.example", throttle.BuiltIn, throttle.BuiltIn},
	} {
		if got := with.Effective(tt.caller).Policy; got != tt.with {
			t.Errorf("%s with domains: got %s, want %s", tt.caller, got, tt.with)
		}
		if got := policies(t, text).Effective(tt.caller).Policy; got != tt.without {
			t.Errorf("%s without domains: got %s, want %s", tt.caller, got, tt.without)
		}
	}
}
