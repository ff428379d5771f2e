package gossip

import (
	"bytes"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/memberlist"
)

func TestWordComesBackAsItWent(t *testing.T) {
	for _, c := range []struct {
		about string
		kind  kind
		name  string
		beat  uint64
		age   time.Duration
		body  string
		want  time.Duration // age as read
	}{
		{"a Fact just told", kindFact, "mx1", 1, 0, "load", 0},
		{"rounded up, never younger", kindFact, "mx1", 1, time.Nanosecond, "", time.Millisecond},
		{"whole milliseconds stay", kindFact, "mx1", 1, 1500 * time.Millisecond, "x", 1500 * time.Millisecond},
		{"a clock that went back is no age", kindFact, "mx1", 1, -time.Hour, "x", 0},
		{"the oldest there is", kindBye, "mx1", math.MaxUint64, math.MaxInt64, "", math.MaxUint32 * time.Millisecond},
		{"the largest", kindFact, strings.Repeat("n", MaxName), math.MaxUint64, time.Hour, strings.Repeat("x", MaxFact), time.Hour},
	} {
		b := appendWord(nil, c.kind, c.name, c.beat, c.age, []byte(c.body))
		w, err := readWord(b)
		if err != nil || w.kind != c.kind || string(w.name) != c.name || w.beat != c.beat || w.age != c.want || string(w.body) != c.body {
			t.Errorf("%s: read %+v, %v", c.about, w, err)
		}
	}
}

// A word that does not fit a packet waits for ever, so the largest must leave
// room enough for memberlist's own, and for some ordinary ones.
func TestLargestWordsFitAPacket(t *testing.T) {
	packet := memberlist.DefaultLANConfig().UDPBufferSize
	for _, c := range []struct{ name, most int }{
		{63, packet * 3 / 5}, // a label of DNS
		{MaxName, packet * 2 / 3},
	} {
		r := rumour{kindFact, strings.Repeat("n", c.name), math.MaxUint64, time.Time{}, make([]byte, MaxFact)}
		n := len(r.append(nil, time.Time{}))
		t.Logf("name of %d, Fact of %d: %d bytes of %d", c.name, MaxFact, n, packet)
		if n > c.most {
			t.Errorf("name of %d: %d bytes, want at most %d", c.name, n, c.most)
		}
		if n > r.size() {
			t.Errorf("name of %d: %d bytes, more than size says, %d", c.name, n, r.size())
		}
	}
}

// memberlist's queue asks for the length when a word comes in and again when it
// goes out, and skips one that has grown.
func TestAgeDoesNotChangeTheLength(t *testing.T) {
	r := rumour{kindFact, "mx1", 7, time.Unix(0, 0), []byte("load")}
	young := len(r.append(nil, r.born))
	for _, age := range []time.Duration{time.Millisecond, time.Minute, 365 * 24 * time.Hour} {
		if old := len(r.append(nil, r.born.Add(age))); old != young {
			t.Errorf("%d bytes at birth, %d after %v", young, old, age)
		}
	}
}

func TestBadWordsAreRefused(t *testing.T) {
	good := appendWord(nil, kindFact, "mx1", 7, time.Second, []byte("load"))
	with := func(i int, b byte) []byte { c := bytes.Clone(good); c[i] = b; return c }
	for _, c := range []struct {
		about string
		in    []byte
		want  error
	}{
		{"nothing", nil, errMalformed},
		{"a later version", with(0, 2), errUnknown},
		{"a kind of later", with(1, 9), errUnknown},
		{"no kind", with(1, 0), errUnknown},
		{"no name", with(2, 0), errMalformed},
		{"a name beyond the end", with(2, 200), errMalformed},
		{"a name beyond the limit", append([]byte{1, 1, 255}, make([]byte, 300)...), errMalformed},
		{"one byte more", append(bytes.Clone(good), 0), errMalformed},
		{"a body beyond the limit", appendWord(nil, kindFact, "mx1", 7, 0, make([]byte, MaxFact+1)), errMalformed},
	} {
		if _, err := readWord(c.in); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.about, err, c.want)
		}
	}
	for n := range good {
		if _, err := readWord(good[:n]); err == nil {
			t.Errorf("the first %d of %d bytes are taken for a word", n, len(good))
		}
	}
}

func TestStateStepsOverWhatItCannotRead(t *testing.T) {
	a := rumour{kindFact, "a", 1, time.Time{}, nil}
	b := rumour{kindFact, "b", 2, time.Time{}, nil}
	state := appendFramed([]byte{version}, a, time.Time{})
	state = append(state, 4, 99, 1, 1, 'x') // a word of version 99
	state = append(state, 2, version, 1)    // a stump
	state = appendFramed(state, b, time.Time{})
	state = append(state, 200) // a frame longer than what follows

	var got []string
	for w, err := range words(state) {
		switch {
		case errors.Is(err, errUnknown):
			got = append(got, "unknown")
		case err != nil:
			got = append(got, "malformed")
		default:
			got = append(got, string(w.name))
		}
	}
	if want := "a unknown malformed b malformed"; strings.Join(got, " ") != want {
		t.Errorf("read %v, want %s", got, want)
	}
}

func FuzzWord(f *testing.F) {
	f.Add(appendWord(nil, kindFact, "mx1", 7, time.Second, []byte("load")))
	f.Add(appendWord(nil, kindBye, "mx1", math.MaxUint64, time.Hour, nil))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		w, err := readWord(b)
		if err != nil {
			return
		}
		if len(w.name) == 0 || len(w.name) > MaxName || len(w.body) > MaxFact || w.age < 0 {
			t.Fatalf("beyond the limits: %+v", w)
		}
		again, err := readWord(appendWord(nil, w.kind, string(w.name), w.beat, w.age, w.body))
		if err != nil || again.beat != w.beat || again.age != w.age ||
			!bytes.Equal(again.name, w.name) || !bytes.Equal(again.body, w.body) {
			t.Fatalf("%+v came back as %+v, %v", w, again, err)
		}
	})
}

// Whatever a peer sends as its state, ours stays one that peers can read.
func FuzzState(f *testing.F) {
	seed := appendFramed([]byte{version}, rumour{kindFact, "mx1", 7, time.Time{}, []byte("load")}, time.Time{})
	seed = appendFramed(seed, rumour{kindBye, "mx2", 9, time.Time{}, nil}, time.Time{})
	f.Add(appendFramed(seed, rumour{kindClash, "mx3", 0, time.Time{}, []byte("10.0.0.1:1 10.0.0.2:1")}, time.Time{}))
	now := time.Unix(1e9, 0)
	f.Fuzz(func(t *testing.T, state []byte) {
		b := newBook("own")
		for w, err := range words(state) {
			if err == nil {
				b.hear(w, now)
			}
		}
		for w, err := range words(b.appendState(nil, now)) {
			if err != nil || w.beat == 0 {
				t.Fatalf("our state holds %+v, %v", w, err)
			}
		}
	})
}
