package queue

import (
	"context"
	"errors"
	"reflect"
	"testing"
	"testing/synctest"
	"time"
)

// A fake source is a function of how often it was read, and of time.
type fake struct {
	name string
	read func(ctx context.Context, n int) (Reading, error)
	n    int
}

func (f *fake) Name() string { return f.name }

func (f *fake) Read(ctx context.Context) (Reading, error) {
	f.n++
	return f.read(ctx, f.n)
}

// watch runs a Sampler with a period of a second over the sources, and calls
// see with its Sample after each of the given times.
func watch(t *testing.T, sources []Source, see func(at time.Duration, s Sample), at ...time.Duration) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		s := NewSampler(time.Second, sources...)
		done := make(chan struct{})
		go func() { defer close(done); s.Run(ctx) }()
		start := time.Now()
		for _, d := range at {
			time.Sleep(time.Until(start.Add(d)))
			synctest.Wait()
			see(d, s.Sample(time.Now()))
		}
		stop()
		<-done // Run waits for the reads
	})
}

func TestHangingSourceCostsOnlyItself(t *testing.T) {
	good := &fake{name: "good", read: func(context.Context, int) (Reading, error) {
		return Reading{Ports: []Port{{25, 7}}}, nil
	}}
	hangs := &fake{name: "hangs", read: func(ctx context.Context, n int) (Reading, error) {
		if n == 2 {
			<-ctx.Done()
		}
		return Reading{Queues: []Queue{{Name: "owa", Depth: 3}}}, nil
	}}
	watch(t, []Source{hangs, good}, func(at time.Duration, s Sample) {
		if len(s.Ports) != 1 || s.Sources[1].Age != 0 || s.Sources[1].Err != nil {
			t.Errorf("after %v the good one is away: %+v", at, s)
		}
		stale := at > 3*time.Second // its first reading counts for three periods
		if (len(s.Queues) == 0) != stale || (len(s.Faults) == 1) != stale || s.Sources[0].Age != at {
			t.Errorf("after %v: %+v", at, s)
		}
		if stale && (s.Faults[0] != Fault{"hangs", ErrStale} || s.Sources[0].Err != ErrStale) {
			t.Errorf("after %v: got %v, %v, want %v", at, s.Faults, s.Sources[0], ErrStale)
		}
	}, 0, 3*time.Second, 4*time.Second, time.Minute)
}

func TestFailedSourceHasNeitherOldNumbersNorZeros(t *testing.T) {
	broken := errors.New("permission denied")
	src := &fake{name: "listener", read: func(_ context.Context, n int) (Reading, error) {
		if n == 2 || n == 3 {
			return Reading{Queues: []Queue{{Name: "half of it"}}}, broken
		}
		return Reading{Queues: []Queue{{Name: "smtp", Depth: n}}}, nil
	}}
	want := []struct {
		age    time.Duration
		depths []int
		err    error
	}{
		{0, []int{1}, nil},
		{1 * time.Second, nil, broken},
		{2 * time.Second, nil, broken},
		{0, []int{4}, nil}, // and is back at once
	}
	watch(t, []Source{src}, func(at time.Duration, s Sample) {
		w := want[at/time.Second]
		if got := s.Sources[0]; got != (Status{"listener", w.age, w.err, false}) {
			t.Errorf("after %v: got %+v, want age %v and %v", at, got, w.age, w.err)
		}
		var depths []int
		for _, q := range s.Queues {
			depths = append(depths, q.Depth)
		}
		if !reflect.DeepEqual(depths, w.depths) || len(s.Faults) != 1-len(w.depths) {
			t.Errorf("after %v: got depths %v, faults %v, want %v", at, depths, s.Faults, w.depths)
		}
	}, 0, time.Second, 2*time.Second, 3*time.Second)
}

func TestSampleIsInOrder(t *testing.T) {
	one := &fake{name: "one", read: func(context.Context, int) (Reading, error) {
		return Reading{Queues: []Queue{{Name: "c"}, {Name: "a"}}, Ports: []Port{{443, 1}, {25, 2}}, Arrived: 5, Closed: []uint16{993}}, nil
	}}
	two := &fake{name: "two", read: func(context.Context, int) (Reading, error) {
		return Reading{Queues: []Queue{{Name: "b"}}, Gauges: []Gauge{{"rpc", 1, 2}, {"cpu", 0, 1}}, Arrived: 2}, nil
	}}
	watch(t, []Source{two, one}, func(_ time.Duration, s Sample) {
		want := Sample{
			At:      s.At,
			Queues:  []Queue{{Name: "a"}, {Name: "b"}, {Name: "c"}},
			Ports:   []Port{{25, 2}, {443, 1}},
			Arrived: 7,
			Closed:  []uint16{993},
			Gauges:  []Gauge{{"cpu", 0, 1}, {"rpc", 1, 2}},
			Sources: []Status{{Name: "two"}, {Name: "one"}},
		}
		if !reflect.DeepEqual(s, want) {
			t.Errorf("got  %+v\nwant %+v", s, want)
		}
	}, 0)
}

// A queue that takes 10 places a second is seen to do so, and the Reading that
// its source handed over is left as it was.
func TestSamplerAddsSlopes(t *testing.T) {
	var first []Queue
	src := &fake{name: "pool", read: func(_ context.Context, n int) (Reading, error) {
		r := []Queue{{Name: "owa", Depth: 10 * n}}
		if n == 1 {
			first = r
		}
		return Reading{Queues: r}, nil
	}}
	watch(t, []Source{src}, func(at time.Duration, s Sample) {
		switch got := s.Queues[0].Slope; {
		case at == 0 && got != 0, at > 0 && (got < 9.9 || got > 10):
			t.Errorf("after %v: got slope %v", at, got)
		}
	}, 0, 20*time.Second)
	if first[0].Slope != 0 {
		t.Errorf("the source's own slice was written to: %+v", first)
	}
}

func TestBeforeTheFirstReading(t *testing.T) {
	s := NewSampler(time.Second, &fake{name: "cpu"}) // would panic if it were read
	got := s.Sample(time.Now())
	if len(got.Sources) != 1 || got.Sources[0].Age >= 0 || got.Sources[0].Err != ErrStale || len(got.Faults) != 1 {
		t.Errorf("got %+v, want a fault and no age", got)
	}
	if text := got.Faults[0].String(); text != "cpu: no reading in time" {
		t.Errorf("got %q", text)
	}
}

// Ending is no failure of the source that was being read.
func TestEndingLeavesNoFault(t *testing.T) {
	src := &fake{name: "slow", read: func(ctx context.Context, n int) (Reading, error) {
		if n > 1 {
			<-ctx.Done()
		}
		return Reading{}, ctx.Err()
	}}
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithTimeout(t.Context(), 2500*time.Millisecond)
		defer stop()
		s := NewSampler(time.Second, src)
		s.Run(ctx)
		if got := s.Sample(time.Now()); len(got.Faults) != 0 || got.Sources[0].Age != 2500*time.Millisecond {
			t.Errorf("got %+v", got)
		}
	})
}
