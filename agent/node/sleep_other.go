//go:build !linux

package node

import "time"

// sinceBoot: no clock is known here that goes on in sleep and that every way of
// stopping a virtual machine leaves alone.
func sinceBoot() (time.Duration, bool) { return 0, false }
