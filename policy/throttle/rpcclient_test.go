package throttle

import (
	"testing"
	"time"
)

// The client's version decides the form (MS-OXCROPS 3.1.5.1.1).
func TestClientVersion(t *testing.T) {
	for text, want := range map[string]bool{
		"12.00.4228.0000": true, "12.0.4228.1": true, "12.0.4229": true, "12.1": true, "16.0.4266.1001": true,
		"12.00.4227.9999": false, "11.0.8000.0": false, "12": false, "0": false,
	} {
		v, err := ParseClientVersion(text)
		if err != nil || v.TakesRopBackoff() != want {
			t.Errorf("%s: takes RopBackoff %v, %v; want %v", text, v.TakesRopBackoff(), err, want)
		}
	}
	for _, text := range []string{"", "12.", "1.2.3.4.5", "12.65536", "12.-1", "12.x"} {
		if v, err := ParseClientVersion(text); err == nil {
			t.Errorf("%q: %v, want an error", text, v)
		}
	}
	if (ClientVersion{}).TakesRopBackoff() {
		t.Error("a client of no version gets a form that it may not know")
	}
}

// Document 003: an old client comes again after a second; it gives up when it
// got the same for a minute.
func TestBackoffOldClientGivesUp(t *testing.T) {
	b := DefaultBackoff()
	b.Cap = 5 * time.Minute
	s, _, _ := sendROPs(b, Session{}, rpc0, time.Minute, time.Second/40, 25*time.Millisecond, outlook2003)
	at := rpc0.Add(time.Minute)
	s, a := b.Judge(s, at, b.Cap, outlook2003) // a latency of minutes: a period of minutes
	if a.Action != Allow {
		t.Fatalf("the first is refused: %+v", a)
	}
	for i := range 70 {
		s, a = b.Judge(s, at.Add(time.Duration(i)*time.Second), b.Cap, outlook2003)
		if a.Action != Deny || !a.TooBusy || a.GivesUp != (i >= 60) {
			t.Fatalf("second %d: %+v; want too busy, and to give up from second 60", i, a)
		}
	}

	s, a = b.Judge(s, at.Add(b.Cap), b.Cap, outlook2003)
	_, b2 := b.Judge(s, at.Add(b.Cap+time.Second), b.Cap, outlook2003)
	if a.Action != Allow || b2.GivesUp {
		t.Errorf("after the period %+v, then %+v; want allow, and the minute to begin anew", a, b2)
	}
}

// An old client is asked for a second, however short the period. What it sends
// before is no second error: it is held until the second is over.
func TestBackoffOldClientHeld(t *testing.T) {
	b := DefaultBackoff()
	s := Session{rops: lastMinute{}.add(rpc0, 3000)}
	for _, tt := range []struct {
		after time.Duration
		want  Answer
	}{
		{0, Answer{Action: Allow}},
		{10 * time.Millisecond, Answer{Action: Deny, Wait: time.Second, TooBusy: true}},
		{410 * time.Millisecond, Answer{Action: Delay, Wait: 600 * time.Millisecond}},
		{1009 * time.Millisecond, Answer{Action: Delay, Wait: time.Millisecond}},
		{1010 * time.Millisecond, Answer{Action: Allow}},
		{1020 * time.Millisecond, Answer{Action: Deny, Wait: time.Second, TooBusy: true}},
	} {
		var got Answer
		s, got = b.Judge(s, rpc0.Add(tt.after), 100*time.Millisecond, outlook2003)
		if got != tt.want {
			t.Errorf("after %s: %+v, want %+v", tt.after, got, tt.want)
		}
	}
}

// One ROP that runs, though late, ends the minute of nothing but errors.
func TestBackoffOldClientStays(t *testing.T) {
	b := DefaultBackoff()
	b.Cap = 5 * time.Minute
	s := Session{rops: lastMinute{}.add(rpc0, 3000)}
	s, _ = b.Judge(s, rpc0, b.Cap, outlook2003)
	var a Answer
	for i := range 100 {
		s, a = b.Judge(s, rpc0.Add(time.Duration(i)*time.Second), b.Cap, outlook2003)
		if want := i >= 31+60; a.Action != Deny || a.GivesUp != want {
			t.Fatalf("second %d: %+v, want gives up %v", i, a, want)
		}
		if i == 30 {
			s, a = b.Judge(s, rpc0.Add(30500*time.Millisecond), b.Cap, outlook2003)
			if a.Action != Delay {
				t.Fatalf("half a second early: %+v, want delay", a)
			}
		}
	}
}

// With the cap of 2 s no old client is driven to give up: between two periods
// one ROP gets through. What it is sent, it can do: wait for a second at least.
func TestBackoffOldClientLives(t *testing.T) {
	b := DefaultBackoff()
	s, _, _ := sendROPs(b, Session{}, rpc0, time.Minute, time.Second/40, 25*time.Millisecond, outlook2003)
	served := 0
	for at := rpc0.Add(time.Minute); at.Before(rpc0.Add(5 * time.Minute)); {
		var a Answer
		s, a = b.Judge(s, at, 10*time.Second, outlook2003)
		switch {
		case a.GivesUp:
			t.Fatalf("gives up after %s", at.Sub(rpc0))
		case a.Action == Deny && a.Wait < time.Second:
			t.Fatalf("asked to wait for %s", a.Wait)
		case a.Action == Deny:
			at = at.Add(time.Second) // all it knows, whatever is left
		default:
			served++
			at = at.Add(time.Millisecond)
		}
	}
	if served < 60 {
		t.Errorf("%d ROPs served in 4 minutes, want one in 4 s at least", served)
	}
}
