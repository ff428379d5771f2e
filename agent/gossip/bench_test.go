package gossip

import (
	"fmt"
	"testing"
	"time"
)

// A Fact as the farm sends it: 64 bytes under a short name.
var sample = rumour{kindFact, "ex01", 1_700_000_000_000, time.Unix(1e9, 0), make([]byte, 64)}

func BenchmarkAppendWord(b *testing.B) {
	b.ReportAllocs()
	buf := make([]byte, 0, sample.size())
	now := sample.born.Add(time.Second)
	for b.Loop() {
		buf = sample.append(buf[:0], now)
	}
}

func BenchmarkReadWord(b *testing.B) {
	b.ReportAllocs()
	in := sample.append(nil, time.Now())
	for b.Loop() {
		if _, err := readWord(in); err != nil {
			b.Fatal(err)
		}
	}
}

// farmBook knows n others.
func farmBook(n int) *book {
	b := newBook("own")
	for i := range n {
		b.join(fmt.Sprintf("ex%02d", i), seat(i), dawn)
		b.hear(says(kindFact, fmt.Sprintf("ex%02d", i), 1_700_000_000_000, 0, string(sample.body)), dawn)
	}
	return b
}

// Hearing what is known already is the most frequent of all: every Fact comes
// several times.
func BenchmarkHearStale(b *testing.B) {
	b.ReportAllocs()
	book := farmBook(100)
	w := says(kindFact, "ex42", 1_700_000_000_000, 0, string(sample.body))
	for b.Loop() {
		if _, o, _ := book.hear(w, dawn); o != stale {
			b.Fatal(o)
		}
	}
}

func BenchmarkHearFresh(b *testing.B) {
	b.ReportAllocs()
	book := farmBook(100)
	w := says(kindFact, "ex42", 1_700_000_000_000, 0, string(sample.body))
	for b.Loop() {
		w.beat++
		if _, o, _ := book.hear(w, dawn); o != fresh {
			b.Fatal(o)
		}
	}
}

func BenchmarkAppendState(b *testing.B) {
	for _, n := range []int{10, 100} {
		b.Run(fmt.Sprintf("facts=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			book := farmBook(n)
			buf := book.appendState(nil, dawn)
			b.SetBytes(int64(len(buf)))
			for b.Loop() {
				buf = book.appendState(buf[:0], dawn)
			}
		})
	}
}

func BenchmarkMergeState(b *testing.B) {
	for _, news := range []bool{false, true} {
		b.Run(fmt.Sprintf("facts=100/news=%v", news), func(b *testing.B) {
			b.ReportAllocs()
			state := farmBook(100).appendState(nil, dawn)
			book := farmBook(100)
			for b.Loop() {
				if news {
					for _, e := range book.entries {
						e.fact.beat = 1
					}
				}
				for w, err := range words(state) {
					if err != nil {
						b.Fatal(err)
					}
					book.hear(w, dawn)
				}
			}
		})
	}
}

func BenchmarkHeard(b *testing.B) {
	b.ReportAllocs()
	book := farmBook(100)
	for b.Loop() {
		if len(book.heard()) != 100 {
			b.Fatal("lost some")
		}
	}
}
