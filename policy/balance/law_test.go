package balance

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// Every "never", "always", "only if" and "exactly" of the balance law holds in
// whatever a node may see after whatever it has seen.

func anyRules(t *rapid.T) Rules {
	r := rules()
	r.Ramp = time.Duration(rapid.IntRange(0, 600).Draw(t, "ramp")) * time.Second
	r.Hold = time.Duration(rapid.IntRange(0, 300).Draw(t, "hold")) * time.Second
	r.MinInService = rapid.IntRange(0, 3).Draw(t, "min in service")
	return r
}

func anyMeasure(t *rapid.T) Measure {
	m := Measure{
		Blind:       rapid.IntRange(0, 9).Draw(t, "blind") == 0,
		Connections: rapid.IntRange(Unmeasured, 6000).Draw(t, "connections"),
		Limit:       rapid.IntRange(1, 4000).Draw(t, "limit"),
		Refused:     rapid.Uint64Range(0, 5).Draw(t, "refused"),
		Reported:    rapid.Uint64Range(0, 5).Draw(t, "reported"),
		Draining:    rapid.IntRange(0, 9).Draw(t, "draining") == 0,
	}
	for range rapid.IntRange(0, 3).Draw(t, "queues") {
		m.Queues = append(m.Queues, Queue{
			Depth: rapid.IntRange(0, 1001).Draw(t, "depth"), Limit: 1000,
			Slope: rapid.Float64Range(-100, 100).Draw(t, "slope"),
		})
	}
	m.Gauges = []Gauge{{"cpu", rapid.Float64Range(0, 1).Draw(t, "cpu"), 1}}
	return m
}

func anyNodes(t *rapid.T, now time.Time) []Node {
	var nodes []Node
	for i := range rapid.IntRange(0, 6).Draw(t, "others") {
		n := Node{
			Name:   fmt.Sprint("mx", i),
			Member: rapid.Bool().Draw(t, "member"),
			Left:   rapid.IntRange(0, 3).Draw(t, "left") == 0,
			Fact:   anyFact(t),
		}
		if rapid.IntRange(0, 9).Draw(t, "unheard") > 0 {
			n.Born = now.Add(-time.Duration(rapid.IntRange(-1000, 40000).Draw(t, "age")) * time.Millisecond)
		} else {
			n.Fact = Fact{}
		}
		nodes = append(nodes, n)
	}
	return nodes
}

func anyFact(t *rapid.T) Fact {
	f := Fact{
		Beat:        rapid.Uint64Range(1, 100).Draw(t, "beat"),
		Status:      Status(rapid.IntRange(int(Unknown), int(Failing)).Draw(t, "status")),
		Connections: rapid.IntRange(Unmeasured, 6000).Draw(t, "connections"),
		Limit:       rapid.IntRange(1, 4000).Draw(t, "limit"),
		Queue:       rapid.IntRange(0, 1001).Draw(t, "queue"), QueueLimit: 1000,
		Arrivals: rapid.Float64Range(0, 100).Draw(t, "arrivals"),
		Up:       time.Duration(rapid.IntRange(0, 900).Draw(t, "up")) * time.Second,
		Steady:   time.Duration(rapid.IntRange(0, 100).Draw(t, "steady")) * time.Second,
	}
	if rapid.Bool().Draw(t, "wishes") {
		f.Wish = Wish{f.Beat, rapid.Float64Range(0, 1).Draw(t, "wish")}
	}
	if rapid.Bool().Draw(t, "grants") {
		f.Grant = Grant{rapid.SampledFrom([]string{"mx0", "mx1", "self"}).Draw(t, "to"), rapid.Uint64Range(1, 60).Draw(t, "of")}
	}
	return f
}

// play has a node live through random beats and hands each to check.
func play(t *rapid.T, check func(r Rules, before, after State, obs Observation, p Plan)) {
	r, now, s := anyRules(t), epoch, State{}
	for beat := range uint64(rapid.IntRange(1, 30).Draw(t, "beats")) {
		now = now.Add(time.Duration(rapid.SampledFrom([]int{500, 500, 500, 4500, 20000}).Draw(t, "pause")) * time.Millisecond)
		obs := Observation{Now: now, Name: "self", Beat: beat + 1, Own: anyMeasure(t), Nodes: anyNodes(t, now)}
		slices.SortFunc(obs.Nodes, func(a, b Node) int { return len(a.Name) - len(b.Name) })
		next, plan := Decide(r, s, obs)
		check(r, s, next, obs, plan)
		s = next
	}
}

