package node

import (
	"errors"
	"fmt"
	"math"
	"net/netip"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"evenkeel/policy/balance"
)

// epoch is when the tests of this package begin, so that beats are as long as
// they will be for the next decades.
var epoch = time.Date(2026, 5, 4, 8, 0, 0, 0, time.UTC)

var firstBeat = uint64(epoch.UnixMilli())

// quiet is what a node says of itself on an ordinary morning.
func quiet() Fact {
	return Fact{
		Fact: balance.Fact{
			Status: balance.Up, Connections: 3120, Limit: 4000, Queue: 12, QueueLimit: 1000,
			Load: 0.78, Arrivals: 2.5, Arrived: 96_000, Caches: 12.25, Up: 26 * time.Hour, Steady: math.MaxInt64,
		},
		Addrs: []netip.Addr{netip.MustParseAddr("192.0.2.11")}, Serial: 1_777_878_000,
	}
}

// pleading is what it says on the worst one.
func pleading() Fact {
	f := quiet()
	f.Status, f.Why, f.Queue, f.Load, f.Arrivals = balance.Degraded, "queue", 960, 0.96, 140.25
	f.Wish = balance.Wish{Beat: firstBeat, Load: 0.95}
	f.Grant = balance.Grant{Node: "ex02", Beat: firstBeat + 7}
	return f
}

// largest is a Fact that no other is longer than.
func largest() Fact {
	f := Fact{Fact: balance.Fact{
		Status: balance.Failing, Why: strings.Repeat("w", 2*maxWhy),
		Connections: math.MaxInt, Limit: math.MaxInt, Queue: math.MaxInt, QueueLimit: math.MaxInt,
		Load: math.Inf(1), Arrivals: math.Inf(1), Arrived: math.MaxUint64, Caches: math.Inf(1), Up: math.MaxInt64, Steady: math.MaxInt64,
		Wish:  balance.Wish{Beat: math.MaxUint64, Load: math.Inf(1)},
		Grant: balance.Grant{Node: strings.Repeat("n", maxName), Beat: math.MaxUint64},
	}}
	f.Ask = Ask{Node: strings.Repeat("a", maxName), ID: math.MaxUint64, Beat: math.MaxUint64, Resume: true, Over: math.MaxInt64}
	f.Serial = math.MaxUint32
	for i := range 2 * maxLacks {
		f.Lacks = append(f.Lacks, fmt.Sprintf("%015d", i))
	}
	for i := range 2 * MaxAddrs {
		f.Addrs = append(f.Addrs, netip.MustParseAddr(fmt.Sprintf("2001:db8::%x", i+1)))
	}
	return f
}

func encoded(t testing.TB, f Fact) []byte {
	t.Helper()
	b, err := appendFact(nil, f)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// The law counts on 64 bytes in the steady state: sixteen Facts then share a packet.
func TestFactsAreShort(t *testing.T) {
	for _, c := range []struct {
		name string
		fact Fact
		most int
	}{
		{"an ordinary morning", quiet(), 40},
		{"with a wish and a grant", pleading(), 64},
		{"the largest there is", largest(), MaxFact},
	} {
		if n := len(encoded(t, c.fact)); n > c.most {
			t.Errorf("%s: %d bytes, want at most %d", c.name, n, c.most)
		} else {
			t.Logf("%s: %d bytes", c.name, n)
		}
	}
}

func drawFact(t *rapid.T) Fact {
	numbers := rapid.IntRange(0, maxCount-1)
	beats := rapid.Uint64()
	thousandth := func(most int, label string) float64 {
		return float64(rapid.IntRange(0, 1000*most).Draw(t, label)) / 1000
	}
	f := Fact{Fact: balance.Fact{
		Status:      balance.Status(rapid.IntRange(0, int(balance.Failing)).Draw(t, "status")),
		Why:         rapid.StringOfN(rapid.RuneFrom([]rune("abcxyz-")), 0, maxWhy, maxWhy).Draw(t, "why"),
		Connections: rapid.IntRange(balance.Unmeasured, maxCount-1).Draw(t, "connections"),
		Limit:       rapid.IntRange(1, maxCount).Draw(t, "limit"),
		Queue:       numbers.Draw(t, "queue"), QueueLimit: numbers.Draw(t, "queue limit"),
		Load: thousandth(maxLoad, "load"), Arrivals: thousandth(1e6, "arrivals"), Arrived: beats.Draw(t, "arrived"), Caches: thousandth(1e6, "caches"),
		Up:     time.Duration(numbers.Draw(t, "up")) * 100 * time.Millisecond,
		Steady: time.Duration(rapid.IntRange(0, 254).Draw(t, "steady")) * time.Second,
		Wish:   balance.Wish{Beat: beats.Draw(t, "wish"), Load: thousandth(maxLoad, "wish load")},
		Grant:  balance.Grant{Node: rapid.StringOfN(rapid.RuneFrom([]rune("abc0-")), 0, maxName, maxName).Draw(t, "grant"), Beat: beats.Draw(t, "grant beat")},
	}}
	if rapid.Bool().Draw(t, "asks") {
		f.Ask = Ask{
			Node: rapid.StringOfN(rapid.RuneFrom([]rune("abc0-")), 1, maxName, maxName).Draw(t, "asked"), ID: beats.Draw(t, "ask"), Beat: beats.Draw(t, "asked at"),
			Resume: rapid.Bool().Draw(t, "resume"), Over: time.Duration(rapid.IntRange(0, 86400).Draw(t, "over")) * time.Second,
		}
	}
	f.Serial = rapid.Uint32().Draw(t, "serial")
	f.Lacks = rapid.SliceOfN(rapid.StringMatching("[a-z][a-z0-9]{0,14}"), 0, maxLacks).Draw(t, "lacks")
	if len(f.Lacks) == 0 {
		f.Lacks = nil
	}
	for i := range rapid.IntRange(0, MaxAddrs).Draw(t, "addresses") {
		a := netip.AddrFrom4([4]byte{192, 0, 2, byte(i)})
		if rapid.Bool().Draw(t, "six") {
			a = netip.MustParseAddr(fmt.Sprintf("2001:db8::%x", i))
		}
		f.Addrs = append(f.Addrs, a)
	}
	return f
}

// What one node says another hears, word for word.
func TestFactsTravelWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := drawFact(t)
		b, err := appendFact(nil, want)
		if err != nil {
			t.Fatal(err)
		}
		got, err := decodeFact(b)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("%v\ngot  %+v\nwant %+v", err, got, want)
		}
	})
}

