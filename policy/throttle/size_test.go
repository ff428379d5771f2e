package throttle

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// anyUses are requests of one account: some at the same instant, some that take
// no time, some charged more than they took, or less.
func anyUses(t *rapid.T) []Use {
	long := rapid.SampledFrom([]time.Duration{0, 1, time.Millisecond, 40 * time.Millisecond, 3 * time.Second, 90 * time.Second, 20 * time.Minute})
	one := rapid.Custom(func(t *rapid.T) Use {
		u := Use{
			Node:    rapid.IntRange(0, 2).Draw(t, "node"),
			Start:   time.Duration(rapid.IntRange(0, 400).Draw(t, "start")) * rapid.SampledFrom([]time.Duration{time.Millisecond, time.Second, 30 * time.Second}).Draw(t, "step"),
			Open:    long.Draw(t, "open"),
			Hanging: rapid.IntRange(0, 5).Draw(t, "hanging") == 0,
			Rough:   rapid.IntRange(0, 5).Draw(t, "rough") == 0,
		}
		u.Charged, u.AD, u.RPC = u.Open, long.Draw(t, "ad"), long.Draw(t, "rpc")
		if rapid.Bool().Draw(t, "otherwise") {
			u.Charged = long.Draw(t, "charged")
		}
		return u
	})
	return rapid.SliceOfN(one, 1, 40).Draw(t, "uses")
}

// anyPolicy is one that an administrator may have, and its component.
func anyPolicy(t *rapid.T) (Generation, map[Parameter]Value, Component) {
	g := rapid.SampledFrom(Generations()).Draw(t, "generation")
	c := rapid.SampledFrom([]Component{EWS, EAS, RCA, OWA, PowerShell, PSWS}).Draw(t, "component")
	values := map[Parameter]Value{}
	for x := range Parameters() {
		if of, ok := x.Component(); ok && of == c && x.Of(g) && rapid.Bool().Draw(t, "said") {
			if p := x.Part(); p == AD || p == AB || p == RPC { // not sized where no use has any, and 0 refuses everything
				values[x] = Number(50)
				continue
			}
			values[x] = rapid.SampledFrom([]Value{Number(0), Number(1), Number(5), Number(60_000), Number(900_000), {State: NoLimit}}).Draw(t, "value")
		}
	}
	return g, values, c
}

// whose makes a policy everyone's.
func whose(t interface{ Fatal(...any) }, g Generation, values map[Parameter]Value) Effective {
	b, err := Compile(File{Generation: g, Policies: []Policy{{Name: "all", Scope: Organization, Generation: g, Values: values}}})
	if err != nil {
		t.Fatal(err)
	}
	return b.Effective("anna")
}

// with is values with those of needs, one of them less by one.
func with(values map[Parameter]Value, needs []Need, less int, number func(Need) int64) map[Parameter]Value {
	out := map[Parameter]Value{}
	for x, v := range values {
		out[x] = v
	}
	for i, n := range needs {
		out[n.Parameter] = Number(number(n))
		if i == less {
			out[n.Parameter] = Number(number(n) - 1)
		}
	}
	return out
}

func least(n Need) int64 { return n.Least }

// Under the sized policy nothing is throttled; with one less of any part
// something is.
func TestSizedIsLeast(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		uses := anyUses(t)
		g, values, c := anyPolicy(t)
		s := Size(uses, whose(t, g, values), c)
		replay := func(values map[Parameter]Value) []Throttling {
			e := whose(t, g, values)
			return Replay(uses, e.Limits(c), c)
		}
		for what, number := range map[string]func(Need) int64{"least": least, "write": func(n Need) int64 { return n.Write }} {
			if got := replay(with(values, s.Needs, -1, number)); len(got) > 0 {
				t.Fatalf("%s of %v throttles: %+v", what, s.Needs, got)
			}
		}
		for i, n := range s.Needs {
			if n.Least == 0 {
				continue
			}
			if got := replay(with(values, s.Needs, i, least)); len(got) == 0 {
				t.Fatalf("one less of %v than in %v does not throttle", n.Parameter, s.Needs)
			}
		}
	})
}

