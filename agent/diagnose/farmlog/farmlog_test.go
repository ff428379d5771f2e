//go:build !race

package farmlog

import (
	"errors"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
	"time"
)

// small is the size at which a story is tested: some hundred sessions at most.
func small(s Story) Options { return Options{Seed: 7, Scale: 40 / float64(s.Sessions)} }

// written writes a story for a witness.
func written(t *testing.T, s Story, o Options, each func(node, kind string, r row)) (Truth, *witness) {
	t.Helper()
	w := newWitness(t)
	w.each = each
	truth, err := s.Write(o, w.create)
	if err != nil {
		t.Fatal(err)
	}
	return truth, w
}

func story(t *testing.T, name string) Story {
	t.Helper()
	for _, s := range Stories() {
		if s.Name == name {
			return s
		}
	}
	t.Fatalf("no story %q", name)
	return Story{}
}

// What a story says of its logs is what a plain reader finds in them: files that
// end whole, rows in the order of time with as many values as columns, the same
// numbers, and what the story is about in the logs that should show it, and no
// other trouble.
func TestTruth(t *testing.T) {
	for _, s := range Stories() {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			shown := map[string]int{}
			all := signs()
			truth, w := written(t, s, small(s), func(node, kind string, r row) {
				for name, sign := range all {
					if sign(node, kind, r) {
						shown[name]++
					}
				}
			})
			w.compare(truth, s)
			w.consistent(truth, s)
			for name := range all {
				if n := shown[name]; n > 0 != slices.Contains(signsOf(s.Name), name) || n > 0 && n < 10 {
					t.Errorf("%s: seen %d times", name, n)
				}
			}
		})
	}
}

// The same seed gives the same bytes, another seed others.
func TestDeterministic(t *testing.T) {
	s := story(t, "incident")
	s.Length = day
	o := small(s)
	truth, w := written(t, s, o, nil)
	again, w2 := written(t, s, o, nil)
	o.Seed++
	_, w3 := written(t, s, o, nil)
	if !maps.Equal(w.sum, w2.sum) || truth.Refused != again.Refused || truth.Skew != again.Skew {
		t.Error("the same seed gave other bytes")
	}
	if maps.Equal(w.sum, w3.sum) {
		t.Error("another seed gave the same bytes")
	}
}

// The incident is the one that it is told to be.
func TestIncident(t *testing.T) {
	s := story(t, "incident")
	truth, _ := written(t, s, Options{Seed: 1, Scale: 0.03}, nil)
	if truth.Skew < 0.97 || truth.Failovers < 6 || truth.Outage < time.Hour {
		t.Errorf("got %+v", truth)
	}
	for _, n := range s.Nodes {
		if got := len(truth.Outages[n]); got > truth.Failovers || got < truth.Failovers-2 { // a few clients do not always make ten refusals
			t.Errorf("%s: %d outages in %d failovers", n, got, truth.Failovers)
		}
		for _, o := range truth.Outages[n] {
			if l := o.To.Sub(o.From); l > 31*time.Minute || o.From.Hour() < 7 || o.From.Hour() > 17 {
				t.Errorf("%s: an outage of %v at %v", n, l, o.From)
			}
		}
	}
}

// Mailboxes have news all the time by day, and seldom at night; what a session is
// said to ask is what comes of it.
func TestWaits(t *testing.T) {
	for hour, want := range map[int64][2]float64{11: {25, 40}, 3: {100, 200}} {
		f := newFarm(story(t, "healthy"), Options{Seed: 1}, 0.1, 1, nil)
		f.now = hour * 3600
		sum := 0.0
		for range 100_000 {
			sum += float64(f.wait()) / 1000
		}
		mean := sum / 100_000
		if asks := 1.5/mean + 1/f.think; mean < want[0] || mean > want[1] || math.Abs(f.asks()/asks-1) > 0.05 {
			t.Errorf("at %d o'clock %.1f s; %.4f requests a second, want %.4f", hour, mean, f.asks(), asks)
		}
	}
}

// Bytes are what comes, whether clients must be fewer or ask more.
func TestBytes(t *testing.T) {
	s := story(t, "healthy")
	s.Sessions, s.Length = 80, day/2
	for _, want := range []int64{60e6, 90e6, 120e6} {
		truth, err := s.Write(Options{Bytes: want, Seed: 3}, func(string) (io.WriteCloser, error) { return nowhere{}, nil })
		if ratio := float64(truth.Bytes) / float64(want); err != nil || ratio < 0.9 || ratio > 1.1 {
			t.Errorf("%d bytes wanted: got %d, %v", want, truth.Bytes, err)
		}
	}
}

// A file that cannot be made or written is an error, and the others are closed.
func TestErrors(t *testing.T) {
	s := story(t, "healthy")
	broken := errors.New("disk full")
	for _, at := range []string{"create", "write", "close"} {
		open := 0
		_, err := s.Write(small(s), func(path string) (io.WriteCloser, error) {
			wrong := strings.Contains(path, "W3SVC2")
			if wrong && at == "create" {
				return nil, broken
			}
			open++
			return &failing{&open, wrong && at == "write", wrong && at == "close"}, nil
		})
		if !errors.Is(err, broken) && (err == nil || err.Error() != `story "healthy": disk full`) || open != 0 {
			t.Errorf("%s: got %v, %d files are open", at, err, open)
		}
	}
	if _, err := s.Write(Options{Start: time.Date(2026, 1, 1, 1, 0, 0, 0, time.UTC)}, nil); err == nil {
		t.Error("a start in the night's midst is taken")
	}
}

type failing struct {
	open         *int
	write, close bool
}

func (f *failing) Write(b []byte) (int, error) {
	if f.write {
		return 0, errors.New("disk full")
	}
	return len(b), nil
}

func (f *failing) Close() error {
	*f.open--
	if f.close {
		return errors.New("disk full")
	}
	return nil
}

func BenchmarkWrite(b *testing.B) {
	s := Stories()[0]
	for b.Loop() {
		truth, err := s.Write(Options{Scale: 0.1}, func(string) (io.WriteCloser, error) { return nowhere{}, nil })
		if err != nil {
			b.Fatal(err)
		}
		b.SetBytes(truth.Bytes)
	}
}
