//go:build !linux && !windows

package queue

// Platform returns what can be had anywhere: "cpu", a Fault where it cannot.
func Platform(Listener) []Source { return []Source{&cpu{times: machineTime}} }