// Whatever is measured can be told: it is brought into what travels, and never
// a reason to be silent.
func TestFactsOutOfRange(t *testing.T) {
	addr := netip.MustParseAddr
	for _, c := range []struct {
		name string
		in   func(*Fact)
		want func(*Fact)
	}{
		{"more than can be counted", func(f *Fact) { f.Connections, f.Limit, f.Queue = math.MaxInt, math.MaxInt, math.MaxInt },
			func(f *Fact) { f.Connections, f.Limit, f.Queue = maxCount-1, maxCount, maxCount }},
		{"connections not measured stay so", func(f *Fact) { f.Connections = balance.Unmeasured }, func(f *Fact) { f.Connections = balance.Unmeasured }},
		{"less than none", func(f *Fact) { f.Connections, f.Queue, f.QueueLimit = -7, -1, -1 },
			func(f *Fact) { f.Connections, f.Queue, f.QueueLimit = balance.Unmeasured, 0, 0 }},
		{"a limit is at least one", func(f *Fact) { f.Limit = 0 }, func(f *Fact) { f.Limit = 1 }},
		{"no numbers", func(f *Fact) {
			f.Load, f.Arrivals, f.Caches, f.Wish.Load = math.NaN(), math.Inf(-1), math.NaN(), math.NaN()
		},
			func(f *Fact) { f.Load, f.Arrivals, f.Caches, f.Wish.Load = 0, 0, 0, 0 }},
		{"endless numbers", func(f *Fact) { f.Load, f.Arrivals, f.Caches = math.Inf(1), math.Inf(1), math.Inf(1) },
			func(f *Fact) { f.Load, f.Arrivals, f.Caches = maxLoad, 1e6, 1e6 }},
		{"times before and after all", func(f *Fact) { f.Up, f.Steady = -time.Second, math.MaxInt64 },
			func(f *Fact) { f.Up, f.Steady = 0, math.MaxInt64 }},
		{"a thousandth is rounded", func(f *Fact) { f.Load = 0.7806 }, func(f *Fact) { f.Load = 0.781 }},
		{"a long story is cut", func(f *Fact) { f.Why = "rpc-latency-of-all-pools" }, func(f *Fact) { f.Why = "rpc-latency-of-" }},
		{"nobody calls himself down", func(f *Fact) { f.Status = balance.Down }, func(f *Fact) { f.Status = balance.Unknown }},
		{"IPv4 is IPv4 in any dress", func(f *Fact) { f.Addrs = []netip.Addr{addr("::ffff:192.0.2.7")} },
			func(f *Fact) { f.Addrs = []netip.Addr{addr("192.0.2.7")} }},
		{"addresses that nobody could use are not told", func(f *Fact) {
			f.Addrs = []netip.Addr{{}, addr("0.0.0.0"), addr("::"), addr("224.0.0.1"), addr("ff02::1"), addr("192.0.2.7")}
		}, func(f *Fact) { f.Addrs = []netip.Addr{addr("192.0.2.7")} }},
		{"what is no service is not lacked", func(f *Fact) { f.Lacks = []string{"imap", "", "IMAP", "a.b", "-a", "sixteen-letters-", "pop3"} },
			func(f *Fact) { f.Lacks = []string{"imap", "pop3"} }},
		{"a zone means nothing elsewhere", func(f *Fact) { f.Addrs = []netip.Addr{addr("2001:db8::1%eth0")} },
			func(f *Fact) { f.Addrs = []netip.Addr{addr("2001:db8::1")} }},
	} {
		f, want := quiet(), quiet()
		c.in(&f)
		c.want(&want)
		got, err := decodeFact(encoded(t, f))
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v\ngot  %+v\nwant %+v", c.name, err, got, want)
		}
	}
}

