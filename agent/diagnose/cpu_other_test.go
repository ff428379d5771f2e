//go:build !linux

package diagnose

import "time"

// cpu is not known here.
func cpu() time.Duration { return 0 }
