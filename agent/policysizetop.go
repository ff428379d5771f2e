package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"evenkeel/agent/logs"
	"evenkeel/policy/throttle"
	"evenkeel/queue/maillog"
)

// A sizeTop is an account and how near it comes to its limits. Its names in JSON
// are a promise to scripts.
type sizeTop struct {
	Account   string  `json:"account"`
	Component string  `json:"component"`
	Share     float64 `json:"share"` // of a limit, on one node; 1: all of it
	Part      string  `json:"part"`  // of which
	Policy    string  `json:"policy"`
	Requests  int     `json:"requests"` // on that node
	Hour      float64 `json:"most_in_an_hour"`
	AtOnce    float64 `json:"at_once"` // a mean over the busiest minute
}

// mostTop accounts are kept of a stream; beyond, those are given up that were
// charged less than half of the others.
const mostTop = 1 << 14

type topKey struct {
	account *topName
	c       throttle.Component
}

// A topName is an account under all of its names.
type topName struct{ fullest string }

// mostNames accounts are told apart; who is named later is not listed.
const mostNames = 1 << 18

// name is whose a name is, of those that were met; nil where it is none.
func (t *topReading) name(name string) *topName {
	t.mu.Lock()
	defer t.mu.Unlock()
	user, domain, _ := strings.Cut(name, "@")
	for _, a := range t.names[user] {
		if _, has, _ := strings.Cut(a.fullest, "@"); a.fullest == name || domain != "" && has != "" && sameAccount(a.fullest, name) {
			if len(name) > len(a.fullest) {
				a.fullest = name
			}
			return a
		}
	}
	if name == "" || t.met >= mostNames {
		return nil
	}
	a := &topName{name}
	t.names[user] = append(t.names[user], a)
	t.met++
	return a
}

// A sketch is what is kept of an account on one node, of a few numbers whatever
// it does: how much was charged in its worst clock hour and minute.
type sketch struct {
	source       sizeSource
	requests     int
	total        time.Duration
	hour, minute span
}

// A span sums up what was charged in one stretch of the clock after the other.
type span struct {
	at        int64 // which stretch
	sum, most time.Duration
}

func (s *span) add(at int64, d time.Duration) {
	if at > s.at { // one that ended earlier counts here
		s.at, s.sum = at, 0
	}
	s.sum += d
	s.most = max(s.most, s.sum)
}

// A topTaker reads one stream for all accounts.
type topTaker struct {
	in    *sizeReading
	all   *topReading
	known map[string]*topName // the account by the name that the log has
	seen  map[topKey]*sketch
	left  int
}

// A topReading is what all streams tell: of the node where an account was charged most.
type topReading struct {
	mu    sync.Mutex // guards the ones below
	seen  map[topKey]*sketch
	names map[string][]*topName // by what is before the domain
	met   int                   // of names
	left  int                   // rows of accounts of which a better log tells
}

// File is told by [logs.Found], as Add and End are.
func (t *topTaker) File(string) {}

// Add counts a row for whoever asked.
func (t *topTaker) Add(r *maillog.Record, _ int64, _ []byte) {
	if len(r.User) == 0 {
		return
	}
	row, ok := t.in.row(r)
	if !ok || row.use.Hanging || row.refused {
		return
	}
	name, ok := t.known[string(r.User)]
	if !ok {
		if len(t.known) >= mostTop {
			clear(t.known)
		}
		name = t.all.name(throttle.Account(string(r.User), t.in.domains))
		t.known[string(r.User)] = name
	}
	if name != nil {
		t.sketch(topKey{name, row.component}, row.source).add(r.At.Unix(), row.use.Charged)
	}
}

func (s *sketch) add(at int64, charged time.Duration) {
	s.requests++
	s.total += charged
	s.hour.add(at/3600, charged)
	s.minute.add(at/60, charged)
}

