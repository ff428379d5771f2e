package sim

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"evenkeel/policy/balance"
)

// street is a farm whose clients open sessions all day. It is small, so that
// chance is large: some 1,300 connections in a quarter of an hour.
func street(ttl time.Duration, resolvers int, limits ...int) Scenario {
	s := morning(ttl)
	s.Name, s.For, s.From, s.Nodes, s.Resolvers = "street", 2*time.Hour, 0, nil, nil
	sum := 0
	for i, limit := range limits {
		s.Nodes = append(s.Nodes, Node{Name: fmt.Sprintf("ex%02d", i+1), Limit: limit, Service: float64(limit) / 4, Queue: 1000})
		sum += limit
	}
	s.Clients.N, s.Clients.Storm, s.Clients.Session = sum/6, 10*time.Minute, 30*time.Minute
	for i := range resolvers {
		s.Resolvers = append(s.Resolvers, Resolver{Share: 1 / float64(i+1)})
	}
	return s
}

// A verdict is what the agents of a farm say of who goes astray.
type verdict struct {
	known, said int     // minutes
	mean, most  float64 // of the first agent
	apart       float64 // the most by which two agents differed where both said something
	last        balance.Astray
}

func (w *world) verdict() (v verdict) {
	for ; w.now < w.end; w.now++ {
		w.step()
		if w.now%(60*second) != 0 || !w.agents[0].plan.Astray.Known {
			continue
		}
		v.last = w.agents[0].plan.Astray
		v.known++
		v.mean, v.most = v.mean+v.last.Share, max(v.most, v.last.Share)
		for i := range w.agents {
			a := w.agents[i].plan.Astray
			if a.Much {
				v.said++
			}
			if a.Share > 0 && v.last.Share > 0 {
				v.apart = max(v.apart, math.Abs(a.Share-v.last.Share))
			}
		}
	}
	v.mean /= max(1, float64(v.known))
	return v
}

func (v verdict) String() string {
	return fmt.Sprintf("known for %d min, %.2f on average, %.2f at most, said %d times, agents apart by %.2f, at last %+v", v.known, v.mean, v.most, v.said, v.apart, v.last)
}

var farms = map[string][]int{
	"two":     {4000, 4000},
	"unlike":  {4000, 4000, 8000, 8000},
	"sixteen": slices.Repeat([]int{2000}, 16),
}

// Who sorts is seen, by every agent nearly alike, and never more of them than
// there are. The more nodes, the nearer to the truth: a sorter is at home by
// chance in one of them.
func TestSortersAreSeen(t *testing.T) {
	for _, c := range []struct {
		farm       string
		sort       float64
		least      float64
		ttl, doors int
	}{
		{"two", 0.5, 0.12, 30, 3}, {"two", 1, 0.20, 5, 3},
		{"unlike", 0.5, 0.11, 30, 1}, {"unlike", 1, 0.20, 5, 20},
		{"sixteen", 0.5, 0.20, 30, 3}, {"sixteen", 1, 0.40, 30, 20},
	} {
		s := street(time.Duration(c.ttl)*time.Second, c.doors, farms[c.farm]...)
		s.Clients.Sort = c.sort
		v := newWorld(s, rule(t, "evenkeel"), 1).verdict()
		if v.known < 60 || v.mean < c.least || v.most > c.sort || !v.last.Much || v.apart > 0.05 {
			t.Errorf("%s, %.0f %% sort, TTL %d, %d resolvers: %v; want %.2f..%.2f", c.farm, 100*c.sort, c.ttl, c.doors, v, c.least, c.sort)
		}
	}
}

// Nothing is said of who does not sort, nor where there is nothing to sort.
func TestNobodySorts(t *testing.T) {
	for _, c := range []struct {
		name  string
		s     Scenario
		known int // minutes at least
		spoil func(*Scenario)
	}{
		{"one resolver, TTL 30", street(30*time.Second, 1, farms["two"]...), 90, func(*Scenario) {}},
		{"three resolvers, unlike nodes", street(30*time.Second, 3, farms["unlike"]...), 90, func(*Scenario) {}},
		{"sixteen nodes, TTL 5", street(5*time.Second, 20, farms["sixteen"]...), 90, func(*Scenario) {}},
		{"one address in each answer, and all sort", street(30*time.Second, 3, farms["unlike"]...), 90,
			func(s *Scenario) { s.Answers, s.Clients.Sort = 1, 1 }},
		{"half hold on to an address for half an hour", street(30*time.Second, 3, farms["unlike"]...), 90,
			func(s *Scenario) { s.Clients.Pin, s.Clients.PinFor = 0.5, 30*time.Minute }},
		{"all do, and come every five minutes", street(30*time.Second, 3, farms["two"]...), 90,
			func(s *Scenario) {
				s.Clients.Pin, s.Clients.PinFor, s.Clients.Session = 1, 30*time.Minute, 5*time.Minute
			}},
		{"old news, and a third of it lost", street(30*time.Second, 3, farms["two"]...), 90,
			func(s *Scenario) { s.Gossip = Gossip{5 * time.Second, 0.3} }},
		{"a resolver that keeps all for five minutes", street(30*time.Second, 3, farms["unlike"]...), 90,
			func(s *Scenario) { s.Resolvers[0].Least = 5 * time.Minute }},
		{"a node dies, and comes back", street(30*time.Second, 3, farms["unlike"]...), 40,
			func(s *Scenario) {
				s.Events = []Event{{At: time.Hour, Do: Unplug, Nodes: []string{"ex02"}, For: 20 * time.Minute}}
				s.Clients.Pin, s.Clients.PinFor = 0.5, 30*time.Minute
			}},
	} {
		c.spoil(&c.s)
		if v := newWorld(c.s, rule(t, "evenkeel"), 1).verdict(); v.known < c.known || v.said > 0 {
			t.Errorf("%s: %v; want nothing said", c.name, v)
		}
	}
}

// Behind a balancer nobody asks for answers, and nobody strays from them.
func TestBehindABalancerNobodyStrays(t *testing.T) {
	s := street(30*time.Second, 3, farms["unlike"]...)
	s.Balancer.Kind = "haproxy"
	if v := newWorld(s, rule(t, "evenkeel-balancer"), 1).verdict(); v.known > 0 || v.said > 0 {
		t.Errorf("%v, want nothing known", v)
	}
}