// A name that is cut would be another node's.
func TestGrantIsNeverCut(t *testing.T) {
	f := quiet()
	f.Grant.Node = strings.Repeat("n", maxName+1)
	if b, err := appendFact(nil, f); !errors.Is(err, ErrFact) || b != nil {
		t.Errorf("%x, %v; want an error and no bytes", b, err)
	}
}

// oneAddress is a Fact of zeros but for an address of these bytes.
func oneAddress(addr ...byte) []byte {
	b := append([]byte{factVersion}, make([]byte, 10)...)
	b = append(b, 1, byte(len(addr)))
	b = append(b, addr...)
	return append(b, make([]byte, 7)...)
}

func TestForeignFacts(t *testing.T) {
	whole := encoded(t, pleading())
	set := func(at int, v byte) []byte {
		b := append([]byte(nil), whole...)
		b[at] = v
		return b
	}
	for _, c := range []struct {
		name string
		b    []byte
		ok   bool
	}{
		{"its own", whole, true},
		{"of a later agent, that says more", append(append([]byte(nil), whole...), 1, 2, 3), true},
		{"of another version", set(0, factVersion+1), false},
		{"nothing", nil, false},
		{"of one who calls himself down", set(1, byte(balance.Down)), false},
		{"of a status that is none", set(1, 200), false},
		{"with an address", oneAddress(192, 0, 2, 1), true},
		{"with an address of no family", oneAddress(192, 0, 2), false},
		{"with an address that would make DNS refuse its table", oneAddress(0, 0, 0, 0), false},
		{"with a group's address", oneAddress(224, 0, 0, 1), false},
		{"with an endless number", append([]byte{factVersion, 1}, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1), false},
		{"with more than can be counted", append([]byte{factVersion, 1}, append([]byte{0xff, 0xff, 0xff, 0xff, 0x7f}, whole[4:]...)...), false},
	} {
		if _, err := decodeFact(c.b); (err == nil) != c.ok || err != nil && !errors.Is(err, ErrFact) {
			t.Errorf("a Fact %s: %v, want it read: %v", c.name, err, c.ok)
		}
	}
	for n := range whole {
		if n == len(whole)-5 { // an older version ended here
			continue
		}
		if _, err := decodeFact(whole[:n]); !errors.Is(err, ErrFact) {
			t.Errorf("cut to %d of %d bytes it is read: %v", n, len(whole), err)
		}
	}
}

// A node of a version that knew neither serial nor services lacks none.
func TestOlderFacts(t *testing.T) {
	want := pleading()
	b := encoded(t, want)
	want.Serial = 0
	got, err := decodeFact(b[:len(b)-5])
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v\ngot  %+v\nwant %+v", err, got, want)
	}
	lacking := pleading()
	lacking.Lacks = []string{"imap", "pop3"}
	b = encoded(t, lacking)
	for n := len(b) - 14; n < len(b); n++ {
		if got, err := decodeFact(b[:n]); err == nil {
			t.Errorf("cut to %d of %d bytes it is read: %v", n, len(b), got.Lacks)
		}
	}
	many := append(encoded(t, pleading()), strings.Repeat("\x01a", maxLacks+1)...)
	for n, ok := range map[byte]bool{maxLacks: true, maxLacks + 1: false} {
		many[len(many)-2*(maxLacks+1)-1] = n
		if _, err := decodeFact(many); (err == nil) != ok {
			t.Errorf("who lacks %d services is read: %v", n, err)
		}
	}
}

func FuzzDecodeFact(f *testing.F) {
	for _, fact := range []Fact{quiet(), pleading(), largest(), {}, {Lacks: []string{"imap"}}} {
		f.Add(encoded(f, fact))
	}
	mapped := netip.MustParseAddr("::ffff:192.0.2.7").As16() // IPv4 in the dress of IPv6
	f.Add(oneAddress(mapped[:]...))
	f.Fuzz(func(t *testing.T, b []byte) {
		fact, err := decodeFact(b)
		if err != nil {
			return
		}
		again := encoded(t, fact)
		if len(again) > MaxFact {
			t.Fatalf("%d bytes, more than MaxFact", len(again))
		}
		if got, err := decodeFact(again); err != nil || !reflect.DeepEqual(got, fact) {
			t.Fatalf("%v\ngot  %+v\nwant %+v", err, got, fact)
		}
	})
}
