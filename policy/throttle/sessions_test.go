package throttle

import (
	"fmt"
	"hash/maphash"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func newSessions(most int) *Sessions {
	return NewSessions(SessionOptions{Rules: DefaultBackoff(), Most: most, Seed: maphash.MakeSeed()})
}

// makeBusy sends 40 ROPs a second for the minute that ends at rpc0, at a low latency.
func makeBusy(s *Sessions, id string) {
	for i := range 40 * 60 {
		s.ROPs(rpc0.Add(time.Duration(i-40*60)*time.Second/40), id, 1, 25*time.Millisecond, outlook2007)
	}
}

// Document 003: the period is of the MAPI session, whichever of its mailboxes
// the ROP is for; other sessions, of the same user too, are not held back.
func TestSessionsApart(t *testing.T) {
	s := newSessions(10)
	makeBusy(s, "one")
	const latency = 100 * time.Millisecond
	for _, step := range []struct {
		id   string
		want Action
	}{
		{"one", Allow}, {"one", Deny}, {"two", Allow}, {"two", Allow}, {"one", Deny},
	} {
		if got := s.ROPs(rpc0, step.id, 1, latency, outlook2007); got.Action != step.want {
			t.Errorf("session %s: %+v, want %s", step.id, got, step.want)
		}
	}
	makeBusy(s, "three")
	makeBusy(s, "three")
	s.ROPs(rpc0, "three", 1, latency, outlook2007)
	s.ROPs(rpc0, "three", 10, latency, outlook2007) // of which none is run
	if n := s.Stats(); n.Sessions != 3 || n.RopBackoffs != 12 || n.Backoffs() != 12 || n.ROPs != 3*2400+16 {
		t.Errorf("%+v; want 3 sessions, 12 backoffs, 7216 ROPs", n)
	}
	s.Publish(Backoff{})
	if got := s.ROPs(rpc0, "one", 1, latency, outlook2007); got.Action != Allow {
		t.Errorf("under rules that hold nobody: %+v", got)
	}
}

// A session is forgotten when it rests, and not before: not in a minute in
// which it sent something, nor while a period runs.
func TestSessionsSweep(t *testing.T) {
	s := newSessions(10)
	long := DefaultBackoff()
	long.Cap = time.Hour
	s.Publish(long)
	makeBusy(s, "held")
	s.ROPs(rpc0, "held", 1, time.Hour, outlook2007)
	s.ROPs(rpc0, "idle", 1, time.Millisecond, outlook2007)
	for _, tt := range []struct {
		after time.Duration
		want  int
	}{
		{0, 0}, {time.Minute, 0}, {81 * time.Second, 1}, {time.Hour - 1, 0}, {time.Hour, 1},
	} {
		if got := s.Sweep(rpc0.Add(tt.after)); got != tt.want {
			t.Errorf("after %s: %d forgotten, want %d", tt.after, got, tt.want)
		}
	}
	if n := s.Stats(); n.Sessions != 0 || n.Evicted != 2 {
		t.Errorf("%+v; want none left, 2 evicted", n)
	}
}

// The number of sessions is bounded; those beyond share one, so that opening
// more does not help; room is made by those that rest.
func TestSessionsBounded(t *testing.T) {
	const most = 100
	s := newSessions(most)
	for i := range 200 * most {
		s.ROPs(rpc0, fmt.Sprint("session ", i), 1, 25*time.Millisecond, outlook2007)
	}
	n := s.Stats()
	if n.Sessions != most || n.Shared != 199*most {
		t.Errorf("%d sessions and %d ROPs shared, want %d and %d", n.Sessions, n.Shared, most, 199*most)
	}
	refused := 0
	for i := range 200 * most {
		if a := s.ROPs(rpc0, fmt.Sprint("session ", i), 1, 100*time.Millisecond, outlook2007); a.Action != Allow {
			refused++
		}
	}
	if want := 199*most - sessionShards; refused != want {
		t.Errorf("%d ROPs of sessions that were opened to escape are refused, want %d: one of each shard gets through", refused, want)
	}

	at := rpc0.Add(5 * time.Minute)
	for i := range 200 * most {
		s.ROPs(at, fmt.Sprint("later ", i), 1, 25*time.Millisecond, outlook2007)
	}
	if n := s.Stats(); n.Sessions != most || n.Evicted < most/2 {
		t.Errorf("%d sessions, %d made room, want %d and most of them", n.Sessions, n.Evicted, most)
	}
}

// Forgetting cannot be noticed: sessions that are swept at any time answer as
// sessions that are kept for ever.
func TestSessionsForgetNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rules := Backoff{Factor: 1000, Target: 100 * time.Millisecond, Cap: 2 * time.Second}
		swept := NewSessions(SessionOptions{Rules: rules, Most: 1000, Seed: maphash.MakeSeed()})
		kept := map[string]Session{}
		at := rpc0
		for range 300 {
			at = at.Add(rapid.SampledFrom([]time.Duration{0, 1, time.Millisecond, 50 * time.Millisecond, time.Second, 20 * time.Second, 59 * time.Second, 80 * time.Second}).Draw(t, "wait"))
			id := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "id")
			v := rapid.SampledFrom([]ClientVersion{outlook2003, outlook2007}).Draw(t, "version")
			latency := rapid.SampledFrom([]time.Duration{50 * time.Millisecond, 10 * time.Second, time.Hour}).Draw(t, "latency")
			if rapid.Bool().Draw(t, "sweep") {
				swept.Sweep(at)
			}
			n := rapid.SampledFrom([]int{1, 2, 30}).Draw(t, "ROPs")
			next, want := rules.Judge(kept[id], at, n, latency, v)
			kept[id] = next
			if got := swept.ROPs(at, id, n, latency, v); got != want {
				t.Fatalf("session %s at %s: %+v, want %+v", id, at.Sub(rpc0), got, want)
			}
		}
	})
}

