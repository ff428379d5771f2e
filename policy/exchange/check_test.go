package exchange

import (
	"slices"
	"strings"
	"testing"

	"evenkeel/policy/throttle"
)

// whole2010 is a whole policy of 2010 SP1 as a list, with some values replaced.
func whole2010(name, isDefault string, values map[string]string) string {
	text := "Name : " + name + "\nIsDefault : " + isDefault + "\nExchangeVersion : 0.10 (14.0.100.0)\n"
	for of := range throttle.Parameters() {
		if !of.Of(throttle.Exchange2010) {
			continue
		}
		v, given := values[of.String()]
		if fresh := of.Fresh(throttle.Exchange2010).Value; !given && fresh.State == throttle.Given {
			v = fresh.String()
		}
		text += strings.ToUpper(of.String()[:3]) + of.String()[3:] + " : " + v + "\n"
	}
	return text + "\n"
}

func kinds(x *Export) string {
	var out []string
	for _, p := range x.Check() {
		out = append(out, string(p.Kind)+" "+p.Object)
	}
	return strings.Join(out, "; ")
}

// Exchange 2010: blank is no limit, IsDefault is the one default (events 2901
// and 2902), and computer accounts have what is built in.
func TestCheck2010(t *testing.T) {
	free := map[string]string{"EwsMaxConcurrency": "", "EwsPercentTimeInAD": "", "EwsPercentTimeInCAS": "", "EwsPercentTimeInMailboxRPC": ""}
	standard := whole2010("Standard", "True", nil)
	for _, tt := range []struct {
		name  string
		files []string
		want  string
	}{
		{"all is well", []string{standard}, ""},
		{"none is the default", []string{whole2010("Standard", "False", nil)}, "no-default default policy"},
		{"two are", []string{standard + whole2010("Other", "True", nil)}, "several-defaults Other, Standard"},
		{"a service without limits", []string{standard + whole2010("BES", "False", free), "Name,ThrottlingPolicy\nbes,BES\n"}, "unlimited-service-account BES"},
		{"nobody has it", []string{standard + whole2010("BES", "False", free), "Name,ThrottlingPolicy\nbes,\n"}, "unused-policy BES"},
		{"more in a part than in all", []string{standard + whole2010("P", "False", map[string]string{"EwsPercentTimeInAD": "95"})}, "no-effect P"},
		{"more than so many can use", []string{whole2010("Standard", "True", map[string]string{"OwaPercentTimeInCAS": "500"})}, "no-effect Standard"},
		{"nobody is slowed", []string{standard + whole2010("P", "False", map[string]string{"CpuStartPercent": "100"})}, "no-effect P"},
		{"nothing at all", []string{standard + whole2010("P", "False", map[string]string{"EasMaxConcurrency": "0", "OwaPercentTimeInCAS": "0"})}, "refuses-all P; refuses-all P"},
		{"computers", []string{standard, "Name,Identity,ThrottlingPolicyId\nEX01$,x/EX01$,\nEX02$,x/EX02$,Standard\n"}, "implicit-fallback EX01$"},
		{"a deleted policy that is in the export", []string{standard + whole2010("Gold\n DEL:"+guid, "False", nil), "Name,ThrottlingPolicy\nA,Gold\n"}, "deleted-policy A"},
		{"links without policies", []string{"Name,ThrottlingPolicy\nA,Gold\n"}, ""},
		{"a part of what there is", []string{"Name : P\nEWSPercentTimeInAD : 10\n"}, ""},
	} {
		x, wrong := read(t, tt.files...)
		if got := kinds(x); got != tt.want || wrong != "" {
			t.Errorf("%s: got %q, want %q; %s", tt.name, got, tt.want, wrong)
		}
		if g := x.File().Generation; g != throttle.Exchange2010 && len(x.policies) > 0 {
			t.Errorf("%s: generation %s", tt.name, g)
		}
	}
}

