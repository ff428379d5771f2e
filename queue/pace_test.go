package queue

import (
	"testing"
	"time"
)

func TestPace(t *testing.T) {
	const ms = time.Millisecond
	counted := pace{at: t0, cost: 5 * ms, total: 600}
	large := pace{at: t0, cost: 20 * ms, total: 10_000}
	huge := pace{at: t0, cost: 500 * ms, total: 200_000}
	for _, tt := range []struct {
		name  string
		p     pace
		age   time.Duration
		total int
		came  uint64
		news  bool
		want  bool
	}{
		{"the first count is due", pace{}, 0, 0, 0, false, true},
		{"nothing moved", counted, 9999 * ms, 600, 0, false, false},
		{"after 10 s it is due all the same", counted, 10 * time.Second, 600, 0, false, true},
		{"nine came: worth it once a hundred costs are over", counted, 500 * ms, 609, 0, false, true},
		{"nine went, just as well", counted, 500 * ms, 591, 0, false, true},
		{"but not sooner", counted, 499 * ms, 609, 0, false, false},
		{"eight are little, and wait ten times as long", counted, 4999 * ms, 608, 0, false, false},
		{"and no longer", counted, 5000 * ms, 601, 0, false, true},
		{"a hundred of ten thousand are little too", large, 2000 * ms, 10_100, 0, false, false},
		{"one more is not", large, 2000 * ms, 10_101, 0, false, true},
		{"a new port is worth a count", counted, 500 * ms, 600, 0, true, true},
		{"at the same price", counted, 499 * ms, 600, 0, true, false},
		{"nine came and nine went: the total stands still, the ports need not", counted, 500 * ms, 600, 9, false, true},
		{"a counter that fell, after a reboot, moves nothing", pace{at: t0, cost: ms, total: 600, came: 7}, 9999 * ms, 600, 6, false, false},
		{"10 s hold whatever a count costs", huge, 10 * time.Second, 200_000, 0, false, true},
	} {
		if got := tt.p.due(t0.Add(tt.age), tt.total, tt.came, tt.news); got != tt.want {
			t.Errorf("%s: got %v", tt.name, got)
		}
	}
}
