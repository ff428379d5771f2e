package maillog

import "evenkeel/queue/lines"

// Stats count what was read: the lines as all logs do, and what this package
// passes over.
type Stats struct {
	lines.Stats
	Foreign int64 // rows under a header of no log that is known
}
