package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"evenkeel/policy/throttle"
)

// policyFiles is what fakeKeys has of policies.
func policyFiles() map[string]string {
	return map[string]string{
		"good.policy": "generation: 2013\npolicies: [{name: Standard, scope: organization, EwsMaxBurst: 4m}]\nusers: {jdoe: Standard}\n",
		"bad.policy":  "policies: [{name: Standard, EwsMaxBurts: 4m}]\n",
	}
}

func TestPolicySection(t *testing.T) {
	c := mustLoad(t, "policy: {file: good.policy, generation: 2010-rtm, cache: {min: 1m, max: 2m}}\n")
	if p := c.Policy; p.File != "good.policy" || p.Generation != throttle.Exchange2010RTM || p.Ages != (throttle.Ages{Min: time.Minute, Max: 2 * time.Minute}) {
		t.Errorf("got %+v", p)
	}
	if !slices.Contains(c.Files(), "good.policy") {
		t.Errorf("got %v, want a change of the policy file to be seen", c.Files())
	}
	if e := c.Policy.Book.Effective("jdoe"); e.Policy != "Standard" || e.Generation != throttle.Exchange2013 { // the file says so
		t.Errorf("got %s of %s", e.Policy, e.Generation)
	}
	if e := mustLoad(t, "policy: {generation: 2010}").Policy.Book.Effective("jdoe"); e.Policy != throttle.BuiltIn || e.Generation != throttle.Exchange2010 {
		t.Errorf("without a file: got %s of %s", e.Policy, e.Generation)
	}
	if a := mustLoad(t, "").Policy.Ages; a.Min != 5*time.Minute || a.Max != 15*time.Minute {
		t.Errorf("got %v, want Exchange's 5 and 15 minutes", a)
	}
}

// A reload that changed nothing is known as such, and one that changed a policy
// is not.
func TestPoliciesAreCompared(t *testing.T) {
	a, b := mustLoad(t, "policy: {file: good.policy}"), mustLoad(t, "policy: {file: good.policy}")
	if !reflect.DeepEqual(a, b) {
		t.Error("one file makes two configurations")
	}
	if b = mustLoad(t, "policy: {file: ''}"); reflect.DeepEqual(a.Policy.Book, b.Policy.Book) {
		t.Error("two files make one Book")
	}
}

// The mistakes of the policy file are told in its own lines, behind those of the
// configuration.
func TestMistakesOfBothFiles(t *testing.T) {
	got := headlines(t, filepath.Join("etc", "f.yaml"), "drain: 3\npolicy: {file: bad.policy}\n")
	name := filepath.Join("etc", "bad.policy")
	want := []string{
		filepath.Join("etc", "f.yaml") + ":1:8: drain: want a duration from 0s to 1h, such as 30s, got 3",
		name + ":1:29: policies[0].EwsMaxBurts: unknown key",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func policies(t testing.TB, text string) *throttle.Book {
	t.Helper()
	b, err := Policies("p.yaml", []byte(text), throttle.File{Generation: throttle.Exchange2013})
	if err != nil {
		t.Fatalf("%s\n%v", text, err)
	}
	return b
}

// How a value may be written, and what it is then.
func TestParameterValues(t *testing.T) {
	for _, tt := range []struct{ generation, text, name, want string }{
		{"2013", "EwsMaxBurst: 300000", "EwsMaxBurst", "300000 ms stated"},
		{"2013", "EwsMaxBurst: 5m", "EwsMaxBurst", "300000 ms stated"},
		{"2013", "ewsmaxburst: 0", "EwsMaxBurst", "0 ms stated"},
		{"2013", "EWSMAXBURST: Unlimited", "EwsMaxBurst", "unlimited ms stated"},
		{"2013", "EwsMaxBurst: null", "EwsMaxBurst", "300000 ms confirmed"}, // inherited again
		{"2013", "EwsMaxBurst: $null", "EwsMaxBurst", "300000 ms confirmed"},
		{"2013", "EwsMaxBurst: inherited", "EwsMaxBurst", "300000 ms confirmed"},
		{"2013", "EwsRechargeRate: 15m", "EwsRechargeRate", "900000 ms/hour stated"},
		{"2013", "EwsRechargeRate: '1.5s'", "EwsRechargeRate", "1500 ms/hour stated"},
		{"2013", "IsServiceAccount: $true", "IsServiceAccount", "true  stated"},
		{"2013", "IsServiceAccount: false", "IsServiceAccount", "false  stated"},
		{"2013", "DiscoverySearchTimeoutPeriod: 1h", "DiscoverySearchTimeoutPeriod", "60 min stated"},
		{"2013", "EasMaxInactivityForDeviceCleanup: 48h", "EasMaxInactivityForDeviceCleanup", "2 days stated"},
		{"2010", "EWSPercentTimeInCAS: null", "EwsPercentTimeInCAS", "unset % of a minute stated"}, // no limit
		{"2010", "EWSPercentTimeInCAS: ~", "EwsPercentTimeInCAS", "unset % of a minute stated"},
		{"2010", "EWSPercentTimeInCAS: 205%", "EwsPercentTimeInCAS", "205 % of a minute stated"},
		{"2010", "scope: regular", "EwsPercentTimeInCAS", "90 % of a minute confirmed"}, // nothing said
		{"2010", "CPUStartPercent: 60", "CpuStartPercent", "60 % of all CPUs stated"},
		{"2010-rtm", "PowerShellMaxCmdletsTimePeriod: 1m", "PowerShellMaxCmdletsTimePeriod", "60 s stated"},
	} {
		b := policies(t, fmt.Sprintf("default: P\npolicies:\n  - name: P\n    generation: %s\n    %s\n", tt.generation, tt.text))
		p, _ := throttle.ParseParameter(tt.name)
		e := b.Effective("")
		s, ok := e.Setting(p)
		if got := fmt.Sprintf("%s %s %s", s.Shown(), p.Unit(), s.Status); !ok || got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.text, got, tt.want)
		}
	}
}

