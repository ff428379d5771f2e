package throttle

import (
	"errors"
	"strings"
	"testing"
)

func TestThreeThingsThatAreNoNumber(t *testing.T) {
	for _, tt := range []struct {
		v               Value
		word            string
		in2010, in2013  bool // it decides there
		limited2010     bool
		promiseOfTheRow string
	}{
		{Value{}, "inherited", false, false, false, "nothing said"},
		{Value{State: Unset}, "unset", true, false, false, "$null: no limit in 2010, inherited since 2013"},
		{Value{State: NoLimit}, "unlimited", true, true, false, "the word Unlimited"},
		{Number(0), "0", true, true, true, "a number, and the tightest"},
		{Number(27), "27", true, true, true, "a number"},
	} {
		_, limited := tt.v.limit()
		if tt.v.String() != tt.word || tt.v.settles(Exchange2010) != tt.in2010 || tt.v.settles(Exchange2010RTM) != tt.in2010 || tt.v.settles(Exchange2013) != tt.in2013 || limited != tt.limited2010 {
			t.Errorf("%s: got %s, decides in 2010 %v, since 2013 %v, limited %v", tt.promiseOfTheRow, tt.v, tt.v.settles(Exchange2010), tt.v.settles(Exchange2013), limited)
		}
	}
}

// A parameter is known by its name in any letter case, since 2010 writes EWS
// where 2013 writes Ews, and every row keeps the promises of the table.
func TestParameters(t *testing.T) {
	seen := map[string]bool{}
	n := 0
	for p := range Parameters() {
		n++
		low := strings.ToLower(p.String())
		if seen[low] {
			t.Errorf("%s is in the table twice", p)
		}
		seen[low] = true
		for _, name := range []string{p.String(), low, strings.ToUpper(low)} {
			if got, ok := ParseParameter(name); !ok || got != p {
				t.Errorf("%s: got %v, %v, want %v", name, got, ok, p)
			}
		}
		if p.Judged() == (p.Part() == NoPart) {
			t.Errorf("%s: judged is %v, and its part is %s", p, p.Judged(), p.Part())
		}
		c, of := p.Component()
		if !p.Judged() || !of || parameters[p].does == asCutoff {
			continue
		}
		if !strings.HasPrefix(low, strings.ToLower(c.String())) && c != Submission {
			t.Errorf("%s is of %s", p, c)
		}
		gauge, rate := c.gauge(p.Part()) >= 0, c.rate(p.Part()) >= 0
		if gauge == rate {
			t.Errorf("%s: a budget of %s has a place for %s as a gauge: %v, as a rate: %v, want one of both", p, c, p.Part(), gauge, rate)
		}
	}
	if _, ok := ParseParameter("EwsMaxConcurency"); ok || n != 142 {
		t.Errorf("a misspelt name is known: %v; %d parameters, want 142", ok, n)
	}
}

// Both marks of document 000 (event 2914), and the form that they have in CLIXML.
func TestDeletedLinks(t *testing.T) {
	for _, tt := range []struct {
		link, name string
		deleted    bool
	}{
		{`CN=ThrottlingPolicy-DefaultMailboxPlan\0ADEL:4d73d344-d66f-4eed-85f9-b6c95dcd2a13,CN=Deleted Objects,CN=Configuration,DC=example,DC=com`, "ThrottlingPolicy-DefaultMailboxPlan", true},
		{"SomeDomain/Configuration/Deleted Objects/SomePolicy\nDEL:3fb98144-b317-413b-9a19-78003fd5a633", "SomePolicy", true},
		{"SomeDomain/Configuration/Deleted Objects/SomePolicy\r\nDEL:3fb98144-b317-413b-9a19-78003fd5a633", "SomePolicy", true},
		{"Some Policy_x000A_DEL:3fb98144-b317-413b-9a19-78003fd5a633", "Some Policy", true},
		{`cn=x\0adel:1`, "x", true},
		{"", "", false},
		{"DEL:", "", false},
		{"Model:DEL:1", "", false},
		{`CN=Standard,CN=Global Settings`, "", false},
	} {
		if name, deleted := DeletedLink(tt.link); name != tt.name || deleted != tt.deleted {
			t.Errorf("%q: got %q, %v, want %q, %v", tt.link, name, deleted, tt.name, tt.deleted)
		}
	}
}