// Each end of the curve is the least, too.
func TestCurveIsLeast(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		uses := anyUses(t)
		burst, recharge := rapid.Int64Range(0, 5_000_000), rapid.Int64Range(0, 5_000_000)
		values := map[Parameter]Value{
			name("EwsMaxConcurrency"): {State: NoLimit}, name("EwsHangingConnectionLimit"): {State: NoLimit},
			name("EwsMaxBurst"): Number(burst.Draw(t, "burst")), name("EwsRechargeRate"): Number(recharge.Draw(t, "recharge")),
			name("EwsCutoffBalance"): rapid.SampledFrom([]Value{Number(0), Number(1), {State: NoLimit}}).Draw(t, "cutoff"),
		}
		s := Size(uses, whose(t, Exchange2013, values), EWS)
		for x, v := range map[string]Value{"EwsMaxBurst": s.Curve.Burst, "EwsRechargeRate": s.Curve.Recharge} {
			n, ok := v.limit()
			if !ok {
				continue
			}
			for less := range int64(2) {
				if n-less < 0 {
					continue
				}
				changed := with(values, []Need{{Parameter: name(x), Least: n - less}}, -1, least)
				e := whose(t, Exchange2013, changed)
				if got := Replay(uses, e.Limits(EWS), EWS); len(got) > 0 != (less == 1) {
					t.Fatalf("%s %d - %d: throttles %v", x, n, less, got)
				}
			}
		}
	})
}

func name(text string) Parameter {
	x, ok := ParseParameter(text)
	if !ok {
		panic(text)
	}
	return x
}

// More requests never need less: of those at once, of burst at the same
// recharge, and of recharge at the same burst.
func TestMoreNeedMore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		uses := anyUses(t)
		e := whose(t, Exchange2013, map[Parameter]Value{name("EwsMaxBurst"): Number(60_000), name("EwsRechargeRate"): Number(900_000)})
		all := Size(slices.Clone(uses), e, EWS)
		i := rapid.IntRange(0, len(uses)-1).Draw(t, "without")
		some := Size(slices.Delete(slices.Clone(uses), i, i+1), e, EWS)
		for _, n := range some.Needs {
			for _, m := range all.Needs {
				if part := n.Parameter.Part(); m.Parameter == n.Parameter && part != LocalTime && m.Least < n.Least {
					t.Fatalf("%v: %d, and %d with one request less", part, m.Least, n.Least)
				}
			}
		}
		if more, less := bound(all.Curve.Burst), bound(some.Curve.Burst); more < less {
			t.Fatalf("burst %d, and %d with one request less", more, less)
		}
		if more, less := bound(all.Curve.Recharge), bound(some.Curve.Recharge); more < less {
			t.Fatalf("recharge %d, and %d with one request less", more, less)
		}
	})
}

func bound(v Value) int64 {
	if v.State == NoLimit {
		return mostWritten
	}
	return v.N
}

// A plain oracle for those at once: at each beginning it asks all others. Since
// requests of no time are over at once, the one that is asked about counts.
func TestAtOncePlainly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		uses := anyUses(t)
		s := Size(uses, whose(t, Exchange2013, nil), EWS)
		for node, n := range s.Nodes {
			for _, tt := range []struct {
				what string
				got  int
				of   func(Use) bool
			}{
				{"work", n.AtOnce.N, func(u Use) bool { return !u.Hanging }},
				{"waits", n.HangingAtOnce.N, func(u Use) bool { return u.Hanging }},
				{"work, surely", n.Sure, func(u Use) bool { return !u.Hanging && !u.Rough }},
				{"waits, surely", n.HangingSure, func(u Use) bool { return u.Hanging && !u.Rough }},
			} {
				if want := plainly(uses, func(u Use) bool { return u.Node == node && tt.of(u) }); tt.got != want {
					t.Fatalf("node %d, %s: %d at once, want %d", node, tt.what, tt.got, want)
				}
			}
		}
	})
}

func plainly(uses []Use, of func(Use) bool) (most int) {
	for i, a := range uses {
		if !of(a) {
			continue
		}
		now := 1
		for k, b := range uses {
			began := b.Start < a.Start || b.Start == a.Start && k < i
			if of(b) && began && b.Start+b.Open > a.Start {
				now++
			}
		}
		most = max(most, now)
	}
	return most
}

