package dnsrr

import (
	"context"
	"encoding/binary"
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"
	"time"

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
	none     Options // before the first
	asked    sequences
	counts   [stripes]counts
	readers  atomic.Uint32 // that have a stripe of their own
	restarts atomic.Uint64
	limits   atomic.Uint64
	slipped  atomic.Uint64
	dropped  atomic.Uint64
	shed     atomic.Uint64

	mu   sync.Mutex // held by Publish, so that tables and counters go together
	last striped    // counter that was given to a node
}

// A live table, and how often each of its nodes was handed out.
type live struct {
	table   *Table
	answers []striped // by Table.nodes
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
	known := make(map[string]striped)
	if old := s.live.Load(); old != nil {
		for i, n := range old.table.nodes {
			known[n] = old.answers[i]
		}
	}
	next := &live{table: t, answers: make([]striped, len(t.nodes))}
	for i, n := range t.nodes {
		c, ok := known[n]
		if !ok {
			s.last = s.last.next()
			c = s.last
		}
		next.answers[i] = c
	}
	s.live.Store(next)
}

// Configure has s behave as o says from now on. What o holds must not change
// any more.
func (s *Server) Configure(o Options) { s.options.Store(&o) }

// reply appends the reply to the query q to dst, framed as TCP wants it if so
// told (RFC 7766, section 8), and counts it; nothing is silence. It allocates
// nothing where the fast path knows the answer.
func (s *Server) reply(dst, q []byte, from netip.AddrPort, tr transport, now time.Time, framed bool) []byte {
	return s.replyIn(commonStripe, dst, q, from, tr, now, framed)
}

// replyIn is reply for a reader that counts in a stripe of its own.
func (s *Server) replyIn(stripe int, dst, q []byte, from netip.AddrPort, tr transport, now time.Time, framed bool) []byte {
	counts := &s.counts[stripe]
	if silent(q) || from.Port() == 0 { // nobody listens on port 0: it is forged
		counts.queries.add(tr, typeNone, rcodeSilence)
		return dst
	}
	var x exchange // made in its place: a copy would cost as much as a look-up
	x.from, x.tr, x.now, x.asked = from.Addr(), tr, now, &s.asked
	if x.o = s.options.Load(); x.o == nil {
		x.o = &s.none
	}
	x.r.read(q)
	l := s.live.Load()
	if l != nil {
		x.t = l.table
	}
	dst = slices.Grow(dst, ednsSize)
	b, verdict := s.answered(&x, q, x.room(dst, framed))
	switch verdict {
	case ratelimit.Drop:
		counts.queries.add(tr, x.kind(), rcodeSilence)
		return dst
	case ratelimit.Truncate:
		x.made = body{rcode: b.rcode, aa: b.aa, tc: true}
		b, x.got.n = &x.made, 0
	}
	counts.queries.add(tr, x.kind(), b.rcode)
	out := x.append(dst, b, framed)
	if x.got.n > 0 && !x.cut { // what was cut off is handed out by the reply over TCP
		s.count(stripe, l, &x.got)
	}
	return out
}

// room is where in dst the records of the reply will stand, so that those that
// are put together for it need not be moved.
func (x *exchange) room(dst []byte, framed bool) []byte {
	at := len(dst) + headerLen + len(x.r.question)
	if framed {
		at += 2
	}
	return dst[min(at, cap(dst)):min(at, cap(dst))]
}

// answered is the body of the reply to q, and what is to become of it. What a
// signature would have to be made for is judged before. Room is for records that
// are put together.
func (s *Server) answered(x *exchange, q, room []byte) (b *body, v ratelimit.Verdict) {
	b, ok := x.fast(room)
	if !ok && x.costly() {
		if v = s.limit(x, costly); v == ratelimit.Pass {
			x.remember(x.slow(q))
		}
		return &x.made, v
	}
	if !ok {
		b = x.slow(q)
	}
	if x.o.Limiter == nil {
		return b, ratelimit.Pass
	}
	return b, s.limit(x, x.likeness(b))
}

// slow makes the body of the reply by the rules of answer.go.
func (x *exchange) slow(q []byte) *body {
	var err error
	if x.sig, err = x.o.verify(q, &x.r, x.now); err != nil {
		x.r.bad = true
	}
	x.answer()
	x.made = x.body()
	return &x.made
}

// count notes which nodes were handed out.
func (s *Server) count(stripe int, l *live, got *picks) {
	for _, node := range got.at[:got.n] {
		l.answers[node].add(stripe)
	}
	if got.counts {
		s.counts[stripe].covered.Add(uint64(l.table.ttl))
	}
}

// limit is what becomes of a reply for which too many like it went to where it
// would go. Who has shown that he is there is never limited, and now and then one
// of the others is told to come by TCP, where he would.
func (s *Server) limit(x *exchange, kind uint64) ratelimit.Verdict {
	if x.o.Limiter == nil || x.tr != overUDP || x.trusted() {
		return ratelimit.Pass
	}
	v := x.o.Limiter.Take(x.from, kind, x.now)
	switch v {
	case ratelimit.Drop:
		s.limits.Add(1)
	case ratelimit.Truncate:
		s.slipped.Add(1)
	}
	return v
}

// costly is the kind of all replies that would be signed for a name that is not
// in the zone: each costs a signature, and there is no end of such names.
const costly = 1

func (x *exchange) costly() bool {
	if !x.secure() || !x.r.edns.dnssec || !x.r.plain() {
		return false
	}
	name := x.r.owner()
	return x.t.within(name) && x.t.wire.find(name) == nil
}

// trusted reports that the asker's address is not forged: he sends back what
// was once sent there.
func (x *exchange) trusted() bool {
	return x.r.edns.cookie != nil && x.judged().Verdict == cookie.Valid ||
		x.sig != nil && x.sig.error == 0
}

// likeness hashes what like replies share: all that deny or refuse are alike,
// and all that are made of one wildcard, or a flood of invented names would not
// be seen as one.
func (x *exchange) likeness(b *body) uint64 {
	h := uint64(b.rcode)<<16 | 1
	if b.counts[0] > 0 {
		h = b.like ^ uint64(x.r.qclass)<<16 ^ uint64(x.r.qtype)
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

// append writes the reply, or the messages that stand for it, behind dst.
func (x *exchange) append(dst []byte, b *body, framed bool) []byte {
	if x.sig != nil || x.stream != nil {
		return x.appendStream(dst, b, framed)
	}
	at := len(dst)
	if framed {
		dst = append(dst, 0, 0)
	}
	dst = x.compose(dst, b, x.r.edns.limit(x.tr == overUDP))
	if framed {
		binary.BigEndian.PutUint16(dst[at:], uint16(len(dst)-at-2))
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

// hopeless: all that came for some six seconds was failures, so it is not one
// bad datagram, and another socket may do better.
func (p *pause) hopeless() bool { return p.failures >= 16 }

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
