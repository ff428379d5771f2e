package node

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"evenkeel/queue"
)

// listening is a sample in which these ports listen.
func listening(ports ...uint16) queue.Sample {
	s := queue.Sample{Sources: []queue.Status{{Name: "cpu"}, {Name: "listener"}}}
	for _, p := range ports {
		s.Ports = append(s.Ports, queue.Port{Number: p, Open: 100})
	}
	return s
}

func mail() []Service {
	return []Service{{Name: "imap", Ports: []uint16{143, 993}}, {Name: "smtp", Ports: []uint16{25}}}
}

// Each service is judged apart: by its ports, once a restart would have been
// over, and by its probe.
func TestServicesApart(t *testing.T) {
	blind := queue.Sample{Sources: []queue.Status{{Name: "listener", Err: queue.ErrStale}}}
	other := queue.Sample{Sources: []queue.Status{{Name: "cpu"}}}
	all := listening(25, 143, 993)
	var before map[string]listens
	for _, step := range []struct {
		about  string
		at     time.Duration
		sample queue.Sample
		unwell string
		want   string
	}{
		{"the agent came before one of its servers", 0, listening(25, 143), "", "imap: port 993"},
		{"all are there", time.Second, all, "", ""},
		{"one restarts", 10 * time.Second, listening(143, 993), "", ""},
		{"and takes less than 2 s", 11900 * time.Millisecond, listening(143, 993), "", ""},
		{"or longer", 12 * time.Second, listening(143, 993), "", "smtp: port 25"},
		{"another follows", 13 * time.Second, listening(143), "", "smtp: port 25"},
		{"none is left", 15 * time.Second, listening(), "", "imap: port 143, smtp: port 25"},
		{"nothing is seen, which is not that nothing listens", 16 * time.Second, blind, "", ""},
		{"a system that sees no ports", 17 * time.Second, other, "", ""},
		{"and its probes do", 17 * time.Second, other, "smtp", "smtp: probe (421)"},
		{"back, and a probe fails", 18 * time.Second, all, "imap", "imap: probe (421)"},
		{"the port goes before the probe", 20 * time.Second, listening(25, 993), "imap", "imap: probe (421)"},
		{"when it has been closed for long enough", 22 * time.Second, listening(25, 993), "imap", "imap: port 143"},
		{"a probe of no service", 23 * time.Second, all, "pop3", ""},
	} {
		now, got := epoch.Add(step.at), []string(nil)
		var services []Carried
		services, before = carried(now, mail(), step.sample, map[string]Failure{step.unwell: {errors.New("421"), true}}, before)
		for _, c := range services {
			if c.Why != "" {
				detail := ""
				if c.Detail != "" {
					detail = " (" + c.Detail + ")"
				}
				got = append(got, c.Name+": "+c.Why+detail)
			}
		}
		if strings.Join(got, ", ") != step.want || len(services) != 2 {
			t.Errorf("%s: got %q, want %q", step.about, got, step.want)
		}
	}
}

func TestNoneOf(t *testing.T) {
	for _, tt := range []struct {
		about string
		all   []Carried
		want  string
	}{
		{"no services", nil, ""},
		{"one is well", []Carried{{Name: "a", Why: "probe"}, {Name: "b"}}, ""},
		{"none is", []Carried{{Name: "a", Why: "probe"}, {Name: "b", Why: "port 25"}}, "services"},
		{"one was never well, which may be a wrong URL", []Carried{{Name: "a", Why: "probe", unproved: true}, {Name: "b", Why: "port 25"}}, ""},
		{"the only one is not", []Carried{{Name: "b", Why: "port 25"}}, "port 25"},
	} {
		if got := noneOf(tt.all); got != tt.want || len(got) > maxWhy {
			t.Errorf("%s: got %q, want %q", tt.about, got, tt.want)
		}
	}
}

// serving runs a node that carries imap and smtp.
func serving(t *testing.T, sample func(time.Duration) queue.Sample, unwell func(time.Duration) map[string]Failure, length time.Duration) life {
	return live(t, world{sample: sample, others: neighbours, change: func(n *Node, at func() time.Duration) {
		n.Services = mail()
		n.Unwell = func() map[string]Failure { return unwell(at()) }
	}}, length)
}

