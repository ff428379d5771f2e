package throttle

import (
	"encoding/json"
	"fmt"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"
)

var start = time.Date(2010, 3, 9, 15, 15, 12, 0, time.UTC)

// bookOf gives EWS a concurrency of n by policy P, and of 50+n by Q, which is
// ann's.
func bookOf(t testing.TB, n int) *Book {
	t.Helper()
	return compiled(t, File{Default: "P", Policies: []Policy{{Name: "P", Values: says(t, "EwsMaxConcurrency", n)}, {Name: "Q", Values: says(t, "EwsMaxConcurrency", 50+n)}}, Users: map[string]string{"ann": "Q"}})
}

func concurrencyOf(l *Limits) uint32 {
	slot := EWS.gauge(Concurrency)
	return l.Max[slot]
}

// Document 000: a policy is loaded when it is first used and kept for 5 minutes
// at least; used over and over it is kept for 15 and then loaded again; unused
// it is gone after 5.
func TestFiveAndFifteenMinutes(t *testing.T) {
	const minute = time.Minute
	for _, tt := range []struct {
		name string
		uses []time.Duration // after the first, at 0, and the change just behind it
		want string
	}{
		{"a change waits", []time.Duration{minute, 4*minute + 59*time.Second}, "1 1"},
		{"unused for 5 minutes, the next use has it", []time.Duration{5 * minute}, "2"},
		{"a use gives it 5 minutes more", []time.Duration{3 * minute, 7*minute + 59*time.Second, 12 * minute, 14*minute + 59*time.Second}, "1 1 1 1"},
		{"but never more than 15", []time.Duration{4 * minute, 8 * minute, 12 * minute, 15*minute - 1, 15 * minute}, "1 1 1 1 2"},
		{"5 minutes after the last use", []time.Duration{4 * minute, 9*minute - 1, 14*minute - 1}, "1 1 2"},
	} {
		c := NewCache(ExchangeAges())
		c.Publish(bookOf(t, 1))
		c.Limits(start, Caller{"ken", EWS})
		c.Publish(bookOf(t, 2))
		got := ""
		for _, at := range tt.uses {
			got += fmt.Sprint(" ", concurrencyOf(c.Limits(start.Add(at), Caller{"ken", EWS})))
		}
		if got[1:] != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, got[1:], tt.want)
		}
	}
}

func TestReloadNow(t *testing.T) {
	c := NewCache(ExchangeAges())
	if got := concurrencyOf(c.Limits(start, Caller{"ken", EWS})); got != 27 {
		t.Errorf("without a file: got %d, want the fallback's 27", got)
	}
	c.Publish(bookOf(t, 1))
	if got := concurrencyOf(c.Limits(start, Caller{"ken", EWS})); got != 1 {
		t.Errorf("assigned to a policy that was never loaded: got %d, want it at once", got)
	}
	c.Publish(bookOf(t, 2))
	c.Reload()
	if got := concurrencyOf(c.Limits(start, Caller{"ken", EWS})); got != 2 {
		t.Errorf("after a reload: got %d, want 2", got)
	}
	c.Keep(Ages{time.Second, time.Second})
	c.Publish(bookOf(t, 3))
	if got := concurrencyOf(c.Limits(start.Add(time.Second), Caller{"ken", EWS})); got != 3 {
		t.Errorf("with shorter ages: got %d, want 3", got)
	}
}

// The last use is known to a second, no worse and no better.
func TestUsesAreNotedBySeconds(t *testing.T) {
	for _, tt := range []struct {
		use  time.Duration
		want uint32 // at 2.5 s, where 2 s without a use are too many
	}{{999 * time.Millisecond, 2}, {time.Second, 1}, {1900 * time.Millisecond, 1}} {
		c := NewCache(Ages{2 * time.Second, time.Hour})
		c.Publish(bookOf(t, 1))
		c.Limits(start, Caller{"ken", EWS})
		c.Limits(start.Add(tt.use), Caller{"ken", EWS})
		c.Publish(bookOf(t, 2))
		if got := concurrencyOf(c.Limits(start.Add(2500*time.Millisecond), Caller{"ken", EWS})); got != tt.want {
			t.Errorf("used at %v: got %d, want %d", tt.use, got, tt.want)
		}
	}
}

