package queue

import (
	"context"
	"errors"
	"net/netip"
	"reflect"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"evenkeel/queue/sockdiag"
)

// A world is what a machine has at one instant, and how long its kernel takes
// to list connections.
type world struct {
	listening []sockdiag.Socket
	open      []string // local ends of connections
	counters  sockdiag.Counters
	cost      time.Duration
	err       error // of the next dump
}

// A machine is a kernel over a world; it keeps to what is asked for.
type machine struct {
	*world
	counts int // dumps of connections
	ports  []uint16
	hungUp bool
}

func (m *machine) kernel() kernel {
	return kernel{m.dump, func() (sockdiag.Counters, error) { return m.counters, nil }, func() error { m.hungUp = true; return nil }}
}

func (m *machine) dump(_ context.Context, r sockdiag.Request, see func(sockdiag.Socket)) (time.Duration, error) {
	m.hungUp = false
	all := m.listening
	if r.State == sockdiag.Established {
		m.counts++
		m.ports = r.Ports
		all = connections(m.open...)
	}
	for i, s := range all {
		if err := m.err; err != nil && i == len(all)-1 { // half of it, and then
			m.err = nil
			return m.cost, err
		}
		see(s)
	}
	return m.cost, nil
}

func connections(ends ...string) (out []sockdiag.Socket) {
	for _, e := range ends {
		out = append(out, at(e, sockdiag.Established))
	}
	return out
}

func at(addr string, state sockdiag.State) sockdiag.Socket {
	s := sockdiag.Socket{Family: sockdiag.IPv4, State: state, Local: netip.MustParseAddrPort(addr)}
	if s.Local.Addr().Is6() {
		s.Family = sockdiag.IPv6
	}
	return s
}

func listens(cookie uint64, addr string, depth, limit uint32) sockdiag.Socket {
	s := at(addr, sockdiag.Listen)
	s.Cookie, s.Inode, s.Depth, s.Limit = cookie, uint32(cookie), depth, limit
	return s
}

