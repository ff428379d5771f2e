package node

import (
	"fmt"
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func clock(s int64) time.Time { return time.Unix(s, 0) }

const morning = earliest + 10_000_000 // s; a moment of 2026

func TestSerials(t *testing.T) {
	for _, c := range []struct {
		name  string
		start int64 // the clock at the start
		hear  [][]uint32
		want  uint32
	}{
		{"alone it is the second of the start", morning, nil, morning},
		{"a clock of before this was written is none", 86400, nil, earliest},
		{"nor is one of the next century", math.MaxUint32, nil, earliest},
		{"who hears less keeps his", morning, [][]uint32{{morning - 9}}, morning},
		{"who has just started goes above what he hears", morning, [][]uint32{{morning + 5}}, morning + 6},
		{"of several above the highest", morning, [][]uint32{{morning + 5, morning + 7, morning - 1}}, morning + 8},
		{"once", morning, [][]uint32{{morning + 5}, {morning + 9}}, morning + 9},
		{"who is confirmed has not just started", morning, [][]uint32{{morning}, {morning + 9}}, morning + 9},
		{"less confirms nobody", morning, [][]uint32{{morning - 9}, {morning + 9}}, morning + 10},
		{"a wrong clock follows the farm", 0, [][]uint32{{morning}}, morning + 1},
		{"the last number is no clock's", morning, [][]uint32{{math.MaxUint32}}, morning},
		{"nor is what lies decades ahead", morning, [][]uint32{{morning + reach + 1}}, morning},
		{"what any clock may say is believed", morning, [][]uint32{{latest}}, latest + 1},
		{"half the circle ahead is behind", morning, [][]uint32{{uint32((morning + 1<<31) % (1 << 32))}}, morning},
	} {
		s := serial{}.see(clock(c.start), clock(c.start), nil)
		for _, h := range c.hear {
			s = s.see(clock(c.start), clock(c.start), h)
		}
		if s.at != c.want {
			t.Errorf("%s: got %d, want %d", c.name, s.at, c.want)
		}
	}
}

func TestALoadRaises(t *testing.T) {
	now := clock(morning + 50)
	s := serial{}.see(clock(morning), clock(morning), nil)
	if s = s.see(now, clock(morning), nil); s.at != morning {
		t.Errorf("nothing was loaded, and it is %d", s.at)
	}
	if s = s.see(now, now, nil); s.at != morning+50 {
		t.Errorf("got %d, want the second of the load", s.at)
	}
	if s = s.see(now, clock(3), []uint32{morning + 90}); s.at != morning+92 {
		t.Errorf("got %d, want one above what was heard, for the start that nobody had confirmed, and one for the load by a clock that was set back", s.at)
	}
	if got := raised(math.MaxUint32, clock(3)); got != earliest {
		t.Errorf("behind the last number comes %d", got)
	}
	if after(math.MaxUint32) != 1 {
		t.Error("0 is none")
	}
}

// A speaker is a node as far as its serial goes.
type speaker struct {
	serial
	clock  int64 // s that its clock is ahead of the test's
	loaded time.Time
}

// A parish is nodes that hear each other now and then.
type parish struct {
	t     *rapid.T
	now   int64
	nodes []*speaker
}

// hear has node i hear these, and holds that its serial does not fall.
func (p *parish) hear(i int, heard ...uint32) {
	n := p.nodes[i]
	before := n.at
	n.serial = n.see(clock(p.now+n.clock), n.loaded, heard)
	if before != 0 && n.at != before && !ahead(n.at, before) {
		p.t.Fatalf("the serial of node %d falls from %d to %d", i, before, n.at)
	}
}

func (p *parish) load(i int) {
	p.nodes[i].loaded = clock(p.now + p.nodes[i].clock).Add(time.Duration(p.now)) // no two are the same instant
	p.hear(i)
}

// meet lets all hear all until nothing changes, a second a round.
func (p *parish) meet() {
	for range 2*len(p.nodes) + 2 {
		p.now++
		var all []uint32
		for _, n := range p.nodes {
			all = append(all, n.at)
		}
		for i := range p.nodes {
			p.hear(i, all...)
		}
	}
	for i, n := range p.nodes {
		if n.at != p.nodes[0].at {
			p.t.Fatalf("when all have heard all node %d has %d, and node 0 %d", i, n.at, p.nodes[0].at)
		}
	}
}

// live draws what happens: loads, starts, two that hear each other, and, with
// poison, a word that nobody should have said.
func (p *parish) live(poison bool) {
	node := rapid.IntRange(0, len(p.nodes)-1)
	deeds := []string{"load", "start", "hear", "hear", "hear", "burst", "wait"}
	if poison {
		deeds = append(deeds, "poison")
	}
	spent := false
	for range rapid.IntRange(0, 40).Draw(p.t, "deeds") {
		p.now++
		i := node.Draw(p.t, "node")
		switch deed := rapid.SampledFrom(deeds).Draw(p.t, "deed"); deed {
		case "load":
			p.load(i)
		case "start":
			p.nodes[i].serial = serial{}
			p.load(i)
		case "hear":
			p.hear(i, p.nodes[node.Draw(p.t, "of")].at)
		case "burst":
			for range 5 {
				p.nodes[i].loaded = p.nodes[i].loaded.Add(1)
				p.hear(i)
			}
		case "wait":
			p.now += rapid.Int64Range(0, 100_000).Draw(p.t, "seconds")
		case "poison":
			if !spent {
				p.hear(i, rapid.OneOf(rapid.Uint32(), rapid.Just(uint32(math.MaxUint32)), rapid.Just(uint32(p.now+reach)), rapid.Just(p.nodes[i].at+math.MaxInt32)).Draw(p.t, "word"))
			}
			spent = true
		}
	}
}

func newParish(t *rapid.T, clocks *rapid.Generator[int64]) *parish {
	p := &parish{t: t, now: morning}
	for range rapid.IntRange(1, 5).Draw(t, "nodes") {
		p.nodes = append(p.nodes, &speaker{clock: clocks.Draw(t, "clock")})
		p.load(len(p.nodes) - 1)
	}
	return p
}

// However wrong the clocks are: all agree when they have heard each other, no
// serial falls, and the next load is above.
func TestTheFarmHasOneSerial(t *testing.T) {
	wrong := rapid.OneOf(rapid.Int64Range(-60, 60), rapid.Int64Range(-morning, 1<<33))
	rapid.Check(t, func(t *rapid.T) {
		p := newParish(t, wrong)
		p.live(false)
		p.meet()
		p.next()
	})
}

// One word that no clock would say does not part the farm, nor end its serials.
func TestPoisonIsOutlived(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := newParish(t, rapid.Int64Range(-1, 1))
		p.live(true)
		p.now += 10 // clocks that differ by seconds believe it by seconds later
		p.meet()
		p.next()
	})
}

// next loads at each node in turn, which raises the serial of all.
func (p *parish) next() {
	for i := range p.nodes {
		before := p.nodes[i].at
		p.now += 3
		p.load(i)
		p.meet()
		if !ahead(p.nodes[0].at, before) {
			p.t.Fatalf("a load at node %d left %d at %d", i, before, p.nodes[0].at)
		}
	}
}

// All clocks that are believed lie within reach of each other, with room for
// raises, and the order of RFC 1982 holds among all that is believed.
func TestReach(t *testing.T) {
	if latest-earliest >= reach || reach-(latest-earliest) < 1<<20 || latest+reach-earliest > math.MaxInt32 {
		t.Error(fmt.Sprint(earliest, latest, reach))
	}
}
