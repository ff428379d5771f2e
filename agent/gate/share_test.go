package gate

import (
	"hash/maphash"
	"testing"
	"time"

	"evenkeel/policy/throttle"
)

// Who has used up his own share of open requests, by Pings of which there is no
// limit, is not let by: not where the gate is to allow what cannot be judged.
// Others are served.
func TestOwnShareIsNoFailure(t *testing.T) {
	limits := &throttle.Limits{Cutoff: -1, CPUStart: -1, Max: [4]uint32{10, throttle.Unlimited, throttle.Unlimited, throttle.Unlimited}}
	for i := range limits.Rate {
		limits.Rate[i] = throttle.Rate{Unlimited: true}
	}
	ledger := throttle.NewLedger(throttle.Options{Seed: maphash.MakeSeed()}, func(time.Time, throttle.Caller) *throttle.Limits { return limits })
	g := gateOf(ledger, unmeasured, Options{FailOpen: true})
	anna := func(lines ...string) string {
		return shown(ask(g, "/v1/check", append(lines, "X-Evenkeel-User: anna@x.example", "X-Evenkeel-Component: Eas")...))
	}
	pings := 0
	for range 5000 {
		if anna("X-Evenkeel-Hanging: yes")[:3] == "200" {
			pings++
		}
	}
	if pings != 4096 {
		t.Fatalf("%d Pings open, want 4096, a sixteenth of all", pings)
	}
	const want = "403 part=MaxConcurrency limit=4096 code=ErrorExceededConnectionCount reason=MaxConcurrency (limit 4096) is used up retry=1"
	let := 0
	for range 1000 {
		if got := anna(); got != want {
			let++
			t.Log(got)
		}
	}
	if n := g.Stats().Failed; let != 0 || n != 0 {
		t.Errorf("%d of 1000 not denied by the share, %d for want of room; want none", let, n)
	}
	if got := shown(ask(g, "/v1/check", "X-Evenkeel-User: berta@x.example", "X-Evenkeel-Component: Eas")); got[:3] != "200" {
		t.Errorf("another: %s", got)
	}
}
