package node

import (
	"fmt"
	"os"
	"testing"
	"time"
)

// The kernel writes the same clock to /proc/uptime (proc(5)).
func TestSinceBoot(t *testing.T) {
	b, err := os.ReadFile("/proc/uptime")
	if err != nil {
		t.Skip(err)
	}
	var up float64
	if _, err := fmt.Sscan(string(b), &up); err != nil {
		t.Fatal(err)
	}
	got, known := sinceBoot()
	if off := got - time.Duration(up*float64(time.Second)); !known || off.Abs() > 5*time.Second {
		t.Errorf("%v (%v), the kernel says %vs", got, known, up)
	}
}
