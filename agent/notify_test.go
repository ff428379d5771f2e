package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"evenkeel/agent/config"
	"evenkeel/agent/node"
	"evenkeel/queue"
)

func TestSupervisorOf(t *testing.T) {
	const socket = "/run/systemd/notify"
	for _, c := range []struct {
		promise             string
		socket, usec, whose string // as in the environment
		want                supervisor
		err                 string // part of it; empty: none
	}{
		{"started by hand", "", "", "", supervisor{}, ""},
		{"without a socket nobody waits", "", "30000000", "42", supervisor{}, ""},
		{"no watchdog", socket, "", "", supervisor{socket: socket}, ""},
		{"a watchdog", socket, "30000000", "42", supervisor{socket, 30 * time.Second}, ""},
		{"a watchdog for whoever reads it", socket, "1", "", supervisor{socket, time.Microsecond}, ""},
		{"a watchdog of our parent", socket, "30000000", "41", supervisor{socket: socket}, ""},
		{"a name without a file", "@notify", "", "", supervisor{socket: "@notify"}, ""},

		{"no unix socket", "vsock:2:1234", "30000000", "42", supervisor{}, "NOTIFY_SOCKET"},
		{"no number", socket, "30s", "42", supervisor{socket: socket}, `WATCHDOG_USEC="30s"`},
		{"no time", socket, "0", "42", supervisor{socket: socket}, "WATCHDOG_USEC"},
		{"before it began", socket, "-30000000", "42", supervisor{socket: socket}, "WATCHDOG_USEC"},
		{"more than a Duration holds", socket, "9223372036854775807", "42", supervisor{socket: socket}, "WATCHDOG_USEC"},
	} {
		vars := map[string]string{"NOTIFY_SOCKET": c.socket, "WATCHDOG_USEC": c.usec, "WATCHDOG_PID": c.whose}
		got, err := supervisorOf(func(name string) string { return vars[name] }, 42)
		if got != c.want || got.within < 0 {
			t.Errorf("%s: got %+v, want %+v", c.promise, got, c.want)
		}
		if (err != nil) != (c.err != "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s: got error %v, want %q", c.promise, err, c.err)
		}
	}
}

// A supervisor of a test listens as systemd does.
func listenAs(t *testing.T, name string) (supervisor, *net.UnixConn) {
	t.Helper()
	c, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: name, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	c.SetReadDeadline(time.Now().Add(patience))
	return supervisor{socket: name}, c
}

// socketName is a path short enough for a socket's, which t.TempDir is not
// everywhere.
func socketName(t *testing.T) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the system has no datagrams between processes")
	}
	dir, err := os.MkdirTemp("", "ek")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return filepath.Join(dir, "s")
}

// hear is the next message.
func hear(t *testing.T, c *net.UnixConn) string {
	t.Helper()
	b := make([]byte, 4096)
	n, err := c.Read(b)
	if err != nil {
		t.Fatal(err)
	}
	return string(b[:n])
}

func TestTell(t *testing.T) {
	s, c := listenAs(t, socketName(t))
	for _, state := range []string{"READY=1", "STOPPING=1\nSTATUS=drains"} {
		if err := s.tell(state); err != nil {
			t.Fatal(err)
		}
		if got := hear(t, c); got != state {
			t.Errorf("told %q, heard %q", state, got)
		}
	}
}

// systemd used a name without a file for long, and containers still do.
func TestTellWithoutAFile(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("abstract names are Linux's")
	}
	s, c := listenAs(t, fmt.Sprintf("@evenkeel-test-%d-%d", os.Getpid(), time.Now().UnixNano()))
	if err := s.tell("READY=1"); err != nil {
		t.Fatal(err)
	}
	if got := hear(t, c); got != "READY=1" {
		t.Errorf("told READY=1, heard %q", got)
	}
}

func TestTellNobody(t *testing.T) {
	if err := (supervisor{}).tell("READY=1"); err != nil {
		t.Error(err)
	}
}

// Who does not read fills his socket. We go on.
func TestTellOneWhoDoesNotRead(t *testing.T) {
	s, _ := listenAs(t, socketName(t))
	var err error
	for range 100_000 {
		if err = s.tell("WATCHDOG=1"); err != nil {
			break
		}
	}
	var full net.Error
	if !errors.As(err, &full) {
		t.Errorf("got %v, want an error of the network after at most %v", err, tellWithin)
	}
}

