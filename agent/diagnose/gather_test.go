package diagnose

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"evenkeel/queue/maillog"
)

// TestSessionsAreExact compares with sets.
func TestSessionsAreExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := newSessions()
		seen := map[int64]map[uint64]bool{} // by minute
		at, last := int64(1_000_000), int64(0)
		for range rapid.IntRange(1, 300).Draw(t, "rows") {
			at += int64(rapid.SampledFrom([]int{0, 1, 5, 30, 61, 200, 400, 1000}).Draw(t, "later"))
			key := uint64(rapid.IntRange(0, 20).Draw(t, "session"))
			s.see(&place{at: at, line: 1}, key<<32, false)
			last = at / 60
			if seen[last] == nil {
				seen[last] = map[uint64]bool{}
			}
			seen[last][key] = true
		}
		s.end()
		for m := int64(1_000_000) / 60; m <= last; m++ {
			all := map[uint64]bool{}
			for back := range int64(window) {
				for key := range seen[m-back] {
					all[key] = true
				}
			}
			if got := float64(s.level.of(m * 60)); got != float64(len(all)) {
				t.Fatalf("minute %d: %v sessions, %d were", m, got, len(all))
			}
		}
	})
}

// TestManySessions: beyond what is exact the number is still right, within a few
// percent, and the memory bounded.
func TestManySessions(t *testing.T) {
	s := newSessions()
	const n = 5 * exactSessions
	for i := range n {
		s.see(&place{at: 6_000_000 + int64(i*240/n), line: 1}, mix(uint64(i)), true)
	}
	if got := s.present(); got < 0.97*n || got > 1.03*n {
		t.Errorf("%v sessions, %d were", got, n)
	}
	if len(s.seen) > exactSessions {
		t.Errorf("%d are remembered", len(s.seen))
	}
}

// TestSeriesKeepSums: however wide the steps become, nothing is lost.
func TestSeriesKeepSums(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := series[count]{step: 10}
		other := series[count]{step: 10}
		want := 0.0
		for range rapid.IntRange(1, 50).Draw(t, "n") {
			at, x := rapid.Int64Range(1, 2_000_000_000).Draw(t, "at"), rapid.IntRange(1, 9).Draw(t, "x")
			into := &s
			if rapid.Bool().Draw(t, "other") {
				into = &other
			}
			into.add(at, count(x))
			want += float64(x)
			if into.of(at) < count(x) || len(into.at) > most {
				t.Fatalf("at %d: %v, %d steps", at, into.of(at), len(into.at))
			}
		}
		s.merge(&other)
		got := 0.0
		for _, x := range s.at {
			got += float64(x)
		}
		if got != want {
			t.Fatalf("sum %v, want %v", got, want)
		}
	})
}

// TestHitters: who asks for a tenth of all is found, whoever else asks.
func TestHitters(t *testing.T) {
	var h hitters
	p := &place{at: 1, file: "f", line: 1, raw: []byte("row")}
	for i := range 200_000 {
		key := mix(uint64(i) | 1<<40)
		name := []byte("someone")
		if i%10 == 0 {
			key, name = mix(7), []byte("hog")
		}
		h.add(key, name, client(i).Addr(), 1, p)
	}
	top := h.top(func(e *hitter) float64 { return float64(e.least()) })
	if string(top.name) != "hog" || top.least() > 20_000 || top.least() < 18_000 || top.n < 20_000 {
		t.Errorf("%s asked at least %d times, at most %d; 20000 were", top.name, top.least(), top.n)
	}
}

// TestBounded: names and runs without end do not need memory without end.
func TestBounded(t *testing.T) {
	c := New(Options{})
	l := c.Log("EX1")
	l.File("f")
	for i := range 200_000 {
		r := maillog.Record{Kind: maillog.HTTPErr, Status: 503, Reason: []byte("QueueFull"), Pool: fmt.Appendf(nil, "pool%d", i%5000), At: day0.Add(time.Duration(i) * 100 * time.Second), Client: client(i)}
		if i%2 == 0 {
			r = maillog.Record{Kind: maillog.HTTPErr, Status: 503, Reason: fmt.Appendf(nil, "R%d", i), At: r.At}
		}
		l.Add(&r, int64(i+1), r.Reason)
	}
	for class := range classes {
		if n := len(l.s.ledger.of[class]); n > maxNames+1 {
			t.Errorf("class %d: %d names", class, n)
		}
		for name, rs := range l.s.ledger.of[class] {
			if len(rs.runs) > maxRuns {
				t.Errorf("class %d, %q: %d runs", class, name, len(rs.runs))
			}
		}
	}
	l.End()
	sum := 0.0
	for _, n := range c.Report().Nodes {
		for _, x := range n.Refused {
			sum += x
		}
	}
	if sum != 200_000 {
		t.Errorf("%v refused, 200000 were", sum)
	}
}

// TestArrivals: who connects arrives, and who comes after a silence; not who was
// there when the log began, nor who merely goes on.
func TestArrivals(t *testing.T) {
	s := newSessions()
	sum := func() (n count) {
		for _, x := range s.arrived.at {
			n += x
		}
		return n
	}
	at := int64(6_000_000)
	see := func(key uint64, later int64, connects bool) {
		at += later
		s.see(&place{at: at, line: 1}, key<<32, connects)
	}
	for _, c := range []struct {
		promise  string
		key      uint64
		later    int64
		connects bool
		want     count
	}{
		{"there when the log begins", 1, 0, false, 0},
		{"another", 2, 60, false, 0},
		{"connects", 3, 1, true, 1},
		{"connects again at once: the answer was lost", 3, 5, true, 1},
		{"goes on", 1, 200, false, 1},
		{"goes on", 2, 0, false, 1},
		{"goes on", 1, 200, false, 1},
		{"comes without a Connect", 4, 0, false, 2},
		{"came, and goes on", 4, 10, false, 2},
		{"comes back after seven minutes", 2, 220, false, 3},
	} {
		see(c.key, c.later, c.connects)
		if got := sum(); got != c.want {
			t.Errorf("%s: %v arrived, want %v", c.promise, got, c.want)
		}
	}
}
