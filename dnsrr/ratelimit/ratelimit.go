// Package ratelimit bounds how often the same reply goes to the same network,
// so that a DNS server is of little use to those who forge the address of whom
// they want to flood. No standard says how; what is here is called response
// rate limiting (RRL) by name servers that have it.
//
// Each network (a /24 of IPv4, a /56 of IPv6) has an account for each kind of
// reply. It earns [Options].PerSecond replies a second, holds at most what it
// earns in one, and pays for every reply that is asked for, granted or not: who
// asks on and on is in debt until he has been silent, though never for longer
// than [Window]. Of the replies not granted every Slip-th is to be sent empty
// and truncated, so that a resolver whose network is abused comes by TCP,
// where no address can be forged.
//
// Replies over TCP, and those to a client whose DNS cookie is valid, need no
// limit: do not ask for them. Start with [Limiter.Take].
package ratelimit

import (
	"net/netip"
	"slices"
	"time"
)

// What serves most.
const (
	DefaultPerSecond = 200 // replies of one kind to one network
	DefaultSlip      = 2   // every second one that is limited says to come by TCP
)

// Window is the longest that a network is limited after it has fallen silent.
const Window = 15 * time.Second

// Bounds of [Options]; what is beyond counts as the bound.
const (
	MaxPerSecond = 1_000_000
	MaxSlip      = 15
)

// Hosts of a network share an account: whoever can forge one address of it can
// forge its neighbours'. These are the sizes of what is given to one site.
const (
	bits4 = 24
	bits6 = 56
)

// Options say what is limited.
type Options struct {
	PerSecond int            // replies of one kind to one network; 0 or less = no limit, and no memory
	Slip      int            // every so-many-th limited reply is Truncate, the rest Drop; 1 = all, 0 or less = none
	Exempt    []netip.Prefix // networks that are never limited

	// Seed is drawn by chance at each start. Who does not know it cannot choose
	// addresses or names whose account is another's.
	Seed uint64

	// Start is any instant before the first that Take is told; the moment of
	// construction is best. If both have Go's monotonic reading, steps of the
	// wall clock are not seen. Otherwise one forward is an hour of silence, and
	// one back limits who was not limited for no longer than Window. The zero
	// Start is 1970.
	Start time.Time
}

// A Verdict is what is to become of a reply.
type Verdict int

// The verdicts.
const (
	Pass     Verdict = iota // send it
	Truncate                // send the question alone, with TC=1
	Drop                    // send nothing
)

// String is the verdict as a word.
func (v Verdict) String() string {
	switch v {
	case Pass:
		return "pass"
	case Truncate:
		return "truncate"
	case Drop:
		return "drop"
	}
	return "unknown"
}

// A Limiter keeps the accounts. Any number of goroutines may use one, and none
// ever waits for another. It takes 512 KiB and never more: 65,536 accounts, in
// rows of eight. In a row that is full, the account that is nearest to its
// start makes room; if all eight are limited, who comes next passes and has no
// account. So a collision lets pass what might have been limited. The other
// way there is one chance in two million that the first use of an account is
// taken for that of another.
//
// The nil Limiter passes everything.
type Limiter struct {
	rows   *[rows]row // nil = no limit
	law    law
	slip   uint64
	seed   uint64
	start  time.Time
	exempt []netip.Prefix
}

// New returns a Limiter whose accounts are all at their start.
func New(o Options) *Limiter {
	l := &Limiter{
		law:  lawOf(min(o.PerSecond, MaxPerSecond)),
		slip: uint64(min(max(o.Slip, 0), MaxSlip)),
		seed: o.Seed, start: o.Start, exempt: slices.Clone(o.Exempt),
	}
	if l.start.IsZero() {
		l.start = time.Unix(0, 0)
	}
	if o.PerSecond > 0 {
		l.rows = new([rows]row)
	}
	return l
}

// Take charges one reply to an address, and says what is to become of it. Kind
// is a hash of all that like replies share: the name and type of the question
// where there is an answer; for errors and names that do not exist the class of
// error and the zone alone, or a flood of invented names would be limited
// nowhere. It allocates nothing.
func (l *Limiter) Take(to netip.Addr, kind uint64, now time.Time) Verdict {
	if l == nil || l.rows == nil || l.isExempt(to) {
		return Pass
	}
	h := mix(mix(network(to)^l.seed) ^ kind)
	limited, nth := l.rows[h%rows].charge(l.law, h>>tagShift, l.law.ticks(now.Sub(l.start)), max(l.slip, 1))
	switch {
	case !limited:
		return Pass
	case l.slip > 0 && nth == 0:
		return Truncate
	}
	return Drop
}

func (l *Limiter) isExempt(a netip.Addr) bool {
	if len(l.exempt) == 0 {
		return false
	}
	a = a.Unmap().WithZone("")
	for _, p := range l.exempt {
		if p.Contains(a) {
			return true
		}
	}
	return false
}