func isDead(n Node, now time.Time, size int) bool {
	return !n.Member && (n.Born.IsZero() || now.Sub(n.Born) > 3*Heartbeat(size))
}

// Law 1 and 6: the dead get nothing, except while one suspects himself; there
// is always an answer; shares sum to exactly one and are never negative.
func TestSharesAlwaysAnswer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		play(t, func(r Rules, _, _ State, obs Observation, p Plan) {
			sum := 0.0
			for _, n := range p.Nodes {
				if n.Share < 0 || n.Share > 1+1e-9 || math.IsNaN(n.Share) {
					t.Fatalf("share %v of %s", n.Share, n.Name)
				}
				if n.Share > 0 && !n.Heard {
					t.Fatalf("%s gets %v and was never heard", n.Name, n.Share)
				}
				sum += n.Share
			}
			if math.Abs(sum-1) > 1e-9 {
				t.Fatalf("shares sum to %v", sum)
			}
			for _, n := range obs.Nodes {
				i := slices.IndexFunc(p.Nodes, func(s Standing) bool { return s.Name == n.Name })
				if isDead(n, obs.Now, len(p.Nodes)) && p.Nodes[i].Share > 0 && !p.Alone {
					t.Fatalf("dead %s gets %v", n.Name, p.Nodes[i].Share)
				}
			}
		})
	})
}

// Law 4: draining and failing nodes get nothing while another is eligible; a
// degraded one stays at its floor, unless it is full of connections alone, and
// nobody is below it or above the cap.
func TestSharesInBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		play(t, func(r Rules, _, _ State, obs Observation, p Plan) {
			if p.Open || p.Alone {
				return
			}
			caps, total := 0.0, 0.0
			for _, n := range p.Nodes {
				if n.Share > 0 {
					total += float64(n.Limit)
				}
			}
			for _, n := range p.Nodes {
				if n.Share > 0 && (n.Status != Degraded || n.brimful()) {
					caps += min(1, 2*float64(n.Limit)/total)
				}
			}
			for _, n := range p.Nodes {
				fair := float64(n.Limit) / total
				switch {
				case !n.Status.eligible():
					if n.Share != 0 {
						t.Fatalf("%s is %v and gets %v", n.Name, n.Status, n.Share)
					}
				case n.Share == 0 && !n.Heard:
				case n.Share < floorShare*fair*(1-1e-6):
					t.Fatalf("%s gets %v, below its floor %v", n.Name, n.Share, floorShare*fair)
				case n.Status == Degraded && !n.brimful() && n.Share > floorShare*fair*(1+1e-6):
					t.Fatalf("%s is degraded and gets %v, floor %v", n.Name, n.Share, floorShare*fair)
				case r.Ramp == 0 && caps >= 1 && n.Share > min(1, 2*fair)*(1+1e-6):
					t.Fatalf("%s gets %v, cap %v", n.Name, n.Share, 2*fair)
				}
			}
		})
	})
}

