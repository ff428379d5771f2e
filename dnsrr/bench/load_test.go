package main

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func TestCommandLineOfFlood(t *testing.T) {
	for _, c := range []struct {
		load load
		want string
	}{
		{load{Window: 256}, "--window 256"},
		{load{Window: 256, Rate: 10_000}, "--rate 10000"},
		{load{Window: 64, Signed: true, Cookie: true, Letters: true}, "--window 64 --dnssec --cookie --letters"},
	} {
		c.load.For = 1500 * time.Millisecond
		want := strings.Fields("--port 53 --name mail.test. --time 1.5s " + c.want)
		if got := c.load.floodArgs(53); !slices.Equal(got, want) {
			t.Errorf("%+v: got %q, want %q", c.load, got, want)
		}
	}
}

// What flood prints is read; what a window made queries wait is left out.
func TestWhatFloodSaysIsRead(t *testing.T) {
	const printed = `{"sent":1010,"answered":1000,"errors":2,"lost":10,"stray":1,"late":4,"octets":75000,"records":2300,"in_time":990,"took_ns":500000000,"mean_ns":9,"p50_ns":7,"p99_ns":20,"error":"not NOERROR"}`
	want := reply{Answered: 1000, Lost: 10, Errors: 2, Error: "not NOERROR", Late: 4, Size: 75, Records: 2.3, QPS: 1980, Mean: 9}
	if got, err := readTally([]byte(printed), false); err != nil || got != want {
		t.Errorf("got %+v, %v\nwant %+v", got, err, want)
	}
	want.P50, want.P99 = 7, 20
	if got, err := readTally([]byte(printed), true); err != nil || got != want {
		t.Errorf("got %+v, %v\nwant %+v", got, err, want)
	}
	for _, text := range []string{"", "{}", `{"answered":1}`, `{"answered":0,"took_ns":1}`} {
		if got, err := readTally([]byte(text), true); err == nil {
			t.Errorf("%q: got %+v, want an error", text, got)
		}
	}
}

// What is to be read with care is told of, with the cause: a server that was not
// at its end, answers that are none, and a client that was late.
func TestRemarks(t *testing.T) {
	run := func(rate, cpu, rested, errors, late int) figure { // of a second with 1000 answers, in thousandths
		ms := time.Millisecond
		return figure{
			reply: reply{Answered: 1000, QPS: 1000, Errors: errors, Error: "not NOERROR", Late: late},
			Rate:  rate, CPU: time.Duration(cpu) * ms, Idle: time.Duration(rested) * ms,
		}
	}
	for _, c := range []struct {
		of   figure
		want string
	}{
		{run(0, 985, 5, 0, 0), ""},
		{run(0, 900, 90, 0, 0), "the load was not enough"},
		{run(0, 600, 10, 0, 0), "others had it"},
		{run(1000, 100, 900, 0, 20), ""},
		{run(1000, 100, 900, 7, 0), "7 are none: not NOERROR"},
		{run(1000, 100, 900, 0, 40), "4 % of the queries left late"},
		{figure{}, ""},
	} {
		got := strings.Join(table{Mode: "half", Rows: []row{{Server: "nsd", Figures: []figure{{}, c.of}}}}.remarks(), "; ")
		if (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%+v: got %q, want %q", c.of, got, c.want)
		}
	}
}

// A row is compared to ours, or to the one that it is held against.
func TestRowsAreComparedToTheirOwn(t *testing.T) {
	run := func(ms int) []figure {
		return []figure{{reply: reply{Answered: 1000, QPS: 1000}, CPU: time.Duration(ms) * time.Millisecond}}
	}
	r := report{Ours: ours, Tables: []table{{Mode: "saturation", Rows: []row{
		{Server: ours, Figures: run(2)},
		{Server: "standard", Figures: run(4)},
		{Server: "handed", Against: "standard", Figures: run(16)},
		{Server: "alone", Against: "alone", Figures: run(1)},
		{Server: "lost", Against: "nobody", Figures: run(1)},
	}}}}
	r.compared()
	for rival, want := range map[string]float64{"standard": 0.5, "handed": 0.25, "alone": 0, "lost": 0, ours: 0} {
		if x, _ := r.ratio("saturation", rival, figureCPU); x.Median != want {
			t.Errorf("%s: got %v, want %v", rival, x.Median, want)
		}
	}
	var b strings.Builder
	if err := r.markdown(&b); err != nil || !strings.Contains(b.String(), "| handed (to standard) |") {
		t.Errorf("got %v, %s", err, b.String())
	}
}