// A policy of 2010 in an organization of 2016 inherits nothing from its default.
func TestMixedGenerations(t *testing.T) {
	x, wrong := read(t, "Name : G\nThrottlingPolicyScope : Global\nEwsMaxBurst : 300000\n\nName : Old\nEWSPercentTimeInAD : 50\n\nName : Odd\nEwsMaxBurst : 1000\nEWSPercentTimeInCAS : 50\n\n")
	if got, want := kinds(x), "implicit-fallback Old; no-effect Odd"; got != want || wrong != "" {
		t.Errorf("got %q, want %q; %s", got, want, wrong)
	}
}

// Where an account could not be read, or has two policies, nobody can tell which
// policies are unused.
func TestWhoHasIt(t *testing.T) {
	policies := "Name,ThrottlingPolicyScope,EwsMaxBurst\nG,Global,300000\nP,Regular,1000\nQ,Regular,2000\n"
	const header = "Name,ThrottlingPolicy\n"
	for accounts, want := range map[string]string{
		"A,\n":             "unused-policy P; unused-policy Q",
		"A,P\n":            "unused-policy Q",
		"A,P\nJ\xF6rg,Q\n": "unreadable f1:3",
		"A,P\nA,Q\n":       "unreadable f1:3",
		"A,P\nA,p\n":       "unused-policy Q",
	} {
		x, _ := read(t, policies, header+accounts)
		if got := kinds(x); got != want {
			t.Errorf("%q: got %q, want %q", accounts, got, want)
		}
	}
}

// A burst of which nothing comes back refuses everyone once it is used.
func TestNothingComesBack(t *testing.T) {
	x, wrong := read(t, "Name : G\nThrottlingPolicyScope : Global\nEwsMaxBurst : 300000\nEwsRechargeRate : 0\n\n")
	want := []Problem{{RefusesAll, "G", "EwsRechargeRate 0 ms/hour: what is used of the burst of 300000 ms never comes back", "Set-ThrottlingPolicy -Identity 'G' -EwsRechargeRate 900000"}}
	if got := x.Check(); !slices.Equal(got, want) || wrong != "" {
		t.Errorf("got  %+v\nwant %+v; %s", got, want, wrong)
	}
}

// The fix for what has no limits sets what the policy's own generation has, also
// where the default limits the time alone, or a generation besides.
func TestLimits(t *testing.T) {
	free := func(name string) string {
		return "Name : " + name + "\nThrottlingPolicyScope : Regular\nEasMaxConcurrency : Unlimited\nEasMaxBurst : Unlimited\nEasRechargeRate : Unlimited\nEasCutoffBalance : Unlimited\n\n"
	}
	users := "Name,ThrottlingPolicy\nA,P\n"
	for name, tt := range map[string]struct{ files, fix string }{
		"time alone":    {"Name : G\nThrottlingPolicyScope : Global\nEasMaxConcurrency : Unlimited\nEasMaxBurst : 480000\nEasRechargeRate : 1800000\n\n" + free("P"), "-EasMaxBurst 480000 -EasRechargeRate 1800000 -EasCutoffBalance 600000"},
		"requests":      {"Name : G\nThrottlingPolicyScope : Global\nEasMaxConcurrency : 7\n\n" + free("P"), "-EasMaxConcurrency 70"},
		"another's own": {whole2010("G", "True", map[string]string{"EasMaxConcurrency": "", "EasPercentTimeInCAS": "50"}) + free("P"), "-EasMaxConcurrency 100"},
	} {
		x, wrong := read(t, tt.files, users)
		var got []string
		for _, p := range x.Check() {
			if p.Kind == UnlimitedAccount {
				got = append(got, p.Fix)
			}
		}
		if want := []string{"Set-ThrottlingPolicy -Identity 'P' " + tt.fix}; !slices.Equal(got, want) || wrong != "" {
			t.Errorf("%s: got %q, want %q; %s", name, got, want, wrong)
		}
	}
}

// What a policy has in common with the default is told of once, and no default
// that lifts limits makes those that do too a problem of theirs.
func TestAsTheDefault(t *testing.T) {
	idle := map[string]any{"EwsRechargeRate": limit("Unlimited"), "EwsCutoffBalance": limit("Unlimited"), "EasMaxConcurrency": limit("4294967295"), "EasMaxBurst": limit("Unlimited"), "EasRechargeRate": limit("Unlimited"), "EasCutoffBalance": limit("Unlimited")}
	x, wrong := read(t, string(asJSON([]made{standard(globalName, "Global", idle), standard("Gold", "Regular", idle)})), "Name,ThrottlingPolicy\nA,Gold\n")
	if got, want := kinds(x), "no-effect "+globalName; got != want || wrong != "" {
		t.Errorf("got %q, want %q; %s", got, want, wrong)
	}
}

