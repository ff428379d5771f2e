package sockdiag

import (
	"errors"
	"fmt"
	"net/netip"
	"runtime"
	"testing"
	"time"
)

func BenchmarkDumpListening(b *testing.B) {
	for _, n := range []int{1, 100} {
		b.Run(fmt.Sprintf("listeners=%d", n), func(b *testing.B) {
			for range n {
				open(b, localhost, 0, 9)
			}
			benchmarkDump(b, Request{State: Listen, Drops: true}, n)
		})
	}
}

// Every connection has two ends here, so the table holds 2·N sockets.
func BenchmarkDumpEstablished(b *testing.B) {
	for _, n := range []int{0, 500, 2000} {
		b.Run(fmt.Sprintf("connections=%d", n), func(b *testing.B) {
			_, at := open(b, localhost, 0, n)
			call(b, at, n)
			r := Request{State: Established, Ports: []uint16{at.Port()}}
			b.Run("filter=kernel", func(b *testing.B) { benchmarkDump(b, r, n) })
			r.Ports = nil
			b.Run("filter=none", func(b *testing.B) { benchmarkDump(b, r, 2*n) })
		})
	}
}

func BenchmarkOpenClose(b *testing.B) {
	var c Conn
	benchmarkCall(b, func() error { return errors.Join(c.dial(), c.Close()) })
}

func BenchmarkReadCounters(b *testing.B) {
	benchmarkCall(b, func() error { _, err := ReadCounters(); return err })
}

// benchmarkCall reports CPU time beside the time on the wall, which on a
// shared machine says little.
func benchmarkCall(b *testing.B, call func() error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	start := threadTime()
	b.ReportAllocs()
	for b.Loop() {
		if err := call(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(threadTime()-start)/float64(b.N), "cpu-ns/op")
}

func benchmarkDump(b *testing.B, r Request, atLeast int) {
	var c Conn
	defer c.Close()
	seen := 0
	see := func(s Socket) {
		if s.Local.Addr() != (netip.Addr{}) {
			seen++
		}
	}
	var sum time.Duration
	b.ReportAllocs()
	for b.Loop() {
		seen = 0
		cost, err := c.Dump(b.Context(), r, see)
		if err != nil || seen < atLeast {
			b.Fatal(seen, err)
		}
		sum += cost
	}
	b.ReportMetric(float64(sum.Nanoseconds())/float64(b.N), "cpu-ns/op")
}