// Any number of goroutines: every ROP is counted once, and of one session only
// the first gets through while its period runs.
func TestSessionsConcurrent(t *testing.T) {
	s := newSessions(64)
	makeBusy(s, "shared")
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range 500 {
				s.ROPs(rpc0, "shared", 1, 100*time.Millisecond, outlook2007)
				s.ROPs(rpc0, fmt.Sprint(g, i), 1, 100*time.Millisecond, outlook2003)
				s.Took(rpc0, time.Duration(g)*time.Millisecond)
				if i%100 == 0 {
					s.Sweep(rpc0)
					s.Publish(DefaultBackoff())
				}
			}
		})
	}
	wg.Wait()
	n := s.Stats()
	if n.ROPs != 2400+8*1000 || n.Sessions != 64 || n.RopBackoffs != 8*500-1 {
		t.Errorf("%+v; want 10400 ROPs, 64 sessions, 3999 backoffs", n)
	}
	if got := s.Latency(rpc0); got != 3500*time.Microsecond {
		t.Errorf("mean latency of 0 to 7 ms: %s, want 3.5ms", got)
	}
}

// In shadow mode all are allowed; what would be, and the counts, are those of
// sessions that are held back.
func TestSessionsInShadow(t *testing.T) {
	o := SessionOptions{Rules: DefaultBackoff(), Most: 10, Seed: maphash.MakeSeed()}
	real := NewSessions(o)
	o.Shadow = true
	shadow := NewSessions(o)
	const latency = 500 * time.Millisecond
	for i := range 6000 {
		at := rpc0.Add(time.Duration(i) * time.Second / 100)
		for id, v := range outlooks() {
			a := real.ROPs(at, id, 1, latency, v)
			if got, want := shadow.ROPs(at, id, 1, latency, v), (Answer{Action: Allow, Would: a.Action}); got != want {
				t.Fatalf("%s at %s: %+v, want %+v", id, at.Sub(rpc0), got, want)
			}
		}
	}
	got, want := shadow.Stats(), real.Stats()
	if got != want || got.RopBackoffs == 0 || got.TooBusy == 0 || got.Delays == 0 {
		t.Errorf("counted %+v, want %+v, and some of each", got, want)
	}
}

// Judging a session that is known allocates nothing.
func TestSessionsAllocate(t *testing.T) {
	s := newSessions(10)
	s.ROPs(rpc0, "known", 1, 100*time.Millisecond, outlook2007)
	i := 0
	if n := testing.AllocsPerRun(1000, func() {
		i++
		s.ROPs(rpc0.Add(time.Duration(i)*time.Millisecond), "known", 1, 100*time.Millisecond, outlook2007)
	}); n != 0 {
		t.Errorf("%g allocations a ROP, want none", n)
	}
}

func BenchmarkSessionsROP(b *testing.B) {
	for _, n := range []int{1, 100_000} {
		b.Run(fmt.Sprint("sessions=", n), func(b *testing.B) {
			s, ids := newSessions(n), make([]string, n)
			for i := range ids {
				ids[i] = fmt.Sprintf("97c0f33d-0000-4000-8000-%012d:1", i)
				s.ROPs(rpc0, ids[i], 1, 50*time.Millisecond, outlook2007)
			}
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				i++
				s.ROPs(rpc0.Add(time.Duration(i)*time.Microsecond), ids[i*7919%n], 1, 150*time.Millisecond, outlook2007)
			}
		})
	}
}
