package throttle

import (
	"slices"
	"strconv"
	"testing"
	"time"
)

// Who has spent most, and who is throttled, by which part and for how long.
func TestTop(t *testing.T) {
	limits := bucket(300000, 900000, 3000000)
	limits.Max[gaugeConcurrency] = 100
	l := ledgerOf(limits, Options{})
	for i := range 200 {
		c := Caller{strconv.Itoa(i), EWS}
		l.Done(day, first(l.Check(day, c, quiet())), Cost{Time: time.Duration(i) * 20 * time.Second})
		l.Check(day, c, quiet())
		for range i % 100 {
			l.Check(day, c, Ask{CPU: -1})
		}
	}
	names := func(all []Spender) (out string) {
		for _, s := range all {
			out += s.Caller.Name + " "
		}
		return out
	}
	if got, want := names(l.Top(day, 3, LocalTime)), "199 198 197 "; got != want {
		t.Errorf("time: got %s, want %s", got, want)
	}
	top := l.Top(day, 1, LocalTime)[0]
	if want := (Spender{Caller{"199", EWS}, LocalTime, 3980000, 300000, Deny, 5 * time.Minute}); top != want {
		t.Errorf("got %+v, want %+v", top, want)
	}
	if got := l.Top(day, 2, Concurrency); len(got) != 2 || got[0].Caller.Name != "99" || got[0].Used != 100 || got[0].Limit != 100 || got[0].Action != Deny {
		t.Errorf("requests: %+v", got)
	}
	if got := l.Top(day, 5, Messages); len(got) != 0 {
		t.Errorf("messages: %+v", got)
	}
	if got := l.Top(day, 3, parts, 255); len(got) != 0 {
		t.Errorf("of no part: %+v", got)
	}
	now := day.Add(time.Minute)
	slow := l.Throttled(now, 1000)
	i := slices.IndexFunc(slow, func(s Spender) bool { return s.Caller.Name == "199" })
	if want := (Spender{Caller{"199", EWS}, LocalTime, 3980000 - 15000, 300000, Deny, 4 * time.Minute}); i < 0 || slow[i] != want {
		t.Errorf("got %+v, want %+v", slow[max(0, i)], want)
	}
	if few := l.Throttled(now, 3); !slices.Equal(few, slow[:3]) || !slices.IsSortedFunc(slow, byWait) {
		t.Errorf("got %+v, want the first of %+v", few, slow[:4])
	}
	if got := l.Sweep(now); got.Over != len(slow) || l.Stats().Over != len(slow) {
		t.Errorf("%d over, and %d throttled", got.Over, len(slow))
	}
	if got := l.Throttled(day.Add(9999*time.Hour), 9); len(got) == 0 {
		t.Error("with requests open for a year nobody is throttled")
	}
}

// The lists of several parts are those of each, whoever is in the others.
func TestTopOfAllParts(t *testing.T) {
	l := ledgerOf(bucket(300000, 0, 3000000), Options{})
	for i := range 300 {
		c := Caller{strconv.Itoa(i), Component(i % int(components))}
		tk, _ := l.Check(day, c, Ask{CPU: -1, Find: uint32(i * 37 % 101), Hanging: i%7 == 0, Spend: Spend{Messages: uint32(i), Cmdlets: 1}})
		l.Done(day, tk, Cost{Time: time.Duration(i*53%211) * ms, AD: time.Duration(i*31%97) * ms, RPC: time.Duration(i%3) * ms})
		l.Check(day, c, Ask{CPU: -1, Hanging: i%2 == 0})
	}
	var every []Part
	var want []Spender
	for p := range parts {
		every, want = append(every, p), append(want, l.Top(day, 3, p)...)
	}
	if got := l.Top(day, 3, every...); !slices.Equal(got, want) || len(want) < 12 {
		t.Errorf("at once\n%+v, one by one\n%+v", got, want)
	}
}

// Who has no limit, and works in one request after the other, is in the list; and
// who only has messages open has not sent any.
func TestTopOfUnlimited(t *testing.T) {
	l := ledgerOf(open(), Options{})
	busy, sender := Caller{"busy", CPA}, Caller{"sender", Submission}
	l.Check(day, sender, quiet())
	for at := time.Duration(0); at < time.Hour; at += time.Second {
		l.Done(day.Add(at+time.Second), first(l.Check(day.Add(at), busy, quiet())), Cost{})
		if at%time.Minute == 0 {
			l.Sweep(day.Add(at))
		}
	}
	now := day.Add(time.Hour)
	for p, want := range map[Part]int64{CAS: 60_000, LocalTime: 300_000} {
		got := l.Top(now, 3, p)
		if len(got) != 1 || got[0].Caller != busy || got[0].Used > want || got[0].Used < want-10 || got[0].Limit != -1 {
			t.Errorf("%v: got %+v, want %d", p, got, want)
		}
	}
	for _, p := range []Part{Messages, Recipients} {
		if got := l.Top(now, 3, p); len(got) != 0 {
			t.Errorf("%v: got %+v", p, got)
		}
	}
}

// The first of many who are close together are found, in whatever order they lie.
func TestTopOfMany(t *testing.T) {
	for range 10 {
		l := ledgerOf(stillLimits(), Options{})
		for i := range 500 {
			l.Done(day, first(l.Check(day, Caller{strconv.Itoa(i), EWS}, quiet())), Cost{Time: time.Duration(i) * ms})
		}
		for i, s := range l.Top(day, 20, LocalTime) {
			if s.Used != int64(499-i) || s.Caller.Name != strconv.Itoa(499-i) {
				t.Fatalf("%d: got %+v", i, s)
			}
		}
	}
}
