package throttle

import (
	"hash/maphash"
	"testing"
	"time"
)

// Who is told to wait and does not, ends his request as he began it: it was not
// served, and the next is delayed as this one was. Else to ask twice would be
// to be delayed no more.
func TestGivenUp(t *testing.T) {
	l := &Limits{Cutoff: time.Minute, MaxDelay: time.Minute, Multiplier: 5, CPUStart: -1}
	for i := range l.Max {
		l.Max[i] = Unlimited
	}
	for i := range l.Rate {
		l.Rate[i].Unlimited = true
	}
	l.Rate[rateLocal] = Rate{Cap: int64(time.Second), Refill: int64(time.Hour / 1000), Per: time.Hour}
	ledger := NewLedger(Options{Seed: maphash.MakeSeed()}, func(time.Time, Caller) *Limits { return l })
	now, eve := time.Unix(1_800_000_000, 0), Caller{Name: "eve", Component: EWS}
	first, _ := ledger.Check(now, eve, Ask{CPU: -1})
	now = now.Add(1900 * time.Millisecond)
	ledger.Done(now, first, Cost{})
	second, want := ledger.Check(now, eve, Ask{CPU: -1})
	ledger.Done(now, second, Cost{})
	if _, got := ledger.Check(now, eve, Ask{CPU: -1}); got != want || got.Wait == 0 {
		t.Errorf("got %v, want %v once more", got, want)
	}
}
