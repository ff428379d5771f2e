package dnsrr

import (
	"errors"
	"net"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// polled is a socket of ours out of Go's poller, the batch that reads it, and a
// client.
func polled(t testing.TB) (*socket, *batch, net.Conn) {
	t.Helper()
	pcs, err := ListenUDP(local())
	if err != nil {
		t.Fatal(err)
	}
	closeAll(pcs[1:])
	c := pcs[0].(*socket)
	t.Cleanup(func() { c.Close() })
	b, err := published(t).newBatch(c)
	if err != nil {
		t.Fatal(err)
	}
	b.stay = true
	return c, b, dialUDP(t, c.LocalAddr().String())
}

// answering has a batch answer until its socket is closed; its error comes then.
func answering(b *batch) <-chan error {
	done := make(chan error, 1)
	go func() {
		for {
			if err := b.turn(); err != nil {
				done <- err
				return
			}
		}
	}()
	return done
}

// standing returns once a goroutine waits as the runtime calls it, below the
// function of that name.
func standing(t testing.TB, as, name string) {
	t.Helper()
	stacks := make([]byte, 1<<20)
	for begun := time.Now(); time.Since(begun) < time.Minute; runtime.Gosched() {
		for g := range strings.SplitSeq(string(stacks[:runtime.Stack(stacks, true)]), "\n\n") {
			if head, _, _ := strings.Cut(g, "\n"); strings.Contains(head, as) && strings.Contains(g, name) {
				return
			}
		}
	}
	t.Fatalf("nobody is in %s in %s", as, name)
}

// asleep returns once a reader sleeps.
func asleep(t testing.TB) {
	t.Helper()
	standing(t, "[IO wait", "dnsrr.(*poller).Read")
}

// One datagram wakes a reader that sleeps, whether it has been busy before or
// not.
func TestPollerIsWokenByOneDatagram(t *testing.T) {
	c, b, client := polled(t)
	done := answering(b)
	for i := range 300 {
		burst := 1 + i%3*batchSize/2 // none, some and one more than a batch
		asleep(t)
		for k := range burst {
			send(t, client, numbered(t, k))
		}
		for k := range burst {
			if got := number(receive(t, client), 0); got != k {
				t.Fatalf("round %d: reply %d, want %d", i, got, k)
			}
		}
	}
	c.Close()
	if err := <-done; !errors.Is(err, net.ErrClosed) {
		t.Errorf("%v, want %v", err, net.ErrClosed)
	}
}

// A poller is masked from the second read in a row that found more, and never
// where its reader is let sleep.
func TestPollerIsMaskedWhileItsReaderIsBusy(t *testing.T) {
	for _, tt := range []struct {
		name  string
		busy  int    // before
		reads []bool // what each says: there may be more
		done  bool
		after int // busy
		told  bool
	}{
		{"at rest", 0, []bool{false}, false, 0, true},
		{"finds more", 0, []bool{true}, true, 1, true},
		{"and that was all", 1, []bool{false}, false, 0, true},
		{"becomes busy", 1, []bool{true}, true, 2, false},
		{"stays busy", 2, []bool{true}, true, 3, false},
		{"comes to rest, after another look", 3, []bool{false, false}, false, 0, true},
		{"finds more at that look", 2, []bool{false, true}, true, 0, true},
	} {
		_, b, client := polled(t)
		p, reads := b.raw.(*poller), tt.reads
		p.read = func(uintptr) bool {
			more := reads[0]
			reads = reads[1:]
			return more
		}
		onEpoll(t, p, func(epoll uintptr) {
			if p.busy = tt.busy; p.busy >= masked {
				p.tell(epoll, 0)
			}
			if done := p.try(epoll); done != tt.done || p.busy != tt.after || len(reads) > 0 {
				t.Errorf("%s: done %v, busy %d, %d reads left; want %v, %d", tt.name, done, p.busy, len(reads), tt.done, tt.after)
			}
		})
		send(t, client, numbered(t, 1))
		if got := watched(t, p); got != tt.told {
			t.Errorf("%s: told %v, want %v", tt.name, got, tt.told)
		}
	}
}

// watched is whether Go's poller sees a datagram.
func watched(t testing.TB, p *poller) (readable bool) {
	t.Helper()
	onEpoll(t, p, func(epoll uintptr) {
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(epoll), Events: unix.POLLIN}}, 0)
		if readable = n > 0; err != nil {
			t.Error(err)
		}
	})
	return readable
}

