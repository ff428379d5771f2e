package exchange

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"evenkeel/policy/throttle"
)

// A farm is a made-up organization of 2013 and later.
type farm struct {
	policies, mailboxes, others []made
	faults                      []string // "kind object", sorted
}

const (
	globalName = "GlobalThrottlingPolicy_ad7b8d44-5a5f-4f5a-9c0e-2b8b0c7a1e11"
	domain     = "contoso.com/Configuration/"
	guid       = "3fb98144-b317-413b-9a19-78003fd5a633"
)

// standard is a whole policy with the values of a fresh installation, but for
// those that are given.
func standard(name, scope string, values map[string]any) made {
	o := made{{"RunspaceId", guid}, {"ThrottlingPolicyScope", scope}}
	for of := range throttle.Parameters() {
		if !of.Of(throttle.Exchange2013) {
			continue
		}
		v, given := values[of.String()]
		if fresh := of.Fresh(throttle.Exchange2013).Value; !given && of.Unit() == throttle.Switch {
			v = false
		} else if !given && of.String() != "EwsFindCountLimit" {
			v = limit(strings.Replace(fresh.String(), "unlimited", "Unlimited", 1))
		}
		o = append(o, pair{of.String(), v})
	}
	return append(o, pair{"ExchangeVersion", "0.20 (15.0.0.0)"}, pair{"Name", name},
		pair{"DistinguishedName", "CN=" + name + ",CN=Global Settings,CN=First Organization,CN=Microsoft Exchange,CN=Services,CN=Configuration,DC=contoso,DC=com"}, pair{"IsValid", true})
}

func mailbox(i int, name string, policy any) made {
	return made{
		{"Database", "DB01"}, {"Name", name}, {"Alias", fmt.Sprintf("user%d", i)}, {"UserPrincipalName", fmt.Sprintf("user%d@contoso.com", i)},
		{"ThrottlingPolicy", policy}, {"DistinguishedName", "CN=" + strings.ReplaceAll(name, ",", `\,`) + ",OU=People of the Company,DC=contoso,DC=com"}, {"Languages", "{}"},
	}
}

func association(name string, policy any) made {
	return made{{"RunspaceId", guid}, {"ObjectId", "contoso.com/Computers/" + name}, {"ThrottlingPolicyId", policy}, {"Name", name}, {"Identity", "contoso.com/Computers/" + name}}
}

// broken is a farm of so many mailboxes with 40 faults.
func broken(mailboxes int) *farm {
	f := &farm{}
	f.policies = []made{standard(globalName, "Global", nil), standard("Company", "Organization", nil), standard("Company2", "Organization", nil)}
	f.fault("several-defaults Company, Company2")
	f.spoilPolicies()
	used := []any{nil, nil, nil, "Company", globalName}
	for _, p := range f.policies[3:] {
		if name := p[len(p)-3].value.(string); !strings.HasPrefix(name, "Unused") {
			used = append(used, name, domain+"Global Settings/"+name)
		}
	}
	for i := range mailboxes {
		f.mailboxes = append(f.mailboxes, mailbox(i, fmt.Sprintf("User %d", i), used[i%len(used)]))
	}
	for i := range 50 {
		f.others = append(f.others, association(fmt.Sprintf("HOST%d$", i), nil))
	}
	f.spoilLinks()
	slices.Sort(f.faults)
	return f
}

func (f *farm) fault(what string) { f.faults = append(f.faults, what) }

// spoilPolicies adds fifteen policies with a fault each.
func (f *farm) spoilPolicies() {
	free := func(components ...string) map[string]any {
		values := map[string]any{}
		for _, c := range components {
			for _, end := range []string{"MaxConcurrency", "MaxBurst", "RechargeRate", "CutoffBalance"} {
				values[c+end] = limit("Unlimited")
			}
		}
		return values
	}
	backup := free("Ews", "Rca")
	backup["IsServiceAccount"] = true
	for _, p := range []struct {
		kind, name string
		values     map[string]any
	}{
		{"no-effect", "Burst", map[string]any{"EwsRechargeRate": limit("Unlimited"), "EwsCutoffBalance": limit("Unlimited")}},
		{"no-effect", "Recharge", map[string]any{"OwaRechargeRate": limit("72000000")}},
		{"no-effect", "Cmdlets", map[string]any{"PowerShellMaxCmdlets": limit("100")}},
		{"no-effect", "Period", map[string]any{"PowerShellMaxDestructiveCmdletsTimePeriod": limit("60")}},
		{"no-effect", "Find", map[string]any{"EwsFindCountLimit": limit("500")}},
		{"no-effect", "Cutoff", map[string]any{"EasMaxBurst": limit("Unlimited"), "EasRechargeRate": limit("Unlimited")}},
		{"unlimited-service-account", "Backup", backup},
		{"unlimited-service-account", "Archive", free("Eas")},
		{"unlimited-service-account", "Migration", free("Ews", "PowerShell", "Owa", "OutlookService")},
		{"refuses-all", "NoPhones", map[string]any{"EasMaxConcurrency": limit("0")}},
		{"unused-policy", "UnusedAndOfANameThatIsOneWordWiderThanTheWindow", map[string]any{"EwsMaxConcurrency": limit("54")}},
		{"unused-policy", "Unused 2 of a long name that does not fit into the window of eighty", nil},
		{"unreadable", "Many", map[string]any{"EwsMaxConcurrency": "many"}},
		{"unreadable", "Most", map[string]any{"EwsMaxBurst": limit("4294967296")}},
		{"unreadable", "Maybe", map[string]any{"IsServiceAccount": "maybe"}},
	} {
		f.policies = append(f.policies, standard(p.name, "Regular", p.values))
		if p.kind != "unreadable" {
			f.fault(p.kind + " " + p.name)
		} else {
			f.fault("unreadable policies")
		}
	}
}

