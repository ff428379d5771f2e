package throttle

import (
	"hash/maphash"
	"strings"
	"testing"
	"time"
)

// From a policy's parameters to the line in the log, through the ledger:
// document 000's figures for 2010, and the balance of a request of 24.61 ms
// that the log of a 2013 server has.
func TestSnapshotOfLedger(t *testing.T) {
	begin := time.Date(2010, 3, 9, 15, 15, 12, 0, time.UTC)
	for _, tt := range []struct {
		promise string
		file    File
		took    time.Duration
		want    string // of the text, but for the hash
	}{
		{"parts of a minute", File{Generation: Exchange2010, Default: "S", Policies: []Policy{{
			Name: "S", Scope: Organization, Generation: Exchange2010, Values: map[Parameter]Value{named(t, "EwsMaxSubscriptions"): Number(20)},
		}}}, 17093750 * time.Microsecond,
			"Conn:0,AD:30000/30000/0%,CAS:54000/52291/2%,AB:30000/30000/0%,RPC:36000/36000/0%,FC:1000/0,Sub:20/0,Policy:S"},
		{"a balance", File{}, 2461 * time.Second,
			"Owner:jdoe,Conn:0,MaxConn:27,MaxBurst:300000,Balance:-1545750,Cutoff:3000000,RechargeRate:900000,Policy:built-in%20fallback,IsServiceAccount:False,LiveTime:00:00:00"},
	} {
		book, err := Compile(tt.file)
		if err != nil {
			t.Fatal(err)
		}
		cache := NewCache(ExchangeAges())
		cache.Publish(book)
		l := NewLedger(Options{Seed: maphash.MakeSeed()}, cache.Limits)
		c := Caller{Name: "jdoe", Component: EWS}
		ticket, v := l.Check(begin, c, Ask{CPU: -1})
		if v.Action != Allow {
			t.Fatalf("%s: %+v", tt.promise, v)
		}
		l.Done(begin.Add(tt.took), ticket, Cost{})
		if got := unhashed(l.Snapshot(begin.Add(tt.took), c).String()); got != tt.want {
			t.Errorf("%s: got\n%s, want\n%s", tt.promise, got, tt.want)
		}
	}
}

// A budget is shown by one policy, though another may be published meanwhile.
func TestSnapshotOfOnePolicy(t *testing.T) {
	var asked int
	limits := bucket(300000, 0, 3000000)
	l := NewLedger(Options{Seed: maphash.MakeSeed(), Look: func(time.Time, Caller) *Limits { asked++; return limits }}, nil)
	if l.Snapshot(day, john); asked != 1 {
		t.Errorf("asked %d times for the policy, want once", asked)
	}
}

func named(t *testing.T, name string) Parameter {
	t.Helper()
	p, ok := ParseParameter(name)
	if !ok {
		t.Fatalf("no parameter %s", name)
	}
	return p
}

func unhashed(text string) string {
	before, rest, found := strings.Cut(text, "Hash:")
	if !found {
		return text
	}
	_, after, _ := strings.Cut(rest, ",")
	return before + after
}