// every makes n requests, one after the other.
func every(n int, step, open time.Duration) (uses []Use) {
	for i := range n {
		uses = append(uses, Use{Start: time.Duration(i) * step, Open: open, Charged: open})
	}
	return uses
}

// Known answers. An account that works all the time in one thread is charged an
// hour each hour: at 900000 ms an hour, three quarters of the time are lacking.
func TestSizeKnown(t *testing.T) {
	e := whose(t, Exchange2013, nil)
	uses := every(3600, time.Second, time.Second) // an hour
	s := Size(uses, e, EWS)
	if got, want := s.Nodes[0].AtOnce.N, 1; got != want {
		t.Errorf("at once %d, want %d", got, want)
	}
	if got, want := s.Nodes[0].Hour, time.Hour; got != want {
		t.Errorf("the worst hour %v, want %v", got, want)
	}
	// The last request begins at 3599 s: 3599000 are used, 899750 are back.
	if got, want := s.Curve.Burst, Number(3599000-899750); got != want {
		t.Errorf("burst at 900000 ms an hour: %v, want %v", got, want)
	}
	// 300000 + r · 3599/3600 ≥ 3599000
	if got, want := s.Curve.Recharge, Number(3299917); got != want {
		t.Errorf("recharge at a burst of 300000: %v, want %v", got, want)
	}
	if len(s.Throttled) == 0 || s.Throttled[0].From != 401*time.Second || s.Throttled[0].Action != Delay {
		t.Errorf("throttled %+v, want a delay from 401 s: at 400 s the burst is just used up", s.Throttled)
	}
}

// Who waits for another server is one of those at once, and is charged no more
// than the log says; what he is charged beyond his time is charged at his end.
func TestChargedIsNotOpen(t *testing.T) {
	none := whose(t, Exchange2013, map[Parameter]Value{name("EwsRechargeRate"): Number(0)})
	uses := []Use{{Open: time.Hour, Charged: time.Second}, {Start: time.Minute, Open: time.Second, Charged: 3 * time.Second}, {Start: time.Minute + time.Second}}
	s := Size(uses, none, EWS)
	if got, want := s.Curve.Burst, Number(4000); got != want || s.Nodes[0].AtOnce.N != 2 {
		t.Errorf("burst %v and %d at once, want %v and 2", got, s.Nodes[0].AtOnce.N, want)
	}
}

// What a log does not tell is not sized: to write 0 or 1 for it would be a guess.
func TestUntoldIsNotSized(t *testing.T) {
	uses := every(50, time.Second, time.Second)
	for _, rpc := range []time.Duration{0, time.Millisecond} {
		uses[7].RPC = rpc
		var got []string
		for _, n := range Size(uses, whose(t, Exchange2010, nil), EWS).Needs {
			if n.Parameter.Unit() == PercentMinute {
				got = append(got, n.Parameter.String())
			}
		}
		want := []string{"EwsPercentTimeInCAS", "EwsPercentTimeInMailboxRPC"}[:1+min(1, rpc)]
		if !slices.Equal(got, want) {
			t.Errorf("with %v in RPC: sized %v, want %v", rpc, got, want)
		}
	}
}

// Budgets are of each node: what two nodes do at once is not at once.
func TestSizeByNode(t *testing.T) {
	var uses []Use
	for i := range 6 {
		uses = append(uses, Use{Node: i % 2 * 2, Open: time.Second, Charged: time.Second})
	}
	s := Size(uses, whose(t, Exchange2013, nil), EWS)
	if len(s.Nodes) != 3 || s.Nodes[0].AtOnce.N != 3 || s.Nodes[1].Requests != 0 || s.Nodes[2].AtOnce.N != 3 {
		t.Errorf("got %+v, want three at once on the first and the last of three nodes", s.Nodes)
	}
}

// Where MaxConcurrency counts connections it is not sized by requests.
func TestConnectionsAreNotSized(t *testing.T) {
	s := Size(every(50, 0, time.Minute), whose(t, Exchange2013, nil), RCA)
	for _, n := range s.Needs {
		if n.Parameter.Part() == Concurrency {
			t.Errorf("sized %v", n)
		}
	}
	if len(s.Throttled) > 0 && s.Throttled[0].Part == Concurrency {
		t.Errorf("throttled %+v", s.Throttled)
	}
}