// spoilLinks gives 24 accounts policies that are gone.
func (f *farm) spoilLinks() {
	deleted := []string{
		domain + "Deleted Objects/SomePolicy\nDEL:" + guid, `CN=SomePolicy\0ADEL:` + guid + ",CN=Deleted Objects,CN=Configuration,DC=contoso,DC=com",
		"SomePolicy_x000A_DEL:" + guid, "A policy with a name of many words and no end\nDEL:" + guid,
	}
	for i := range 12 {
		at := 7 + i*len(f.mailboxes)/12
		f.mailboxes[at] = mailbox(at, fmt.Sprintf("O'Brien, $(%d) `\"x\"", at), deleted[i%len(deleted)])
		f.fault(fmt.Sprintf("deleted-policy user%d@contoso.com", at))
	}
	for i := range 3 {
		f.others[i] = association(fmt.Sprintf("HOST%d$", i), deleted[i])
		f.fault(fmt.Sprintf("deleted-policy HOST%d$", i))
	}
	for i := range 9 {
		at := 11 + i*len(f.mailboxes)/12
		f.mailboxes[at] = mailbox(at, fmt.Sprintf("User %d", at), domain+fmt.Sprintf("Global Settings/Forgotten%d", i))
		f.fault(fmt.Sprintf("unknown-policy user%d@contoso.com", at))
	}
}

// The made-up farm of 5,000 mailboxes and 40 faults: in each form, those and no
// others are found, worst first, whatever the order of the files. In other
// encodings of the forms it is a smaller farm.
func TestFortyFaults(t *testing.T) {
	large, small := broken(5000), broken(600)
	if len(large.faults) != 40 || len(small.faults) != 40 {
		t.Fatalf("%d and %d faults are planted", len(large.faults), len(small.faults))
	}
	for name, write := range writers {
		t.Run(name, func(t *testing.T) {
			f := small
			if slices.Contains([]string{"list", "csv", "clixml", "json"}, name) {
				f = large
			}
			files := map[string][]byte{"policies": write(f.policies), "mailboxes": write(f.mailboxes), "others": write(f.others)}
			var there, back Export
			for _, file := range []string{"policies", "mailboxes", "others"} {
				err := there.Read(file, bytes.NewReader(files[file]))
				if (err != nil) != (file == "policies") {
					t.Errorf("%s: %v", file, err)
				}
			}
			for _, file := range []string{"others", "mailboxes", "policies"} {
				back.Read(file, bytes.NewReader(files[file]))
			}
			problems := there.Check()
			if got := found(problems); !slices.Equal(got, f.faults) {
				t.Errorf("got  %d %s\nwant %d %s", len(got), strings.Join(got, "\n     "), len(f.faults), strings.Join(f.faults, "\n     "))
			}
			if !slices.Equal(problems, back.Check()) {
				t.Error("the order of the files matters")
			}
			if !slices.IsSortedFunc(problems, func(a, b Problem) int { return slices.Index(worstFirst(), a.Kind) - slices.Index(worstFirst(), b.Kind) }) {
				t.Error("not worst first")
			}
		})
	}
}

// found is kinds and objects, sorted; of what cannot be read the file.
func found(problems []Problem) (out []string) {
	for _, p := range problems {
		object := p.Object
		if p.Kind == Unreadable {
			object, _, _ = strings.Cut(object, ":")
		}
		out = append(out, string(p.Kind)+" "+object)
	}
	slices.Sort(out)
	return out
}

// A farm in order has no problem, and its File says who has what.
func TestNothingWrong(t *testing.T) {
	policies := []made{standard(globalName, "Global", nil), standard("Gold", "Regular", map[string]any{"EwsMaxConcurrency": limit("54"), "RcaMaxConcurrency": nil})}
	mailboxes := []made{mailbox(0, "A", nil), mailbox(1, "B", "Gold"), mailbox(2, "C", domain+"Gold"), mailbox(3, "D", globalName)}
	for name, write := range writers {
		var x Export
		for file, objects := range map[string][]made{"p": policies, "m": mailboxes} {
			if err := x.Read(file, bytes.NewReader(write(objects))); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		if p := x.Check(); len(p) > 0 {
			t.Errorf("%s: %+v", name, p)
		}
		b, err := throttle.Compile(x.File())
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for user, want := range map[string]string{"user0@contoso.com": globalName, "user1@contoso.com": "Gold", "user2@contoso.com": "Gold", "user3@contoso.com": globalName} {
			if got := b.Effective(user).Policy; got != want {
				t.Errorf("%s: %s has %s, want %s", name, user, got, want)
			}
		}
		gold, _ := b.Named("gold")
		many, _ := throttle.ParseParameter("EwsMaxConcurrency")
		rca, _ := throttle.ParseParameter("RcaMaxConcurrency")
		if s, _ := gold.Setting(many); s.Value != throttle.Number(54) || s.From != "Gold" {
			t.Errorf("%s: %+v", name, s)
		}
		if s, _ := gold.Setting(rca); s.Value != throttle.Number(40) || s.From != globalName {
			t.Errorf("%s: nothing is inherited: %+v", name, s)
		}
	}
}
