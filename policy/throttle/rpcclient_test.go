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

// An old client is asked for no less than a second, and so may be a second ahead.
// Beyond that it gets the error once in two seconds; what else it sends is
// held until its turn.
func TestBackoffOldClientHeld(t *testing.T) {
	b, ms := DefaultBackoff(), time.Millisecond
	tooBusy := Answer{Action: Deny, Would: Deny, Wait: time.Second, TooBusy: true}
	s := Session{rops: lastMinute{}.add(rpc0, 3000)}
	for _, tt := range []struct {
		after time.Duration
		want  Answer
	}{
		{0, answer(Allow, 0)}, // 400 ms ahead
		{0, answer(Allow, 0)},
		{0, answer(Allow, 0)}, // 1200
		{0, tooBusy},
		{0, answer(Delay, 200*ms)},
		{100 * ms, answer(Delay, 500*ms)},
		{900 * ms, answer(Delay, 100*ms)},  // it waited for one more than it sent
		{1000 * ms, answer(Delay, 400*ms)}, // the one that was refused, come again
		{1999 * ms, answer(Allow, 0)},      // 1 ms late: 801 ahead, then 1201
		{1999 * ms, answer(Delay, 201*ms)}, // 1601
		{2000 * ms, tooBusy},
		{2600 * ms, answer(Allow, 0)}, // it waited, and goes on
		{-time.Hour, tooBusy},         // a clock set back: nothing is known of when it was told
	} {
		var got Answer
		s, got = b.Judge(s, rpc0.Add(tt.after), 1, 400*ms, outlook2003)
		if got != tt.want {
			t.Errorf("after %s: %+v, want %+v", tt.after, got, tt.want)
		}
	}
}

// Where the latency is low again, an old client is served at once.
func TestBackoffOldClientFree(t *testing.T) {
	b := DefaultBackoff()
	s := Session{rops: lastMinute{}.add(rpc0, 3000)}
	s, _, _ = sendROPs(b, s, rpc0, time.Second, time.Second/100, 500*time.Millisecond, outlook2003)
	if _, a := b.Judge(s, rpc0.Add(time.Second), 1, 500*time.Millisecond, outlook2003); a.Action == Allow {
		t.Fatalf("at 500 ms: %+v, want no allow", a)
	}
	if _, a := b.Judge(s, rpc0.Add(time.Second), 1, 99*time.Millisecond, outlook2003); a.Action != Allow {
		t.Errorf("at 99 ms: %+v, want allow", a)
	}
	b.Factor = 0
	if _, a := b.Judge(s, rpc0.Add(time.Second), 1, 500*time.Millisecond, outlook2003); a.Action != Allow {
		t.Errorf("turned off: %+v, want allow", a)
	}
}

// Nothing is held for over a minute; what would be is refused, and then there is
// room for one more each period.
func TestBackoffOldClientHeldAMinute(t *testing.T) {
	b, s := DefaultBackoff(), busySession()
	var told SessionStats
	var longest time.Duration
	for range 100 {
		var a Answer
		if s, a = b.Judge(s, rpc0, 1, 2*time.Second, outlook2003); a.Action == Delay {
			longest = max(longest, a.Wait)
		}
		told.count(a, 1)
	}
	if told.Delays != 30 || longest != 59*time.Second || told.TooBusy != 69 {
		t.Errorf("%+v, held for %s at most; want 30 delays up to 59s, and 69 errors", told, longest)
	}
	for _, want := range []Action{Delay, Deny} {
		var a Answer
		if s, a = b.Judge(s, rpc0.Add(time.Second), 1, 2*time.Second, outlook2003); a.Action != want {
			t.Errorf("a second later: %+v, want %s", a, want)
		}
	}
	if _, a := b.Judge(s, rpc0.Add(time.Second), 1, 2*time.Second, outlook2007); a != answer(Deny, 2*time.Second) {
		t.Errorf("a new client of the same session: %+v, want 2s at most", a)
	}
}
