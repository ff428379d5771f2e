package main

import (
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"evenkeel/queue"
)

// Where no ports are configured every listening socket of the machine counts,
// except those by which others ask the agent: they are no mail service.
func TestOwnPortsAreNoMailService(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("connections are not measured here")
	}
	mail := taken(t)
	cfg := settings("ex01", mail, 0)
	cfg.Sources.Listener.Ports, cfg.Sources.Listener.Addresses = nil, nil
	a := start(t, cfg)

	counted := func(port uint16) bool {
		v := a.node.View()
		return v != nil && slices.ContainsFunc(v.Sample.Ports, func(p queue.Port) bool { return p.Number == port })
	}
	await(t, "the mail service is measured", func() bool { return counted(mail.Port()) })
	for _, own := range append(a.sockets.ports(), a.farm.Addr().Port()) {
		if counted(own) {
			t.Errorf("the agent's own port %d counts as a mail service", own)
		}
	}
}

// Two machines with one name would be taken for one: both say so.
func TestTwoMachinesOneName(t *testing.T) {
	t.Parallel()
	mail := taken(t)
	one := start(t, settings("ex01", mail, 0))
	other := start(t, settings("ex01", mail, 0, one.farm.Addr().String()))
	for _, a := range []*running{one, other} {
		await(t, "the status has an alarm", func() bool {
			s, ok := a.status()
			return ok && slices.ContainsFunc(s.Alarms, func(alarm string) bool {
				return strings.HasPrefix(alarm, "two machines use the name ex01: ") &&
					strings.Contains(alarm, one.farm.Addr().String()) && strings.Contains(alarm, other.farm.Addr().String())
			})
		})
	}
}

// Nobody is told of faults that are none: the first beat waits for the first
// readings, but not for long.
func TestTheFirstBeatHasReadings(t *testing.T) {
	began := time.Now()
	a := start(t, settings("ex01", taken(t), 0))
	await(t, "a first beat", func() bool { return a.node.View() != nil })
	v := a.node.View()
	if len(v.Sample.Faults) > 0 && v.At.Sub(began) < 200*time.Millisecond {
		t.Errorf("faults after %v: %v", v.At.Sub(began), v.Sample.Faults)
	}
}
