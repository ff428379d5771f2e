//go:build !windows

package main

import "syscall"

// What the system says when it refuses an address.
const (
	inUse     = syscall.EADDRINUSE
	noAddress = syscall.EADDRNOTAVAIL
)
