package gossip

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// A Fact goes from hand to hand, by packet or by state, and waits in each. At
// every hop it is thought as old as it is, or older by a millisecond a hop;
// never younger, never of the future.
func TestAgeIsTrueAfterAnyNumberOfHops(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		first := newBook("mx0")
		told := dawn
		r, _ := first.tell(1, nil, told)
		now := told
		hops := rapid.IntRange(1, 12).Draw(t, "hops")
		for hop := 1; hop <= hops; hop++ {
			now = now.Add(time.Duration(rapid.Int64Range(0, int64(time.Hour)).Draw(t, "waits")))
			w, err := readWord(r.append(nil, now))
			if err != nil {
				t.Fatal(err)
			}
			var o outcome
			if r, o, err = newBook(fmt.Sprint("mx", hop)).hear(w, now); o != fresh || err != nil {
				t.Fatalf("hop %d: outcome %d, %v", hop, o, err)
			}
			older := told.Sub(r.born)
			if older < 0 || older > time.Duration(hop)*time.Millisecond || r.born.After(now) {
				t.Fatalf("hop %d: born %v, told %v", hop, r.born, told)
			}
		}
	})
}

// Whatever comes in, in whatever order, as often as it likes: the beat of a
// name never falls, nothing is born in the future, and two who heard the same
// words in different orders believe the same.
func TestOrderDoesNotMatter(t *testing.T) {
	one := rapid.Custom(func(t *rapid.T) word {
		beat := rapid.Uint64Range(1, 20).Draw(t, "beat")
		// one writer: a beat of a name is one word, always the same
		k := kindFact
		if beat%5 == 0 {
			k = kindBye
		}
		name := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "name")
		age := time.Duration(rapid.Int64Range(0, int64(time.Hour)).Draw(t, "age"))
		return says(k, name, beat, age, fmt.Sprint(name, beat))
	})
	rapid.Check(t, func(t *rapid.T) {
		heard := rapid.SliceOf(one).Draw(t, "words")
		x, y := newBook("own"), newBook("own")
		last := map[string]uint64{}
		for _, w := range heard {
			x.hear(w, dawn)
			for _, h := range x.heard() {
				if h.Beat < last[h.Name] || h.Born.After(dawn) {
					t.Fatalf("%+v after beat %d", h, last[h.Name])
				}
				last[h.Name] = h.Beat
			}
		}
		for _, w := range rapid.Permutation(heard).Draw(t, "order") {
			y.hear(w, dawn)
		}
		if a, b := endOf(x), endOf(y); a != b {
			t.Fatalf("in one order %s, in another %s", a, b)
		}
	})
}

// endOf says what a book believes in the end: the highest word of each name. A
// goodbye may have come before the Facts it outranks, which then are not kept.
func endOf(b *book) string {
	var out []string
	for _, h := range b.heard() {
		e := b.entries[h.Name]
		out = append(out, fmt.Sprint(h.Name, " ", max(h.Beat, e.bye.beat), " ", e.left()))
	}
	return strings.Join(out, ", ")
}
