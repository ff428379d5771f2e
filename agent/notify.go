package main

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"strconv"
	"time"
)

const (
	// tellWithin bounds one message. A supervisor whose socket is full must not
	// hold up the agent.
	tellWithin = time.Second

	// stopSlack is asked for beside the drain, for the goodbye and the sockets.
	stopSlack = 10 * time.Second
)

// A supervisor is who started this agent and wants to hear how it is: systemd,
// by the datagrams of sd_notify(3). The zero supervisor is nobody, and may be
// told anything. It needs nothing of an operating system but datagrams between
// processes; where there are none, nobody sets NOTIFY_SOCKET.
type supervisor struct {
	socket string        // a path, or @ and a name in Linux's abstract namespace; empty: nobody listens
	within time.Duration // a longer silence is taken for a hang (WatchdogSec); 0: nobody waits
}

// supervisorOf reads what a supervisor leaves in the environment of the process
// that it starts. With an error the supervisor is as good as what could be
// read, and worth telling.
func supervisorOf(getenv func(string) string, pid int) (supervisor, error) {
	s := supervisor{socket: getenv("NOTIFY_SOCKET")}
	switch {
	case s.socket == "":
		return s, nil
	case s.socket[0] != '/' && s.socket[0] != '@': // vsock, for one, which only virtual machines are given
		return supervisor{}, fmt.Errorf("NOTIFY_SOCKET=%q: want a path, or @ and a name", s.socket)
	}
	usec, whose := getenv("WATCHDOG_USEC"), getenv("WATCHDOG_PID")
	if usec == "" || whose != "" && whose != strconv.Itoa(pid) { // inherited: it is our parent who is waited for
		return s, nil
	}
	n, err := strconv.ParseInt(usec, 10, 53) // so many microseconds fit a Duration
	if err != nil || n <= 0 {
		return s, fmt.Errorf("WATCHDOG_USEC=%q: want microseconds", usec)
	}
	s.within = time.Duration(n) * time.Microsecond
	return s, nil
}

// tell sends one message: lines of NAME=VALUE, as sd_notify(3) lists them.
func (s supervisor) tell(state string) error {
	if s.socket == "" {
		return nil
	}
	c, err := net.Dial("unixgram", s.socket) // which knows what a leading @ means
	if err != nil {
		return fmt.Errorf("telling the supervisor %q: %w", state, err)
	}
	defer c.Close()
	c.SetWriteDeadline(time.Now().Add(tellWithin))
	if _, err := c.Write([]byte(state)); err != nil {
		return fmt.Errorf("telling the supervisor %q: %w", state, err)
	}
	return nil
}

// watch keeps the supervisor told until ctx is done; see [pulse]. Without a
// supervisor it returns at once.
func (s supervisor) watch(ctx context.Context, ready <-chan struct{}, beat func() time.Time, log *slog.Logger) {
	if s.socket != "" {
		pulse(ctx, s.within, ready, beat, s.saying(log))
	}
}

// farewell says, when told is done, that the agent is about to end and how long
// that may take: a drain longer than the unit's TimeoutStopSec is not to be cut
// short. It returns then, or when ctx is done.
func (s supervisor) farewell(ctx, told context.Context, drain func() time.Duration, log *slog.Logger) {
	select {
	case <-ctx.Done(): // ends by itself: for a failure nobody leaves
		return
	case <-told.Done():
	}
	s.saying(log)(fmt.Sprintf("STOPPING=1\nEXTEND_TIMEOUT_USEC=%d", (drain() + stopSlack).Microseconds()))
}

// saying is tell for those who cannot do anything about an error: the first of
// several in a row is logged.
func (s supervisor) saying(log *slog.Logger) func(state string) {
	heard := true
	return func(state string) {
		err := s.tell(state)
		if err != nil && heard {
			log.Warn("the supervisor does not hear us", "err", err)
		}
		heard = err == nil
	}
}

// pulse says once that the agent is ready, and then, twice in the time that is
// waited for it, that it is alive. The word for that is a beat of the loop
// since the last time: a loop that hangs says nothing, however well the rest
// runs. beat is when the last one was.
func pulse(ctx context.Context, within time.Duration, ready <-chan struct{}, beat func() time.Time, say func(string)) {
	select {
	case <-ctx.Done():
		return
	case <-ready:
	}
	say("READY=1")
	if within == 0 {
		return
	}

	tick := time.NewTicker(within / 2)
	defer tick.Stop()
	for told := beat(); ; {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if at := beat(); at.After(told) {
			told = at
			say("WATCHDOG=1")
		}
	}
}

// leaves is how long clients are given to turn away, at most.
func (a *agent) leaves() time.Duration { return a.current().Drain }

// lastBeat is when the loop last beat; zero: it has not yet.
func (a *agent) lastBeat() time.Time {
	v := a.node.View()
	if v == nil {
		return time.Time{}
	}
	return v.At
}