// Every mistake at once, each at its place and with what to do.
func TestBadPolicies(t *testing.T) {
	for _, tt := range []struct{ text, want, hint string }{
		{"policies: [{name: A, EwsMaxConcurency: 3}]", "1:22: policies[0].EwsMaxConcurency: unknown key", "did you mean EwsMaxConcurrency?"},
		{"policies: [{nmae: A, name: A}]", "1:13: policies[0].nmae: unknown key", "did you mean name?"},
		{"policies: [{name: A, Speed: 3}]", "1:22: policies[0].Speed: unknown key", "known here: name, scope, generation, and the parameters of Set-ThrottlingPolicy: evenkeel policy show lists them"},
		{"policies: [{name: A, EwsMaxBurst: 1, EWSMaxBurst: 2}]", "1:38: policies[0].EWSMaxBurst: given twice, first in line 1", "names are the same in any letter case"},
		{"policies: [{name: A, EwsMaxBurst: }]", "1:35: policies[0].EwsMaxBurst: nothing is said of it", "null unsets it, unlimited lifts the limit; without the key it is inherited"},
		{"policies: [{name: A, EwsMaxBurst: -1}]", "1:35: policies[0].EwsMaxBurst: want null, unlimited or milliseconds from 0 to 4294967294, or a duration such as 5m, got -1", ""},
		{"policies: [{name: A, EwsMaxBurst: '300,000'}]", "1:35: policies[0].EwsMaxBurst: want null, unlimited or milliseconds from 0 to 4294967294, or a duration such as 5m, got 300,000", "without separators: 300000"},
		{"policies: [{name: A, EwsMaxBurst: 1us}]", "1:35: policies[0].EwsMaxBurst: want null, unlimited or milliseconds from 0 to 4294967294, or a duration such as 5m, got 1us", "want whole ms"},
		{"policies: [{name: A, EwsMaxConcurrency: 5m}]", "1:41: policies[0].EwsMaxConcurrency: want null, unlimited or a whole number from 0 to 2147483647, got 5m", "it counts no time"},
		{"policies: [{name: A, EwsMaxConcurrency: 2147483648}]", "1:41: policies[0].EwsMaxConcurrency: want null, unlimited or a whole number from 0 to 2147483647, got 2147483648", ""},
		{"policies: [{name: A, EwsMaxConcurrency: [3]}]", "1:41: policies[0].EwsMaxConcurrency: want null, unlimited or a whole number from 0 to 2147483647, got a list", ""},
		{"policies: [{name: A, CpuStartPercent: 101}]", "1:39: policies[0].CpuStartPercent: want null, unlimited or percent from 0 to 100, got 101", ""},
		{"policies: [{name: A, IsServiceAccount: 1}]", "1:40: policies[0].IsServiceAccount: want null, true or false, got 1", ""},
		{"policies: [{name: A, EWSPercentTimeInCAS: 90}]", "1:22: policies[0].EWSPercentTimeInCAS: a policy of generation 2013 has no such parameter", "it went with 2010: add generation: 2010, or limit time by ...MaxBurst, ...RechargeRate and ...CutoffBalance"},
		{"generation: 2010\npolicies: [{name: A, EwsMaxBurst: 1}]", "2:22: policies[0].EwsMaxBurst: a policy of generation 2010 has no such parameter", "it came with 2013: add generation: 2013"},
		{"policies: [{name: A, generation: 2016, EWSPercentTimeInCAS: 90}]", "1:34: policies[0].generation: want one of 2013, 2010, 2010-rtm, got 2016", "2013 stands for all later versions too"},
		{"policies: [{name: A, scope: organisation}]", "1:29: policies[0].scope: want one of regular, organization, global, got organisation", "did you mean organization?"},
		{"policies: [{scope: global}]", "1:12: policies[0]: want the name of the policy", "name: Standard"},
		{"policies: [{name: A}, {name: a}]", "1:30: policies[1].name: another policy has that name, in line 1", ""},
		{"policies: [{name: Built-in Fallback}]", "1:19: policies[0].name: that is the name of what is built in", ""},
		{"policies: [{name: A, scope: Global},\n  {name: B, scope: global}]", "2:20: policies[1].scope: A is of scope global too (line 1), and there can be one", ""},
		{"policies: {name: A}", "1:11: policies: want a list, got keys", "write - {name: Standard, EwsMaxConcurrency: 10}"},
		{"policies: [A]", "1:12: policies[0]: want keys (name, scope, generation), got A", ""},
		{"policies: [{name: Standard}]\ndefault: Standrad", "2:10: default: there is no policy Standrad", "did you mean Standard?"},
		{"policies: [{name: A, scope: organization}, {name: B}]\ndefault: B", "2:10: default: A is of scope organization, and so the default (line 1)", "leave one of both out"},
		{"policies: [{name: Standard}]\nusers: {jdoe: Standrad}", "2:15: users.jdoe: there is no policy Standrad", "did you mean Standard?"},
		{"users: {jdoe: Gold}", "1:15: users.jdoe: there is no policy Gold", ""},
		{"policies: [{name: A}]\nusers: {jdoe: A,\n  JDoe: A}", "3:3: users.JDoe: JDoe is listed twice, first in line 2", ""},
		{"policies: [{name: A}]\nusers: [{name: jdoe, policy: A}, {policy: A}]", "2:34: users[1]: want the name of the account", "{name: jdoe, policy: Standard}"},
		{"users: jdoe", "1:8: users: want accounts and their policies, got jdoe", "users: {jdoe: Standard}"},
		{"users: {jdoe: [A]}", "1:15: users.jdoe: want the name of a policy, on one line, got a list", ""},
		{"policies: [{name: A}]\nusers: {'CORP\\Émile': A, émile@Corp.: null}", "2:26: users.émile@Corp.: émile@Corp. is listed twice, first in line 2", ""},
		{"users: {s-1-5: null,\n  S-1-5: null}", "2:3: users.S-1-5: S-1-5 is listed twice, first in line 1", ""},
		{"users: {'a\\b\\c': null}", "1:9: users.a\\b\\c: want the name of an account, such as jdoe, CORP\\jdoe or jdoe@corp.example, or its SID", ""},
		{"outside: ['a@', '@b']", "1:17: outside[1]: want the name of an account, such as jdoe, CORP\\jdoe or jdoe@corp.example, or its SID, got @b", ""},
		{"outside: [a, b, a]", "1:17: outside[2]: a is listed twice, first in line 1", ""},
		{"fallback: {}", "1:1: fallback: unknown key", "known here: generation, policies, default, users, outside"},
		{"policies: [{name: A, a.b: 1}]", "1:22: policies[0].a.b: unknown key", "write a: {b: ...}"},
	} {
		_, err := Policies("p.yaml", []byte(tt.text), throttle.File{Generation: throttle.Exchange2013})
		var ps Problems
		if !errors.As(err, &ps) || len(ps) != 1 || ps[0].headline() != "p.yaml:"+tt.want || ps[0].Hint != tt.hint {
			t.Errorf("%s:\ngot  %v\nwant %s\nhint %s", tt.text, err, tt.want, tt.hint)
		}
	}
}

