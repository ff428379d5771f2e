package main

import (
	"strings"
	"sync"
	"time"

	"evenkeel/agent/logs"
	"evenkeel/policy/throttle"
	"evenkeel/queue/maillog"
)

// A sizeReading is what the logs tell of one account. Streams are read at once.
type sizeReading struct {
	account   string
	component string // the only one that is wanted; empty: all
	domains   []throttle.Domain
	from, to  time.Time
	nodes     []string
	most      int    // requests that are kept
	stop      func() // ends reading

	mu     sync.Mutex // guards the ones below
	pools  map[throttle.Component]sizePool
	kept   int             // requests in them
	full   bool            // there were more
	cut    int             // requests before from or after to
	names  map[string]bool // under which the account was found
	others map[string]bool // accounts that are not it, some thousands
}

func newSizeReading(domains []throttle.Domain, component string) *sizeReading {
	return &sizeReading{domains: domains, component: component, most: mostUses, pools: map[throttle.Component]sizePool{}, names: map[string]bool{}, others: map[string]bool{}}
}

// taker reads one stream of a node for the account.
func (s *sizeReading) taker(node int) logs.Taker {
	return &sizeTaker{in: s, node: node, known: map[string]bool{}}
}

// mostKnown names are kept in a stream; all are looked at again beyond.
const mostKnown = 1 << 14

// A sizeTaker reads one stream.
type sizeTaker struct {
	in    *sizeReading
	node  int
	known map[string]bool // a name as the log has it: it is the account
}

// File, Add and End are told by [logs.Found].
func (t *sizeTaker) File(string) {}

// End does nothing: what was taken is where all streams put it.
func (t *sizeTaker) End() {}

// Add takes a row, if it is of the account.
func (t *sizeTaker) Add(r *maillog.Record, _ int64, _ []byte) {
	if len(r.User) == 0 || !t.is(r.User) {
		return
	}
	if row, ok := t.in.row(r); ok {
		row.use.Node = t.node
		t.in.add(&row)
	}
}

// is: the name is the account's.
func (t *sizeTaker) is(user []byte) bool {
	if is, ok := t.known[string(user)]; ok {
		return is
	}
	if len(t.known) >= mostKnown {
		clear(t.known)
	}
	name := throttle.Account(string(user), t.in.domains)
	is := sameAccount(name, t.in.account)
	t.known[string(user)] = is
	t.in.heard(name, is)
	return is
}

func (s *sizeReading) heard(name string, is bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case is:
		s.names[name] = true
	case name != "" && len(s.others) < mostKnown:
		s.others[name] = true
	}
}

// sameAccount compares accounts as [throttle.Account] writes them. Where the
// domains are not known CONTOSO is taken for contoso.example, and a name without
// one for that of any.
func sameAccount(a, b string) bool {
	if a == b {
		return a != ""
	}
	userA, domainA, _ := strings.Cut(a, "@")
	userB, domainB, _ := strings.Cut(b, "@")
	if userA != userB || a == "" || b == "" {
		return false
	}
	return domainA == "" || domainB == "" || strings.HasPrefix(domainA, domainB+".") && !strings.Contains(domainB, ".") ||
		strings.HasPrefix(domainB, domainA+".") && !strings.Contains(domainA, ".")
}

// row is a row's request; false: it counts in no budget, or is not wanted.
func (s *sizeReading) row(r *maillog.Record) (sizeRow, bool) {
	c, ok := componentOf(r.Protocol)
	if !ok || r.Probe || r.At.IsZero() || sourceOf(r) == noSource || s.component != "" && !strings.EqualFold(s.component, c.String()) {
		return sizeRow{}, false
	}
	began := r.At.Add(-max(0, r.Took))
	if !s.from.IsZero() && began.Before(s.from) || !s.to.IsZero() && !began.Before(s.to) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.cut++
		return sizeRow{}, false
	}
	return rowOf(r, c, began), true
}
