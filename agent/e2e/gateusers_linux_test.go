package e2e

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// A user is an account, with connections of its own.
type user struct {
	name string
	web  *http.Client
	to   string // whom it asks, without a path
}

func (n *node) user(name string, port uint16) *user {
	u := &user{name: name, to: "http://" + netip.AddrPortFrom(n.addr, port).String()}
	u.web = &http.Client{Timeout: patience, Transport: &http.Transport{DialContext: n.farm.hub.dial, MaxIdleConnsPerHost: 64}}
	return u
}

// An outcome is what became of a request: its status, and the part that delayed
// or refused it.
type outcome struct {
	status int
	part   string
}

// gets asks for a path and waits for the answer.
func (u *user) gets(ctx context.Context, path string) (o outcome, retry string, err error) {
	q, err := http.NewRequestWithContext(ctx, http.MethodGet, u.to+path, nil)
	if err != nil {
		return o, "", err
	}
	q.SetBasicAuth(u.name, "secret")
	q.Header.Set("X-Evenkeel-User", "somebody else") // which must not help
	r, err := u.web.Do(q)
	if err != nil {
		return o, "", err
	}
	defer r.Body.Close()
	io.Copy(io.Discard, r.Body) // or the connection is not used again
	return outcome{r.StatusCode, r.Header.Get("X-Evenkeel-Part")}, r.Header.Get("Retry-After"), nil
}

// A score is what became of all requests of some users.
type score struct {
	mu       sync.Mutex // guards the rest
	outcomes map[outcome]int
	took     []time.Duration
}

// asks has u ask again and again until ctx is done, with pauses between.
func (y *score) asks(ctx context.Context, t *testing.T, u *user, pause time.Duration) {
	for ctx.Err() == nil {
		began := time.Now()
		o, _, err := u.gets(ctx, "/ews/exchange.asmx")
		if err != nil {
			if ctx.Err() == nil {
				t.Errorf("%s: %v", u.name, err)
			}
			return
		}
		y.mu.Lock()
		y.outcomes[o]++
		y.took = append(y.took, time.Since(began))
		y.mu.Unlock()
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
}

// String is how many requests had which outcome, and how long they took.
func (y *score) String() string {
	p50, p99 := y.at(0.5), y.at(0.99)
	y.mu.Lock()
	defer y.mu.Unlock()
	var kinds []string
	for o, n := range y.outcomes {
		kinds = append(kinds, strings.TrimSpace(fmt.Sprintf("%d × %d %s", n, o.status, o.part)))
	}
	slices.Sort(kinds)
	return fmt.Sprintf("%d requests, p50 %v, p99 %v: %s", len(y.took), p50, p99, strings.Join(kinds, ", "))
}

// at is how long that share of the requests took at most; 0 where there is none.
func (y *score) at(share float64) time.Duration {
	y.mu.Lock()
	defer y.mu.Unlock()
	if len(y.took) == 0 {
		return 0
	}
	slices.Sort(y.took)
	return y.took[int(share*float64(len(y.took)-1))].Round(100 * time.Microsecond)
}

func (y *score) has(o outcome) bool {
	y.mu.Lock()
	defer y.mu.Unlock()
	return y.outcomes[o] > 0
}

// play has twenty users ask at their pace, and the hammer at port as fast as he
// can with 64 connections, or not at all at port 0, until enough says so.
func play(t *testing.T, n *node, port uint16, enough func(hammer *score)) (others, hammer *score) {
	t.Helper()
	others, hammer = &score{outcomes: map[outcome]int{}}, &score{outcomes: map[outcome]int{}}
	ctx, stop := context.WithCancel(t.Context())
	const pace = 250 * time.Millisecond
	var warm, wg sync.WaitGroup
	defer wg.Wait()
	defer stop()
	for i := range 20 {
		u := n.user(fmt.Sprintf("user%d", i), 80)
		defer u.web.CloseIdleConnections()
		warm.Add(1)
		wg.Go(func() {
			_, _, err := u.gets(ctx, "/ews/exchange.asmx") // connects, which is not counted
			if err != nil {
				t.Errorf("%s: %v", u.name, err)
			}
			warm.Done()
			time.Sleep(time.Duration(i) * pace / 20) // or all would ask at once
			others.asks(ctx, t, u, pace)
		})
	}
	warm.Wait()
	if port > 0 {
		u := n.user("hammer", port)
		defer u.web.CloseIdleConnections()
		for range 64 {
			wg.Go(func() { hammer.asks(ctx, t, u, 5*time.Millisecond) })
		}
	}
	enough(hammer)
	return others, hammer
}
