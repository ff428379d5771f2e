package gate

import (
	"context"
	"fmt"
	"hash/maphash"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"evenkeel/policy/throttle"
)

// A request is held until its delay is over. What cannot be is denied at once,
// whatever is done with those who cannot be judged, and is over by that.
func TestHeld(t *testing.T) {
	const yes = "200 ticket=0000000000000007 part=CAS reason=CAS (limit 54000) delays it"
	denied := func(retry int) string {
		return fmt.Sprintf("403 part=CAS limit=54000 code=ErrorServerBusy reason=CAS (limit 54000) delays it, and it cannot be held retry=%d", retry)
	}
	for _, c := range []struct {
		promise, target string
		wait            time.Duration
		options         Options
		took            time.Duration
		want            string
		ended           int
	}{
		{"as asked", "/v1/check?hold=yes", 3 * time.Second, Options{Waiters: 1, Wait: time.Hour}, 3 * time.Second, yes, 0},
		{"as configured", "/v1/check", 3 * time.Second, Options{Hold: true, Waiters: 1, Wait: time.Hour}, 3 * time.Second, yes, 0},
		{"not, as asked", "/v1/check?hold=no", 3 * time.Second, Options{Hold: true, Waiters: 1, Wait: time.Hour}, 0, strings.Replace(yes, " part", " delay=3000 part", 1), 0},
		{"no time needs no place", "/v1/check?hold=yes", 0, Options{}, 0, yes, 0},
		{"a minute at most", "/v1/check?hold=yes", time.Minute, Options{Waiters: 1, Wait: time.Hour}, time.Minute, yes, 0},
		{"no more than a minute", "/v1/check?hold=yes", time.Minute + 1, Options{Waiters: 1, Wait: time.Hour}, 0, denied(61), 1},
		{"no longer than is configured", "/v1/check?hold=yes", 3 * time.Second, Options{Waiters: 1, Wait: 2 * time.Second}, 0, denied(3), 1},
		{"without room, and open", "/v1/check?hold=yes", 3 * time.Second, Options{FailOpen: true, Wait: time.Minute}, 0, denied(3), 1},
		{"without room, and closed", "/v1/check?hold=yes", 2500 * time.Millisecond, Options{Wait: time.Minute}, 0, denied(3), 1},
	} {
		synctest.Test(t, func(t *testing.T) {
			began, ended := time.Now(), 0
			j := delays(c.wait)
			j.done = func(now time.Time, _ throttle.Ticket, cost throttle.Cost) bool {
				if ended++; now != began || cost != (throttle.Cost{}) {
					t.Errorf("%s: done after %v, charged %v", c.promise, now.Sub(began), cost)
				}
				return true
			}
			got := shown(ask(gateOf(j, unmeasured, c.options), c.target))
			if took := time.Since(began); got != c.want || took != c.took || ended != c.ended {
				t.Errorf("%s: after %v, %d ended\ngot  %s\nwant %s", c.promise, took, ended, got, c.want)
			}
		})
	}
}

// The next item of a batch waits likewise; a batch that is told to come again
// later is still open, and one whose client has gone is not.
func TestNextHeld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		var ended []string
		j := judge{
			next: func(throttle.Ticket) throttle.Verdict {
				return throttle.Verdict{Action: throttle.Delay, Part: throttle.CAS, Wait: 3 * time.Second, Would: throttle.Delay}
			},
			done: func(now time.Time, ticket throttle.Ticket, _ throttle.Cost) bool {
				ended = append(ended, fmt.Sprint(ticket, " as of ", now.Sub(began)))
				return true
			},
		}
		s := gateOf(j, unmeasured, Options{Waiters: 1, Wait: time.Minute})
		next := func() string { return shown(ask(s, "/v1/next?hold=yes", "X-Evenkeel-Ticket: 0000000000000005")) }
		if got := next(); got != "200 part=CAS reason=CAS delays it" || time.Since(began) != 3*time.Second {
			t.Errorf("held: after %v %s", time.Since(began), got)
		}
		s.Configure(Options{Waiters: 1, Wait: time.Second})
		if got := next(); !strings.HasPrefix(got, "403 part=CAS") || !strings.HasSuffix(got, "retry=3") || ended != nil {
			t.Errorf("too long: %s, ended %v", got, ended)
		}
		s.Configure(Options{Waiters: 1, Wait: time.Minute})
		leaves(t, s, "/v1/next?hold=yes", time.Second, "X-Evenkeel-Ticket", "0000000000000005")
		if want := "[5 as of 3s]"; fmt.Sprint(ended) != want {
			t.Errorf("ended %v, want %s", ended, want)
		}
	})
}

