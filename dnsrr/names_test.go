package dnsrr

import (
	"strings"
	"testing"

	"github.com/miekg/dns"
	"pgregory.net/rapid"
)

func TestFoldIsASCII(t *testing.T) {
	for in, want := range map[string]string{
		"":                "",
		"mail.test.":      "mail.test.",
		"mAIL.TESt.":      "mail.test.",
		"@[`{AZaz":        "@[`{azaz", // the neighbours of A and Z
		"\u212A\u0130.X.": "\u212A\u0130.x.",
		`\065.`:           `\065.`,
	} {
		if got := fold(in); got != want {
			t.Errorf("fold %q: %q, want %q", in, got, want)
		}
	}
	if n := testing.AllocsPerRun(100, func() { fold("mail.test.") }); n != 0 {
		t.Errorf("%v allocations with nothing to fold", n)
	}
}

// within agrees with a reader of labels, for all the ways to write a name.
func TestWithinComparesLabels(t *testing.T) {
	label := rapid.SampledFrom([]string{"mail", "test", "a", "xmail", `a\.mail`, `a\\`, `\\\.`, `\000`, "mai"})
	rapid.Check(t, func(t *rapid.T) {
		name := strings.Join(rapid.SliceOfN(label, 1, 5).Draw(t, "labels"), ".") + "."
		if got, want := within(name, "mail.test."), dns.IsSubDomain("mail.test.", name); got != want {
			t.Fatalf("%s within mail.test.: %v, want %v", name, got, want)
		}
	})
}

func TestCheckLabel(t *testing.T) {
	for l, fine := range map[string]bool{
		"a": true, "EX-01": true, "win_host": true, "_tcp": true, "9": true, strings.Repeat("a", 63): true,
		"": false, "-a": false, "a-": false, "a b": false, "a.b": false, `a\b`: false, "é": false, strings.Repeat("a", 64): false,
	} {
		if err := checkLabel(l); (err == nil) != fine {
			t.Errorf("label %q: %v, want fine %v", l, err, fine)
		}
	}
}

// All names above a name exist, up to the apex and no further.
func TestParentsExist(t *testing.T) {
	tab := compile(t, farm(func(s *Set) { s.Records = records(t, `a\.b.c.d TXT x`) }))
	for name, want := range map[string]string{
		`a\.b.c.d.mail.test.`: `NOERROR aa; a\.b.c.d.mail.test. TXT "x"`,
		"c.d.mail.test.":      "NOERROR aa; au mail.test. SOA",
		"d.mail.test.":        "NOERROR aa; au mail.test. SOA",
		"b.c.d.mail.test.":    "NXDOMAIN aa; au mail.test. SOA",
		"test.":               "REFUSED",
	} {
		if got := brief(tab.Answer(ask(name, dns.TypeTXT), Asker{}, true)); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
}