func read(t *testing.T, l *listener) Reading {
	t.Helper()
	r, err := l.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestListenerReads(t *testing.T) {
	m := &machine{world: &world{
		listening: []sockdiag.Socket{
			listens(1, "0.0.0.0:25", 3, 128), listens(2, "0.0.0.0:25", 129, 128), listens(3, "[::]:443", 0, 4096),
		},
		open: []string{"192.0.2.1:25", "192.0.2.1:25", "[::ffff:192.0.2.1]:443", "[2001:db8::1]:443", "192.0.2.1:50000"},
	}}
	l := &listener{kernel: m.kernel()}
	want := Reading{
		Queues: []Queue{{Name: "0.0.0.0:25", Depth: 3, Limit: 128}, {Name: "0.0.0.0:25#2", Depth: 129, Limit: 128}, {Name: "[::]:443", Limit: 4096}},
		Ports:  []Port{{25, 2}, {443, 2}},
	}
	if got := read(t, l); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if !slices.Equal(m.ports, []uint16{25, 443}) || !m.hungUp {
		t.Errorf("asked for ports %v, hung up %v", m.ports, m.hungUp)
	}
}

func TestWhichListenersCount(t *testing.T) {
	v6only := listens(5, "[::]:993", 0, 1)
	v6only.V6Only = true
	w := world{
		listening: []sockdiag.Socket{
			listens(1, "0.0.0.0:25", 0, 1), listens(2, "192.0.2.1:25", 0, 1), listens(3, "127.0.0.1:9464", 0, 1),
			listens(4, "[::]:443", 0, 1), v6only, listens(6, "[2001:db8::1]:25", 0, 1), listens(7, "[::ffff:192.0.2.1]:143", 0, 1),
		},
		open: []string{"192.0.2.1:25", "192.0.2.9:25", "[::ffff:192.0.2.1]:443", "[2001:db8::1]:443", "127.0.0.1:9464"},
	}
	addr := netip.MustParseAddr
	for _, tt := range []struct {
		name   string
		want   Listener
		queues []string
		ports  []Port
	}{
		{"all but the agent's own", Listener{Except: []uint16{9464, 53}},
			[]string{"0.0.0.0:25", "192.0.2.1:25", "[2001:db8::1]:25", "[::]:443", "[::]:993", "[::ffff:192.0.2.1]:143"},
			[]Port{{25, 2}, {143, 0}, {443, 2}, {993, 0}}},
		{"all but what is the agent's own just now", Listener{Except: []uint16{53}, Own: func(port uint16) bool { return port == 9464 }},
			[]string{"0.0.0.0:25", "192.0.2.1:25", "[2001:db8::1]:25", "[::]:443", "[::]:993", "[::ffff:192.0.2.1]:143"},
			[]Port{{25, 2}, {143, 0}, {443, 2}, {993, 0}}},
		{"a port that is named counts, whosever it is", Listener{Ports: []uint16{9464}, Except: []uint16{9464}},
			[]string{"127.0.0.1:9464"}, []Port{{9464, 1}}},
		{"an IPv4 address: its own listeners, and wildcards that serve it", Listener{Addresses: []netip.Addr{addr("192.0.2.1")}},
			[]string{"0.0.0.0:25", "192.0.2.1:25", "[::]:443", "[::ffff:192.0.2.1]:143"}, []Port{{25, 1}, {143, 0}, {443, 1}}},
		{"an IPv6 address", Listener{Addresses: []netip.Addr{addr("2001:db8::1")}},
			[]string{"[2001:db8::1]:25", "[::]:443", "[::]:993"}, []Port{{25, 0}, {443, 1}, {993, 0}}},
		{"both must fit", Listener{Ports: []uint16{25}, Addresses: []netip.Addr{addr("2001:db8::1")}},
			[]string{"[2001:db8::1]:25"}, []Port{{25, 0}}},
		{"nothing listens: nothing is measured", Listener{Ports: []uint16{1}}, nil, nil},
	} {
		m := &machine{world: &w}
		got := read(t, &listener{want: tt.want, kernel: m.kernel()})
		var names []string
		for _, q := range got.Queues {
			names = append(names, q.Name)
		}
		if slices.Sort(names); !slices.Equal(names, tt.queues) || !slices.Equal(got.Ports, tt.ports) {
			t.Errorf("%s: got %q, %v\nwant %q, %v", tt.name, names, got.Ports, tt.queues, tt.ports)
		}
	}
}

// While nothing moves, connections are counted every 10 s; while much does,
// as often as 1 % of a CPU allows.
func TestListenerCountsAsOftenAsItPays(t *testing.T) {
	for _, tt := range []struct {
		name  string
		cost  time.Duration
		moves int // connections that come with each reading, till they all go
		want  int // counts in a minute of readings every 500 ms
	}{
		{"an idle machine", 4 * time.Millisecond, 0, 6},
		{"a busy one", 4 * time.Millisecond, 500, 120},
		{"a few connections on a fast kernel", 200 * time.Microsecond, 1, 120},
		{"a few among many", 4 * time.Millisecond, 1, 15},
		{"where a count takes 20 ms", 20 * time.Millisecond, 500, 30},
		{"where it takes longer than it may", time.Second, 5000, 6},
	} {
		synctest.Test(t, func(t *testing.T) {
			m := &machine{world: &world{cost: tt.cost, listening: []sockdiag.Socket{listens(1, "0.0.0.0:25", 0, 1)}}}
			l := &listener{kernel: m.kernel()}
			tick := time.NewTicker(500 * time.Millisecond)
			defer tick.Stop()
			for i, start := 0, time.Now(); time.Since(start) < time.Minute; i++ {
				m.counters.Established = 10_000 + i%64*tt.moves // 64 readings up, and down at once
				read(t, l)
				<-tick.C
			}
			if got := m.counts; got < tt.want-1 || got > tt.want {
				t.Errorf("%s: got %d counts, want %d", tt.name, got, tt.want)
			}
		})
	}
}

// A port nobody has counted yet has no number, which is not 0.
func TestNewPortIsNotZero(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &machine{world: &world{cost: 10 * time.Millisecond, open: []string{"192.0.2.1:25", "192.0.2.1:443"}}}
		m.listening = []sockdiag.Socket{listens(1, "0.0.0.0:25", 0, 1)}
		l := &listener{kernel: m.kernel()}
		read(t, l)
		m.listening = append(m.listening, listens(2, "0.0.0.0:443", 0, 1))
		if got := read(t, l); len(got.Queues) != 2 || !slices.Equal(got.Ports, []Port{{25, 1}}) {
			t.Errorf("at once: got %+v", got)
		}
		time.Sleep(time.Second)
		if got := read(t, l).Ports; !slices.Equal(got, []Port{{25, 1}, {443, 1}}) {
			t.Errorf("once it may: got %v", got)
		}
	})
}