// The places of one caller are for his items too, if the front end names him,
// and those of one for the items of all that are not named.
func TestNextShares(t *testing.T) {
	j := judge{next: func(throttle.Ticket) throttle.Verdict {
		return throttle.Verdict{Action: throttle.Delay, Part: throttle.CAS, Wait: time.Minute}
	}}
	synctest.Test(t, func(t *testing.T) {
		s := gateOf(j, unmeasured, Options{Hold: true, Waiters: 64, Wait: time.Minute, Domains: contoso})
		var wg sync.WaitGroup
		for i, name := range []string{"anna", `CONTOSO\anna`, "bert", "", ""} {
			for n := range 4 {
				wg.Go(func() {
					ask(s, "/v1/next", fmt.Sprintf("X-Evenkeel-Ticket: %015x%d", i+1, n), "X-Evenkeel-User: "+name)
				})
			}
		}
		synctest.Wait()
		if st := s.Stats(); st.Waiting != 12 || st.OverShare != 8 {
			t.Errorf("%d wait, %d do not; want 4 of anna, of bert and of nobody, and 8", st.Waiting, st.OverShare)
		}
		wg.Wait()
	})
}

// leaves asks and goes away after a time.
func leaves(t *testing.T, s *Server, target string, after time.Duration, name, value string) {
	t.Helper()
	ctx, leave := context.WithTimeout(t.Context(), after)
	defer leave()
	q := httptest.NewRequestWithContext(ctx, http.MethodGet, target, nil)
	q.Header.Set(name, value)
	s.ServeHTTP(httptest.NewRecorder(), q)
}

// Who goes away while he is held leaves no request open, makes room, and is as
// if he had not asked: his request is done as of when he did.
func TestLeavingWhileHeld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		j := delays(time.Minute)
		var ended []string
		j.done = func(now time.Time, ticket throttle.Ticket, c throttle.Cost) bool {
			ended = append(ended, fmt.Sprint(ticket, " as of ", now.Sub(began), " for ", c.Time))
			return true
		}
		s := gateOf(j, unmeasured, Options{Hold: true, Waiters: 1, Wait: time.Hour})
		var wg sync.WaitGroup
		wg.Go(func() { leaves(t, s, "/v1/check", 2*time.Second, headUser, "anna") })
		synctest.Wait()
		if n := s.Stats().Waiting; n != 1 {
			t.Errorf("%d wait, want 1", n)
		}
		wg.Wait()
		if st := s.Stats(); fmt.Sprint(ended) != "[7 as of 0s for 0s]" || st.Waiting != 0 || st.Left != 1 {
			t.Errorf("ended %v, %+v; want ticket 7 as of 0s, nobody waiting and one who left", ended, st)
		}
	})
}

// poor is a ledger in which everybody has a second, and is delayed below zero.
func poor() *throttle.Ledger {
	l := &throttle.Limits{Policy: "poor", Cutoff: 3 * time.Second, MaxDelay: time.Minute, Multiplier: 5, CPUStart: -1}
	for i := range l.Max {
		l.Max[i] = 4
	}
	for i := range l.Rate {
		l.Rate[i] = throttle.Rate{Cap: int64(time.Second), Refill: int64(3600 * time.Millisecond), Per: time.Hour}
	}
	return throttle.NewLedger(throttle.Options{Seed: maphash.MakeSeed()}, func(time.Time, throttle.Caller) *throttle.Limits { return l })
}

// To be held is no work: neither who leaves meanwhile is charged for it, nor who
// is told to come again.
func TestHoldingIsFree(t *testing.T) {
	for promise, wait := range map[string]time.Duration{"he leaves": time.Minute, "he is denied": time.Second} {
		synctest.Test(t, func(t *testing.T) {
			l := poor()
			s := gateOf(l, unmeasured, Options{Hold: true, Waiters: 9, Wait: wait})
			used := func() int64 { return l.Top(time.Now(), 1, throttle.LocalTime)[0].Used }
			ticket, _ := l.Check(time.Now(), throttle.Caller{Name: "eve", Component: throttle.EWS}, throttle.Ask{CPU: -1})
			time.Sleep(1900 * time.Millisecond)
			l.Done(time.Now(), ticket, throttle.Cost{})
			before := used()
			leaves(t, s, "/v1/check", 2*time.Second, headUser, "eve")
			if after := used(); after > before || before == 0 {
				t.Errorf("%s: nothing was served, and used went from %d to %d ms", promise, before, after)
			}
			if n := l.Stats().Open; n != 0 {
				t.Errorf("%s: %d requests are open, want none", promise, n)
			}
		})
	}
}

