package queue

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"evenkeel/queue/sockdiag"
)

// remember is how long the total of a listener that is gone is kept, so that
// it goes on when the service has started again.
const remember = time.Hour

// A tally gives listening sockets their names, and knows how many connections
// each name has refused.
//
// The kernel counts overflows for the whole network namespace, and for each
// socket all that it threw away, for whatever reason. A socket's refusals are
// what both saw: the smaller of the two growths.
type tally struct {
	begun     bool
	overflows uint64           // the kernel's number at the last reading
	spare     uint64           // overflows of the last reading that no socket had claimed
	sockets   map[uint64]named // by cookie
	totals    map[string]total // by name
}

// A named is one listening socket, as the last reading found it.
type named struct {
	name  string
	drops uint32
	grown uint32 // by how much drops had grown
}

// A total outlives the sockets of its name.
type total struct {
	refused uint64
	seen    time.Time
}

// see takes all listening sockets of one reading, and the overflows as they
// were read after them.
//
// An overflow that happens between the two reads shows in its socket only the
// next time; so what nobody claimed is kept for one reading.
func (t *tally) see(now time.Time, all []sockdiag.Socket, overflows uint64) {
	growth := overflows - min(overflows, t.overflows)
	if !t.begun {
		growth = 0
	}
	t.name(all)
	known := growth + t.spare
	claimed := t.claim(now, known)
	t.begun, t.overflows, t.spare = true, overflows, min(growth, known-min(known, claimed))
	maps.DeleteFunc(t.totals, func(_ string, s total) bool { return now.Sub(s.seen) > remember })
}

// claim books every socket's drops to its name, as far as overflows explain
// them, and returns how many that were.
func (t *tally) claim(now time.Time, overflows uint64) (sum uint64) {
	if t.totals == nil {
		t.totals = map[string]total{}
	}
	for _, s := range t.sockets {
		n := min(uint64(s.grown), overflows)
		t.totals[s.name] = total{t.totals[s.name].refused + n, now}
		sum += n
	}
	return sum
}

// name makes sockets those of all. Who has a name keeps it; the others take
// what is free, by inode, so that another agent would name them alike. A socket
// that is new since the last reading began without drops.
func (t *tally) name(all []sockdiag.Socket) {
	next := make(map[uint64]named, len(all))
	taken := make(map[string]bool, len(all))
	var fresh []sockdiag.Socket
	for _, s := range all {
		old, known := t.sockets[s.Cookie]
		if !known {
			fresh = append(fresh, s)
			continue
		}
		next[s.Cookie] = named{old.name, s.Drops, s.Drops - min(s.Drops, old.drops)}
		taken[old.name] = true
	}
	slices.SortFunc(fresh, byInode)
	for _, s := range fresh {
		name := freeName(s.Local.String(), taken)
		taken[name] = true
		next[s.Cookie] = named{name: name, drops: s.Drops}
		if t.begun {
			next[s.Cookie] = named{name, s.Drops, s.Drops}
		}
	}
	t.sockets = next
}

// queue is what the last reading said of s.
func (t *tally) queue(s sockdiag.Socket) Queue {
	name := t.sockets[s.Cookie].name
	return Queue{Name: name, Depth: int(s.Depth), Limit: int(s.Limit), Refused: t.totals[name].refused}
}

// byInode is an order that does not depend on when one asks.
func byInode(a, b sockdiag.Socket) int {
	return cmp.Or(cmp.Compare(a.Inode, b.Inode), cmp.Compare(a.Cookie, b.Cookie))
}

// freeName is the address, or where several sockets share it (SO_REUSEPORT,
// each with a queue of its own) the address with the lowest number left.
func freeName(addr string, taken map[string]bool) string {
	name := addr
	for i := 2; taken[name]; i++ {
		name = fmt.Sprintf("%s#%d", addr, i)
	}
	return name
}