// The agent's own overflows are known as its own, and not booked to others.
func TestRefusalsOfWhatDoesNotCount(t *testing.T) {
	m := &machine{world: &world{listening: []sockdiag.Socket{listens(1, "0.0.0.0:25", 0, 1), listens(2, "0.0.0.0:53", 0, 1)}}}
	l := &listener{want: Listener{Except: []uint16{53}}, kernel: m.kernel()}
	read(t, l)
	m.listening[1].Drops, m.counters.Overflows = 4, 4
	read(t, l)
	m.listening[0].Drops = 4 // for another reason, and just behind an overflow
	if got := read(t, l).Queues; len(got) != 1 || got[0].Refused != 0 {
		t.Errorf("got %+v, want none refused", got)
	}
}

func TestListenerTrouble(t *testing.T) {
	m := &machine{world: &world{
		listening: []sockdiag.Socket{listens(1, "0.0.0.0:25", 0, 1), listens(2, "[::]:443", 0, 1)},
		open:      []string{"192.0.2.1:25", "192.0.2.1:25"},
	}}
	l := &listener{kernel: m.kernel()}
	m.err = sockdiag.ErrInterrupted
	if got := read(t, l); len(got.Queues) != 2 || got.Ports[0].Open != 2 {
		t.Errorf("an interrupted dump is asked for again: got %+v", got)
	}
	m.err = context.DeadlineExceeded
	if _, err := l.Read(t.Context()); !errors.Is(err, context.DeadlineExceeded) || !m.hungUp {
		t.Errorf("got %v, hung up %v", err, m.hungUp)
	}
	if got := read(t, l); len(got.Queues) != 2 || got.Ports[0].Open != 2 {
		t.Errorf("after that: got %+v", got)
	}
}

// A port that was asked for and that nothing listens on is named: its service
// is not there.
func TestClosedPorts(t *testing.T) {
	w := &world{listening: []sockdiag.Socket{listens(1, "0.0.0.0:25", 0, 1), listens(2, "127.0.0.1:143", 0, 1)}}
	for _, tt := range []struct {
		want Listener
		out  []uint16
	}{
		{Listener{}, nil},
		{Listener{Ports: []uint16{25}}, nil},
		{Listener{Ports: []uint16{993, 25, 143, 993, 110}}, []uint16{110, 993}},
		{Listener{Ports: []uint16{25, 143}, Addresses: []netip.Addr{netip.MustParseAddr("192.0.2.1")}}, []uint16{143}},
	} {
		m := &machine{world: w}
		if got := read(t, &listener{want: tt.want, kernel: m.kernel()}).Closed; !slices.Equal(got, tt.out) {
			t.Errorf("%v: got %v, want %v", tt.want, got, tt.out)
		}
	}
}

// What a count that broke off had seen so far is not taken for the whole, even
// if by the next reading all is as it was before.
func TestBrokenCountIsNotKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &machine{world: &world{
			listening: []sockdiag.Socket{listens(1, "0.0.0.0:25", 0, 1)},
			open:      []string{"192.0.2.1:25", "192.0.2.1:25", "192.0.2.1:25"},
		}}
		l := &listener{kernel: m.kernel()}
		read(t, l)
		time.Sleep(time.Second)
		broken := errors.New("no buffer space")
		m.err = broken
		if err := l.connections(t.Context(), []uint16{25}, sockdiag.Counters{Established: 100}); err != broken {
			t.Errorf("got %v, want %v", err, broken)
		}
		if got := read(t, l).Ports; !slices.Equal(got, []Port{{25, 3}}) {
			t.Errorf("the next reading: got %v, want 3", got)
		}
	})
}