// A request that is taken for one that waits is charged what it is said to
// have cost.
func TestHangingCosts(t *testing.T) {
	l := poor()
	s := gateOf(l, unmeasured, Options{})
	w := ask(s, "/v1/check", "X-Evenkeel-User: anna", "X-Evenkeel-Hanging: yes")
	ask(s, "/v1/done", "X-Evenkeel-Ticket: "+w.Header().Get(headTicket), "X-Evenkeel-RPC: 900")
	if top := l.Top(time.Now(), 1, throttle.RPC); len(top) != 1 || top[0].Used < 899 || top[0].Used > 900 {
		t.Errorf("used %+v, want 900 ms", top)
	}
}

// However many are delayed, and whatever is configured, who is not finds the
// gate: he is judged. One caller does not take the places of others.
func TestDelayedLeaveRoom(t *testing.T) {
	for _, c := range []struct{ waiters, users, want int }{
		{1000, 20, 63}, // one connection is left, for one question at a time
		{32, 20, 32},
		{32, 3, 12},
		{2, 1, 2},
	} {
		j := judge{check: func(by throttle.Caller, _ throttle.Ask) (throttle.Ticket, throttle.Verdict) {
			switch {
			case strings.HasPrefix(by.Name, "slow"):
				return 7, throttle.Verdict{Action: throttle.Delay, Part: throttle.CAS, Wait: time.Minute}
			case by.Name == "eve":
				return 0, throttle.Verdict{Part: throttle.Concurrency}
			}
			return 8, allowed
		}}
		s := gateOf(j, unmeasured, Options{FailOpen: true, Hold: true, Waiters: c.waiters, Wait: time.Minute})
		bubble(t, s, 64, func(t *testing.T, p *pipes) {
			var wg sync.WaitGroup
			var others sync.Map // statuses of those who are not held
			for i := range c.users * 27 {
				f := p.dial()
				wg.Go(func() {
					defer f.conn.Close()
					began := time.Now()
					if r := f.asks(t, "/v1/check", fmt.Sprint("X-Evenkeel-User: slow", i%c.users)); time.Since(began) == 0 {
						others.Store(fmt.Sprint(r.StatusCode, " ", r.Header.Get("Retry-After")), true)
					}
				})
				synctest.Wait()
			}
			if n := s.Stats().Waiting; n != c.want {
				t.Errorf("%+v: %d are held", c, n)
			}
			for name, want := range map[string]int{"bystander": 200, "eve": 403} {
				f := p.dial()
				if r := f.asks(t, "/v1/check", "X-Evenkeel-User: "+name); r == nil || r.StatusCode != want || (r.Header.Get(headTicket) != "") != (want == 200) {
					t.Errorf("%+v: %s: %v, want %d", c, name, r, want)
				}
				f.conn.Close()
				synctest.Wait()
			}
			others.Range(func(k, _ any) bool {
				if k != "403 60" {
					t.Errorf("%+v: who is not held is told %v, want 403 60", c, k)
				}
				return true
			})
			wg.Wait()
			if st := s.Stats(); st.Waiting != 0 || st.Failed != 0 || int(st.Held) != c.want || int(st.Held+st.FullHouse+st.OverShare) != c.users*27 {
				t.Errorf("%+v: %+v", c, st)
			}
		})
	}
}

// Who comes and goes in any order, no more are in a hall than may be, none has
// more than his share, and when all have left nothing is kept of them.
func TestHall(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var h hall
		most := rapid.IntRange(-1, 200).Draw(t, "most")
		in := map[string]int{}
		for range rapid.IntRange(0, 300).Draw(t, "steps") {
			name := rapid.SampledFrom([]string{"anna", "bert", "carl", ""}).Draw(t, "name")
			if in[name] > 0 && rapid.Bool().Draw(t, "leaves") {
				h.leave(name)
				in[name]--
				continue
			}
			if full, enough := h.enter(name, most); !full && !enough {
				in[name]++
			} else if !full && in[name] < max(4, most/16) {
				t.Fatalf("%q has %d of %d places, and gets no other", name, in[name], most)
			}
			if n := in["anna"] + in["bert"] + in["carl"] + in[""]; n != h.held() || n > max(0, most) || in[name] > max(4, most/16) {
				t.Fatalf("%d in it, %d of them %q; most %d, and it counts %d", n, in[name], name, most, h.held())
			}
		}
		for name, n := range in {
			for range n {
				h.leave(name)
			}
		}
		if h.held() != 0 || len(h.of) != 0 {
			t.Fatalf("left over: %d, %v", h.held(), h.of)
		}
	})
}