// A policy that is deleted is kept as long as any other; then its users fall
// back, and are told why.
func TestDeletedWhileLoaded(t *testing.T) {
	c := NewCache(ExchangeAges())
	c.Publish(bookOf(t, 1))
	c.Limits(start, Caller{"ann", EWS})
	c.Publish(compiled(t, File{Default: "P", Policies: []Policy{{Name: "P", Values: says(t, "EwsMaxConcurrency", 2)}}, Users: map[string]string{"ann": "Q"}}))
	if got := concurrencyOf(c.Limits(start.Add(time.Minute), Caller{"ann", EWS})); got != 51 {
		t.Errorf("a minute later: got %d, want 51", got)
	}
	if x := c.Explain(start.Add(time.Minute), "ann"); x.Policy != "Q" || !x.Changed {
		t.Errorf("got %s, changed %v, want Q, and that it will not stay", x.Policy, x.Changed)
	}
	if got := concurrencyOf(c.Limits(start.Add(15*time.Minute), Caller{"ann", EWS})); got != 2 {
		t.Errorf("15 minutes later: got %d, want the default's 2", got)
	}
	if x := c.Explain(start.Add(15*time.Minute), "ann"); x.Policy != "P" || len(x.Falls) != 1 || x.Changed {
		t.Errorf("got %+v, want P, and why", x)
	}
}

func TestExplainTellsAges(t *testing.T) {
	c := NewCache(ExchangeAges())
	c.Publish(bookOf(t, 1))
	if x := c.Explain(start, "ken"); x.Loaded || x.Age != nil || x.Reload != nil || x.Parts[0].Age != nil {
		t.Errorf("got %+v, want nothing loaded by looking", x)
	}
	c.Limits(start, Caller{"ken", EWS})
	c.Limits(start.Add(4*time.Minute), Caller{"ken", OWA})
	c.Publish(bookOf(t, 2))
	for range 2 { // looking is no use
		x := c.Explain(start.Add(6*time.Minute), "ken")
		if !x.Loaded || !x.Changed || *x.Age != 360 || *x.Reload != 540 || *x.Unused != 180 {
			t.Errorf("got age %v, reload %v, unused %v; want 360, 540, 180", *x.Age, *x.Reload, *x.Unused)
		}
		if p := x.Parts[len(x.Parts)-1]; *p.Age != 360 || *p.Reload != 540 {
			t.Errorf("got %+v, want the ages in each part", p)
		}
	}
	if x := c.Explain(start.Add(9*time.Minute), "ken"); x.Loaded || x.Changed {
		t.Errorf("got %+v, want it gone 5 minutes after its last use", x)
	}
}

// The names are a promise to scripts.
func TestExplanationInJSON(t *testing.T) {
	x := compiled(t, File{Generation: Exchange2010}).Explain("ken")
	x.Parts = x.Parts[:1]
	got, err := json.Marshal(x)
	const want = `{"user":"ken","policy":"built-in fallback","generation":"2010","why":"assigned to no policy, and there is no default one","falls":[],` +
		`"loaded":false,"age_seconds":null,"reload_seconds":null,"unused_seconds":null,"changed":false,"parts":[{"component":"Anonymous","part":"MaxConcurrency",` +
		`"parameter":"AnonymousMaxConcurrency","value":"1","unit":"","from":"built-in fallback","status":"confirmed","source":"Set-ThrottlingPolicy","judged":true,"age_seconds":null,"reload_seconds":null}]}`
	if string(got) != want || err != nil {
		t.Errorf("got  %s, %v\nwant %s", got, err, want)
	}
}

// A cached is the rule of document 000 in plain words. Uses within a second of
// one that was noted count as that one.
type cached struct{ n, loaded, used int }

func (m *cached) use(now, min, max, newest int) int {
	if m.n == 0 || now >= m.loaded+max || now >= m.used+min {
		*m = cached{newest, now, now}
	}
	if now-m.used >= 1000 {
		m.used = now
	}
	return m.n
}