// Law 2: for load alone a node fails only if (a) to (d) hold in what it sees,
// when it begins and as long as it does; and a farm of one never.
func TestFailsOnlyIf(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		play(t, func(r Rules, before, after State, obs Observation, p Plan) {
			if !after.forLoad {
				return
			}
			stay, room := 0, 0.0
			for _, n := range obs.Nodes {
				if isDead(n, obs.Now, len(p.Nodes)) {
					continue
				}
				most := time.Duration(freshBeats)
				if before.forLoad {
					most = leaseBeats
				}
				if n.Born.IsZero() || obs.Now.Sub(n.Born) > most*Heartbeat(len(p.Nodes)) {
					t.Fatal("(a) a node not known dead has no fresh Fact")
				}
				if n.Grant.Node != "self" || n.Grant.Beat != after.wish.Beat {
					t.Fatal("(d) fails without the grant of", n.Name)
				}
				if n.Status.eligible() {
					stay++
					room += max(0, r.Degrade*float64(n.Limit)-float64(n.Connections))
					if float64(n.Queue) > r.Recover*float64(n.QueueLimit) {
						t.Fatal("(c) over the mark to recover:", n.Name)
					}
				}
			}
			if 2*stay < len(p.Nodes) || stay < r.MinInService || len(p.Nodes) == 1 {
				t.Fatalf("(b) %d of %d stay", stay, len(p.Nodes))
			}
			if room < float64(obs.Own.Connections) {
				t.Fatalf("(c) room for %v, needs %d", room, obs.Own.Connections)
			}
			if after.grant.Node != "" {
				t.Fatal("fails while its own grant stands")
			}
		})
	})
}

// Law 2 (d): a grant, once given, is changed only when the granted node is seen
// without that wish, which who fails for load always carries, or gone.
func TestGrantStands(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		play(t, func(r Rules, before, after State, obs Observation, p Plan) {
			g := before.grant
			if g.Node == "" || after.grant == g {
				return
			}
			for _, n := range obs.Nodes {
				if n.Name == g.Node && !isDead(n, obs.Now, len(p.Nodes)) && n.Wish.Beat == g.Beat {
					t.Fatalf("grant %v taken back, and %s is %v with wish %d", g, n.Name, n.Status, n.Wish.Beat)
				}
			}
		})
	})
}

// Law 3: connections, CPU and slope never fail a node; a probe fails only over
// the mark of a queue or on refusals, or when the service is broken.
func TestOnlyQueuesFail(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		play(t, func(r Rules, before, after State, obs Observation, p Plan) {
			if !after.forLoad || before.forLoad {
				return
			}
			over := obs.Own.Refused > before.refused
			for _, q := range obs.Own.Queues {
				over = over || q.ratio() >= r.Fail
			}
			if !over {
				t.Fatalf("began to fail with %+v", obs.Own)
			}
		})
	})
}

// Law 3: a failing answer is held, unless the farm's leave ends; blind nodes
// and all that is not failing or drained say yes.
func TestServe(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		play(t, func(r Rules, before, after State, obs Observation, p Plan) {
			if p.Serve != (after.status != Failing && !(after.status == Draining && obs.Own.Drained)) {
				t.Fatalf("serve %v while %v", p.Serve, after.status)
			}
			if before.status == Failing && after.status != Failing && !obs.Own.Draining &&
				obs.Now.Before(before.hold) && !before.forLoad {
				t.Fatal("a failing answer was not held")
			}
		})
	})
}

// Law 5: equal facts give equal plans, whoever draws them.
func TestEqualFactsEqualPlans(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rules()
		nodes := anyNodes(t, epoch)
		for i := range nodes {
			nodes[i].Member, nodes[i].Born = true, epoch.Add(-time.Duration(i)*100*time.Millisecond)
			if nodes[i].Fact.Limit == 0 {
				nodes[i].Fact = anyFact(t)
			}
			nodes[i].Status = Up
		}
		var want []float64
		for self, n := range nodes {
			others := slices.Delete(slices.Clone(nodes), self, self+1)
			f := see(r, Observation{Now: epoch, Nodes: others})
			plan := Plan{Own: n.Fact}
			plan.Nodes = standings(Observation{Name: n.Name}, f, n.Fact)
			r.divide(f, State{}, plan)
			var got []float64
			for _, s := range plan.Nodes {
				got = append(got, s.Share)
			}
			if want == nil {
				want = got
			}
			if !slices.Equal(got, want) {
				t.Fatalf("%s draws %v, mx0 draws %v", n.Name, got, want)
			}
		}
	})
}

// The State of one decision is not changed by the next: a decision can be
// tried and thrown away.
func TestDecideIsPure(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		play(t, func(r Rules, before, after State, obs Observation, p Plan) {
			again, same := Decide(r, before, obs)
			if fmt.Sprint(again, same) != fmt.Sprint(after, p) {
				t.Fatal("the same arguments gave another decision")
			}
		})
	})
}