func TestAllMistakesOfAPolicyFileAtOnce(t *testing.T) {
	const text = `policies:
  - name: A
    EwsMaxBurst: fast
    EwsMaxBurts: 1
  - scope: regular
    PopMaxBurst: 9h
users:
  jdoe: B
`
	_, err := Policies("p.yaml", []byte(text), throttle.File{Generation: throttle.Exchange2013})
	var ps Problems
	if errors.As(err, &ps); len(ps) != 4 || ps[0].Line != 3 || ps[1].Line != 4 || ps[2].Line != 5 || ps[3].Line != 8 {
		t.Errorf("got %v, want mistakes in the lines 3, 4, 5 and 8", err)
	}
}

// Who only asks an agent reads all but its policies.
func TestAskersReadNoPolicies(t *testing.T) {
	read := func(string) ([]byte, error) { return []byte("policies: [{name: A, EwsMaxBurts: 1}]"), nil }
	const text = "listen: {admin: '127.0.0.1:9'}\npolicy: {file: bad.policy, generation: 2010}"
	c, err := LoadToAsk("f.yaml", []byte(text), read)
	if err != nil || c.Listen.Admin.Port() != 9 || c.Policy.File != "bad.policy" || c.Policy.Book.Generation() != throttle.Exchange2010 {
		t.Errorf("got %+v, %v", c.Policy, err)
	}
	if _, err := Load("f.yaml", []byte(text), read); err == nil || !strings.Contains(err.Error(), "EwsMaxBurts") {
		t.Errorf("an agent's own: got %v", err)
	}
	if _, err := LoadToAsk("f.yaml", []byte(text+"\nnode: {nmae: x}"), read); err == nil || !strings.Contains(err.Error(), "did you mean node.name?") {
		t.Errorf("a mistake in the configuration itself: got %v", err)
	}
}