// Whatever the order of uses, changes, reloads and looks, the Cache is the plain
// rule. Instants are milliseconds.
func TestCacheIsItsRule(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		least := rapid.IntRange(1, 400_000).Draw(t, "min")
		most := least + rapid.IntRange(0, 900_000).Draw(t, "more")
		c := NewCache(Ages{time.Duration(least) * time.Millisecond, time.Duration(most) * time.Millisecond})
		newest, now := 1, 0
		c.Publish(modelBook(newest))
		model := map[string]*cached{"ken": {}, "ann": {}}
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			now += rapid.SampledFrom([]int{0, 1, 999, 1000, least - 1, least, most - least, most, most / 3}).Draw(t, "later")
			who := rapid.SampledFrom([]string{"ken", "ann"}).Draw(t, "who")
			at := start.Add(time.Duration(now) * time.Millisecond)
			switch rapid.IntRange(0, 9).Draw(t, "do") {
			case 0:
				newest++
				c.Publish(modelBook(newest))
			case 1:
				c.Reload()
				*model["ken"], *model["ann"] = cached{}, cached{}
			case 2:
				c.Explain(at, who)
			default:
				want := uint32(model[who].use(now, least, most, newest))
				if got := concurrencyOf(c.Limits(at, Caller{who, EWS})) % 1000; got != want {
					t.Fatalf("at %d %s has version %d, want %d", now, who, got, want)
				}
			}
		}
	})
}

func modelBook(n int) *Book {
	p, _ := ParseParameter("EwsMaxConcurrency")
	b, _ := Compile(File{Default: "P", Users: map[string]string{"ann": "Q"}, Policies: []Policy{
		{Name: "P", Values: map[Parameter]Value{p: Number(int64(n))}}, {Name: "Q", Values: map[Parameter]Value{p: Number(int64(1000 + n))}}}})
	return b
}

// Users ask while books are published and forgotten; everyone has whole limits
// of one version that there was.
func TestCacheAmongMany(t *testing.T) {
	c := NewCache(Ages{time.Second, 2 * time.Second})
	c.Publish(modelBook(1))
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			for i := range 2000 {
				who := Caller{[]string{"ken", "ann"}[i%2], EWS}
				got := concurrencyOf(c.Limits(start.Add(time.Duration(i*g)*time.Millisecond), who))
				if n := got % 1000; n < 1 || n > 20 || (got > 1000) != (i%2 == 1) {
					t.Errorf("%s has %d", who.Name, got)
					return
				}
			}
		})
	}
	for n := range 20 {
		c.Publish(modelBook(n + 1))
		if n%5 == 0 {
			c.Reload()
		}
		c.Explain(start, "ann")
	}
	wg.Wait()
}

func TestLimitsAllocateNothing(t *testing.T) {
	c := NewCache(ExchangeAges())
	c.Publish(bookOf(t, 1))
	at := start
	for _, name := range []string{"ken", "S-1-5-21-3623811015-3361044348-30300820-1013", "ex01$@corp", "ann@example.com", "émile@corp.example", "192.0.2.1"} {
		if n := testing.AllocsPerRun(100, func() { at = at.Add(700 * time.Millisecond); c.Limits(at, Caller{name, EWS}) }); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

func BenchmarkLimits(b *testing.B) {
	f := File{Default: "P", Policies: []Policy{{Name: "P"}, {Name: "Q"}}, Users: map[string]string{}}
	for i := range 100_000 {
		f.Users[fmt.Sprintf("S-1-5-21-3623811015-3361044348-30300820-%d", i)] = "Q"
	}
	c := NewCache(ExchangeAges())
	c.Publish(compiled(b, f))
	for _, name := range []string{"S-1-5-21-3623811015-3361044348-30300820-4711", "jdoe", `CORP\jdoe`} {
		b.Run("caller="+name, func(b *testing.B) {
			b.ReportAllocs()
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					c.Limits(start, Caller{name, EWS})
				}
			})
		})
	}
}
