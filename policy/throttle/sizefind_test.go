package throttle

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

// Whatever the guess, what is found is enough, and one less is not.
func TestFirstThat(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.OneOf(rapid.Int64Range(0, 20), rapid.Int64Range(0, mostWritten-1)).Draw(t, "least")
		guess := rapid.OneOf(rapid.Int64Range(1, 20), rapid.Int64Range(1, mostWritten), rapid.Just(max(1, want))).Draw(t, "guess")
		if got := firstThat(guess, func(n int64) bool { return n >= want }); got != want {
			t.Fatalf("got %d, want %d", got, want)
		}
	})
	if got := firstThat(5, func(int64) bool { return false }); got != mostWritten {
		t.Errorf("nothing is enough: got %d, want %d", got, int64(mostWritten))
	}
}

// A recharge is found in a few walks, however many requests there are: else a
// million of them take minutes.
func TestGuessIsNear(t *testing.T) {
	uses := every(5000, 700*time.Millisecond, time.Second)
	e := whose(t, Exchange2013, nil)
	b := bucketOf{w: newWalk(uses, e.Limits(EWS), EWS)}
	for _, burst := range []int64{1000, 60_000, 300_000} {
		guess, want := b.guess(burst*int64(time.Millisecond)), b.recharge(burst)
		if off := guess - want; off < -100 || off > 100 {
			t.Errorf("burst %d: the guess is %d, and %d is right", burst, guess, want)
		}
	}
}

// Of requests whose beginning is known to a second only nobody knows whether they
// were at once: none is refused for it, and nothing is sized by it. They are charged.
func TestRoughIsNotAtOnce(t *testing.T) {
	var uses []Use
	for range 40 {
		uses = append(uses, Use{Open: 20 * time.Second, Charged: 20 * time.Second, Rough: true})
	}
	s := Size(uses, whose(t, Exchange2013, nil), EWS)
	for _, n := range s.Needs {
		if part := n.Parameter.Part(); part != LocalTime {
			t.Errorf("%v is sized: %d", n.Parameter, n.Least)
		}
	}
	for _, r := range s.Throttled {
		if r.Part != LocalTime {
			t.Errorf("throttled %+v", r)
		}
	}
	if u := s.Nodes[0]; u.AtOnce.N != 40 || u.Sure != 0 || u.Charged != 800*time.Second {
		t.Errorf("got %+v, want up to 40 at once, surely none, and all charged", u)
	}
	fine := Size(append(uses, Use{Start: time.Second, Open: time.Second}), whose(t, Exchange2013, nil), EWS)
	if got := fine.Needs[0]; got.Parameter.Part() != Concurrency || got.Least != 1 {
		t.Errorf("got %+v, want one at once: of the one that is known", got)
	}
}

// With what is raised nothing is throttled, nothing is lowered, and where nothing is
// throttled nothing is raised.
func TestRaise(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		uses := anyUses(t)
		g, values, c := anyPolicy(t)
		s := Size(uses, whose(t, g, values), c)
		raise := s.Raise()
		if len(raise) > 0 != (len(s.Throttled) > 0) {
			t.Fatalf("%d throttled, and raised are %v", len(s.Throttled), raise)
		}
		for _, n := range raise {
			if has, ok := n.Present.limit(); !ok || n.Write <= has {
				t.Fatalf("%v: from %v to %d", n.Parameter, n.Present, n.Write)
			}
		}
		for what, number := range map[string]func(Need) int64{"least": least, "write": func(n Need) int64 { return n.Write }} {
			e := whose(t, g, with(values, raise, -1, number))
			if got := Replay(uses, e.Limits(c), c); len(got) > 0 {
				t.Fatalf("%s of %v throttles: %+v", what, raise, got)
			}
		}
	})
}

// Whose a policy is: one's own only where nobody else has it or comes to it.
func TestAlone(t *testing.T) {
	regular := func(name string) Policy { return Policy{Name: name} }
	b, err := Compile(File{
		Policies: []Policy{{Name: "Org", Scope: Organization}, regular("Mine"), regular("Ours"), regular("Idle")},
		Users:    map[string]string{"a@c.example": "mine", "b@c.example": "Ours", "d@c.example": "CN=x", "e@c.example": "Ours", "f@c.example": "Org", "g@c.example": ""},
	})
	if err != nil {
		t.Fatal(err)
	}
	for caller, want := range map[string]bool{"a@c.example": true, "b@c.example": false, "d@c.example": false, "f@c.example": false, "g@c.example": false, "z@c.example": false} {
		if got := b.Alone(caller); got != want {
			t.Errorf("%s: got %v, want %v", caller, got, want)
		}
	}
	if b, err = Compile(File{Policies: []Policy{regular("Mine")}, Default: "Mine", Users: map[string]string{"a@c.example": "Mine"}}); err != nil || b.Alone("a@c.example") {
		t.Errorf("everyone has it by default: %v", err)
	}
}

func TestRoundCount(t *testing.T) {
	for n, want := range map[int64]int64{0: 0, 7: 7, 99: 99, 100: 100, 101: 110, 337_000: 340_000, 1_230_001: 1_300_000} {
		if got := roundCount(n); got != want {
			t.Errorf("%d: got %d, want %d", n, got, want)
		}
	}
}

func BenchmarkSize(b *testing.B) {
	uses := every(100_000, 700*time.Millisecond, time.Second)
	e := whose(b, Exchange2013, nil)
	for b.Loop() {
		Size(uses, e, EWS)
	}
}
