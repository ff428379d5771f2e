package queue

// arrivals tell who is new from one count of connections to the next, by the
// number that the kernel gives each socket and never gives again. Connections
// that came and went between two counts are not seen: they load nobody for long.
type arrivals struct {
	before, now map[uint64]struct{} // by socket; nil before the first count
	total       uint64              // that came since the first count
}

// begin forgets what a count that broke off has seen.
func (a *arrivals) begin() { a.now = make(map[uint64]struct{}, len(a.before)) }

func (a *arrivals) see(socket uint64) { a.now[socket] = struct{}{} }

// end takes the count for whole. The first one tells who is there, not who came.
func (a *arrivals) end() {
	if a.before != nil {
		for socket := range a.now {
			if _, old := a.before[socket]; !old {
				a.total++
			}
		}
	}
	a.before, a.now = a.now, nil
}
