package gate

import (
	"context"
	"fmt"
	"hash/maphash"
	"net"
	"net/http"
	"os"
	"runtime"
	"sync"
	"testing"
	"time"

	"evenkeel/policy/throttle"
)

// tight are the limits of everyone in the soak: few enough that all that can
// happen to a request does.
func tight(time.Time, throttle.Caller) *throttle.Limits {
	l := &throttle.Limits{Policy: "tight", Cutoff: time.Second, MaxDelay: 50 * time.Millisecond, Multiplier: 5, CPUStart: -1}
	for i := range l.Max {
		l.Max[i] = 4
	}
	for i := range l.Rate {
		l.Rate[i] = throttle.Rate{Cap: int64(100 * time.Millisecond), Refill: int64(time.Second), Per: time.Second}
	}
	return l
}

// A gate with a ledger behind it, under all that front ends and clients do:
// requests that are done, that are never done, that are held, whose client goes
// away, connections that come and go. Memory and goroutines stay what they are.
// EVENKEEL_SOAK=10m makes it as long:
//
//	EVENKEEL_SOAK=10m go test -race -v -timeout 15m -run Soak ./agent/gate
func TestSoak(t *testing.T) {
	length := 2 * time.Second
	if d, err := time.ParseDuration(os.Getenv("EVENKEEL_SOAK")); err == nil {
		length = d
	}
	ledger := throttle.NewLedger(throttle.Options{Budgets: 1000, Open: 4096, Release: length / 16, Expect: time.Minute, Seed: maphash.MakeSeed()}, tight)
	s := New(Judges{Ledger: ledger}, unmeasured, Options{Waiters: 8, Wait: time.Minute, Assume: time.Millisecond})
	addr := serve(t, s, Bounds{Connections: 24})
	ctx, stop := context.WithTimeout(t.Context(), length)
	defer stop()
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() { pester(ctx, addr, i) })
	}
	wg.Go(func() {
		tick := time.NewTicker(50 * time.Millisecond)
		defer tick.Stop()
		for ctx.Err() == nil {
			ledger.Sweep(<-tick.C)
		}
	})
	var seen []footprint
	for range 8 {
		sleep(t.Context(), length/9)
		seen = append(seen, measure())
		t.Log(seen[len(seen)-1], ledger.Stats().Open, "open,", ledger.Stats().Budgets, "budgets")
	}
	wg.Wait()
	t.Logf("%+v", s.Stats())
	if st := s.Stats(); length >= time.Minute && (st.Held == 0 || st.Left == 0 || st.Checks == 0 || st.Dones == 0) { // in two seconds that is chance
		t.Errorf("not all happened: %+v", st)
	}
	first, last := seen[2], seen[7]
	if last.goroutines > first.goroutines+64 || last.heap > first.heap+first.heap/4+4<<20 {
		t.Errorf("grew from %v to %v", first, last)
	}
}

// A footprint is what the process takes.
type footprint struct {
	goroutines int
	heap       uint64 // bytes in use after a collection
}

func measure() footprint {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return footprint{runtime.NumGoroutine(), m.HeapAlloc}
}

// pester asks as a front end with one connection at a time, one question in
// every few milliseconds, and hangs up now and then, until ctx is done.
func pester(ctx context.Context, addr string, n int) {
	web := &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "tcp", addr)
	}}}
	defer web.CloseIdleConnections()
	ask := func(ctx context.Context, path, name, value string) string {
		q, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://gate"+path, nil)
		if err != nil {
			return ""
		}
		q.Header.Set(name, value)
		r, err := web.Do(q)
		if err != nil {
			return ""
		}
		defer r.Body.Close()
		return r.Header.Get(headTicket)
	}
	for i := n; ctx.Err() == nil; i++ {
		user := fmt.Sprint("user", i%50)
		if n == 0 {
			user = fmt.Sprint("passer-by", i) // budgets come and go
		}
		switch path := "/v1/check?hold=yes"; i % 11 {
		case 0: // goes away while he is held, if he is
			hurry, leave := context.WithTimeout(ctx, time.Duration(i%7)*time.Millisecond)
			ask(hurry, path, headUser, user)
			leave()
		case 1: // never done
			ask(ctx, path, headUser, user)
		case 2:
			ask(ctx, "/v1/check?done=none", headUser, user)
			web.CloseIdleConnections()
		default:
			ticket := ask(ctx, path, headUser, user)
			sleep(ctx, 5*time.Millisecond)
			ask(ctx, "/v1/done", headTicket, ticket)
		}
		sleep(ctx, 3*time.Millisecond)
	}
}