// What a policy of 2010 RTM does not have came with SP1.
func TestGenerations(t *testing.T) {
	rtm := ""
	for of := range throttle.Parameters() {
		if c, _ := of.Component(); of.Of(throttle.Exchange2010RTM) && c != throttle.Anonymous && c != throttle.CPA {
			rtm += of.String() + " :\n"
		}
	}
	for text, want := range map[string]throttle.Generation{
		rtm: throttle.Exchange2010RTM, "EwsMaxBurst : 1\n": throttle.Exchange2013, "EwsMaxConcurrency : 1\n": throttle.Exchange2013, "EwsMaxConcurrency : 1\nExchangeVersion : 0.10 (14.0.100.0)\n": throttle.Exchange2010,
		"EWSFindCountLimit : 1\nIsDefault : False\n": throttle.Exchange2010, "ThrottlingPolicyScope : Regular\nExchangeVersion : 0.10 (14.0.100.0)\n": throttle.Exchange2013,
	} {
		x, wrong := read(t, "Name : P\n"+text)
		if got := x.policies[0].Generation; got != want || wrong != "" {
			t.Errorf("%.60q: got %s, want %s; %s", text, got, want, wrong)
		}
	}
}

// Every problem has a fix, and the commands name those that have it and no others,
// whatever they are called.
func TestFixes(t *testing.T) {
	f := broken(600)
	x, _ := read(t, string(asCSV(f.policies)), string(asJSON(f.mailboxes)), string(asCSV(f.others)))
	var got []string
	for _, p := range x.Check() {
		if p.Fix == "" && p.Kind != Unreadable {
			t.Errorf("%+v: no fix", p)
		}
		if strings.HasPrefix(p.Fix, "Set-ThrottlingPolicy ") && strings.Count(p.Fix, " -") < 2 {
			t.Errorf("%s: nothing is set", p.Fix)
		}
		got = append(got, p.Fix)
	}
	for _, want := range []string{
		`Set-Mailbox -Identity 'user7@contoso.com' -ThrottlingPolicy $null`, `Set-ThrottlingPolicyAssociation -Identity 'contoso.com/Computers/HOST0$' -ThrottlingPolicy $null`,
		`Set-ThrottlingPolicy -Identity 'NoPhones' -EasMaxConcurrency 10`, `Set-ThrottlingPolicy -Identity 'Recharge' -OwaRechargeRate $null`, `Set-ThrottlingPolicy -Identity 'Backup' -EwsMaxConcurrency 270 -RcaMaxConcurrency 400`,
		`Remove-ThrottlingPolicy -Identity 'UnusedAndOfANameThatIsOneWordWiderThanTheWindow'`,
	} {
		if !slices.Contains(got, want) {
			t.Errorf("%s is not among\n%s", want, strings.Join(got, "\n"))
		}
	}
	gone := "x/Deleted Objects/P\nDEL:" + guid
	var mailboxes []made
	for _, name := range []string{"Anna", "O'Brien", "$env:x `n \"q\"", "Zoë\nCNF:1"} {
		mailboxes = append(mailboxes, made{{"Name", name}, {"ThrottlingPolicy", gone}})
	}
	x, _ = read(t, string(asJSON(append(mailboxes, made{{"Name", "Bert"}, {"ThrottlingPolicy", nil}}))))
	got = nil
	for _, p := range x.Check() {
		got = append(got, p.Fix)
	}
	want := []string{"Set-Mailbox -Identity '$env:x `n \"q\"' -ThrottlingPolicy $null", "Set-Mailbox -Identity 'Anna' -ThrottlingPolicy $null", "Set-Mailbox -Identity 'O''Brien' -ThrottlingPolicy $null", "Set-Mailbox -Identity ('Zoë'+[char]10+'CNF:1') -ThrottlingPolicy $null"}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}
