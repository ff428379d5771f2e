package health

import (
	"sync"
	"testing"
	"time"
)

func TestAskedKeepsTheLowest(t *testing.T) {
	start := time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)
	var a asked
	for _, step := range []struct {
		name string
		at   time.Duration
		ask  int // 0 asks nothing
		want int
	}{
		{"nothing yet", 0, 0, 0},
		{"the first", 0, 90, 90},
		{"a lower one", 5 * time.Second, 70, 70},
		{"a higher one does not count", 10 * time.Second, 90, 70},
		{"still known after a minute", 65 * time.Second, 0, 70},
		{"forgotten after more", 66 * time.Second, 0, 0},
		{"the next lowest is known at its next probe", 70 * time.Second, 90, 90},
		{"kept alive by asking again", 120 * time.Second, 90, 90},
		{"so it lasts longer", 175 * time.Second, 0, 90},
		{"a clock set back an hour forgets", -time.Hour, 0, 0},
		{"and learns anew", -time.Hour, 1000, 1000},
	} {
		now := start.Add(step.at)
		if step.ask != 0 {
			a.note(now, step.ask)
		}
		got, at := a.lowest(now)
		if got != step.want || (got == 0) != at.IsZero() {
			t.Errorf("%s: %d at %v, want %d", step.name, got, at, step.want)
		}
	}
}

func TestAskedSaysWhen(t *testing.T) {
	start := time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)
	var a asked
	a.note(start, 80)
	a.note(start.Add(3*time.Second), 80)
	if _, at := a.lowest(start.Add(4 * time.Second)); !at.Equal(start.Add(3 * time.Second)) {
		t.Errorf("asked at %v, want the last time", at)
	}
}

// Whoever loses the race to write must not raise what the winner wrote.
func TestAskedByManyAtOnce(t *testing.T) {
	now := time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)
	var a asked
	var wg sync.WaitGroup
	for n := 1; n <= highestMax; n++ {
		wg.Go(func() { a.note(now, n) })
	}
	wg.Wait()
	if got, _ := a.lowest(now); got != 1 {
		t.Errorf("lowest %d, want 1", got)
	}
}
