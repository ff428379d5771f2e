package main

import (
	"context"
	"fmt"
	"hash/maphash"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"evenkeel/agent/config"
	"evenkeel/policy/throttle"
	"evenkeel/queue"
)

// lockedOut are callers from first to last, who are refused for so long.
func lockedOut(first, last int, wait time.Duration) (all []throttle.Spender) {
	for i := first; i < last; i++ {
		c := throttle.Caller{Name: fmt.Sprint("user", i), Component: throttle.EWS}
		all = append(all, throttle.Spender{Caller: c, Part: throttle.LocalTime, Action: throttle.Deny, Wait: wait})
	}
	return all
}

// Who is pushed off a full list is throttled still, for all that is known: that he
// is not is told when the list has room and he is not in it, and once.
func TestPushedOffTheList(t *testing.T) {
	const more = 50
	var log notebook
	s := newSaid(slog.New(slog.NewTextHandler(&log, nil)), func(throttle.Caller) string { return "" })
	ended := func() string {
		all := strings.Count(log.String(), `"not throttled any more"`)
		return fmt.Sprint(all, strings.Contains(log.String(), `"and more callers not throttled any more"`))
	}
	first := lockedOut(0, mostThrottled, time.Minute)
	s.throttled(first, false)
	s.throttled(append(lockedOut(mostThrottled, mostThrottled+more, 2*time.Minute), first[:mostThrottled-more]...), false)
	if got := ended(); got != "0 false" {
		t.Errorf("%d were pushed off: %s are told to be throttled no more", more, got)
	}
	began := strings.Count(log.String(), "msg=throttled")
	s.throttled(first[1:], false)
	if n := strings.Count(log.String(), "msg=throttled"); n != began {
		t.Errorf("who came back to the list was told of again, %d times", n-began)
	}
	if want := "10 true"; ended() != want || !strings.Contains(log.String(), fmt.Sprint("callers=", more+1-mostLines, "\n")) {
		t.Errorf("with room: %s, want %s and %d in all:\n%s", ended(), want, more+1, log.String())
	}
	s.throttled(first[1:], false)
	if want := "10 true"; ended() != want {
		t.Errorf("told again: %s", ended())
	}
}

// However many come and go over a list that is always full, what is remembered of
// them is bounded.
func TestMuchOnTheList(t *testing.T) {
	s := newSaid(slog.New(slog.DiscardHandler), func(throttle.Caller) string { return "" })
	for i := range 100 {
		s.throttled(lockedOut(i*mostThrottled, (i+1)*mostThrottled, time.Minute), false)
	}
	if len(s.last) != mostTold {
		t.Errorf("%d remembered, want %d", len(s.last), mostTold)
	}
}

// MAPI sessions are swept once a minute, while the ledger is once a second.
func TestSessionsSweptByTheMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := config.Config{Listen: config.Listen{Gate: loopback()}, Policy: config.Policy{Ages: throttle.ExchangeAges()}}
		cfg.Gate = config.Gate{Budgets: 1000, Requests: 100, Release: time.Second, Backoff: throttle.DefaultBackoff()}
		cfg.Policy.Book, _ = throttle.Compile(throttle.File{})
		k := newGatekeeper(cfg)
		ctx, cancel := context.WithCancel(t.Context())
		go k.watch(ctx, func(time.Time) queue.Sample { return queue.Sample{} }, slog.New(slog.DiscardHandler))
		synctest.Wait()
		k.rops.ROPs(time.Now(), "s", 1, 0, throttle.ClientVersion{})
		k.ledger.Check(time.Now(), throttle.Caller{Name: "anna", Component: throttle.EWS}, throttle.Ask{CPU: -1})
		for _, c := range []struct {
			until    time.Duration
			sessions int
			released uint64
		}{{sessionsEvery - 500*time.Millisecond, 1, 1}, {time.Second, 1, 1}, {sessionsEvery - time.Second, 1, 1}, {time.Second, 0, 1}} {
			time.Sleep(c.until)
			synctest.Wait()
			if s, l := k.rops.Stats().Sessions, k.ledger.Stats().Released; s != c.sessions || l != c.released {
				t.Errorf("%s on: %d sessions, %d requests released, want %d and %d", c.until, s, l, c.sessions, c.released)
			}
		}
		cancel()
		synctest.Wait()
	})
}

func BenchmarkShown(b *testing.B) {
	limits := &throttle.Limits{Cutoff: -1, CPUStart: -1}
	for i := range limits.Max {
		limits.Max[i] = throttle.Unlimited
	}
	for i := range limits.Rate {
		limits.Rate[i] = throttle.Rate{Cap: int64(time.Hour), Refill: int64(time.Hour), Per: time.Hour}
	}
	const n = 100_000
	cfg := config.Config{Listen: config.Listen{Gate: loopback()}, Policy: config.Policy{Ages: throttle.ExchangeAges()}}
	cfg.Policy.Book, _ = throttle.Compile(throttle.File{})
	k := newGatekeeper(cfg)
	k.ledger = throttle.NewLedger(throttle.Options{Budgets: n, Seed: maphash.MakeSeed()}, func(time.Time, throttle.Caller) *throttle.Limits { return limits })
	start := time.Now()
	for i := range n {
		c := throttle.Caller{Name: fmt.Sprint("user", i, "@contoso.example"), Component: throttle.EWS}
		t, _ := k.ledger.Check(start, c, throttle.Ask{CPU: -1})
		k.ledger.Done(start, t, throttle.Cost{Time: time.Second, RPC: time.Duration(i%1000) * time.Millisecond})
	}
	for b.Loop() {
		k.shown(start.Add(time.Second))
	}
}
