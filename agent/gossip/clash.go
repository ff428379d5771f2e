package gossip

import (
	"cmp"
	"net/netip"
	"slices"
	"strings"
	"time"
)

const (
	// clashHold is how long a conflict lasts after it was last seen. It is seen
	// again whenever one of the two has a push/pull with someone: every 10 s, and
	// every 50 s in a farm of 512, since memberlist stretches it above 32 nodes.
	clashHold = 60 * time.Second
	// clashPause is the least time between two alarms about one name that are
	// passed on. All who see the same clash alarm at once; one alarm is enough.
	clashPause = 5 * time.Second
	// maxClashes bounds what a peer that makes clashes up can make us keep.
	maxClashes = 64
)

// A clash is two machines seen under one name.
type clash struct {
	addrs [2]netip.AddrPort // in order
	seen  time.Time
}

func (c clash) over(now time.Time) bool { return now.Sub(c.seen) >= clashHold }

func (b *book) clashing(name string, now time.Time) bool {
	c, ok := b.clashes[name]
	return ok && !c.over(now)
}

// hearClash believes an alarm that is newer than the last by more than a pause.
func (b *book) hearClash(w word, now time.Time) (rumour, outcome, error) {
	first, second, _ := strings.Cut(string(w.body), " ")
	x, errX := netip.ParseAddrPort(first)
	y, errY := netip.ParseAddrPort(second)
	if errX != nil || errY != nil || x == y {
		return rumour{}, stale, errMalformed
	}
	r, o := b.clash(string(w.name), x, y, now.Add(-w.age), now)
	return r, o, nil
}

// witness is told by memberlist that a machine at other wants the name that
// known has. It is no clash if that one is dead: then the name just moves, as
// soon as memberlist lets it.
func (b *book) witness(name string, known, other netip.AddrPort, now time.Time) (rumour, outcome) {
	if e := b.entries[name]; name != b.own && (e == nil || !e.member) {
		return rumour{}, stale
	}
	return b.clash(name, known, other, now, now)
}

// clash notes that x and y shared a name at seen, and returns the alarm to pass
// on. Waiting in the queue under the name, it takes the place of a Fact.
func (b *book) clash(name string, x, y netip.AddrPort, seen, now time.Time) (rumour, outcome) {
	c := clash{[2]netip.AddrPort{x, y}, seen}
	old, known := b.clashes[name]
	switch {
	case c.over(now), known && seen.Sub(old.seen) < clashPause:
		return rumour{}, stale
	case !known && len(b.clashes) >= maxClashes:
		return rumour{}, full
	}
	slices.SortFunc(c.addrs[:], netip.AddrPort.Compare)
	b.clashes[name] = c
	return rumour{kindClash, name, 0, seen, c.body()}, fresh
}

func (c clash) body() []byte {
	b := c.addrs[0].AppendTo(nil)
	b = append(b, ' ')
	return c.addrs[1].AppendTo(b)
}

// conflicts returns the clashes that last, the own name's first, then by name.
func (b *book) conflicts(now time.Time) []Conflict {
	var out []Conflict
	for name, c := range b.clashes {
		if !c.over(now) {
			out = append(out, b.conflict(name, c))
		}
	}
	slices.SortFunc(out, func(x, y Conflict) int {
		if x.Own != y.Own {
			if x.Own {
				return -1
			}
			return 1
		}
		return cmp.Compare(x.Name, y.Name)
	})
	return out
}

func (b *book) conflict(name string, c clash) Conflict {
	out := Conflict{Name: name, Own: name == b.own, Addrs: c.addrs, Seen: c.seen}
	if out.Own && out.Addrs[1] == b.addr {
		slices.Reverse(out.Addrs[:])
	}
	return out
}
