package w3c

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"sync"
	"testing"
	"time"

	"evenkeel/queue/lines/linestest"
)

// benchSize is more than any cache holds.
const benchSize = 64 << 20

// use takes of a row what a reader of logs takes.
func use(r *Reader, numbers ...int) (sum int) {
	if t, ok := r.Time(); ok {
		sum += t.Second()
	}
	for _, i := range numbers {
		n, _ := r.Uint(i)
		sum += int(n)
	}
	for i := range r.want {
		sum += len(r.Field(i))
	}
	return sum
}

func BenchmarkRead(b *testing.B) {
	for _, c := range []struct {
		name    string
		data    []byte
		want    []string
		numbers []int
	}{
		{"httperr", httperr(benchSize), httperrWanted(), []int{1, 2}},
		{"site", site(benchSize), siteWanted(), []int{6, 7, 8}},
	} {
		b.Run("of="+c.name+"/by=w3c", func(b *testing.B) {
			r := NewReader(nil, Position{}, c.want...)
			src := bytes.NewReader(nil)
			sum := 0
			linestest.Measure(b, c.data, func() (rows int) {
				src.Reset(c.data)
				r.Reset(src, Position{})
				for r.Next() {
					rows++
					sum += use(r, c.numbers...)
				}
				return rows
			})
		})
		b.Run("of="+c.name+"/by=csv", func(b *testing.B) {
			linestest.Measure(b, c.data, func() (rows int) {
				r := csv.NewReader(bytes.NewReader(c.data))
				r.Comma, r.Comment, r.FieldsPerRecord = ' ', '#', -1
				r.LazyQuotes, r.ReuseRecord = true, true
				for {
					f, err := r.Read()
					if err == io.EOF {
						return rows
					}
					if _, err := time.Parse(time.DateTime, f[0]+" "+f[1]); err == nil {
						rows++
					}
				}
			})
		})
	}
}

// BenchmarkFiles reads as many files as there are readers, each by its own. The
// processor time of a byte stays the same if they do not hinder each other.
func BenchmarkFiles(b *testing.B) {
	data := site(benchSize / 2)
	for _, files := range []int{1, 2} {
		b.Run(fmt.Sprintf("files=%d", files), func(b *testing.B) {
			all := make([]*Reader, files)
			for i := range all {
				all[i] = NewReader(nil, Position{}, siteWanted()...)
			}
			counts := make([]int, files)
			from := linestest.CPU()
			b.SetBytes(int64(files * len(data)))
			for b.Loop() {
				var wg sync.WaitGroup
				for i, r := range all {
					wg.Go(func() { counts[i] += count(r, data) })
				}
				wg.Wait()
			}
			if spent := linestest.CPU() - from; spent > 0 {
				b.ReportMetric(float64(files*len(data))*float64(b.N)/1e6/spent.Seconds(), "MB/cpu-s")
			}
		})
	}
}

// count reads data with all that is wanted of it, and returns the rows.
func count(r *Reader, data []byte) (rows int) {
	r.Reset(bytes.NewReader(data), Position{})
	for r.Next() {
		rows += min(1, use(r, 6, 7, 8))
	}
	return rows
}