func onEpoll(t testing.TB, p *poller, do func(epoll uintptr)) {
	t.Helper()
	if err := p.raw.Control(do); err != nil {
		t.Fatal(err)
	}
}

// What comes between a masked reader's last look and his sleep is not left
// lying, though nothing tells of it.
func TestPollerLeavesNothingLying(t *testing.T) {
	_, b, client := polled(t)
	p, last := b.raw.(*poller), numbered(t, 3)
	b.stay = false
	b.step = func(fd uintptr) bool {
		more := b.exchange(fd)
		if !more && p.busy >= masked {
			client.Write(last)
		}
		return more
	}
	for range 50 {
		for p.busy < masked {
			send(t, client, numbered(t, 1))
			if err := b.turn(); err != nil {
				t.Fatal(err)
			}
			receive(t, client)
		}
		done := make(chan error, 1)
		go func() { done <- b.turn() }()
		if got := number(receive(t, client), 0); got != 3 {
			t.Fatalf("reply %d, want 3", got)
		}
		if err := <-done; err != nil {
			t.Fatal(err)
		}
	}
}

// Go's poller is told that a datagram has come, unless the reader is busy, and
// never that a reply has left.
func TestPollerTellsOfDatagramsAlone(t *testing.T) {
	_, b, client := polled(t)
	p := b.raw.(*poller)
	expect := func(want bool, when string) {
		t.Helper()
		if got := watched(t, p); got != want {
			t.Errorf("%s: told %v, want %v", when, got, want)
		}
	}
	tell := func(events uint32) { onEpoll(t, p, func(epoll uintptr) { p.tell(epoll, events) }) }
	expect(false, "at first")
	send(t, client, numbered(t, 1))
	expect(true, "a datagram has come")
	b.stay = false
	if err := b.turn(); err != nil {
		t.Fatal(err)
	}
	receive(t, client)
	expect(false, "the reply has left")
	tell(0)
	send(t, client, numbered(t, 2))
	expect(false, "a datagram has come, masked")
	tell(arrivals)
	expect(true, "no more masked")
}

// A reader that cannot be told any more must not sleep.
func TestPollerThatCannotTell(t *testing.T) {
	_, b, _ := polled(t)
	p := b.raw.(*poller)
	p.busy = masked
	onEpoll(t, p, func(epoll uintptr) {
		if err := unix.EpollCtl(int(epoll), unix.EPOLL_CTL_DEL, p.fd, nil); err != nil {
			t.Fatal(err)
		}
	})
	if err := b.turn(); !errors.Is(err, unix.ENOENT) {
		t.Errorf("%v, want %v", err, unix.ENOENT)
	}
}

// A socket has one reader; a second one is told so, and takes nothing away.
func TestPollerHasOneReader(t *testing.T) {
	c, b, client := polled(t)
	if _, err := published(t).newBatch(c); !errors.Is(err, net.ErrClosed) {
		t.Errorf("%v, want %v", err, net.ErrClosed)
	}
	answering(b)
	send(t, client, numbered(t, 1))
	receive(t, client)
}

func TestPollerWakesWithoutAllocating(t *testing.T) {
	for _, stay := range []bool{true, false} { // waits at once, or looks again and is masked meanwhile
		_, b, client := polled(t)
		b.stay = stay
		answering(b)
		q, reply := numbered(t, 1), make([]byte, 512)
		wake := func() {
			client.Write(q)
			if _, err := client.Read(reply); err != nil {
				t.Fatal(err)
			}
		}
		wake()
		if n := testing.AllocsPerRun(500, wake); n != 0 {
			t.Errorf("stay %v: %v allocations", stay, n)
		}
	}
}
