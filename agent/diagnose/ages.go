package diagnose

import (
	"cmp"
	"maps"
	"net/netip"
	"slices"
	"time"
)

const (
	ageStep   = 2    // seconds; devices count in whole seconds, and their clocks are coarse
	oldest    = 3600 // seconds; longer than any wait that a client asks for
	maxGroups = 64   // networks of clients, and clients' software, that are told apart
)

// ages is how old requests were when they were cut, for one group of clients.
type ages struct {
	n       int64
	at      [oldest/ageStep + 1]int32
	clients tally
	marks   map[int]*mark // the first of an age
}

// spike is the age, in steps, at which most were cut, with its neighbours; and
// how many. Neighbours count since a cut is seen a little late.
func (a *ages) spike() (age int, n int64) {
	for i := range a.at {
		around := int64(a.at[i])
		if i > 0 {
			around += int64(a.at[i-1])
		}
		if i+1 < len(a.at) {
			around += int64(a.at[i+1])
		}
		if around > n || around == n && a.at[i] > a.at[age] {
			age, n = i, around
		}
	}
	return age, n
}

// groups are the ages by group: a network, or a software.
type groups map[string]*ages

func (g groups) add(name []byte, client uint64, took time.Duration, p *place) {
	a := g[string(name)]
	if a == nil {
		if len(g) >= maxGroups {
			return
		}
		a = &ages{marks: map[int]*mark{}}
		g[string(name)] = a
	}
	age := min(int(took/time.Second), oldest) / ageStep
	a.n++
	a.at[age]++
	a.clients.add(client)
	if a.marks[age] == nil && len(a.marks) < 4*maxGroups {
		m := &mark{}
		m.set(p)
		a.marks[age] = m
	}
}

func (g groups) merge(o groups) {
	for _, name := range slices.Sorted(maps.Keys(o)) {
		a, b := g[name], o[name]
		if a == nil {
			a = &ages{marks: map[int]*mark{}}
			g[name] = a
		}
		a.n += b.n
		a.clients.join(&b.clients)
		for i, n := range b.at {
			a.at[i] += n
		}
		for age, m := range b.marks {
			if old := a.marks[age]; old == nil || cmp.Or(cmp.Compare(m.file, old.file), cmp.Compare(m.line, old.line)) < 0 {
				a.marks[age] = m
			}
		}
	}
}

// network is where a client is, coarsely: what shares it shares the devices on
// the way.
func network(b []byte, a netip.Addr) []byte {
	bits := 24
	if a = a.Unmap(); a.Is6() {
		bits = 64
	}
	p, err := a.WithZone("").Prefix(bits)
	if err != nil {
		return b
	}
	return p.AppendTo(b)
}
