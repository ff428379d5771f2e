package gossip

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

var dawn = time.Unix(1e9, 0)

// says is a word as it comes in.
func says(k kind, name string, beat uint64, age time.Duration, body string) word {
	return word{k, []byte(name), beat, age, []byte(body)}
}

func TestTheHigherBeatWins(t *testing.T) {
	b := newBook("own")
	for i, step := range []struct {
		word word
		want outcome
		now  string // what is believed of mx1 after
	}{
		{says(kindFact, "mx1", 5, 0, "e"), fresh, "5 e"},
		{says(kindFact, "mx1", 5, 0, "f"), stale, "5 e"}, // the same beat is the same Fact
		{says(kindFact, "mx1", 4, 0, "d"), stale, "5 e"},
		{says(kindFact, "mx1", 6, time.Hour, "f"), fresh, "6 f"}, // age decides nothing
		{says(kindBye, "mx1", 7, 0, ""), fresh, "6 f left"},
		{says(kindFact, "mx1", 7, 0, "g"), stale, "6 f left"},
		{says(kindBye, "mx1", 7, 0, ""), stale, "6 f left"},
		{says(kindFact, "mx1", 8, 0, "h"), fresh, "8 h"}, // back
		{says(kindBye, "mx1", 7, 0, ""), stale, "8 h"},   // an old goodbye on its way round
		{says(kindFact, "own", 9, 0, "x"), echo, "8 h"},
	} {
		_, got, err := b.hear(step.word, dawn)
		h := b.heard()[0]
		now := fmt.Sprintf("%d %s", h.Beat, h.Fact)
		if h.Left {
			now += " left"
		}
		if got != step.want || err != nil || now != step.now {
			t.Errorf("step %d: outcome %d, %v, then %q; want %d, %q", i, got, err, now, step.want, step.now)
		}
	}
	if len(b.heard()) != 1 || b.ownBeat != 9 {
		t.Errorf("heard %d others and own beat %d, want 1 and 9", len(b.heard()), b.ownBeat)
	}
}

func TestWordsThatSayNothing(t *testing.T) {
	for _, w := range []word{
		says(kindFact, "mx1", 0, 0, "x"),
		says(kindClash, "mx1", 0, 0, ""),
		says(kindClash, "mx1", 0, 0, "10.0.0.1:1"),
		says(kindClash, "mx1", 0, 0, "10.0.0.1:1 10.0.0.1:1"),
		says(kindClash, "mx1", 0, 0, "10.0.0.1:1 mx2"),
	} {
		if _, _, err := newBook("own").hear(w, dawn); !errors.Is(err, errMalformed) {
			t.Errorf("%d of %q: %v, want malformed", w.kind, w.body, err)
		}
	}
}

// What this node tells comes back to it all the time, and only what it did not
// tell is of a former self.
func TestOwnBeatIsOfTheFormerSelf(t *testing.T) {
	b := newBook("own")
	if _, err := b.tell(100, nil, dawn); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct{ heard, want uint64 }{{99, 0}, {100, 0}, {170, 170}, {150, 170}} {
		b.hear(says(kindFact, "own", step.heard, 0, ""), dawn)
		if b.ownBeat != step.want {
			t.Errorf("heard %d: own beat %d, want %d", step.heard, b.ownBeat, step.want)
		}
	}
	if r, err := b.goodbye(dawn); err != nil || r.beat != 171 {
		t.Errorf("goodbye with beat %d, %v; want one above all, 171", r.beat, err)
	}
}

func TestTellRefuses(t *testing.T) {
	b := newBook("own")
	b.tell(5, []byte("e"), dawn)
	for _, c := range []struct {
		about string
		beat  uint64
		size  int
		want  error
	}{
		{"the largest", 6, MaxFact, nil},
		{"one byte more", 7, MaxFact + 1, ErrTooLarge},
		{"the same beat", 6, 1, ErrOldBeat},
		{"an older beat", 5, 1, ErrOldBeat},
		{"no beat", 0, 1, ErrOldBeat},
	} {
		if _, err := b.tell(c.beat, make([]byte, c.size), dawn); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.about, err, c.want)
		}
	}
	b.goodbye(dawn)
	if _, err := b.tell(9, nil, dawn); !errors.Is(err, ErrLeft) {
		t.Errorf("after the goodbye: %v, want %v", err, ErrLeft)
	}
}

func TestTheCallersBytesAreNotKept(t *testing.T) {
	b := newBook("own")
	fact := []byte("load")
	r, _ := b.tell(1, fact, dawn)
	fact[0] = 'X'
	if string(r.body) != "load" {
		t.Errorf("told %q, want load", r.body)
	}
	w := says(kindFact, "mx1", 1, 0, "load")
	b.hear(w, dawn)
	w.body[0] = 'X'
	if got := b.heard()[0].Fact; string(got) != "load" {
		t.Errorf("heard %q, want load", got)
	}
}

