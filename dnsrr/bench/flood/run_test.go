package main

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// A world is a server and its clock: whoever looks at the clock or at the server
// makes time pass.
type world struct {
	now     time.Duration
	step    time.Duration // of a look
	each    time.Duration // that the server takes for an answer
	free    time.Duration // when it will be done with all that it has
	lose    int           // every so many is lost; 0 = none
	rcode   byte
	sent    []time.Duration
	most    int // under way at once
	under   int
	lengths []int
}

func (w *world) clock() time.Duration { w.now += w.step; return w.now }

// A wire is one port of a world.
type wire struct {
	*world
	queue []answer
}

type answer struct {
	at time.Duration
	b  []byte
}

func (w *wire) receive() (got [][]byte, err error) {
	w.now += w.step
	for len(w.queue) > 0 && len(got) < batch && w.queue[0].at <= w.now {
		got = append(got, w.queue[0].b)
		w.queue = w.queue[1:]
		w.under--
	}
	return got, nil
}

func (w *wire) send(b []byte, size int) error {
	if len(b)%size != 0 || len(b)/size > batch {
		return errors.New("not a run of queries")
	}
	w.lengths = append(w.lengths, len(b)/size)
	for q := range slices.Chunk(b, size) {
		w.sent = append(w.sent, w.now)
		if w.lose > 0 && len(w.sent)%w.lose == 0 {
			continue
		}
		w.under++
		w.most = max(w.most, w.under)
		w.free = max(w.free, w.now) + w.each
		r := reply(q, 2)
		r[3] |= w.rcode
		w.queue = append(w.queue, answer{w.free, r})
	}
	return nil
}

func (w *world) links(n int) (list []link) {
	for range n {
		list = append(list, &wire{world: w})
	}
	return list
}

func (w *world) load(t testing.TB, l load) load {
	q, err := newQuestion("mail.test", edns{}, true)
	if err != nil {
		t.Fatal(err)
	}
	l.q, l.clock = q, w.clock
	if l.patience == 0 {
		l.patience = 50 * time.Millisecond
	}
	return l
}

// The window is kept full, and never more: a server that is slower than the
// client is always busy.
func TestClosedKeepsTheServerBusy(t *testing.T) {
	w := &world{step: 100 * time.Nanosecond, each: 5 * time.Microsecond}
	got, err := w.load(t, load{window: 100, length: 100 * time.Millisecond}).run(w.links(16))
	if err != nil {
		t.Fatal(err)
	}
	if w.most != 100 {
		t.Errorf("%d under way, want 100", w.most)
	}
	if got.Lost+got.Errors+got.Stray > 0 || got.Answered != got.Sent || got.Answered != len(w.sent) || got.Records != 2*got.Answered {
		t.Errorf("got %+v, of %d sent", got, len(w.sent))
	}
	if rate := float64(got.InTime) / got.Took.Seconds(); math.Abs(rate/200_000-1) > 0.01 {
		t.Errorf("got %.0f a second, want 200000", rate)
	}
	if got.P50 < 480*time.Microsecond || got.P50 > 520*time.Microsecond {
		t.Errorf("got a median of %s, want the window divided by the rate, 500µs", got.P50)
	}
}

// What is lost comes back into the window when nobody would wait any more.
func TestLossesAreCounted(t *testing.T) {
	w := &world{step: time.Microsecond, each: 5 * time.Microsecond, lose: 100}
	got, err := w.load(t, load{window: 64, length: 300 * time.Millisecond, patience: 10 * time.Millisecond}).run(w.links(16))
	if err != nil || got.Lost != len(w.sent)/100 || got.Lost < 50 || got.Answered != got.Sent-got.Lost {
		t.Errorf("got %+v, %v, of %d sent", got, err, len(w.sent))
	}
}

