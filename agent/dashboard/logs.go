package dashboard

import (
	"fmt"
	"strings"
	"time"

	"evenkeel/queue"
)

// A Logs is what this node's logs say. Its names are a promise, as those of a
// [Status]. Counts are since the agent started.
type Logs struct {
	Pools    []Pool   `json:"pools"`    // those in front of which HTTP.sys turned somebody away, by name
	Sessions *Session `json:"sessions"` // null: no log tells

	Requests  []Requests  `json:"requests"`   // by log: a request stands in each that had it
	FrontEnds []Passed    `json:"front_ends"` // who passed requests on to this node
	BackEnds  []Passed    `json:"back_ends"`  // and to whom it did
	Legs      []Legs      `json:"auth_legs"`
	Throttled []Throttled `json:"throttled"`
	Over      []string    `json:"over_budget"` // users who were refused for it in the last 15 minutes, the latest first; at most 8
	Probes    uint64      `json:"probes"`
	Files     []LogFiles  `json:"files"`
}

// A Pool is an application pool. A null is what was not seen.
type Pool struct {
	Name      string            `json:"name"`
	Refused   map[string]uint64 `json:"refused"`     // by HTTP.sys' reason
	Full      *string           `json:"full_at"`     // RFC 3339, as all times here
	Off       *string           `json:"off_since"`   // null too five minutes after off_seen_at
	OffSeen   *string           `json:"off_seen_at"` // when somebody was last turned away for that
	Stalled   uint64            `json:"stalled"`     // waited in the queue until their time was over
	StalledAt *string           `json:"stalled_at"`
	Abandoned uint64            `json:"abandoned"` // lost with the worker process
	AbandonAt *string           `json:"abandoned_at"`
	Lately    []string          `json:"lately"` // in words, what happened in the last 15 minutes
}

// A Session is how many MAPI sessions had a row in the last five minutes.
type Session struct {
	Log         string  `json:"log"`
	N           int     `json:"n"`
	Estimated   bool    `json:"estimated"`
	SeenSeconds float64 `json:"seen_seconds"` // of the five minutes; while it is less, n is too low
}

// A Requests is how many requests of clients one log has of a type.
type Requests struct {
	Log      string `json:"log"`
	Protocol string `json:"protocol"`
	Type     string `json:"type"`
	Waits    bool   `json:"waits"` // they are answered when something happens; the others are work
	N        uint64 `json:"n"`
}

// A Passed is how many requests went by a server.
type Passed struct {
	Server string `json:"server"`
	N      uint64 `json:"n"`
}

// A Legs is how many requests were asked again to authenticate.
type Legs struct {
	Log    string `json:"log"`
	Legs   uint64 `json:"legs"`   // the client came through
	Failed uint64 `json:"failed"` // it did not
}

// A Throttled is what throttling did to requests.
type Throttled struct {
	Log          string  `json:"log"`
	Delayed      uint64  `json:"delayed"`
	DelaySeconds float64 `json:"delay_seconds"` // of those, added up
	Refused      uint64  `json:"refused"`
}

// A LogFiles is how far a source has read.
type LogFiles struct {
	Source   string `json:"source"`
	Rows     uint64 `json:"rows"`
	Rejected uint64 `json:"rejected"`
	Behind   int64  `json:"behind_bytes"`
}

// lately is how long ago something still is worth a line for people.
const lately = 15 * time.Minute

func logsOf(now time.Time, l *queue.Logs) *Logs {
	if l == nil {
		return nil
	}
	out := &Logs{Pools: []Pool{}, Requests: []Requests{}, Legs: []Legs{}, Throttled: []Throttled{}, Over: []string{}, Probes: l.Probes, Files: []LogFiles{}}
	for _, u := range l.Over {
		out.Over = append(out.Over, u.User)
	}
	out.FrontEnds, out.BackEnds = passedOf(l.FrontEnds), passedOf(l.BackEnds)
	for _, p := range l.Pools {
		out.Pools = append(out.Pools, poolOf(now, p))
	}
	if s := l.Sessions; s != nil {
		out.Sessions = &Session{s.Log, s.N, s.Estimated, s.Seen.Seconds()}
	}
	for _, r := range l.Requests {
		out.Requests = append(out.Requests, Requests(r))
	}
	for _, g := range l.Legs {
		out.Legs = append(out.Legs, Legs(g))
	}
	for _, t := range l.Throttled {
		out.Throttled = append(out.Throttled, Throttled{t.Log, t.Delayed, t.Delay.Seconds(), t.Refused})
	}
	for _, f := range l.Files {
		out.Files = append(out.Files, LogFiles(f))
	}
	return out
}

func passedOf(all []queue.Passed) []Passed {
	out := []Passed{}
	for _, p := range all {
		out = append(out, Passed(p))
	}
	return out
}

func poolOf(now time.Time, p queue.Pool) Pool {
	off := p.OffSince(now)
	out := Pool{
		Name: p.Name, Refused: map[string]uint64{}, Lately: []string{}, Full: instant(p.Full), Off: instant(off), OffSeen: instant(p.Seen),
		Stalled: p.Stalled.N, StalledAt: instant(p.Stalled.Last), Abandoned: p.Abandoned.N, AbandonAt: instant(p.Abandoned.Last),
	}
	for _, r := range p.Refused {
		out.Refused[r.Reason] = r.N
	}
	say := func(what string, at time.Time) {
		if !at.IsZero() && now.Sub(at) <= lately {
			out.Lately = append(out.Lately, fmt.Sprintf("%s, last at %s", what, at.UTC().Format(time.TimeOnly)))
		}
	}
	say(fmt.Sprintf("its queue was full, %d refused", out.Refused["QueueFull"]), p.Full)
	if !off.IsZero() {
		out.Lately = append(out.Lately, "off since "+off.UTC().Format(time.TimeOnly)+", last seen at "+p.Seen.UTC().Format(time.TimeOnly))
	}
	say(fmt.Sprintf("stalled, %d waited in vain", p.Stalled.N), p.Stalled.Last)
	say(fmt.Sprintf("recycled or crashed, %d requests lost", p.Abandoned.N), p.Abandoned.Last)
	return out
}

func instant(t time.Time) *string {
	if t.IsZero() {
		return nil
	}
	s := t.UTC().Format(time.RFC3339)
	return &s
}

// notes tells people what is worth a word.
func (l *Logs) notes(note func(format string, args ...any)) {
	if l == nil {
		return
	}
	for _, p := range l.Pools {
		if len(p.Lately) > 0 {
			note("pool %s: %s", p.Name, strings.Join(p.Lately, "; "))
		}
	}
	if s := l.Sessions; s != nil {
		about, since := "", ""
		if s.Estimated {
			about = "about "
		}
		if whole := 5 * time.Minute; s.SeenSeconds < whole.Seconds() {
			since = fmt.Sprintf(", of %.0f s so far", s.SeenSeconds)
		}
		note("sessions: %s%d of MAPI in the last five minutes, by %s%s", about, s.N, s.Log, since)
	}
	if len(l.Over) > 0 {
		note("over budget: %s", strings.Join(l.Over, ", "))
	}
	for _, f := range l.Files {
		if f.Behind >= 1<<20 {
			note("source %s: %d MiB of logs to be read yet", f.Source, f.Behind>>20)
		}
	}
}
