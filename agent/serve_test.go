package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// A diary is what happened when.
type diary struct {
	began time.Time
	mu    sync.Mutex // guards text
	text  string
}

func (d *diary) note(what string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.text += fmt.Sprintf("%v %s, ", time.Since(d.began), what)
}

func TestTheOrderOfLeaving(t *testing.T) {
	broken := errors.New("broken")
	for _, c := range []struct {
		promise string
		told    time.Duration // to stop, after this time; 0: never
		drain   time.Duration
		fails   time.Duration // a server, after this time; 0: never
		want    string
		err     error
	}{
		{"say so, let clients turn away, stop", time.Hour, 30 * time.Second, 0, "1h0m0s leave, 1h0m30s stopped, ", nil},
		{"nobody to turn to: stop at once", time.Hour, 0, 0, "1h0m0s leave, 1h0m0s stopped, ", nil},
		{"nobody leaves for a failed start", 0, 30 * time.Second, time.Second, "1s failed, 1s stopped, ", broken},
		{"who fails while clients turn away ends it", time.Hour, 30 * time.Second, time.Hour + time.Second, "1h0m0s leave, 1h0m1s failed, 1h0m1s stopped, ", broken},
	} {
		t.Run(c.promise, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, tell := context.WithCancel(t.Context())
				defer tell()
				if c.told > 0 {
					time.AfterFunc(c.told, tell)
				}
				d := diary{began: time.Now()}

				err := serve(ctx, func() time.Duration { d.note("leave"); return c.drain },
					func(ctx context.Context) error { <-ctx.Done(); d.note("stopped"); return nil },
					func(ctx context.Context) error {
						if c.fails == 0 {
							<-ctx.Done()
							return nil
						}
						time.Sleep(c.fails)
						d.note("failed")
						return broken
					})

				if d.text != c.want || !errors.Is(err, c.err) {
					t.Errorf("got  %s%v\nwant %s%v", d.text, err, c.want, c.err)
				}
			})
		})
	}
}

// Servers see nothing of the order to stop while clients turn away: they serve
// those that have not heard yet.
func TestServersServeWhileClientsTurnAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, tell := context.WithTimeout(t.Context(), time.Hour)
		defer tell()
		var alive bool
		err := serve(ctx, func() time.Duration { return time.Minute }, func(ctx context.Context) error {
			time.Sleep(time.Hour + 59*time.Second)
			alive = ctx.Err() == nil
			<-ctx.Done()
			return nil
		})
		if !alive || err != nil {
			t.Errorf("a second before the end of the drain: alive %v, error %v", alive, err)
		}
	})
}

// serve returns when every server has, not when they have been told.
func TestServeWaitsForEveryServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		ctx, tell := context.WithTimeout(t.Context(), time.Hour)
		defer tell()
		err := serve(ctx, func() time.Duration { return 0 }, func(ctx context.Context) error {
			<-ctx.Done()
			time.Sleep(time.Minute) // says goodbye to someone slow
			return nil
		})
		if got := time.Since(began); got != time.Hour+time.Minute || err != nil {
			t.Errorf("returned after %v with %v, want after %v", got, err, time.Hour+time.Minute)
		}
	})
}