func TestPolicyFileIsBounded(t *testing.T) {
	_, err := Policies("p.yaml", []byte(strings.Repeat("# c\n", maxPolicies)), throttle.File{Generation: throttle.Exchange2013})
	if err == nil || err.Error() != "p.yaml: 4194304 bytes, more than the 1048576 a policy file may have" {
		t.Errorf("got %v", err)
	}
}

func isUTF16(b []byte) bool {
	return strings.HasPrefix(string(b), "\xff\xfe") || strings.HasPrefix(string(b), "\xfe\xff")
}

// FuzzPolicies holds for any bytes: they are a Book that has something for
// everyone, or a list of problems, each of which stands in the file.
func FuzzPolicies(f *testing.F) {
	shipped, err := os.ReadFile("../../configs/policy.yaml")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(shipped)
	for _, text := range policyFiles() {
		f.Add([]byte(text))
	}
	for _, s := range []string{"", "users: {a: null}", "policies: [{name: A, EwsMaxBurst: ~}]", "users: {? a\n: b}", "policies:\n- name: A\n  scope: global\n  EWSMaxBurst:\n", "outside: [a]\ndefault: ''", "users: [{name: a}]"} {
		f.Add([]byte(s))
	}
	f.Add([]byte("users: {a: null, 'A@corp.example.': null, 'CORP\\a': null, S-1-1: null, s-1-1: null}\noutside: ['a\\b\\c', \"a\\tb\"]"))
	domains := []throttle.Domain{{Short: "corp", Full: "corp.example"}}
	f.Fuzz(func(t *testing.T, b []byte) {
		book, err := Policies("f.yaml", b, throttle.File{Generation: throttle.Exchange2010, Domains: domains})
		if err == nil {
			for _, p := range book.Policies() {
				if e, ok := book.Named(p.Name); !ok || e.Policy != p.Name {
					t.Errorf("policy %q: got %q, %v", p.Name, e.Policy, ok)
				}
			}
			return
		}
		var ps Problems
		if !errors.As(err, &ps) || len(ps) == 0 {
			t.Fatalf("got error %v, want problems", err)
		}
		for _, p := range ps {
			mustStand(t, p, strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(strings.TrimPrefix(string(b), "\ufeff")))
			if p.Line == 0 && len(b) <= maxPolicies && !isUTF16(b) { // those two are of the file as a whole
				t.Errorf("a mistake without a place: %s", p.Message)
			}
		}
	})
}