// One who is gone is worth a line in the log, not one every 15 seconds.
func TestNotHeardIsSaidOnce(t *testing.T) {
	s, c := listenAs(t, socketName(t))
	var log bytes.Buffer
	say := s.saying(slog.New(slog.NewTextHandler(&log, nil)))
	steps := func(n int, want int) {
		t.Helper()
		for range n {
			say("WATCHDOG=1")
		}
		if got := strings.Count(log.String(), "does not hear us"); got != want {
			t.Errorf("said %d times that nobody hears, want %d:\n%s", got, want, log.String())
		}
	}
	steps(2, 0)
	c.Close()
	os.Remove(s.socket)
	steps(3, 1)
	_, c = listenAs(t, s.socket)
	steps(1, 1)
	c.Close()
	os.Remove(s.socket)
	steps(3, 2)
}

// A drain of an hour is not cut short by a unit that allows less.
func TestFarewellAsksForTime(t *testing.T) {
	s, c := listenAs(t, socketName(t))
	told, tell := context.WithCancel(t.Context())
	tell()
	a := &agent{cfg: config.Config{Drain: time.Hour}}
	s.farewell(t.Context(), told, a.leaves, slog.New(slog.DiscardHandler))
	if got, want := hear(t, c), "STOPPING=1\nEXTEND_TIMEOUT_USEC=3610000000"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// An agent that failed does not ask for time to drain.
func TestNoFarewellOfOneThatFailed(t *testing.T) {
	s, c := listenAs(t, socketName(t))
	failed, fail := context.WithCancel(t.Context())
	fail()
	s.farewell(failed, t.Context(), nil, nil)
	if err := s.tell("next"); err != nil {
		t.Fatal(err)
	}
	if got := hear(t, c); got != "next" {
		t.Errorf("it said %q", got)
	}
}

// pulses is what pulse says in five minutes to one who waits within, if the
// agent is ready at one time and hangs at another.
func pulses(t *testing.T, within, ready, hangs time.Duration) (said string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		end := began.Add(hangs)
		beat := func() time.Time { // the loop, as a function of time
			now := time.Now()
			if now.After(end) {
				return end
			}
			return now
		}
		ctx, stop := context.WithTimeout(t.Context(), 5*time.Minute)
		defer stop()
		isReady := make(chan struct{})
		first := time.AfterFunc(ready, func() { close(isReady) })
		defer first.Stop()
		var all []string
		pulse(ctx, within, isReady, beat, func(state string) {
			all = append(all, fmt.Sprintf("%v %s", time.Since(began), state))
		})
		said = strings.Join(all, ", ")
	})
	return said
}

func TestPulse(t *testing.T) {
	const never = time.Hour
	for _, c := range []struct {
		promise              string
		within, ready, hangs time.Duration
		want                 string
	}{
		{"twice in a minute that is waited", 2 * time.Minute, time.Second, never, "1s READY=1, 1m1s WATCHDOG=1, 2m1s WATCHDOG=1, 3m1s WATCHDOG=1, 4m1s WATCHDOG=1"},
		{"silent once the loop hangs", time.Minute, time.Second, 100 * time.Second, "1s READY=1, 31s WATCHDOG=1, 1m1s WATCHDOG=1, 1m31s WATCHDOG=1, 2m1s WATCHDOG=1"},
		{"silent if it hangs at the first beat", time.Minute, time.Second, time.Second, "1s READY=1"},
		{"nobody waits", 0, time.Second, never, "1s READY=1"},
		{"never ready", time.Minute, never, never, ""},
	} {
		if got := pulses(t, c.within, c.ready, c.hangs); got != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", c.promise, got, c.want)
		}
	}
}

// All of it: a loop that beats, and one who listens.
func TestWatchOfARealLoop(t *testing.T) {
	s, c := listenAs(t, socketName(t))
	s.within = 2 * time.Millisecond
	a := &agent{node: &node.Node{
		Name: "ex01", Log: slog.New(slog.DiscardHandler),
		Local: func(now time.Time) queue.Sample { return queue.Sample{At: now} },
	}}
	if got := a.lastBeat(); !got.IsZero() {
		t.Errorf("before the first beat the last one was at %v", got)
	}
	ctx, stop := context.WithCancel(t.Context())
	ready := make(chan struct{})
	close(ready)
	done := make(chan struct{}, 2)
	go func() { a.node.Run(ctx); done <- struct{}{} }()
	go func() { s.watch(ctx, ready, a.lastBeat, a.node.Log); done <- struct{}{} }()
	for _, want := range []string{"READY=1", "WATCHDOG=1", "WATCHDOG=1"} {
		if got := hear(t, c); got != want {
			t.Errorf("heard %q, want %q", got, want)
		}
	}
	stop()
	<-done
	<-done
}

func TestWatchForNobody(t *testing.T) {
	(supervisor{}).watch(t.Context(), nil, nil, nil) // or it would wait for ever
}
