package queue

import "testing"

func TestArrivals(t *testing.T) {
	var a arrivals
	for _, step := range []struct {
		name    string
		sockets []uint64
		broken  bool
		want    uint64
	}{
		{"who is there at first did not come", []uint64{1, 2, 3}, false, 0},
		{"two came, one went", []uint64{2, 3, 4, 5}, false, 2},
		{"a count that broke off says nothing", []uint64{6}, true, 2},
		{"as many came as went", []uint64{2, 3, 6, 7}, false, 4},
		{"all went", nil, false, 4},
		{"and all came back as others", []uint64{8, 9}, false, 6},
	} {
		a.begin()
		for _, s := range step.sockets {
			a.see(s)
		}
		if !step.broken {
			a.end()
		}
		if a.total != step.want {
			t.Errorf("%s: got %d, want %d", step.name, a.total, step.want)
		}
	}
}
