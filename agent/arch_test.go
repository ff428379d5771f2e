package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "evenkeel/"

// may lists every arrow between our own packages. A new arrow is a decision,
// and is made here first. The leaves (dnsrr, health, queue, policy) know
// nothing of each other; agent/node alone translates between them.
var may = map[string][]string{
	"agent": {
		"agent/config", "agent/dashboard", "agent/demo", "agent/gate", "agent/gossip", "agent/metrics", "agent/node",
		"policy/balance",           // turns limits into Rules: the loop takes the law's own words
		"policy/throttle",          // shows policies, and whose they are
		"policy/exchange",          // reads exports, budgets and events, and says what is wrong
		"policy/balance/sim",       // plays scenarios: what it takes is made by agent/config, what it gives is shown by agent/report
		"agent/logs",               // finds and reads the logs that are named
		"queue/maillog",            // their records, where one account's use is wanted
		"agent/diagnose",           // judges all of them
		"agent/diagnose/page",      // draws what it found
		"agent/report",             // the table, lines and page of what was played
		"health/probe",             // asks the services that the configuration names; the loop is told what came of it
		"dnsrr", "health", "queue", // makes the servers and the sampler, and hands them their sockets
		"dnsrr/cookie", "dnsrr/dnssec", "dnsrr/ratelimit", // makes what the DNS server is given
	},
	"agent/config": {
		"configs",                      // the embedded default and scenarios
		"dnsrr",                        // reads the zone's further records, so that a mistake in them has its line and column
		"dnsrr/cookie", "dnsrr/dnssec", // and likewise the secrets of cookies and the keys of the zone
		"dnsrr/ratelimit",                      // the bounds of a limit
		"policy/balance", "policy/balance/sim", // a scenario file becomes the player's own value, its rules the law's
		"policy/throttle", // a policy file becomes its Book
	},
	"agent/dashboard": {
		"agent/node", "policy/balance",
		"queue", // what logs say goes as it is into the words of the API
	},
	"agent/demo": {}, // the farm that is not the agent must not know the agent
	"agent/diagnose": {
		"policy/exchange", // quotes names for PowerShell
		"queue/maillog",   // judges its records
	},
	"agent/diagnose/farmlog": {},                  // tests alone: it cannot agree with our readers by sharing their faults
	"agent/diagnose/page":    {"agent/diagnose"},  // draws what it found
	"agent/e2e":              {},                  // tests alone: whole agents beside software of others
	"agent/gate":             {"policy/throttle"}, // its questions are the ledger's
	"agent/gossip":           {},                  // carries bytes, knows no meaning
	"agent/gossip/fabric":    {},                  // a network for tests: nothing but tests may import it
	"agent/logs":             {"queue/maillog"},   // tells rows on as they come, and knows nobody who takes them
	"agent/metrics": {
		"agent/node", "policy/balance",
		"agent/gate", "agent/gossip", "dnsrr", "health", "policy/throttle", // their Stats
		"queue", // what logs say
	},
	"agent/report":       {"policy/balance/sim"}, // shows its results
	"agent/node":         {"dnsrr", "dnsrr/dnssec", "health", "policy/balance", "queue"},
	"configs":            {},
	"dnsrr":              {"dnsrr/cookie", "dnsrr/dnssec", "dnsrr/ratelimit"},
	"dnsrr/cookie":       {},
	"dnsrr/dnssec":       {}, // keys, signatures and denial, of records that it is given
	"dnsrr/ratelimit":    {},
	"health":             {},
	"health/probe":       {},
	"policy/balance":     {},
	"policy/balance/sim": {"policy/balance"},  // plays the law itself, not a likeness of it
	"policy/exchange":    {"policy/throttle"}, // says what it read in the law's own words
	"policy/throttle":    {},
	"queue": {
		"queue/sockdiag",
		"queue/follow", "queue/maillog", // a log is a source: its files, and what a row says
	},
	"queue/exlog":           {"queue/lines"},                             // one line format below two: what a log's lines are is said once
	"queue/follow":          {},                                          // files alone: what is in them it is told by a type parameter
	"queue/lines":           {},                                          // knows the standard library alone
	"queue/lines/linestest": {"queue/lines"},                             // what the tests of all formats share: nothing but tests may import it
	"queue/maillog":         {"queue/exlog", "queue/lines", "queue/w3c"}, // their rows become records
	"queue/sockdiag":        {},
	"queue/w3c":             {"queue/lines"},
}

