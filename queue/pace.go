package queue

import "time"

// A pace says when connections are worth counting again. To count them the
// kernel walks its whole table, some milliseconds (DESIGN.md has figures); how
// many there are in all, and how many ever came, it tells with the counters that
// are read anyway. A pace is a value.
type pace struct {
	at    time.Time     // of the last count; zero: there was none
	cost  time.Duration // the CPU time it took
	total int           // connections of the whole machine, as they were then
	came  uint64        // connections that the machine had accepted since it booted
}

const (
	// freshest is how old a count may be, whatever the counters say.
	freshest = 10 * time.Second

	// rest is how many times its own cost a count is kept at least: counting
	// takes 1 % of a CPU, and where next to nothing changed a tenth of that.
	rest     = 100
	longRest = 10 * rest
)

// due reports whether to count now, with total connections on the machine, of
// came that ever came, and whether there are new ports, which nobody has counted
// yet. Who came matters even when the total stands still: as many may have gone
// from another port.
func (p pace) due(now time.Time, total int, came uint64, news bool) bool {
	age, moved := now.Sub(p.at), max(total-p.total, p.total-total)
	if came > p.came {
		moved = max(moved, int(came-p.came))
	}
	switch {
	case p.at.IsZero(), age >= freshest:
		return true
	case age < rest*p.cost:
		return false
	case news, moved > max(8, p.total/100):
		return true
	}
	return moved > 0 && age >= longRest*p.cost
}
