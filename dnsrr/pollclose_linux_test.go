package dnsrr

import (
	"context"
	"errors"
	"net"
	"os"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// descriptors are those of the process, by what they are of.
func descriptors(t testing.TB) map[string]string {
	t.Helper()
	open := map[string]string{}
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip(err)
	}
	for _, e := range list {
		if of, err := os.Readlink("/proc/self/fd/" + e.Name()); err == nil { // that of the folder is gone
			open[e.Name()] = of
		}
	}
	return open
}

// However a service ends, it ends at once, also one that sleeps, and nothing of
// it is left: no goroutine, no descriptor, and the port is free.
func TestPollersLeaveNothing(t *testing.T) {
	for name, end := range map[string]func(cancel func(), socks []net.PacketConn){
		"cancelled": func(cancel func(), _ []net.PacketConn) { cancel() },
		"closed":    func(_ func(), socks []net.PacketConn) { closeAll(socks) },
		"both":      func(cancel func(), socks []net.PacketConn) { cancel(); closeAll(socks) },
	} {
		s, at := published(t), local()
		before := descriptors(t)
		for range 20 {
			socks, err := ListenUDP(at)
			if err != nil {
				t.Fatalf("%s: the port is not free: %v", name, err)
			}
			at = addrPort(socks[0].LocalAddr())
			ctx, cancel := context.WithCancel(t.Context())
			done := make(chan error, 1)
			go func() { done <- s.ServeUDP(ctx, socks...) }()
			asleep(t)
			end(cancel, socks)
			if err := <-done; err != nil && !errors.Is(err, net.ErrClosed) || err == nil && name == "closed" {
				t.Fatalf("%s: %v", name, err)
			}
			cancel()
		}
		for fd, of := range descriptors(t) {
			if before[fd] != of {
				t.Errorf("%s: descriptor %s is left, of %s", name, fd, of)
			}
		}
		stacks := make([]byte, 1<<20)
		if strings.Contains(string(stacks[:runtime.Stack(stacks, true)]), "readConn") {
			t.Errorf("%s: a reader is left", name)
		}
	}
}

// Close closes no descriptor that is in use, since its number would soon be
// another's; it waits, and then the port is free.
func TestPollerIsClosedWhenItsReaderHasLeft(t *testing.T) {
	c, b, _ := polled(t)
	p := b.raw.(*poller)
	inside, leave, open := make(chan bool), make(chan bool), make(chan bool, 1)
	go p.Read(func(fd uintptr) bool {
		close(inside)
		<-leave
		_, err := unix.GetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_DOMAIN)
		open <- err == nil
		return true
	})
	<-inside
	closed := make(chan error)
	go func() { closed <- c.Close() }()
	standing(t, "[semacquire", "dnsrr.(*poller).Close")
	close(leave)
	if err := <-closed; err != nil || !<-open {
		t.Errorf("closed while it was read (%v)", err)
	}
	again, err := bindUDP(addrPort(c.LocalAddr()), nil)
	if err != nil {
		t.Fatal(err)
	}
	again.Close()
	if err := c.Close(); !errors.Is(err, net.ErrClosed) { // and closes nothing
		t.Errorf("closed twice: %v, want %v", err, net.ErrClosed)
	}
}

// A socket that nobody reads is package net's.
func TestSocketBeforeItIsRead(t *testing.T) {
	pcs, err := ListenUDP(local())
	if err != nil {
		t.Fatal(err)
	}
	if err := closeAll(pcs); err != nil {
		t.Error(err)
	}
	if err := published(t).ServeUDP(t.Context(), pcs...); !errors.Is(err, net.ErrClosed) {
		t.Errorf("served when closed: %v, want %v", err, net.ErrClosed)
	}
}

// Where there is no descriptor for it, a socket is read in Go's poller, and
// nothing is left of the attempt.
func TestSocketsWithoutAPollerAreServed(t *testing.T) {
	for spare := range 2 { // none, and one for the socket alone
		s := published(t)
		pcs, err := ListenUDP(local())
		if err != nil {
			t.Fatal(err)
		}
		closeAll(pcs[1:])
		t.Cleanup(func() { pcs[0].Close() })
		client := dialUDP(t, pcs[0].LocalAddr().String())
		before := descriptors(t)
		var b *batch
		spared(t, spare, func() { b, err = s.newBatch(pcs[0].(*socket)) })
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := b.raw.(*poller); ok {
			t.Errorf("%d spare: a poller without descriptors", spare)
		}
		for fd, of := range descriptors(t) {
			if before[fd] != of {
				t.Errorf("%d spare: descriptor %s is left, of %s", spare, fd, of)
			}
		}
		answering(b)
		send(t, client, numbered(t, 1))
		receive(t, client)
	}
}

// spared does something while so many descriptors can be had.
func spared(t *testing.T, n int, do func()) {
	t.Helper()
	usual := unix.Rlimit{}
	free, err := unix.FcntlInt(0, unix.F_DUPFD_CLOEXEC, 0)
	if err := errors.Join(err, unix.Close(free), unix.Getrlimit(unix.RLIMIT_NOFILE, &usual)); err != nil {
		t.Skip(err)
	}
	few := usual
	few.Cur = uint64(free + n)
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &few); err != nil {
		t.Skip(err)
	}
	defer unix.Setrlimit(unix.RLIMIT_NOFILE, &usual)
	do()
}