func FuzzDeletedLink(f *testing.F) {
	for _, s := range []string{"", "CN=a\\0ADEL:1", "a/b\nDEL:", "_x000A_DEL:", "CN=", "\r\nDEL:"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, link string) {
		name, deleted := DeletedLink(link)
		low := Fold(link)
		if want := strings.Contains(low, "\ndel:") || strings.Contains(low, `\0adel:`) || strings.Contains(low, "_x000a_del:"); deleted != want {
			t.Errorf("%q: deleted %v, want %v", link, deleted, want)
		}
		if len(name) > len(link) || !strings.Contains(link, name) {
			t.Errorf("%q: got a name %q that is not in it", link, name)
		}
	})
}

// What a fresh install has, and how sure that is. Every built-in value decides:
// it is the end of the path.
func TestFresh(t *testing.T) {
	for p := range Parameters() {
		for _, g := range Generations() {
			f := p.Fresh(g)
			if !p.Of(g) {
				continue
			}
			if f.Status == Stated || f.Source == "" || !f.Value.settles(g) {
				t.Errorf("%s in %s: got %+v, want a status, a source and a value that decides", p, g, f)
			}
			if n, ok := f.Value.limit(); ok && n > p.Most() {
				t.Errorf("%s in %s: %d is beyond its range, which ends at %d", p, g, n, p.Most())
			}
		}
	}
	for g, table := range map[Generation]map[string]Fresh{Exchange2013: freshOf2013, Exchange2010: freshOf2010, Exchange2010RTM: freshOfRTM} {
		for name := range table {
			if p, ok := ParseParameter(name); !ok || !p.Of(g) || p.String() != name {
				t.Errorf("%s has a built-in value in %s, where it is no parameter", name, g)
			}
		}
	}
}

// Values that documents give, with the document.
func TestFreshValues(t *testing.T) {
	unset, unlimited := Value{State: Unset}, Value{State: NoLimit}
	for _, tt := range []struct {
		g      Generation
		name   string
		want   Value
		status Status
	}{
		{Exchange2010, "EWSPercentTimeInAD", Number(50), Confirmed},  // document 000, IIS log: AD:30000
		{Exchange2010, "EWSPercentTimeInCAS", Number(90), Confirmed}, // CAS:54000
		{Exchange2010, "EwsPercentTimeInAddressBook", Number(50), Confirmed},
		{Exchange2010, "EWSPercentTimeInMailboxRPC", Number(60), Confirmed},
		{Exchange2010, "EWSFindCountLimit", Number(1000), Confirmed}, // FC:1000, and document 000 on FindItem
		{Exchange2010, "CPUStartPercent", Number(75), Assumed},       // document 000 gives 75 as an example
		{Exchange2010, "RCAPercentTimeInCAS", Number(205), Assumed},
		{Exchange2010, "IMAPMaxConcurrency", unset, Assumed},
		{Exchange2010, "EASMaxDevices", Number(10), Disputed},
		{Exchange2010RTM, "EWSPercentTimeInCAS", unset, Confirmed}, // first shipped with nearly everything off
		{Exchange2010RTM, "EWSFindCountLimit", unset, Confirmed},
		{Exchange2010RTM, "RCAMaxConcurrency", Number(20), Confirmed},
		{Exchange2013, "EwsMaxConcurrency", Number(27), Disputed},
		{Exchange2013, "EwsMaxBurst", Number(300_000), Confirmed},
		{Exchange2013, "EwsRechargeRate", Number(900_000), Confirmed},
		{Exchange2013, "EwsCutoffBalance", Number(3_000_000), Confirmed},
		{Exchange2013, "RcaCutoffBalance", unlimited, Confirmed},
		{Exchange2013, "ImapMaxConcurrency", unlimited, Confirmed},
		{Exchange2013, "EwsCostThreshold", unlimited, Assumed},
	} {
		p, ok := ParseParameter(tt.name)
		if f := p.Fresh(tt.g); !ok || f.Value != tt.want || f.Status != tt.status {
			t.Errorf("%s in %s: got %v, %s (%v), want %v, %s", tt.name, tt.g, f.Value, f.Status, ok, tt.want, tt.status)
		}
	}
}

var errTorn = errors.New("EWSMaxConcurrency is not a number")

func parameter(t testing.TB, name string) Parameter {
	t.Helper()
	p, ok := ParseParameter(name)
	if !ok {
		t.Fatalf("no parameter %s", name)
	}
	return p
}
