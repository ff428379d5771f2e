package throttle

import (
	"runtime"
	"strconv"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"
)

// usual is a policy of 2013 and later with the values of a fresh install for EWS.
func usual() *Limits {
	l := open()
	l.Max[gaugeConcurrency] = 27
	l.Rate[rateLocal] = Rate{Cap: int64(300 * time.Second), Refill: int64(900 * time.Second), Per: time.Hour}
	l.Cutoff, l.MaxDelay, l.Multiplier = 3000*time.Second, time.Minute, 5
	return l
}

// open are limits without a limit.
func open() *Limits {
	l := &Limits{Cutoff: -1, CPUStart: -1}
	for i := range l.Max {
		l.Max[i] = Unlimited
	}
	for i := range l.Rate {
		l.Rate[i].Unlimited = true
	}
	return l
}

// A sid is a name as long as those of domain accounts, 44 bytes. It is written
// anew for each decision in the same place, as a front end reads it from a request.
type sid []byte

func newSID() sid { return []byte("S-1-5-21-1004336348-1177238915-682003330-1xxx"[:44]) }

// number is the name of caller i, good until the next.
func (s sid) number(i uint64) string {
	const digits = "0123456789abcdef"
	for k := range 8 {
		s[36-k] = digits[i>>(4*k)&15]
	}
	return unsafe.String(&s[0], len(s))
}

// filled is a Ledger with so many callers of component c, all parts of whom are
// in use.
func filled(keys int, c Component) *Ledger {
	l := ledgerOf(usual(), Options{Budgets: keys})
	name := newSID()
	for i := range keys {
		c := Caller{name.number(uint64(i)), c}
		t, _ := l.Check(day, c, Ask{CPU: -1, Spend: Spend{DeviceDeletes: 1}})
		l.Done(day.Add(time.Second), t, Cost{AD: 1e6, AB: 1e6, RPC: 1e6})
		l.Hold(day, c, Devices, 1)
	}
	return l
}

func BenchmarkDecision(b *testing.B) {
	const keys = 100_000
	l := filled(keys, EWS)
	b.Run("keys="+strconv.Itoa(keys), func(b *testing.B) {
		var readers atomic.Uint64
		b.ReportAllocs()
		b.RunParallel(func(pb *testing.PB) {
			r, at, name := readers.Add(1)*0x9e3779b97f4a7c15, day, newSID()
			for pb.Next() {
				r ^= r << 13
				r ^= r >> 7
				r ^= r << 17
				at = at.Add(time.Microsecond)
				t, _ := l.Check(at, Caller{name.number(r % keys), EWS}, Ask{CPU: 0.1})
				l.Done(at, t, Cost{})
			}
		})
	})
}

// What a lock is held for at most while callers come, of a million: until an
// index has grown.
func BenchmarkGrow(b *testing.B) {
	l := filled(1_000_000, EWS)
	s := &l.shards[0]
	for b.Loop() {
		s.rehash(len(s.index))
	}
}

// A whole sweep of a million, with nothing to do but look.
func BenchmarkSweep(b *testing.B) {
	l := filled(1_000_000, EAS)
	for b.Loop() {
		l.Sweep(day.Add(time.Hour))
	}
}

func BenchmarkTop(b *testing.B) {
	l := filled(1_000_000, EAS)
	for b.Loop() {
		l.Top(day, 10, LocalTime)
	}
}

// What a million budgets cost, all parts of which are in use, by how much the
// heap has grown.
func BenchmarkMemory(b *testing.B) {
	const keys = 1_000_000
	for b.Loop() {
		before := heap()
		l := filled(keys, EAS)
		grown := heap() - before
		if n := l.Stats().Budgets; n != keys || l.Budget(day, Caller{newSID().number(7), EAS}).Held[gaugeOwn] != 1 {
			b.Fatalf("%d budgets", n)
		}
		b.ReportMetric(float64(grown)/keys, "B/key")
	}
}

func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
