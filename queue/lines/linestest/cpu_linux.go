package linestest

import (
	"syscall"
	"time"
)

// CPU is the processor time that the process has had: what a shared machine
// lets one measure. It is 0 where it is not known.
func CPU() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
