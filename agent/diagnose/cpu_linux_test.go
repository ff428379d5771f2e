package diagnose

import (
	"syscall"
	"time"
)

// cpu is the processor time that the process has had: what a shared machine
// lets one measure.
func cpu() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