// sketch is that of an account; a better log begins it anew.
func (t *topTaker) sketch(k topKey, from sizeSource) *sketch {
	s := t.seen[k]
	if s == nil {
		if len(t.seen) >= mostTop {
			t.thin()
		}
		s = &sketch{}
		t.seen[k] = s
	}
	switch {
	case from > s.source:
		t.left += s.requests
		*s = sketch{source: from}
	case from < s.source:
		t.left++
		return &sketch{} // which nobody keeps
	}
	return s
}

// thin gives up half of the accounts, those that were charged least.
func (t *topTaker) thin() {
	var totals []time.Duration
	for _, s := range t.seen {
		totals = append(totals, s.total)
	}
	slices.Sort(totals)
	bound := totals[len(totals)/2]
	for k, s := range t.seen {
		if s.total <= bound {
			delete(t.seen, k)
		}
	}
}

// End keeps of each account the node where it was charged most.
func (t *topTaker) End() {
	t.all.mu.Lock()
	defer t.all.mu.Unlock()
	t.all.left += t.left
	for k, s := range t.seen {
		old := t.all.seen[k]
		switch {
		case old == nil:
			t.all.seen[k] = s
		case s.source < old.source:
			t.all.left += s.requests
		case s.source > old.source:
			t.all.left += old.requests // of its busiest node, at least
			t.all.seen[k] = s
		case s.hour.most > old.hour.most:
			t.all.seen[k] = s
		}
	}
}

func runSizeTop(ctx context.Context, e env, f sizeFlags, book *throttle.Book, s *sizeReading, paths []string) error {
	all := &topReading{seen: map[topKey]*sketch{}, names: map[string][]*topName{}}
	if err := s.read(ctx, e, f, paths, func(int) logs.Taker {
		return &topTaker{in: s, all: all, known: map[string]*topName{}, seen: map[topKey]*sketch{}}
	}); err != nil {
		return err
	}
	top := all.top(book, f.top)
	if len(top) == 0 {
		return fmt.Errorf("no request of an account in %s", strings.Join(paths, ", "))
	}
	if f.json {
		return jsonText(struct {
			Top  []sizeTop `json:"top"`
			Left int       `json:"left_out"` // rows of accounts of which a better log tells
		}{top, all.left})(e.stdout)
	}
	return topText(top, all.left)(e.stdout)
}

// top are the n that come nearest to a limit.
func (t *topReading) top(book *throttle.Book, n int) (out []sizeTop) {
	for k, s := range t.seen {
		effective := book.Effective(k.account.fullest)
		share, part := effective.Limits(k.c).Near(k.c, s.atOnce(), s.minute.most, s.hour.most)
		out = append(out, sizeTop{k.account.fullest, k.c.String(), share, part.String(), effective.Policy, s.requests, s.hour.most.Seconds(), s.atOnce()})
	}
	slices.SortFunc(out, func(a, b sizeTop) int {
		return cmp.Or(cmp.Compare(b.Share, a.Share), cmp.Compare(b.Hour, a.Hour), cmp.Compare(a.Account, b.Account), cmp.Compare(a.Component, b.Component))
	})
	return out[:min(n, len(out))]
}

func (s *sketch) atOnce() float64 { return float64(s.minute.most) / float64(time.Minute) }

func topText(top []sizeTop, left int) printer {
	return func(w io.Writer) error {
		t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		line(t, "ACCOUNT", "COMPONENT", "NEAR", "PART", "MOST AN HOUR", "AT ONCE", "REQUESTS", "POLICY")
		for _, a := range top {
			line(t, a.Account, a.Component, fmt.Sprintf("%.0f %%", 100*a.Share), a.Part, sizeFor(a.Hour), fmt.Sprintf("%.1f", a.AtOnce), fmt.Sprint(a.Requests), a.Policy)
		}
		if err := t.Flush(); err != nil {
			return err
		}
		if left > 0 {
			fmt.Fprintf(w, "left out: at least %s of accounts of which a better log tells\n", numberOf(left, "row"))
		}
		_, err := fmt.Fprintln(w, "an estimate, of the node where each was charged most; evenkeel policy size ACCOUNT PATH... replays one")
		return err
	}
}
