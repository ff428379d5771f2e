package logs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"
)

func TestWithin(t *testing.T) {
	files := map[string]string{}
	for h := range 6 {
		files[fmt.Sprintf("EX01/HTTPERR/httperr%d.log", h+1)] = httpErr("10.0.0.11", time.Duration(h)*time.Hour, 60)
		files[fmt.Sprintf("EX02/odd/day-%d.txt", h+1)] = httpErr("10.0.0.12", time.Duration(h)*time.Hour, 60)
	}
	f := search(t, put(t, files))
	at := func(h float64) time.Time { return day().Add(time.Duration(h * float64(time.Hour))) }
	for _, tt := range []struct {
		promise     string
		from, to    time.Time
		first, last string // of EX01
		logs        int    // of both
	}{
		{"all", time.Time{}, time.Time{}, "httperr1.log", "httperr6.log", 12},
		{"from the middle, and whose names tell nothing, wholly", at(3.5), time.Time{}, "httperr4.log", "httperr6.log", 3 + 6},
		{"rows that were held back", at(3.2), time.Time{}, "httperr3.log", "httperr6.log", 4 + 6},
		{"to the middle", time.Time{}, at(2.5), "httperr1.log", "httperr3.log", 6},
		{"between", at(2.5), at(2.6), "httperr3.log", "httperr3.log", 1 + 3},
	} {
		in := f.Within(tt.from, tt.to)
		of := in.Streams[0].Logs
		if got := []string{filepath.Base(of[0].Name), filepath.Base(of[len(of)-1].Name)}; !slices.Equal(got, []string{tt.first, tt.last}) || in.Logs() != tt.logs {
			t.Errorf("%s: got %v and %d logs, want %s to %s and %d", tt.promise, got, in.Logs(), tt.first, tt.last, tt.logs)
		}
	}
	if f.Logs() != 12 {
		t.Error("what was found has changed")
	}
}

func TestCancel(t *testing.T) {
	top := put(t, map[string]string{"EX01/httperr1.log": httpErr("10.0.0.11", 0, 20_000), "EX02/httperr1.log": httpErr("10.0.0.12", 0, 20_000)})
	f := search(t, top)
	ctx, cancel := context.WithCancel(t.Context())
	n := 0
	c := crowd{hook: func() {
		if n++; n == 10 {
			cancel()
		}
	}}
	var p Progress
	r, err := f.Read(ctx, 1, c.take, &p)
	if !errors.Is(err, context.Canceled) || n > 10_000 || len(r.Faults) > 0 || len(c.rows) != 1 {
		t.Errorf("%v after %d rows of %d streams, faults %v", err, n, len(c.rows), r.Faults)
	}
	if _, err := Find(ctx, []string{top}, ""); !errors.Is(err, context.Canceled) {
		t.Errorf("finding: %v", err)
	}
}

// A worker has one log open and one reader, however many there are.
func TestOpenFiles(t *testing.T) {
	files := map[string]string{}
	for i := range 30 {
		files[fmt.Sprintf("EX%02d/httperr1.log", i)] = httpErr(fmt.Sprintf("10.0.0.%d", i), 0, 50)
		files[fmt.Sprintf("EX%02d/u_ex260302.log.gz", i)] = iis(fmt.Sprintf("10.0.0.%d", i), 0, 50)
		files[fmt.Sprintf("EX%02d.zip/EX%02d/HttpProxy_2026030200-1.LOG", i%3, i)] = proxy(fmt.Sprintf("EX%02d", i), 0, 50)
	}
	fds, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip("open files cannot be counted here: ", err)
	}
	f := search(t, put(t, files))
	most := 0
	c := crowd{hook: func() {
		now, _ := os.ReadDir("/proc/self/fd")
		most = max(most, len(now))
	}}
	var p Progress
	if r, err := f.Read(t.Context(), 1, c.take, &p); err != nil || r.Rows != 30*150 || len(r.Faults) > 0 {
		t.Errorf("%d rows, %v, %v", r.Rows, r.Faults, err)
	}
	if after, _ := os.ReadDir("/proc/self/fd"); most > len(fds)+1 || len(after) > len(fds) {
		t.Errorf("%d files open before, %d at most, %d after", len(fds), most, len(after))
	}
}

// Memory is that of the workers, not of the logs.
func TestMemory(t *testing.T) {
	allocated := func(rows int) uint64 {
		f := search(t, put(t, map[string]string{"EX01.zip/httperr1.log": httpErr("10.0.0.11", 0, rows), "EX01/u_ex260302.log.gz": iis("10.0.0.11", 0, rows)}))
		var p Progress
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if r, err := f.Read(t.Context(), 2, func(Stream) Taker { return deaf{} }, &p); err != nil || r.Rows != int64(2*rows) {
			t.Fatalf("%+v, %v", r, err)
		}
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	if few, many := allocated(1000), allocated(20_000); many > few+1<<20 {
		t.Errorf("%d bytes allocated for few rows, %d for many", few, many)
	}
}
