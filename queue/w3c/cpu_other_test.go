//go:build !linux

package w3c

import "time"

// cpu is not known here.
func cpu() time.Duration { return 0 }
