package diagnose

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"

	"evenkeel/queue/maillog"
)

// TestTop: who asked for most, of all nodes together and by what a node's requests
// are counted; monitors are apart.
func TestTop(t *testing.T) {
	var w world
	w.crowd("EX1", 30, 10, 9*hour, hour)
	w.ask("EX1", "CONTOSO\\svc", 500, 9*hour, hour, 10*time.Millisecond)
	w.ask("EX2", "contoso\\SVC", 100, 9*hour, hour, 10*time.Millisecond)
	w.ask("EX2", "CONTOSO\\long", 10, 9*hour, hour, 10*time.Minute)
	w.hold("EX1", 0, 50, 9*hour, 10*hour) // both logs have each request: the site's counts
	for i := range 200 {
		w.add("EX1", 9*hour+time.Duration(i)*second, maillog.Record{Kind: maillog.IIS, Status: 200, Probe: true, Agent: []byte("AMProbe/Local/ClientAccess"), Client: netip.MustParseAddrPort("127.0.0.1:9")})
	}
	top := w.report(t).Top
	if a, b := top.Users[0], top.Users[1]; a.Name != "CONTOSO\\long" || a.Took != 100*minute || a.Requests != 10 || b.Name != "CONTOSO\\svc" || b.Requests != 600 || fmt.Sprintf("%.3f", b.Share) != "0.659" {
		t.Errorf("users %+v", top.Users)
	}
	if len(top.Users) != maxTop || len(top.Clients) != maxTop || len(top.Agents) != 1 || top.Agents[0].Name != "AddIn" || top.Agents[0].Requests != 910 {
		t.Errorf("%d users, %d clients, agents %+v", len(top.Users), len(top.Clients), top.Agents)
	}
	if len(top.Monitors) != 1 || top.Monitors[0].Name != "AMProbe" || top.Monitors[0].Requests != 200 {
		t.Errorf("monitors %+v", top.Monitors)
	}
}

// TestSeen: what there was, though it is too little to be told of, is not denied.
func TestSeen(t *testing.T) {
	for _, c := range []struct {
		kind Kind
		tell func(w *world)
		want string // in the place of what is said where there was nothing
	}{
		{QueueFull, func(w *world) { w.errs("EX1", "QueueFull", mapiPool, 503, 9*hour, minute, 3) }, "3 requests were refused for a full queue, fewer than is told of."},
		{QueueFull, func(w *world) { w.errs("EX1", "QueueFull", mapiPool, 503, 9*hour, 10*hour, 30) }, "30 requests were refused for a full queue, too seldom to be told of or as part of what is told."},
		{PoolDown, func(w *world) { w.errs("EX1", "Disabled", mapiPool, 503, 9*hour, minute, 1) }, "1 request was refused because a pool was off, fewer than is told of."},
		{Stall, func(w *world) { w.errs("EX1", "Timer_ReqQueue", mapiPool, 0, 9*hour, minute, 2) }, "2 requests were left in a queue to the end of their time, fewer than is told of."},
		{Recycle, func(w *world) { w.errs("EX1", "Connection_Abandoned_By_ReqQueue", mapiPool, 0, 9*hour, second, 40) }, "40 connections ended with a pool's worker, and no outage followed."},
		{ProbeFlap, func(w *world) { w.flaps(2, minute, 3) }, "A balancer's probe failed: 6 times in all, not often enough to flap."},
		{ProbeFlap, func(w *world) { w.crowd("EX1", 9, 9, 9*hour, hour) }, "No probe of a balancer is in the logs."},
		{SlowAuthentication, func(w *world) {
			w.times(2, "EX1", 9*hour, minute, logon(2*second))
			w.times(40, "EX1", 9*hour, hour, logon(5*time.Millisecond))
		}, "2 of 42 logons took a second or more, too few or too seldom to be told of."},
		{SlowAuthentication, func(w *world) { w.times(3, "EX1", 9*hour, minute, logon(5*time.Millisecond)) }, "Only 3 logons told how long it took: too few to say whether that was slow."},
		{SlowAuthentication, func(w *world) { w.times(40, "EX1", 9*hour, hour, logon(5*time.Millisecond)) }, "Logging on was not slow."},
		{LockedOut, func(w *world) { w.by("svc", 2, 9*hour, minute, budgeted(500, "ErrorServerBusy", "", 0)) }, "2 requests were refused for a budget that was used up, fewer than is told of."},
		{Throttled, func(w *world) { w.by("svc", 9, 9*hour, minute, budgeted(200, "", "", 4*second)) }, "9 requests were delayed or refused by throttling, fewer than is told of."},
		{IdleTimeout, func(w *world) { w.cuts(5, 0, 3, 300*second) }, "5 requests that waited for news were cut, too few or not at one age."},
		{Monopoly, func(w *world) {
			w.crowd("EX1", 9, 9, 9*hour, hour)
			w.ask("EX1", "svc", 90, 9*hour, hour, time.Millisecond)
		}, "Nobody was a burden to others; most asked svc: 53 % of the requests, 90 in all."},
		{Skew, func(w *world) {
			w.hold("EX1", 0, 95, 8*hour, 9*hour)
			w.hold("EX2", 500, 5, 8*hour, 9*hour)
		}, "95 % of the MAPI sessions were on one of 2 nodes, at most 95; nobody was refused because of it."},
		{Skew, func(w *world) {
			w.hold("EX1", 0, 2, 8*hour, 9*hour)
			w.hold("EX2", 500, 2, 8*hour, 9*hour)
		}, "Too few sessions are in the logs to say how they were spread."},
	} {
		var w world
		c.tell(&w)
		if got := strings.Join(w.report(t).Clear, "\n") + "\n"; !strings.Contains(got, c.want+"\n") {
			t.Errorf("%s: want %q in\n%s", c.kind, c.want, got)
		}
	}
}
