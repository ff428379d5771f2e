package queue

import (
	"cmp"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// tight listens on loopback with room for one more than backlog, and nobody
// accepts. net.Listen does not let one choose.
func tight(t testing.TB, port uint16, backlog int) netip.AddrPort {
	t.Helper()
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Close(fd) })
	if err := unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_REUSEPORT, 1); err != nil {
		t.Fatal(err)
	}
	if err := unix.Bind(fd, &unix.SockaddrInet4{Port: int(port), Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		t.Fatal(err)
	}
	if err := unix.Listen(fd, backlog); err != nil {
		t.Fatal(err)
	}
	sa, err := unix.Getsockname(fd)
	if err != nil {
		t.Fatal(err)
	}
	return netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), uint16(sa.(*unix.SockaddrInet4).Port))
}

// knock begins n connections and does not wait for the answer.
func knock(t testing.TB, to netip.AddrPort, n int) {
	t.Helper()
	for range n {
		fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { unix.Close(fd) })
		err = unix.Connect(fd, &unix.SockaddrInet4{Port: int(to.Port()), Addr: to.Addr().As4()})
		if err != nil && err != unix.EINPROGRESS {
			t.Fatal(err)
		}
	}
}

// until reads the source until what it says is so: the kernel may finish a
// handshake after the caller's connect has returned.
func until(t testing.TB, src Source, what string, ok func(Reading) bool) Reading {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		r, err := src.Read(t.Context())
		switch {
		case err != nil:
			t.Fatal(err)
		case ok(r):
			return r
		case time.Now().After(deadline):
			t.Fatalf("not within 20 s: %s; last %+v", what, r)
		}
	}
}

func source(t testing.TB, l Listener) Source {
	t.Helper()
	all := Platform(l)
	if len(all) != 2 || all[0].Name() != "listener" || all[1].Name() != "cpu" {
		t.Fatalf("got %d sources", len(all))
	}
	return all[0]
}

// Three listeners and three connections more: that is what is seen more.
func TestThreeMore(t *testing.T) {
	var ports []uint16
	for range 3 {
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer ln.Close()
		c, err := net.Dial("tcp", ln.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		ports = append(ports, netip.MustParseAddrPort(ln.Addr().String()).Port())
	}
	with := until(t, source(t, Listener{}), "three ports with a connection each", func(r Reading) bool {
		return !slices.ContainsFunc(ports, func(p uint16) bool { return !slices.Contains(r.Ports, Port{p, 1}) })
	})
	without := until(t, source(t, Listener{Except: ports}), "a reading", func(Reading) bool { return true })
	for _, p := range ports {
		name := "127.0.0.1:" + strconv.Itoa(int(p))
		is := func(q Queue) bool { return q.Name == name }
		if !slices.ContainsFunc(with.Queues, is) || slices.ContainsFunc(without.Queues, is) {
			t.Errorf("%s: got %v, and left out %v", name, with.Queues, without.Queues)
		}
	}
}

func TestSharedPortHasTwoQueues(t *testing.T) {
	at := tight(t, 0, 6)
	tight(t, at.Port(), 7)
	src := source(t, Listener{Ports: []uint16{at.Port()}})
	knock(t, at, 5)
	r := until(t, src, "five wait in the two", func(r Reading) bool { return r.Queues[0].Depth+r.Queues[1].Depth == 5 })
	slices.SortFunc(r.Queues, func(a, b Queue) int { return cmp.Compare(a.Name, b.Name) })
	if a, b := r.Queues[0], r.Queues[1]; a.Name != at.String() || b.Name != at.String()+"#2" || a.Limit+b.Limit != 6+7 {
		t.Errorf("got %+v", r.Queues)
	}
	until(t, src, "five connections of one port", func(r Reading) bool { return slices.Equal(r.Ports, []Port{{at.Port(), 5}}) })
}

// A queue of one runs over; the one beside it has refused nobody.
func TestRefusal(t *testing.T) {
	full, idle := tight(t, 0, 1), tight(t, 0, 1)
	src := source(t, Listener{Ports: []uint16{full.Port(), idle.Port()}})
	of := func(r Reading, at netip.AddrPort) Queue {
		i := slices.IndexFunc(r.Queues, func(q Queue) bool { return q.Name == at.String() })
		if i < 0 {
			t.Fatalf("no %v in %+v", at, r)
		}
		return r.Queues[i]
	}
	until(t, src, "both are empty", func(r Reading) bool { return of(r, full) == Queue{Name: full.String(), Limit: 1} })
	knock(t, full, 2)
	r := until(t, src, "it is fuller than its limit", func(r Reading) bool { return of(r, full).Depth == 2 })
	if got := of(r, full).Refused; got != 0 {
		t.Errorf("before it ran over: got %d refused", got)
	}
	knock(t, full, 3)
	r = until(t, src, "three more are refused", func(r Reading) bool { return of(r, full).Refused >= 3 })
	if got := of(r, idle); got.Refused != 0 || got.Depth != 0 {
		t.Errorf("the idle one: got %+v", got)
	}
}

func TestCPUOfThisMachine(t *testing.T) {
	before, err := machineTime(t.Context())
	if err != nil || before.total <= 0 || before.busy > before.total {
		t.Fatalf("got %+v, %v", before, err)
	}
	for after := before; after.busy <= before.busy; { // until this very loop is seen as busy
		if after, err = machineTime(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}
