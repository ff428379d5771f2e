package main

import (
	"testing"
	"time"
)

// Every rival lets 300 in at once, and then no more: what is compared does the
// same work.
func TestRivals(t *testing.T) {
	all, err := rivals(10)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range all[1:] { // ours counts time, of which these take none
		now, n := time.Now(), 1
		for r.decide(now, newCaller().number(3)) && n < 1000 {
			n++
		}
		if n != burst {
			t.Errorf("%s lets %d in", r.name, n)
		}
	}
	if !all[0].decide(time.Now(), "x") {
		t.Error("ours does not let one in")
	}
}

func TestRun(t *testing.T) {
	if err := run(100, 2, time.Millisecond); err != nil {
		t.Error(err)
	}
}
