package sockdiag

import (
	"encoding/binary"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// run is the kernel's inet_diag_bc_run for local ports: it goes through the
// program as the kernel does, and fails where the kernel would leave it.
func run(t rapid.TB, program []byte, port uint16) bool {
	for at := 0; at < len(program); {
		code, yes, no := program[at], int(program[at+1]), int(binary.NativeEndian.Uint16(program[at+2:]))
		ok := false
		if code == opGE || code == opLE {
			want := binary.NativeEndian.Uint16(program[at+6:])
			ok = code == opGE && port >= want || code == opLE && port <= want
		}
		step := no
		if ok {
			step = yes
		}
		if at += step; at > len(program) {
			return false
		}
		if step == 0 || step%4 != 0 {
			t.Fatalf("a step of %d", step)
		}
	}
	return true
}

// audit is the kernel's inet_diag_bc_audit: it says whether the program would
// be taken.
func audit(program []byte) bool {
	starts := map[int]bool{len(program): true, len(program) + 4: true}
	for at := 0; at < len(program); at += int(program[at+1]) {
		starts[at] = true
	}
	for at := 0; at < len(program); {
		code, yes, no := program[at], int(program[at+1]), int(binary.NativeEndian.Uint16(program[at+2:]))
		least := opLen
		if code != opJump {
			least = compareLen
		}
		if yes < least || no < least || !starts[at+yes] || !starts[at+no] {
			return false
		}
		at += yes
	}
	return true
}

func TestFilterLetsExactlyThePortsPass(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		port := rapid.OneOf(rapid.Uint16(), rapid.Uint16Range(20, 30), rapid.SampledFrom([]uint16{0, 65535}))
		ports := rapid.SliceOfNDistinct(port, 1, 12, rapid.ID).Draw(t, "ports")
		slices.Sort(ports)
		b := appendFilter(nil, ports)
		if n := int(binary.NativeEndian.Uint16(b)); n != len(b) || n%4 != 0 {
			t.Fatalf("length %d, %d bytes", n, len(b))
		}
		if !audit(b[attrLen:]) {
			t.Fatalf("the kernel would refuse % x", b)
		}
		// The program compares with these ports alone, so they and their
		// neighbours (0 is the neighbour of 65535) stand for all.
		for _, p := range ports {
			for _, p := range []uint16{p - 1, p, p + 1} {
				_, want := slices.BinarySearch(ports, p)
				if got := run(t, b[attrLen:], p); got != want {
					t.Fatalf("port %d: got %v, want %v", p, got, want)
				}
			}
		}
	})
}

func TestFilterHasItsBounds(t *testing.T) {
	odd := func(n int) (ports []uint16) {
		for i := range n {
			ports = append(ports, uint16(2*i+1))
		}
		return ports
	}
	row := make([]uint16, 1<<16)
	for i := range row {
		row[i] = uint16(i)
	}
	for _, tt := range []struct {
		name  string
		ports []uint16
		want  int
	}{
		{"no ports, no filter", nil, 0},
		{"as many as go", odd(maxTerms), attrLen + maxTerms*termLen - opLen},
		{"one more is left to the caller", odd(maxTerms + 1), 0},
		{"neighbours are one", row, attrLen + rangeLen},
	} {
		if got := len(appendFilter(nil, tt.ports)); got != tt.want {
			t.Errorf("%s: got %d bytes, want %d", tt.name, got, tt.want)
		}
	}
	if !audit(appendFilter(nil, odd(maxTerms))[attrLen:]) {
		t.Error("the kernel would refuse the longest filter")
	}
}