// owners lists who may import what is not ours and not of the standard
// library. Each stays behind one door, so that it can be replaced there.
var owners = map[string][]string{
	"github.com/goccy/go-yaml":            {"agent/config"},
	"github.com/hashicorp/memberlist":     {"agent/gossip", "agent/gossip/fabric"}, // fabric is a memberlist.Transport
	"github.com/miekg/dns":                {"dnsrr", "dnsrr/dnssec"},
	"github.com/prometheus/client_golang": {"agent/metrics"},
	"github.com/shirou/gopsutil/v3":       {"queue"},
	"github.com/spf13/cobra":              {"agent"},
	"golang.org/x/sync":                   {"agent", "agent/gossip"},                 // errgroup, where servers end together
	"golang.org/x/sys":                    {"agent/node", "queue/sockdiag", "dnsrr"}, // the clock that goes on in sleep; netlink; many datagrams in one call
	"golang.org/x/term":                   {"agent"},
	"github.com/rogpeppe/go-internal":     {},                        // tests only
	"pgregory.net/rapid":                  {"queue/lines/linestest"}, // which is for tests alone
}

// systems are those that the agent is built for. go list sees one at a time.
var systems = []string{"linux", "windows", "darwin"}

// A pkg is what go list tells of a package. Imports are those of its files
// for one system, without tests.
type pkg struct {
	ImportPath string
	Name       string
	Imports    []string
}

func (p pkg) short() string { return strings.TrimPrefix(p.ImportPath, module) }

func TestImports(t *testing.T) {
	var used []string
	for _, goos := range systems {
		for _, p := range list(t, goos) {
			for _, complaint := range judge(p) {
				t.Errorf("%s: %s", goos, complaint)
			}
			used = append(used, p.short())
			for _, imp := range p.Imports {
				used = append(used, p.short()+" → "+imp)
			}
		}
	}
	for _, complaint := range stale(used) {
		t.Error(complaint)
	}
}

// list asks the go command for all our packages as goos sees them.
func list(t *testing.T, goos string) (out []pkg) {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,Name,Imports", module+"...")
	cmd.Env = append(os.Environ(), "GOOS="+goos, "CGO_ENABLED=0")
	cmd.Stderr = t.Output()
	b, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v: %v", goos, cmd, err)
	}
	for d := json.NewDecoder(strings.NewReader(string(b))); ; {
		var p pkg
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return out
		} else if err != nil {
			t.Fatalf("%s: %v: %v", goos, cmd, err)
		}
		out = append(out, p)
	}
}

// judge says what is wrong with a package's place in the house.
func judge(p pkg) (complaints []string) {
	name := p.short()
	allowed, known := may[name]
	if !known {
		complaints = append(complaints, fmt.Sprintf("%s is not on the map: add it to may", name))
	}
	if slices.Contains([]string{"util", "utils", "helper", "helpers", "common", "misc"}, p.Name) {
		complaints = append(complaints, fmt.Sprintf("%s: a package is named for what it is, not %q", name, p.Name))
	}
	for _, imp := range p.Imports {
		own, ours := strings.CutPrefix(imp, module)
		switch {
		case ours && !slices.Contains(allowed, own):
			complaints = append(complaints, fmt.Sprintf("%s must not import %s", name, own))
		case !ours && foreign(imp) && !slices.Contains(owners[owned(imp)], name):
			complaints = append(complaints, fmt.Sprintf("%s must not import %s, which is for %v", name, imp, owners[owned(imp)]))
		}
	}
	return complaints
}

