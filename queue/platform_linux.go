package queue

import "evenkeel/queue/sockdiag"

// Platform returns what Linux can tell: "listener", the accept queues and
// connections of the listening TCP sockets that l names in this process's
// network namespace, and "cpu". Each call makes sources of its own.
func Platform(l Listener) []Source {
	c := new(sockdiag.Conn)
	return []Source{
		&listener{want: l, kernel: kernel{c.Dump, sockdiag.ReadCounters, c.Close}},
		&cpu{times: machineTime},
	}
}
