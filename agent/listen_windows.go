package main

import "syscall"

// What Windows says when it refuses an address (winsock2.h). The names that
// package syscall has for these are numbers of its own, which no call returns.
const (
	inUse     = syscall.Errno(10048) // WSAEADDRINUSE
	noAddress = syscall.Errno(10049) // WSAEADDRNOTAVAIL
)
