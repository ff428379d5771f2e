package probe

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// The first answer is believed, then one failure is none, and one success is
// enough.
func TestVerdict(t *testing.T) {
	broken := errors.New("broken")
	for _, tt := range []struct{ name, asked, failing string }{
		{"well from the start", "++-+-+", "......"},
		{"two failures in a row", "+--+", "..x."},
		{"the first is believed at once", "-+", "x."},
		{"and goes on", "---+-", "xxx.."},
		{"apart they are chance", "+-+-+-", "......"},
		{"broken until it answers", "+----+-", "..xxx.."},
	} {
		var v verdict
		got := ""
		for i, c := range tt.asked {
			if c == '+' {
				v = v.see(nil)
			} else {
				v = v.see(broken)
			}
			got += map[bool]string{true: "x", false: "."}[v.failing]
			if v.failing && v.err == nil {
				t.Errorf("%s: failing without a reason", tt.name)
			}
			if v.well != strings.Contains(tt.asked[:i+1], "+") {
				t.Errorf("%s: after %s it was well once: %v", tt.name, tt.asked[:i+1], v.well)
			}
		}
		if got != tt.failing {
			t.Errorf("%s: %s is failing %s, want %s", tt.name, tt.asked, got, tt.failing)
		}
	}
}

// A world answers by the time since the test began.
type world struct {
	began time.Time
	mu    sync.Mutex // guards the next
	asked []string
}

func (w *world) ask(ctx context.Context, url string) error {
	at := time.Since(w.began)
	w.mu.Lock()
	w.asked = append(w.asked, fmt.Sprint(url, "@", at))
	w.mu.Unlock()
	switch {
	case url == "hangs" || url == "late" && at >= 20*time.Second:
		<-ctx.Done()
		return ctx.Err()
	case url == "breaks" && at >= 12*time.Second && at < 32*time.Second:
		return errors.New("no")
	}
	return nil
}

func failing(p *Prober) string {
	return strings.Join(slices.Sorted(maps.Keys(p.Failing())), " ")
}

// What is broken is known within two rounds, what hangs costs only itself, and
// both as long as they do.
func TestRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &world{began: time.Now()}
		p := New(w.ask)
		p.Set([]Target{{"a", "well"}, {"b", "hangs"}, {"c", "breaks"}, {"d", "late"}})
		ctx, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		wg.Go(func() { p.Run(ctx) })

		story, last := "", "?"
		for range 99 {
			synctest.Wait()
			for name, f := range p.Failing() {
				if f.Err == nil || f.Well != (name != "b") {
					t.Errorf("%s: %+v", name, f)
				}
			}
			if now := failing(p); now != last {
				story += fmt.Sprintf("%v [%s] ", time.Since(w.began), now)
				last = now
			}
			time.Sleep(time.Second / 2)
		}
		cancel()
		wg.Wait()
		// c fails at 15 s and 20 s; d hangs from 20 s on, and is given 3 s each time.
		want := "0s [] 3s [b] 20s [b c] 28s [b c d] 35s [b d] "
		if story != want {
			t.Errorf("got  %s\nwant %s", story, want)
		}
		if got := slices.DeleteFunc(w.asked, func(s string) bool { return !strings.HasPrefix(s, "well@") }); len(got) != 10 {
			t.Errorf("the one that is well was asked %d times in 50 s: %v", len(got), got)
		}
	})
}

// Other targets are asked at once; what is known of the same ones stays, and
// what is gone is forgotten.
func TestSet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &world{began: time.Now()}
		p := New(w.ask)
		p.Set([]Target{{"b", "hangs"}, {"c", "hangs"}})
		ctx, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		wg.Go(func() { p.Run(ctx) })
		expect := func(after time.Duration, want string) {
			t.Helper()
			time.Sleep(after)
			synctest.Wait()
			if got := failing(p); got != want {
				t.Errorf("after %v failing is %q, want %q", time.Since(w.began), got, want)
			}
		}
		expect(4*time.Second, "b c")
		p.Set([]Target{{"b", "hangs"}, {"c", "well"}})
		expect(0, "b")
		p.Set([]Target{{"b", "hangs"}, {"c", "well"}}) // nothing new: nobody is asked for it
		expect(0, "b")
		p.Set(nil)
		expect(0, "")
		cancel()
		wg.Wait()
		if n := len(w.asked); n != 4 {
			t.Errorf("asked %d times, want 4: %v", n, w.asked)
		}
	})
}
