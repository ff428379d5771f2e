package dnsrr

import (
	"context"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"github.com/miekg/dns"
)

// A Server answers from the last published [Table]. Before the first it says
// SERVFAIL. The zero Server is ready; it may serve any number of sockets at
// once, and must not be copied. It is large, half a MiB of counts. Where an
// asker's sequence starts is said by the Agent of each [Set].
type Server struct {
	live     atomic.Pointer[live]
	asked    sequences
	queries  tally
	restarts atomic.Uint64
	covered  atomic.Uint64 // s

	mu sync.Mutex // held by Publish, so that tables and counters go together
}

// A live table, and how often each of its nodes was handed out.
type live struct {
	table   *Table
	answers []*atomic.Uint64 // by Table.nodes
}

// Publish makes t the answer to all questions from now on; nil changes
// nothing, the last good table stays. A node's count goes on if the table
// before had the node too.
func (s *Server) Publish(t *Table) {
	if t == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	known := make(map[string]*atomic.Uint64)
	if old := s.live.Load(); old != nil {
		for i, n := range old.table.nodes {
			known[n] = old.answers[i]
		}
	}
	next := &live{table: t, answers: make([]*atomic.Uint64, len(t.nodes))}
	for i, n := range t.nodes {
		if next.answers[i] = known[n]; next.answers[i] == nil {
			next.answers[i] = new(atomic.Uint64)
		}
	}
	s.live.Store(next)
}

// reply appends the reply to the query b to dst; nothing is silence.
func (s *Server) reply(dst, b []byte, from netip.AddrPort, tr transport, now time.Time) []byte {
	if silent(b) || from.Port() == 0 { // nobody listens on port 0: it is forged
		s.queries.add(tr, typeNone, rcodeSilence)
		return dst
	}
	question, err := scan(b)
	q := new(dns.Msg)
	if err != nil || q.Unpack(b) != nil {
		out, rcode := refuse(dst, b, question)
		s.queries.add(tr, typeNone, rcode)
		return out
	}
	m := s.answer(q, from.Addr(), tr, now)
	typ := uint16(typeNone)
	if len(m.Question) > 0 {
		typ = m.Question[0].Qtype
	}
	s.queries.add(tr, typ, m.Rcode)
	out, err := m.PackBuffer(dst[len(dst):cap(dst)])
	if err != nil { // a bug of ours: nothing that compiles can fail to pack
		return dst
	}
	return append(dst, out...)
}

// answer asks the current table, and counts what it hands out.
func (s *Server) answer(q *dns.Msg, from netip.Addr, tr transport, now time.Time) *dns.Msg {
	l := s.live.Load()
	if l == nil {
		m, _ := (*Table)(nil).answer(q, nil, tr == overUDP)
		return m
	}
	next := func(six bool) Asker {
		return Asker{Number: s.asked.next(l.table.agent, from, six), Minute: uint64(now.Unix() / 60)}
	}
	m, got := l.table.answer(q, next, tr == overUDP)
	for _, node := range got.at[:got.n] {
		l.answers[node].Add(1)
	}
	if got.n > 0 && got.six == l.table.onlySix() {
		s.covered.Add(uint64(l.table.ttl))
	}
	return m
}

// A pause grows while a socket fails again and again, and ends with the first
// success: a socket that works once more is healthy, and nobody can be kept
// waiting by failures of the past.
type pause struct{ failures int }

const longestPause = time.Second

// next is how long to wait after one more failure: not at all at first.
func (p *pause) next() time.Duration {
	p.failures++
	if p.failures == 1 {
		return 0
	}
	return min(longestPause, time.Millisecond<<min(p.failures-2, 10))
}

// hopeless: all that came for some six seconds was failures, so it is not one
// bad datagram, and another socket may do better.
func (p *pause) hopeless() bool { return p.failures >= 16 }

// after waits for d or the end of ctx.
func after(ctx context.Context, d time.Duration) {
	if d == 0 {
		return
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C:
	}
}
