package ratelimit

import (
	"encoding/binary"
	"net/netip"
	"sync/atomic"
	"time"
)

// An account is one word, so that it changes whole:
//
//	tag   24 bits, which of all accounts that fall into this row it is
//	nth    4 bits, how many were limited since the last that slipped through
//	until 36 bits, when it will be at its start, full, in ticks
//
// A tick is what a quarter of a reply takes to earn; 36 bits of them are 2.7
// years at 200 replies a second, and five hours at the most that can be. A time
// that is past or further ahead than any debt means an account at its start.
// So an account not used for a multiple of that long, to 15 s, may be limited
// once more; all others begin anew. The zero account is at its start, like any
// that nobody used.
type account = uint64

const (
	untilBits = 36
	nthBits   = 4
	tagShift  = untilBits + nthBits
	perReply  = 4 // ticks
)

// A law is how accounts earn and pay, in ticks.
type law struct {
	second int64 // what is earned in a second, and the most that is held
	window int64 // the most that is owed, beside what is held
}

func lawOf(perSecond int) law {
	n := int64(max(perSecond, 0)) * perReply
	return law{second: n, window: n * int64(Window/time.Second)}
}

// ticks is a span of time in ticks, rounded down.
func (l law) ticks(d time.Duration) int64 {
	s := d / time.Second
	return int64(s)*l.second + int64(d-s*time.Second)*l.second/int64(time.Second)
}

// spent is what an account is short of full at now.
func (l law) spent(a account, now int64) int64 {
	const unused = 64 - untilBits
	ahead := int64(a-uint64(now)) << unused >> unused // signed, of 36 bits
	if ahead < 0 || ahead > l.window {
		return 0
	}
	return ahead
}

// full is an account at its start.
func full(now int64) account { return uint64(now) & (1<<untilBits - 1) }

// charge is the account after one more reply at now, and whether that is
// beyond what it held.
func (l law) charge(a account, tag uint64, now int64, slip uint64) (next account, limited bool, nth uint64) {
	spent := l.spent(a, now) + perReply
	limited = spent > l.second
	nth = a >> untilBits & (1<<nthBits - 1)
	if limited {
		nth = (nth + 1) % slip
	}
	return tag<<tagShift | nth<<untilBits | full(now+min(spent, l.window)), limited, nth
}

const (
	rows = 1 << 13
	ways = 8
)

// A row is what one cache line holds. An account is found in the row that its
// hash names, wherever in it.
type row [ways]atomic.Uint64

// tries is how often an account that others change at the same time is read
// again. Each try that fails is one of theirs that succeeded.
const tries = 16

// charge takes one reply from the account with that tag, opening it if there
// is none. What cannot be counted is not limited.
func (r *row) charge(l law, tag uint64, now int64, slip uint64) (limited bool, nth uint64) {
	for range tries {
		place, old, found := r.find(l, tag, now)
		if place == nil {
			return false, 0
		}
		from := old
		if !found {
			from = full(now)
		}
		next, limited, nth := l.charge(from, tag, now, slip)
		if place.CompareAndSwap(old, next) {
			return limited, nth
		}
	}
	return false, 0
}

// find is the place of the account with that tag, or else of the one that is
// nearest to its start; nil if that is limited too.
func (r *row) find(l law, tag uint64, now int64) (place *atomic.Uint64, old account, found bool) {
	least := l.second + 1 - perReply // who owes this much is limited
	for i := range r {
		a := r[i].Load()
		if a>>tagShift == tag {
			return &r[i], a, true
		}
		if spent := l.spent(a, now); spent < least {
			place, old, least = &r[i], a, spent
		}
	}
	return place, old, false
}

// network is the address's network as one number. Those of IPv4 are what ::/32
// would be, where no network of IPv6 is (RFC 4291, section 2.4).
func network(a netip.Addr) uint64 {
	if a = a.Unmap(); a.Is4() {
		b := a.As4()
		return uint64(binary.BigEndian.Uint32(b[:]) >> (32 - bits4))
	}
	b := a.As16()
	return binary.BigEndian.Uint64(b[:8]) >> (64 - bits6)
}

// mix is the finisher of SplitMix64: every bit of x moves half of the result.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
