//go:build !linux

package maillog

import "time"

// cpu is not known here.
func cpu() time.Duration { return 0 }
