package page

import (
	"testing"
	"time"

	"evenkeel/agent/diagnose"
)

func TestTexts(t *testing.T) {
	for _, c := range [][2]string{
		{visible("a\tb\x00c\x1b\x7f\u202ed\u200be\xff"), "a b␀c␛␡\ufffdd\ufffde\ufffd"},
		{visible("Zoë <b>"), "Zoë <b>"},
		{grouped(-1234567), "-1,234,567"},
		{grouped(999), "999"},
		{numbered(1, "row"), "1 row"},
		{size(1), "1 byte"},
		{size(4_012_345_678), "4.0 GB"},
		{lasting(90 * time.Minute), "1 h 30 min"},
		{lasting(48 * time.Hour), "2 d"},
		{lasting(61 * time.Second), "1 min 1 s"},
		{between(began, after(time.Minute)), "2026-03-02 00:00:00 – 00:01:00"},
		{between(began, after(24*time.Hour)), "2026-03-02 00:00:00 – 2026-03-03 00:00:00"},
		{between(began, began), "2026-03-02 00:00:00"},
		{days(began, after(time.Hour)), "2 March 2026"},
		{days(began, after(24*time.Hour)), "2 – 3 March 2026"},
		{days(began, after(31*24*time.Hour)), "2 March 2026 – 2 April 2026"},
		{confidence(1), "certain"}, {confidence(0.8), "very likely"}, {confidence(0.6), "likely"}, {confidence(0.35), "possible"}, {confidence(0), "a suspicion"},
		{percent(1.7), "100 %"},
		{minutes(0), ""}, {minutes(83), "clients refused for 83 min"}, {minutes(0.01), "clients refused for under 0.1 min"},
	} {
		if c[0] != c[1] {
			t.Errorf("%q, want %q", c[0], c[1])
		}
	}
}

// Ticks are round times, and not more than a telephone has room for.
func TestTicks(t *testing.T) {
	for _, long := range []time.Duration{time.Second, time.Minute, time.Hour, 48 * time.Hour, 31 * 24 * time.Hour, 9 * 365 * 24 * time.Hour} {
		got := axis{began, began.Add(long)}.ticks()
		if len(got) < 1 || len(got) > 7 {
			t.Errorf("%v: %d ticks", long, len(got))
		}
	}
	if got := (axis{began, began.Add(48 * time.Hour)}).ticks(); len(got) != 5 || got[1] != (tick{25, "", "12:00"}) || got[4] != (tick{100, "right", "4 Mar"}) {
		t.Errorf("two days: %v", got)
	}
}

// A clock that was wrong does not squeeze all else into a corner.
func TestAxisLeavesOutWhatIsFar(t *testing.T) {
	r := fine()
	r.From = time.Unix(-1e10, 0)
	r.Nodes = append(r.Nodes, r.Nodes[0])
	r.Nodes[1].Start = time.Unix(0, 0)
	if a := axisOf(r); !a.from.Equal(began) || a.length() != time.Hour {
		t.Errorf("from %v for %v, want an hour from %v", a.from, a.length(), began)
	}
}

// A finding that has no beginning has no time, whatever its end.
func TestFindingsWithoutTime(t *testing.T) {
	r := fine()
	r.Findings = []diagnose.Finding{{To: after(time.Minute)}, {From: after(time.Minute), To: began}, {From: after(2 * time.Hour), To: after(3 * time.Hour)}, {From: began, To: after(time.Minute)}}
	for i, f := range findings(r, axisOf(r)) {
		if want := i == 3; (f.When != "") != want || (f.Range != "") != want {
			t.Errorf("finding %d is of %q, and shown by %q", i, f.When, f.Range)
		}
	}
}
