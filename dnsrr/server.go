package dnsrr

import (
	"context"
	"encoding/binary"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"github.com/miekg/dns"

	"evenkeel/dnsrr/cookie"
	"evenkeel/dnsrr/ratelimit"
)

// A Server answers from the last published [Table]. Before the first it says
// SERVFAIL. The zero Server is ready; it may serve any number of sockets at
// once, and must not be copied. It is large, half a MiB of counts. Where an
// asker's sequence starts is said by the Agent of each [Set].
type Server struct {
	live     atomic.Pointer[live]
	options  atomic.Pointer[Options]
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

// Configure has s behave as o says from now on. What o holds must not change
// any more.
func (s *Server) Configure(o Options) { s.options.Store(&o) }

// reply appends the reply to the query b to dst; nothing is silence.
func (s *Server) reply(dst, b []byte, from netip.AddrPort, tr transport, now time.Time) []byte {
	x := s.respond(b, from, tr, now)
	if x == nil {
		return dst
	}
	return x.pack(dst, false)
}

// respond makes the reply to b, and counts it; nil is silence.
func (s *Server) respond(b []byte, from netip.AddrPort, tr transport, now time.Time) *exchange {
	if silent(b) || from.Port() == 0 { // nobody listens on port 0: it is forged
		s.queries.add(tr, typeNone, rcodeSilence)
		return nil
	}
	x := &exchange{o: s.options.Load(), r: parse(b), from: from.Addr(), tr: tr, now: now}
	if x.o == nil {
		x.o = new(Options)
	}
	var err error
	if x.sig, err = x.o.verify(b, &x.r, now); err != nil {
		x.r.bad = true
	}
	l := s.live.Load()
	s.answer(l, x)
	if tr == overUDP && s.limited(x) {
		s.queries.add(tr, x.kind(), rcodeSilence)
		return nil
	}
	if len(x.stream) == 0 {
		x.finish()
	}
	s.count(l, x)
	return x
}

// answer asks the current table, if there is one.
func (s *Server) answer(l *live, x *exchange) {
	if l != nil {
		x.t = l.table
		x.next = func(salt uint64, six bool) uint64 { return s.asked.next(l.table.agent, salt, x.from, six) }
	}
	x.answer()
}

// count counts a reply that is sent, and the nodes that it hands out: what was
// cut off is handed out by the reply over TCP.
func (s *Server) count(l *live, x *exchange) {
	s.queries.add(x.tr, x.kind(), x.m.Rcode)
	if x.got.n == 0 || x.m.Truncated {
		return
	}
	for _, node := range x.got.at[:x.got.n] {
		l.answers[node].Add(1)
	}
	if x.got.counts {
		s.covered.Add(uint64(l.table.ttl))
	}
}

// limited reports that a reply is not to be sent, since too many like it went
// to where it would go. Who has shown that he is there is never limited, and
// now and then one of the others is told to come by TCP, where he would.
func (s *Server) limited(x *exchange) bool {
	if x.o.Limiter == nil || x.trusted() {
		return false
	}
	switch x.o.Limiter.Take(x.from, x.likeness(), x.now) {
	case ratelimit.Drop:
		return true
	case ratelimit.Truncate:
		x.m.Truncated, x.m.Answer, x.m.Ns, x.m.Extra = true, nil, nil, nil
	}
	return false
}

// trusted reports that the asker's address is not forged: he sends back what
// was once sent there.
func (x *exchange) trusted() bool {
	return x.r.edns.cookie != nil && x.o.Cookies.Check(x.r.edns.cookie, x.from, x.now) == cookie.Valid ||
		x.sig != nil && x.sig.error == 0
}

// likeness hashes what like replies share: all that deny or refuse are alike,
// and all that are made of one wildcard, or a flood of invented names would not
// be seen as one.
func (x *exchange) likeness() uint64 {
	h := uint64(x.m.Rcode)<<16 | 1
	if len(x.m.Answer) > 0 {
		h = uint64(x.r.qclass)<<16 | uint64(x.r.qtype)
	}
	if len(x.m.Answer) > 0 && x.m.Authoritative && x.r.qclass != dns.ClassCHAOS {
		h ^= x.t.find(fold(x.m.Question[0].Name)).like
	}
	return mix(h)
}

// kind is the type that a query is counted under.
func (x *exchange) kind() uint16 {
	if x.r.question == nil {
		return typeNone
	}
	return x.r.qtype
}

// pack appends the reply, or the messages that stand for it, to dst, each
// framed as TCP wants it if so told (RFC 7766, section 8).
func (x *exchange) pack(dst []byte, framed bool) []byte {
	stream := x.stream
	if len(stream) == 0 {
		stream = []*dns.Msg{x.m}
	}
	mac := ""
	if x.sig != nil {
		mac = x.sig.asked.MAC
	}
	start := len(dst)
	for i, m := range stream {
		at := len(dst)
		if framed {
			dst = append(dst, 0, 0)
		}
		var b []byte
		var err error
		if x.sig != nil {
			b, mac, err = x.sig.pack(m, mac, i == 0, x.now)
		} else {
			b, err = m.PackBuffer(dst[len(dst):cap(dst)])
		}
		if err != nil { // a bug of ours: nothing that compiles can fail to pack
			return dst[:start]
		}
		if dst = append(dst, b...); framed {
			binary.BigEndian.PutUint16(dst[at:], uint16(len(b)))
		}
	}
	return dst
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

// after waits for d or the end of ctx.
func after(ctx context.Context, d time.Duration) {
	if d <= 0 {
		return
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C:
	}
}
