package gate

import (
	"context"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"evenkeel/policy/throttle"
)

// A hall is where requests are held. Its lock is taken by no others than those
// who are to be delayed.
type hall struct {
	mu sync.Mutex // guards the two below
	n  int
	of map[string]int // how many of them are of one caller, by name; at least 1
}

// share is how many of most places one caller may take.
func share(most int) int { return min(most, max(4, most/16)) }

// enter takes a place for a request of name. It says what there is none of,
// where there is none: places at all, or places for him.
func (h *hall) enter(name string, most int) (full, enough bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if full, enough = h.n >= most, h.of[name] >= share(most); full || enough {
		return full, enough
	}
	if h.of == nil {
		h.of = map[string]int{}
	}
	h.n++
	h.of[name]++
	return false, false
}

func (h *hall) leave(name string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.n--
	if h.of[name]--; h.of[name] <= 0 {
		delete(h.of, name)
	}
}

// held is how many are in it.
func (h *hall) held() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.n
}

// wait holds a request of name until the delay of v is over, and takes it off v.
// What cannot be held to its end is denied at once, as v says then: a delay
// that is not waited out would be none. False: who asked has gone.
func (r *request) wait(v *throttle.Verdict, name string) bool {
	if v.Action != throttle.Delay || v.Wait <= 0 {
		return true
	}
	if without := r.seat(name, v.Wait); without != nil {
		without.Add(1)
		r.unheld, v.Action = true, throttle.Deny
		return true
	}
	defer r.hall.leave(name)
	if !sleep(r.q.Context(), v.Wait) {
		r.counters.left.Add(1)
		return false
	}
	r.counters.held.Add(1)
	r.now, v.Wait = r.now.Add(v.Wait), 0
	return true
}

// seat takes a place where a request of name can be held for d; nil: it has one.
// Else it is where those are counted who have none for the same reason.
func (r *request) seat(name string, d time.Duration) *atomic.Uint64 {
	if d > min(r.options.Wait, maxHeld) {
		return &r.counters.tooLong
	}
	switch full, enough := r.hall.enter(name, seats(r.q, r.options)); {
	case full:
		return &r.counters.fullHouse
	case enough:
		return &r.counters.overShare
	}
	return nil
}

// seats is how many may be held: as is configured, and one fewer than the
// connections that questions come by, each of which carries one at a time.
// Options can change while a listener is open, and its connections cannot.
func seats(q *http.Request, o *Options) int {
	if g := guestOf(q.Context()); g != nil {
		return min(o.Waiters, g.room-1)
	}
	return o.Waiters
}

// sleep is false where ctx ends before d has passed.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