// Answers that come when they were given up are not taken for those of others.
func TestLateAnswersAreStray(t *testing.T) {
	w := &world{step: 10 * time.Microsecond, each: time.Millisecond}
	got, err := w.load(t, load{window: 64, length: 100 * time.Millisecond, patience: 8 * time.Millisecond}).run(w.links(16))
	if err != nil || got.Stray == 0 || got.Errors > 0 || got.Answered+got.Lost != got.Sent || got.P99 > 11*time.Millisecond {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestRefusalsAreErrors(t *testing.T) {
	w := &world{step: time.Microsecond, each: time.Microsecond, rcode: 5}
	got, err := w.load(t, load{window: 16, length: time.Millisecond}).run(w.links(16))
	if err != nil || got.Errors != got.Answered || got.Errors == 0 || got.Error != errRcode.Error() {
		t.Errorf("got %+v, %v", got, err)
	}
}

// Queries go out at their rate, one by one and each from the next port.
func TestOpenKeepsTheRate(t *testing.T) {
	w := &world{step: 200 * time.Nanosecond, each: 7 * time.Microsecond}
	got, err := w.load(t, load{rate: 10_000, length: 100 * time.Millisecond}).run(w.links(16))
	if err != nil || got.Sent < 999 || got.Sent > 1000 || got.Answered != got.Sent || got.Late > 0 {
		t.Fatalf("got %+v, %v", got, err)
	}
	for i, at := range w.sent {
		if late := at - time.Duration(i+1)*100*time.Microsecond; late < 0 || late > 10*time.Microsecond {
			t.Fatalf("query %d left at %s", i, at)
		}
	}
	if slices.Max(w.lengths) != 1 || got.P50 < 7*time.Microsecond || got.P99 > 12*time.Microsecond {
		t.Errorf("got %+v", got)
	}
}

// A server that stands still for a while is charged with all that was due
// meanwhile, though the client stood still with it.
func TestOpenChargesForStandingStill(t *testing.T) {
	w := &world{step: 200 * time.Nanosecond, each: time.Microsecond}
	l := w.load(t, load{rate: 10_000, length: 100 * time.Millisecond})
	still := false
	l.clock = func() time.Duration {
		if w.now > 50*time.Millisecond && !still {
			still = true
			w.now += 10 * time.Millisecond
		}
		return w.clock()
	}
	got, err := l.run(w.links(16))
	if err != nil || got.Answered < 999 {
		t.Fatalf("got %+v, %v", got, err)
	}
	if late := 9 * time.Millisecond; got.P99 < late || got.Mean < 400*time.Microsecond || got.Late < 85 || got.Late > 95 {
		t.Errorf("got p99 %s, mean %s, %d late", got.P99, got.Mean, got.Late)
	}
}

// More than its slots does no flow have under way; what does not fit is lost.
func TestOpenGivesUp(t *testing.T) {
	w := &world{step: time.Microsecond, each: time.Second}
	got, err := w.load(t, load{rate: 100_000, length: 20 * time.Millisecond}).run(w.links(2))
	if err != nil || w.most != 2*slots || got.Lost != got.Sent || got.Sent < 1999 {
		t.Errorf("got %+v, %v, %d under way", got, err, w.most)
	}
}

type broken struct{ *wire }

func (broken) receive() ([][]byte, error) { return nil, errors.New("refused") }

func TestBrokenSocketsEndTheRun(t *testing.T) {
	w := &world{step: time.Microsecond}
	if _, err := w.load(t, load{window: 1, length: time.Second}).run([]link{broken{&wire{world: w}}}); err == nil {
		t.Error("want an error")
	}
}

// Ids are of one query each, as long as 256 uses of a slot do not pass.
func TestSlots(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q, err := newQuestion("a", edns{}, false)
		if err != nil {
			t.Fatal(err)
		}
		f, sum := newFlow(), new(tally)
		under := map[uint16]bool{}
		b := make([]byte, len(q.octets))
		t.Repeat(map[string]func(*rapid.T){
			"ask": func(t *rapid.T) {
				id, ok := f.ask(0, 0)
				if ok == (len(under) == slots) || under[id] {
					t.Fatalf("got id %d, %t with %d under way", id, ok, len(under))
				}
				if ok {
					under[id] = true
				}
			},
			"hear": func(t *rapid.T) {
				id := rapid.Uint16().Draw(t, "id")
				if ids := keys(under); len(ids) > 0 && rapid.Bool().Draw(t, "known") {
					id = rapid.SampledFrom(ids).Draw(t, "of")
				}
				q.put(b, id, 0)
				before := *sum
				f.hear(q, reply(b, 1), 0, sum)
				if (sum.Answered > before.Answered) != under[id] || (sum.Stray > before.Stray) == under[id] {
					t.Fatalf("id %d, under way: %t", id, under[id])
				}
				delete(under, id)
			},
			"": func(t *rapid.T) {
				if f.underway() != len(under) {
					t.Fatalf("got %d under way, want %d", f.underway(), len(under))
				}
			},
		})
	})
}

func keys(m map[uint16]bool) (list []uint16) {
	for id := range m {
		list = append(list, id)
	}
	slices.Sort(list)
	return list
}

// Steps lie behind each other, and are no wider than 1/32 of what is in them.
func TestSteps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := time.Duration(rapid.Int64Range(0, math.MaxInt64>>1).Draw(t, "d"))
		i := step(d)
		if low, high := floor(i), floor(i+1); d < low || d >= high || high-low > max(1, low/32) {
			t.Fatalf("%d is in step %d, %d to %d", d, i, low, high)
		}
	})
	var h histogram
	for i := range 1000 {
		h.add(time.Duration(i+1) * time.Microsecond)
	}
	for q, want := range map[float64]time.Duration{0.5: 500 * time.Microsecond, 0.99: 990 * time.Microsecond} {
		if got := h.quantile(q, 1000); math.Abs(float64(got)/float64(want)-1) > 0.03 {
			t.Errorf("%v: got %s, want %s", q, got, want)
		}
	}
	if got := new(histogram).quantile(0.5, 0); got != 0 {
		t.Errorf("of none: got %s", got)
	}
}

// The loop allocates nothing once it runs, or its collector would be measured.
func TestTheLoopDoesNotAllocate(t *testing.T) {
	q, err := newQuestion("mail.test", edns{}, true)
	if err != nil {
		t.Fatal(err)
	}
	f, sum, b := newFlow(), new(tally), make([]byte, len(q.octets))
	if n := testing.AllocsPerRun(1000, func() {
		id, _ := f.ask(0, 3)
		q.put(b, id, 3)
		b[2] |= flagQR
		f.hear(q, b, 1, sum)
	}); n != 0 || sum.Errors > 0 || binary.BigEndian.Uint16(b) == 0 {
		t.Errorf("%v allocations, %+v", n, sum)
	}
}
