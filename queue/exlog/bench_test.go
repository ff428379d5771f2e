package exlog

import (
	"bytes"
	"encoding/csv"
	"io"
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
		{"proxy", proxy(benchSize), proxyWanted(), []int{4, 6}},
		{"rca", rca(benchSize), rcaWanted(), []int{0}},
		{"cmd", cmd(benchSize), cmdWanted(), []int{3}},
	} {
		b.Run("of="+c.name+"/by=exlog", func(b *testing.B) {
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
				r.Comment, r.FieldsPerRecord, r.ReuseRecord = '#', -1, true
				for {
					f, err := r.Read()
					if err == io.EOF {
						return rows
					}
					if _, err := time.Parse(time.RFC3339, f[0]); err == nil {
						rows++
					}
				}
			})
		})
	}
}

// BenchmarkPairs walks the list of a row of EWS.
func BenchmarkPairs(b *testing.B) {
	list := []byte(genericInfo)
	b.SetBytes(int64(len(list)))
	b.ReportAllocs()
	for b.Loop() {
		n := 0
		for p := range Pairs(list) {
			n += len(p.Value)
		}
		if n == 0 {
			b.Fatal("no values")
		}
	}
}
