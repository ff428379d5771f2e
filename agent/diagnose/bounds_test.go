package diagnose

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"evenkeel/queue/maillog"
)

// TestManyServers: what is too much to be told apart is said.
func TestManyServers(t *testing.T) {
	for _, n := range []int{maxServers, maxServers + 1} {
		var w world
		for i := range n {
			r := mailbox(10 * time.Millisecond)
			r.FrontEnd, r.Session = fmt.Appendf(nil, "FE%d", i), []byte("s")
			w.add("MBX1", 9*hour+time.Duration(i)*second, r)
		}
		if r := w.report(t); strings.Contains(fmt.Sprint(r.Blind), "More than 64 servers") != (n > maxServers) {
			t.Errorf("%d front ends: blind %v", n, r.Blind)
		}
	}
}

// TestLateNames: whoever comes after all places are taken is found, once the first
// have nothing to tell.
func TestLateNames(t *testing.T) {
	for want, r := range map[Kind]maillog.Record{
		Throttled: budgeted(200, "", "", 4*second),
		LockedOut: budgeted(500, "ErrorServerBusy", "", 0),
	} {
		var w world
		for u := range 2 * maxNames {
			w.by(fmt.Sprintf("CONTOSO\\u%d", u), 1, 8*hour+time.Duration(u)*second/2, second, r)
		}
		w.by("CONTOSO\\svc-crm", 100, 9*hour, 10*minute, r)
		if r := w.report(t); first(r) != want || !strings.Contains(r.Findings[0].Title, "svc-crm") {
			show(t, r)
			t.Errorf("%s is missing: found %v", want, kindsFound(r))
		}
	}
}

// TestNamesThatGoOn keep their place, though they have little to tell so far.
func TestNamesThatGoOn(t *testing.T) {
	var w world
	r := budgeted(200, "", "", 4*second)
	round := func(at time.Duration) {
		for u := range maxNames - 1 {
			w.by(fmt.Sprintf("CONTOSO\\u%d", u), 1, at, second, r)
		}
	}
	for i := range 9 {
		round(8*hour + time.Duration(i)*minute)
	}
	for i := range 10 {
		w.by(fmt.Sprintf("CONTOSO\\guest%d", i), 1, 8*hour+9*minute, second, r)
	}
	for i := range 11 {
		round(8*hour + time.Duration(10+i)*minute)
	}
	if r := w.report(t); first(r) != Throttled || !strings.Contains(r.Findings[0].Title, "and 254 others") {
		t.Error(kindsFound(r))
	}
}

// TestManyPools: two hundred that a shutdown ends do not hide the one that stays off.
func TestManyPools(t *testing.T) {
	var w world
	for p := range 200 {
		for _, reason := range []string{"AppOffline", "AppShutdown"} {
			w.errs("EX1", reason, fmt.Sprintf("Pool%03d", p), 503, 2*hour+time.Duration(p)*100*time.Millisecond, minute, 5)
		}
	}
	w.errs("EX1", "Disabled", mapiPool, 503, 9*hour, 20*minute, 4000)
	if r := w.report(t); first(r) != PoolDown || !strings.Contains(r.Findings[0].Title, mapiPool) {
		show(t, r)
	}
}

// TestRunsOfAllNames: their number is bounded over all names, and what they count
// is kept.
func TestRunsOfAllNames(t *testing.T) {
	c := New(Options{})
	l := c.Log("EX1")
	l.File("Ews_1.LOG")
	want := int64(0)
	for round := range 40 { // with pauses in which a run ends
		for i := range 200 * 12 {
			r := budgeted(200, "", "", second)
			r.User, r.At = fmt.Appendf(nil, "CONTOSO\\u%d", i/12), day0.Add(time.Duration(round)*11*minute+time.Duration(i%12)*second)
			l.Add(&r, int64(i+1), nil)
			want++
		}
	}
	led, got, n := &l.s.ledger, int64(0), 0
	for _, rs := range led.of[delayed] {
		n += len(rs.runs)
		got += total(rs.runs)
	}
	if n > maxAll || got != want {
		t.Errorf("%d runs of %d rows, %d were", n, got, want)
	}
}

// TestOddYears: a row of another century does not count; one of another year makes
// steps so wide that nobody is said to have gone, or not to.
func TestOddYears(t *testing.T) {
	for _, c := range []struct {
		at    time.Time
		moves bool // are told
	}{
		{time.Unix(100, 0), true},
		{time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC), true},
		{time.Date(2036, 1, 1, 0, 0, 0, 0, time.UTC), false},
	} {
		var w world
		incident(&w)
		b := w.book("EX1", "HttpProxy_1.LOG")
		b.row(c.at.Sub(day0), proxied(1, "Execute", 10*time.Millisecond))
		b.rows[len(b.rows)-1].rec.At = c.at
		r := w.report(t)
		if first(r) != Skew {
			show(t, r)
			t.Fatalf("%d: first %q", c.at.Year(), first(r))
		}
		moves, blind := strings.Contains(r.Findings[0].Title, "failover"), strings.Contains(fmt.Sprint(r.Blind), "from node to node")
		if moves != c.moves || blind == c.moves {
			t.Errorf("%d: %s; blind %v", c.at.Year(), r.Findings[0].Title, r.Blind)
		}
	}
}