// foreign imports are neither ours nor of the standard library, whose paths
// begin without a dot.
func foreign(imp string) bool {
	first, _, _ := strings.Cut(imp, "/")
	return strings.Contains(first, ".")
}

// owned is the entry of owners that imp falls under, or imp itself.
func owned(imp string) string {
	for path := range owners {
		if imp == path || strings.HasPrefix(imp, path+"/") {
			return path
		}
	}
	return imp
}

// stale says what the map allows and nothing uses: an arrow that is gone is
// taken off, or it would come back unseen.
func stale(used []string) (complaints []string) {
	for _, from := range slices.Sorted(maps.Keys(may)) {
		if !slices.Contains(used, from) {
			complaints = append(complaints, fmt.Sprintf("%s is on the map, and is no package", from))
		}
		for _, to := range may[from] {
			if !slices.Contains(used, from+" → "+module+to) {
				complaints = append(complaints, fmt.Sprintf("%s → %s is on the map, and nobody uses it", from, to))
			}
		}
	}
	return complaints
}

func TestTheMapIsEnforced(t *testing.T) {
	for _, c := range []struct {
		promise string
		p       pkg
		want    string // part of the only complaint; empty: none
	}{
		{"an arrow on the map", pkg{Name: "node", ImportPath: "evenkeel/agent/node", Imports: []string{"evenkeel/queue", "net/netip"}}, ""},
		{"an owner may", pkg{Name: "dnsrr", ImportPath: "evenkeel/dnsrr", Imports: []string{"github.com/miekg/dns"}}, ""},
		{"a package below a dependency counts as it", pkg{Name: "config", ImportPath: "evenkeel/agent/config", Imports: []string{"github.com/goccy/go-yaml/ast"}}, ""},
		{"siblings do not meet", pkg{Name: "queue", ImportPath: "evenkeel/queue", Imports: []string{"evenkeel/health"}}, "queue must not import health"},
		{"nothing points upward", pkg{Name: "dnsrr", ImportPath: "evenkeel/dnsrr", Imports: []string{"evenkeel/agent/node"}}, "dnsrr must not import agent/node"},
		{"the fabric is for tests", pkg{Name: "main", ImportPath: "evenkeel/agent", Imports: []string{"evenkeel/agent/gossip/fabric"}}, "agent must not import agent/gossip/fabric"},
		{"others may not", pkg{Name: "node", ImportPath: "evenkeel/agent/node", Imports: []string{"github.com/miekg/dns"}}, "must not import github.com/miekg/dns, which is for [dnsrr dnsrr/dnssec]"},
		{"test tools stay in tests", pkg{Name: "queue", ImportPath: "evenkeel/queue", Imports: []string{"pgregory.net/rapid"}}, "must not import pgregory.net/rapid"},
		{"a dependency nobody decided on", pkg{Name: "health", ImportPath: "evenkeel/health", Imports: []string{"example.test/x"}}, "must not import example.test/x"},
		{"a likeness in the name is none", pkg{Name: "dnsrr", ImportPath: "evenkeel/dnsrr", Imports: []string{"github.com/miekg/dnsx"}}, "must not import github.com/miekg/dnsx"},
		{"a new room", pkg{Name: "attic", ImportPath: "evenkeel/attic"}, "attic is not on the map"},
		{"a room without a purpose", pkg{Name: "utils", ImportPath: "evenkeel/queue"}, "named for what it is"},
	} {
		got := judge(c.p)
		if c.want == "" && len(got) > 0 || c.want != "" && (len(got) != 1 || !strings.Contains(got[0], c.want)) {
			t.Errorf("%s: got %q, want %q", c.promise, got, c.want)
		}
	}
	all := len(may)
	for _, arrows := range may {
		all += len(arrows)
	}
	if got := stale(nil); len(got) != all {
		t.Errorf("when nothing is used, all %d entries of the map are stale; got %q", all, got)
	}
}
