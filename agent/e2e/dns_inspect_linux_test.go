package e2e

import (
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// What zonemaster says from NOTICE up that is no fault of the farm, and why.
var zonemasterExcused = map[string]string{
	"NAMESERVER_IP_PRIVATE_NETWORK":       "the stage has private addresses",
	"SOA_DEFAULT_TTL_MAXIMUM_VALUE_LOWER": "what is denied now may be there as soon as the farm changes, so it is cached no longer than an answer",
}

// And of a farm that does not sign.
var zonemasterUnsigned = map[string]string{
	"NOT_SIGNED":            "the operator has configured no keys",
	"NEITHER_DNSKEY_NOR_DS": "the operator has configured no keys",
}

var zonemasterLine = regexp.MustCompile(`(?m)^\s*[\d.]+\s+([A-Z]+)\s+([A-Z]\w+)\b(.*)$`)

// Zonemaster finds nothing, neither before the zone is delegated nor after.
func zonemasterStory(t *testing.T, r *tree) {
	args := []string{"--hints", r.hints, "--level", "INFO", "--raw", "--no-progress"}
	r.zonemaster(t, "delegated", append(args, "mail.test")...)
	for _, n := range r.nodes {
		for _, a := range n.set.Addrs {
			args = append(args, "--ns", fmt.Sprintf("%s.mail.test/%s", n.id, a))
		}
	}
	for _, ds := range regexp.MustCompile(`\bDS\s+(\d+)\s+(\d+)\s+(\d+)\s+(\S+)`).FindAllStringSubmatch(r.said, -1) {
		args = append(args, "--ds", strings.Join(ds[1:], ","))
	}
	r.zonemaster(t, "undelegated", append(args, "mail.test")...)
}

func (r *tree) zonemaster(t *testing.T, how string, args ...string) {
	t.Helper()
	out, err := r.hub.output(t, "zonemaster-cli", args...)
	if err != nil {
		t.Fatalf("%s: %v\n%s", how, err, out)
	}
	excused := maps.Clone(zonemasterExcused)
	if !r.signed {
		maps.Copy(excused, zonemasterUnsigned)
	}
	said := map[string]bool{}
	for _, line := range zonemasterLine.FindAllStringSubmatch(out, -1) {
		level, tag := line[1], line[2]
		said[tag] = true
		if level != "INFO" && excused[tag] == "" {
			t.Errorf("%s: %s", how, strings.TrimSpace(line[0]))
		}
	}
	for _, tag := range slices.AppendSeq(r.zonemasterSays(), maps.Keys(excused)) {
		if !said[tag] {
			t.Errorf("%s: zonemaster did not say %s:\n%s", how, tag, out)
		}
	}
}

// zonemasterSays are tags of what it finds right, so that all groups of its
// tests were played.
func (r *tree) zonemasterSays() []string {
	all := []string{"NAMESERVERS_IP_WITH_REVERSE", "ONE_SOA_SERIAL", "ADDRESSES_MATCH", "ENOUGH_IPV6_NS_CHILD", "NAMES_MATCH", "EDNS0_SUPPORT",
		"NO_UPWARD_REFERRAL", "CASE_QUERIES_RESULTS_OK", "MNAME_IS_NOT_CNAME", "ONE_SOA"}
	if r.signed {
		all = append(all, "ALGORITHM_OK", "RRSIG_EXPIRATION", "DS10_HAS_NSEC")
	}
	return all
}

// What dnsviz warns of that is no fault of the farm, and why.
var dnsvizExcused = map[string]string{
	"NS_NAME_PRIVATE_IP": "the stage has private addresses",
	"GLUE_PRIVATE_IP":    "the stage has private addresses",
}

// dnsviz asks every server in many ways, and finds the delegation, the denials
// and the signatures right.
func dnsvizStory(t *testing.T, r *tree) {
	probe := filepath.Join(r.dir, "dnsviz.json")
	if out, err := r.hub.output(t, "dnsviz", "probe", "-d", "0", "-A", "-E", "-n", "-a", ".", "-x", ".+:a.root="+rootAt.String(), "-o", probe,
		"mail.test", "_imaps._tcp.mail.test", "autodiscover.mail.test"); err != nil {
		t.Fatalf("dnsviz probe: %v\n%s", err, out)
	}
	out, err := r.hub.output(t, "dnsviz", "grok", "-l", "warning", "-r", probe)
	if err != nil {
		t.Fatalf("dnsviz grok: %v\n%s", err, out)
	}
	for _, found := range regexp.MustCompile(`"code": "(\w+)"`).FindAllStringSubmatch(out, -1) {
		if dnsvizExcused[found[1]] == "" {
			t.Errorf("dnsviz: %s in\n%s", found[1], out)
		}
	}
	r.dnsvizSaw(t, probe)
}

// dnsvizSaw wants it to have looked.
func (r *tree) dnsvizSaw(t *testing.T, probe string) {
	t.Helper()
	out, err := r.hub.output(t, "dnsviz", "grok", "-l", "info", "-r", probe)
	if err != nil {
		t.Fatalf("dnsviz grok: %v\n%s", err, out)
	}
	want := []string{`"mail.test./IN/A"`, `"_imaps._tcp.mail.test./IN/SRV"`}
	if r.signed {
		want = append(want, `"id": "mail.test./13/\d+",\s+"status": "VALID"`, `"status": "SECURE"`)
	}
	for _, w := range want {
		if !regexp.MustCompile(w).MatchString(out) {
			t.Errorf("dnsviz: no %s in\n%s", w, out)
		}
	}
}
