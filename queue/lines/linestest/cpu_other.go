//go:build !linux

package linestest

import "time"

// CPU is not known here: 0.
func CPU() time.Duration { return 0 }
