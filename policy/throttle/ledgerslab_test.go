package throttle

import (
	"strconv"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// all opens requests of c until one is refused.
func all(l *Ledger, now time.Time, c Caller, a Ask) (open []Ticket, last Verdict) {
	for {
		tk, v := l.Check(now, c, a)
		if tk == 0 {
			return open, v
		}
		open = append(open, tk)
	}
}

// No caller leaves no room to others: not with requests that hang, of which
// most components have no limit.
func TestOneIsNotAll(t *testing.T) {
	for room, want := range map[int]int{65536: 4096, 100: 64} {
		for _, hangs := range []bool{false, true} {
			l := ledgerOf(open(), Options{Budgets: 64, Open: room}) // one shard, which has slabs enough
			a := Ask{Hanging: hangs, CPU: -1}
			_, part := a.gauge()
			tickets, v := all(l, day, Caller{"hog", EAS}, a)
			if want := (Verdict{Part: part, Limit: int64(want)}); v != want || len(tickets) != int(want.Limit) {
				t.Errorf("of %d, hanging %t: %d open, then %+v, want %+v", room, hangs, len(tickets), v, want)
			}
			if got := l.Throttled(day, 9); len(got) != 1 || got[0].Part != part || got[0].Action != Deny || got[0].Limit != int64(want) {
				t.Errorf("hanging %t, in the list: %+v", hangs, got)
			}
			a.Hanging = !hangs
			_, part = a.gauge()
			if _, v := l.Check(day, Caller{"hog", EAS}, a); v.Action != Deny || v.Part != part || v.Limit != int64(want) {
				t.Errorf("of the other kind: %+v", v)
			}
			if n := l.Stats().Crowded; n != 0 {
				t.Errorf("%d found no room, want none: it is his own that is used up", n)
			}
			l.Done(day, tickets[0], Cost{})
			if _, v := l.Check(day, Caller{"hog", EAS}, a); v.Action != Allow || len(l.Throttled(day, 9)) != 0 {
				t.Errorf("when one has ended: %+v", v)
			}
			if _, v := l.Check(day, Caller{"other", EAS}, a); v.Action != Allow {
				t.Errorf("another: %+v", v)
			}
		}
	}
}

// Who has as many open as one may is judged by his policy first, and then by his
// share: front ends may be lenient with whom there is no room for, and he is none.
func TestGreedyIsJudged(t *testing.T) {
	limits := bucket(300000, 0, 3000000)
	for _, shards := range []int{1, 64} { // of one slab each: there is no room either
		l := ledgerOf(limits, Options{Budgets: 64 * shards, Open: 100})
		all(l, day, john, quiet())
		if _, v := l.Check(day.Add(time.Minute), john, quiet()); v.Action != Deny || v.Part != LocalTime {
			t.Errorf("locked out, and 64 open: %+v", v)
		}
		if _, v := all(ledgerOf(open(), Options{Budgets: 64 * shards, Open: 100}), day, john, quiet()); v != (Verdict{Part: Concurrency, Limit: 64}) {
			t.Errorf("without limits, and 64 open: %+v", v)
		}
	}
	shadow := ledgerOf(limits, Options{Budgets: 64, Open: 100, Shadow: true})
	all(shadow, day, john, quiet())
	if tk, v := shadow.Check(day.Add(time.Second), john, quiet()); tk != 0 || v.Action != Allow || v.Would != Deny || v.Part != Concurrency {
		t.Errorf("in shadow mode: %x, %+v", tk, v)
	}
}

// What was open once is there for others when it has ended.
func TestSlabsAreGivenBack(t *testing.T) {
	l := ledgerOf(open(), Options{Budgets: 100_000, Open: 65536})
	for i := range 20 {
		tickets, _ := all(l, day, Caller{strconv.Itoa(i), EAS}, quiet())
		for _, tk := range tickets {
			l.Done(day, tk, Cost{})
		}
	}
	if got := l.slabs.used.Load(); got != 0 {
		t.Errorf("%d slabs are kept, with nothing open", got)
	}
	refused := 0
	for i := range 10_000 {
		if tk, _ := l.Check(day, Caller{"other" + strconv.Itoa(i), EWS}, quiet()); tk == 0 {
			refused++
		}
	}
	if refused != 0 {
		t.Errorf("of 10000 others with a request each %d were refused", refused)
	}
}

// A slab that was given back hides none of those behind it.
func TestSweepBehindAGap(t *testing.T) {
	l := ledgerOf(open(), Options{Budgets: 64, Open: 1024})
	tickets, _ := all(l, day, john, quiet()) // a slab
	anna, _ := l.Check(day, Caller{"anna", EWS}, quiet())
	for _, tk := range tickets {
		l.Done(day, tk, Cost{})
	}
	if got := l.Sweep(day.Add(10 * time.Minute)); got.Released != 1 || l.Done(day, anna, Cost{}) {
		t.Errorf("got %+v", got)
	}
}

// Slots against a plain map: tickets come and go in any order, each is known
// until it is given back, no two slots are one, and no more slabs are held than
// have something in them.
func TestSlotsAreModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		more := &bounded{most: 5}
		var q requests
		q.init(3, 99)
		open, gone := map[Ticket]*request{}, map[Ticket]bool{}
		var order []Ticket
		t.Repeat(map[string]func(*rapid.T){
			"take": func(t *rapid.T) {
				for range rapid.IntRange(1, 200).Draw(t, "n") {
					if !q.spare(more) {
						if q.n != 6*perSlab {
							t.Fatalf("no room, with %d open", q.n)
						}
						return
					}
					r, tk := q.take()
					check := r.check
					if r.check = 0; *r != (request{}) {
						t.Fatalf("not new: %+v", r)
					}
					if r.check = check; open[tk] != nil || gone[tk] || tk.shard() != 3 {
						t.Fatalf("%x is given twice", tk)
					}
					r.limits, r.spent = new(Limits), time.Duration(tk)
					open[tk], order = r, append(order, tk)
				}
			},
			"give": func(t *rapid.T) {
				for range rapid.IntRange(1, 200).Draw(t, "n") {
					if len(order) == 0 {
						return
					}
					i := rapid.IntRange(0, len(order)-1).Draw(t, "which")
					tk := order[i]
					order[i] = order[len(order)-1]
					order = order[:len(order)-1]
					q.give(tk.slot(), more)
					delete(open, tk)
					gone[tk] = true
				}
			},
			"": func(t *rapid.T) {
				slabs := map[uint32]bool{}
				for tk, r := range open {
					slabs[tk.slot()/perSlab] = true
					if q.get(tk) != r || r.spent != time.Duration(tk) {
						t.Fatalf("%x is not known", tk)
					}
				}
				for tk := range gone {
					if q.get(tk) != nil {
						t.Fatalf("%x is known", tk)
					}
				}
				if live := len(q.slabs) - len(q.gone); live > max(1, len(slabs)) || q.n != len(open) || int(more.used.Load()) != max(0, live-1) {
					t.Fatalf("%d slabs, %d taken, %d open; %d with any", live, more.used.Load(), q.n, len(slabs))
				}
			},
		})
	})
}

// A ticket is not given twice before its shard has given out four billion: from a
// word the count can be told, by going back, so that no two counts have one word.
func TestWordsAreAPermutation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := requests{secret: rapid.Uint64().Draw(t, "secret"), count: rapid.Uint32().Draw(t, "count")}
		w := q.word()
		if w == 0 {
			t.Fatal("0 is no word")
		}
		l, r := uint16(w>>16), uint16(w)
		for i := range uint64(4) {
			l, r = r^q.mixed(l, 3-i), l
		}
		if got := uint32(l)<<16 | uint32(r); got != q.count {
			t.Fatalf("%x is of %d, and of %d", w, q.count, got)
		}
	})
}