// One alarm about a clash calls another only after a pause, and the clash ends
// when no one has seen it for a while.
func TestClashLastsAndIsNotRepeated(t *testing.T) {
	b := newBook("own")
	alarm := func(age time.Duration) word { return says(kindClash, "mx1", 0, age, "10.0.0.2:1 10.0.0.1:1") }
	b.hear(says(kindFact, "mx1", 1, 0, "a"), dawn)
	for _, step := range []struct {
		at    time.Duration
		word  word
		want  outcome
		until time.Duration // when the conflict ends
	}{
		{0, alarm(clashHold), stale, 0}, // over before it was heard
		{0, says(kindFact, "mx1", 2, 0, "b"), fresh, 0},
		{time.Second, alarm(time.Second), fresh, clashHold},
		{time.Second, alarm(0), stale, clashHold}, // from another witness
		{2 * time.Second, says(kindFact, "mx1", 3, 0, "c"), held, clashHold},
		{2 * time.Second, says(kindBye, "mx1", 4, 0, ""), held, clashHold},
		{10 * time.Second, alarm(0), fresh, 10*time.Second + clashHold},
		{10*time.Second + clashHold, says(kindFact, "mx1", 5, 0, "d"), fresh, 0},
	} {
		now := dawn.Add(step.at)
		if _, got, err := b.hear(step.word, now); got != step.want || err != nil {
			t.Errorf("at %v: outcome %d, %v; want %d", step.at, got, err, step.want)
		}
		if step.until == 0 {
			continue
		}
		if !b.clashing("mx1", dawn.Add(step.until-1)) || b.clashing("mx1", dawn.Add(step.until)) {
			t.Errorf("at %v: the conflict does not end at %v", step.at, step.until)
		}
	}
}

func TestClashOfTheDeadIsNone(t *testing.T) {
	b := newBook("own")
	if _, o := b.witness("mx1", seat(1), seat(2), dawn); o != stale {
		t.Errorf("a name not known clashes: %d", o)
	}
	b.join("mx1", seat(1), dawn)
	b.leave("mx1", dawn)
	if _, o := b.witness("mx1", seat(1), seat(2), dawn); o != stale {
		t.Errorf("a dead one clashes: %d", o)
	}
	b.join("mx1", seat(1), dawn)
	if _, o := b.witness("mx1", seat(1), seat(2), dawn); o != fresh {
		t.Errorf("a living one does not: %d", o)
	}
}

func TestNothingOfAClashingNameIsInTheState(t *testing.T) {
	b := newBook("own")
	b.tell(1, nil, dawn)
	b.hear(says(kindFact, "mx1", 1, 0, ""), dawn)
	b.hear(says(kindFact, "mx2", 1, 0, ""), dawn)
	for _, name := range []string{"own", "mx1"} {
		b.hear(says(kindClash, name, 0, 0, "10.0.0.1:1 10.0.0.2:1"), dawn)
	}
	if got := namesIn(b.appendState(nil, dawn)); got != "mx2" {
		t.Errorf("the state tells of %q, want mx2", got)
	}
	if got := b.conflicts(dawn); len(got) != 2 || got[0].Name != "own" {
		t.Errorf("conflicts %v, want the own one first of two", got)
	}
}

func namesIn(state []byte) string {
	var names []string
	for w := range words(state) {
		names = append(names, string(w.name))
	}
	return strings.Join(names, " ")
}

func TestForgetting(t *testing.T) {
	b := newBook("own")
	b.hear(says(kindFact, "said", 1, keep/2, ""), dawn)
	b.join("member", seat(1), dawn)
	b.join("failed", seat(2), dawn)
	b.leave("failed", dawn)
	b.hear(says(kindClash, "mx1", 0, 0, "10.0.0.1:1 10.0.0.2:1"), dawn)
	for _, step := range []struct {
		at   time.Duration
		want string
	}{
		{keep/2 - 1, "failed member said"},
		{keep / 2, "failed member"},
		{keep, "member"},
		{100 * keep, "member"},
	} {
		b.forget(dawn.Add(step.at))
		var names []string
		for _, h := range b.heard() {
			names = append(names, h.Name)
		}
		if got := strings.Join(names, " "); got != step.want {
			t.Errorf("after %v: %q is known, want %q", step.at, got, step.want)
		}
	}
	if len(b.clashes) != 0 {
		t.Error("a conflict of long ago is kept")
	}
	if _, o, _ := b.hear(says(kindFact, "said", 1, keep, ""), dawn.Add(keep)); o != stale {
		t.Error("what was forgotten is learnt again from who was slower to forget")
	}
}

func TestTheBookIsBounded(t *testing.T) {
	b := newBook("own")
	for i := range maxNames + 10 {
		b.hear(says(kindFact, fmt.Sprint(i), 1, 0, ""), dawn)
		b.hear(says(kindClash, fmt.Sprint("c", i), 0, 0, "10.0.0.1:1 10.0.0.2:1"), dawn)
	}
	if len(b.entries) != maxNames || len(b.clashes) != maxClashes {
		t.Errorf("%d names and %d clashes, want %d and %d", len(b.entries), len(b.clashes), maxNames, maxClashes)
	}
	if _, o, _ := b.hear(says(kindFact, "0", 2, 0, ""), dawn); o != fresh {
		t.Error("a full book no longer hears whom it knows")
	}
}
