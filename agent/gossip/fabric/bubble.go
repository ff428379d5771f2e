package fabric

import (
	"runtime"
	"testing"
	"testing/synctest"
)

// Bubble is synctest.Test on one processor. In Go 1.26 the timers of a bubble
// share one context of the race detector, and a ticker whose reader comes late,
// as memberlist's do when probes time out, is run by the reader: two readers on
// two processors then crash the detector (go.dev/issue/78156). One processor
// hides no race from it, since it judges by what happens before what.
//
// It changes GOMAXPROCS for the whole process until it returns, so the test
// must not be parallel.
func Bubble(t *testing.T, test func(*testing.T)) {
	t.Helper()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	synctest.Test(t, test)
}
