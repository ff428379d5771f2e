package queue

import (
	"context"
	"errors"
	"net/netip"
	"slices"
	"time"

	"evenkeel/queue/sockdiag"
)

// attempts is how often a table that changes under the reader is read.
const attempts = 3

// A kernel is what the source "listener" asks.
type kernel struct {
	dump     func(context.Context, sockdiag.Request, func(sockdiag.Socket)) (cost time.Duration, err error)
	counters func() (sockdiag.Counters, error)
	hangUp   func() error // until the next dump
}

// A listener is the source "listener": the accept queues of the machine's
// listening TCP sockets, and the connections of their ports.
type listener struct {
	want   Listener
	kernel kernel

	all   []sockdiag.Socket // every listening socket of this reading
	tally tally
	pace  pace
	open  map[uint16]int // connections by port, at the last count
	came  arrivals
}

// Name is part of metrics and status.
func (*listener) Name() string { return "listener" }

// Read asks for all listening sockets, and counts connections when that is due.
func (l *listener) Read(ctx context.Context) (Reading, error) {
	defer l.kernel.hangUp()
	if err := l.sockets(ctx); err != nil {
		return Reading{}, err
	}
	now, err := l.kernel.counters()
	if err != nil {
		return Reading{}, err
	}
	l.tally.see(time.Now(), l.all, now.Overflows)

	queues, ports := l.wanted()
	if err := l.connections(ctx, ports, now); err != nil {
		return Reading{}, err
	}
	return Reading{Queues: queues, Ports: l.counted(ports), Arrived: l.came.total, Closed: l.closed(ports)}, nil
}

// sockets fills all. Those that do not count are in it too, since the
// overflows that the kernel counts may be theirs.
func (l *listener) sockets(ctx context.Context) error {
	_, err := l.ask(ctx, sockdiag.Request{State: sockdiag.Listen, Drops: true},
		func() { l.all = l.all[:0] },
		func(s sockdiag.Socket) { l.all = append(l.all, s) })
	return err
}

// wanted returns the queues that count, and their ports, sorted, each once.
func (l *listener) wanted() (queues []Queue, ports []uint16) {
	for _, s := range l.all {
		if l.want.counts(s) {
			queues = append(queues, l.tally.queue(s))
			ports = append(ports, s.Local.Port())
		}
	}
	slices.Sort(ports)
	return queues, slices.Compact(ports)
}

// closed returns the ports that were asked for and are not among open, sorted.
func (l *listener) closed(open []uint16) (out []uint16) {
	for _, p := range l.want.Ports {
		if _, listens := slices.BinarySearch(open, p); !listens {
			out = append(out, p)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// connections counts the connections of ports anew where that is due. What a
// count that broke off has seen is forgotten.
func (l *listener) connections(ctx context.Context, ports []uint16, c sockdiag.Counters) error {
	now := time.Now()
	news := slices.ContainsFunc(ports, func(p uint16) bool { _, known := l.open[p]; return !known })
	if !l.pace.due(now, c.Established, c.Accepted, news) {
		return nil
	}
	cost, err := l.count(ctx, ports)
	if err != nil {
		l.pace = pace{}
		return err
	}
	l.came.end()
	l.pace = pace{at: now, cost: cost, total: c.Established, came: c.Accepted}
	return nil
}

func (l *listener) count(ctx context.Context, ports []uint16) (cost time.Duration, err error) {
	return l.ask(ctx, sockdiag.Request{State: sockdiag.Established, Ports: ports},
		func() { l.open = zeros(ports); l.came.begin() },
		func(s sockdiag.Socket) {
			port := s.Local.Port()
			if n, listens := l.open[port]; listens && l.want.at(s.Local.Addr()) {
				l.open[port] = n + 1
				l.came.see(s.Cookie)
			}
		})
}

// zeros has a place for every port, so that one without connections is known
// to have none.
func zeros(ports []uint16) map[uint16]int {
	open := make(map[uint16]int, len(ports))
	for _, p := range ports {
		open[p] = 0
	}
	return open
}

// counted returns the connections of ports. A port that is new since the last
// count is left out: its number is not known, which is not 0.
func (l *listener) counted(ports []uint16) (out []Port) {
	for _, p := range ports {
		if n, known := l.open[p]; known {
			out = append(out, Port{p, n})
		}
	}
	return out
}

// ask sends r, and once more from the beginning where the table changed
// meanwhile.
func (l *listener) ask(ctx context.Context, r sockdiag.Request, begin func(), see func(sockdiag.Socket)) (cost time.Duration, err error) {
	for range attempts {
		begin()
		if cost, err = l.kernel.dump(ctx, r, see); !errors.Is(err, sockdiag.ErrInterrupted) {
			break
		}
	}
	return cost, err
}

// counts reports whether a listening socket is one of those wanted.
func (l Listener) counts(s sockdiag.Socket) bool {
	port := s.Local.Port()
	switch {
	case len(l.Ports) > 0 && !slices.Contains(l.Ports, port):
		return false
	case len(l.Ports) == 0 && (slices.Contains(l.Except, port) || l.Own != nil && l.Own(port)):
		return false
	}
	return len(l.Addresses) == 0 || slices.ContainsFunc(l.Addresses, func(a netip.Addr) bool { return serves(s, a) })
}

// serves reports whether connections to the address end up in s.
func serves(s sockdiag.Socket, to netip.Addr) bool {
	to = to.Unmap()
	switch here := s.Local.Addr(); {
	case !here.IsUnspecified():
		return here.Unmap() == to.WithZone("")
	case here.Is4():
		return to.Is4()
	}
	return to.Is6() || !s.V6Only
}

// at reports whether connections to a local address are among those wanted.
func (l Listener) at(here netip.Addr) bool {
	return len(l.Addresses) == 0 || slices.ContainsFunc(l.Addresses, func(a netip.Addr) bool {
		return a.Unmap().WithZone("") == here.Unmap() // the kernel tells no zones
	})
}