// A node that lacks one service says so at once, and stays in service for the
// others; one that lacks all is broken, and one whose other port closes too.
func TestLacking(t *testing.T) {
	sample := func(at time.Duration) queue.Sample {
		switch {
		case between(at, 100*time.Second, 200*time.Second):
			return listening(25, 143)
		case between(at, 300*time.Second, 400*time.Second):
			return listening(587)
		}
		return listening(25, 143, 993)
	}
	unwell := func(at time.Duration) map[string]Failure {
		if between(at, 600*time.Second, 610*time.Second) {
			return map[string]Failure{"smtp": {errors.New("421 too busy"), true}}
		}
		return nil
	}
	l := serving(t, sample, unwell, 11*time.Minute)
	if got, want := l.story(probed), "0s 200 up -, 5m2s 503 failing services, 8m2s 200 up -"; got != want {
		t.Errorf("balancers are told\n%s, want\n%s", got, want)
	}
	told := ""
	last := []string{"?"}
	for _, f := range l.facts {
		if !slices.Equal(f.fact.Lacks, last) {
			told += fmt.Sprintf("%v %v, ", f.at, f.fact.Lacks)
			last = f.fact.Lacks
		}
	}
	if want := "0s [], 1m42s [imap], 3m20s [], 5m2s [imap smtp], 6m40s [], 10m0s [smtp], 10m10s [], "; told != want {
		t.Errorf("the farm is told\n%s, want\n%s", told, want)
	}
	for line, want := range map[string]int{`service=imap why="port 993"`: 1, `service=imap why="port 143"`: 1, `why=probe detail="421 too busy"`: 1, "service is well again": 4} {
		if n := strings.Count(l.log, line); n != want {
			t.Errorf("%q is said %d times, want %d", line, n, want)
		}
	}
}

// A probe that is wrong on all nodes, since they share a configuration, takes
// none of them out of service; the services are lacking all the same.
func TestWrongProbes(t *testing.T) {
	for well, want := range map[bool]string{false: "0s 200 up -", true: "0s 503 failing services"} {
		wrong := Failure{errors.New("answered 404"), well}
		l := serving(t, func(time.Duration) queue.Sample { return listening(25, 143, 993) },
			func(time.Duration) map[string]Failure { return map[string]Failure{"imap": wrong, "smtp": wrong} }, time.Minute)
		if got := l.story(probed); got != want {
			t.Errorf("well once: %v: balancers are told %s, want %s", well, got, want)
		}
		if got := l.last.Lacks["ex01"]; !slices.Equal(got, []string{"imap", "smtp"}) {
			t.Errorf("well once: %v: it lacks %v", well, got)
		}
	}
}

// A port that was named and is of no service fails the node as ever.
func TestOtherPortsStillCount(t *testing.T) {
	sample := func(at time.Duration) queue.Sample {
		s := listening(25, 143, 993)
		switch {
		case between(at, 100*time.Second, 110*time.Second):
			s = listening(143, 993)
			s.Closed = []uint16{25}
		case between(at, 300*time.Second, 310*time.Second):
			s.Closed = []uint16{4190}
		}
		return s
	}
	l := serving(t, sample, func(time.Duration) map[string]Failure { return nil }, 6*time.Minute)
	if got, want := l.story(probed), "0s 200 up -, 5m2s 503 failing port 4190"; got != want {
		t.Errorf("balancers are told %s, want %s", got, want)
	}
}

// The serial of the view is told, heard and answered; a change of the zone
// raises it, and another change does not.
func TestSerialInTheLoop(t *testing.T) {
	others := func(at time.Duration) []Heard {
		all := neighbours(at)
		f, err := decodeFact(all[0].Fact)
		if err != nil {
			panic(err)
		}
		f.Serial = morning
		if all[0].Fact, err = appendFact(nil, f); err != nil {
			panic(err)
		}
		return all
	}
	l := live(t, world{sample: calm, others: others, change: func(n *Node, at func() time.Duration) {
		n.Zone.Loaded = clock(earliest)
		tell := n.Tell
		n.Tell = func(beat uint64, fact []byte) error {
			switch {
			case between(at(), 10*time.Second, 10*time.Second+Beat):
				n.Change(func(n *Node) { n.Zone.Answers = 2 })
			case between(at(), 20*time.Second, 20*time.Second+Beat):
				n.Change(func(n *Node) { n.Zone.Loaded = clock(earliest + 1) })
			}
			return tell(beat, fact)
		}
	}}, 30*time.Second)
	told := ""
	last := uint32(0)
	for _, f := range l.facts {
		if f.fact.Serial != last {
			told += fmt.Sprintf("%v %d ", f.at.Truncate(time.Second), f.fact.Serial-morning)
			last = f.fact.Serial
		}
	}
	if want := "0s 1 20s 2 "; told != want || l.last.Serial != last {
		t.Errorf("told %s, and last %d; want %s", told, l.last.Serial, want)
	}
}
