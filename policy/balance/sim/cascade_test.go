package sim

import (
	"testing"
	"time"
)

// A cascade is that 80 % of a node's clients move within a minute, and that
// another node refuses within five. Each story is told in seconds.
func TestCascade(t *testing.T) {
	type cut struct{ at, node, sessions int }
	type refusal struct{ from, to, node int }
	for _, c := range []struct {
		name     string
		cuts     []cut
		refusals []refusal
		want     int
	}{
		{"all move, the other refuses", []cut{{100, 0, 100}}, []refusal{{110, 111, 1}}, 1},
		{"80 % do", []cut{{100, 0, 80}}, []refusal{{110, 111, 1}}, 1},
		{"79 % do", []cut{{100, 0, 79}}, []refusal{{110, 111, 1}}, 0},
		{"nobody refuses", []cut{{100, 0, 100}}, nil, 0},
		{"it refuses for minutes: that is one", []cut{{100, 0, 100}}, []refusal{{110, 350, 1}}, 1},
		{"it refuses after five minutes", []cut{{100, 0, 100}}, []refusal{{400, 401, 1}}, 1},
		{"later than that", []cut{{100, 0, 100}}, []refusal{{401, 402, 1}}, 0},
		{"it refused before", []cut{{100, 0, 100}}, []refusal{{50, 99, 1}}, 0},
		{"only the node itself refuses", []cut{{100, 0, 100}}, []refusal{{110, 350, 0}}, 0},
		{"two others refuse: that is one", []cut{{100, 0, 100}}, []refusal{{110, 120, 1}, {115, 130, 2}}, 1},
		{"in two parts, within a minute", []cut{{100, 0, 40}, {155, 0, 40}}, []refusal{{160, 161, 1}}, 1},
		{"in two parts, more than a minute apart", []cut{{100, 0, 40}, {165, 0, 40}}, []refusal{{175, 176, 1}}, 0},
		{"to and fro", []cut{{100, 0, 100}, {200, 1, 100}}, []refusal{{110, 111, 1}, {210, 211, 2}}, 2},
		{"a node with hardly any clients", []cut{{100, 3, 19}}, []refusal{{110, 111, 1}}, 0},
	} {
		w := shown(t, bare(400, 400, 400, 400))
		held := []int{100, 100, 100, 19}
		for s := 1; s < 500; s++ {
			for _, x := range c.cuts {
				if x.at == s {
					held[x.node] -= x.sessions
					w.nodes[x.node].cut += x.sessions
				}
			}
			for _, x := range c.refusals {
				if s >= x.from && s < x.to {
					w.nodes[x.node].refused += 3
				}
			}
			w.second(held...)
		}
		if got := w.meter.result(w).Cascades; got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}

// Sessions that end by themselves are no move.
func TestEveningIsNoCascade(t *testing.T) {
	w := shown(t, bare(400, 400))
	for s := range 300 {
		held := 100
		if s > 100 {
			held = 0
		}
		if s > 150 {
			w.nodes[1].refused++
		}
		w.second(held, 10)
	}
	if r := w.meter.result(w); r.Cascades != 0 || w.now.since() != 300*time.Second {
		t.Errorf("%d cascades", r.Cascades)
	}
}
