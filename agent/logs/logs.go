// Package logs finds the logs of mail nodes among files, folders and archives,
// says which node wrote each, and reads all of them, several at once. What the
// rows mean it leaves to others.
//
// Start with [Find]; [Found.Read] reads what it found.
package logs

import (
	"context"
	"errors"
	"time"

	"evenkeel/queue/maillog"
)

// ErrNoLog is that a file, named by itself, holds no log that [maillog] understands.
var ErrNoLog = errors.New("no log that is understood")

// A Log is one log in a file, or in an entry of an archive.
type Log struct {
	Name   string // to show: "EX01/HTTPERR/httperr1.log", "ex01.zip/HTTPERR/httperr1.log"
	Size   int64  // bytes when it is read; -1: not known before
	Packed int64  // bytes that it takes on disk
	Kind   maillog.Kind
	First  time.Time // of its first row that has a time; zero: it has none

	usual bool // it is called as its server calls it
	open  func(ctx context.Context, read func(n int)) (*content, error)
}

// A Stream is one log of one node: its files, in the order of time.
type Stream struct {
	Node   string
	Kind   maillog.Kind
	Folder string // the last folder of its files, in lower case: "w3svc1", "mapi"
	Logs   []Log
}

// Packed is how many bytes the stream takes on disk.
func (s Stream) Packed() (n int64) {
	for _, l := range s.Logs {
		n += l.Packed
	}
	return n
}

// A Fault is what could not be read, or not to its end. What came before the
// fault was read.
type Fault struct {
	Name string
	Err  error
}

// Found is what there is to read. It does not change, and may be read several
// times.
type Found struct {
	Streams []Stream // sorted by node, kind and folder
	Nodes   []string // sorted
	Passed  int      // files that are no logs
	Doubles int      // logs that were found twice, and are read once
	Faults  []Fault  // sorted by name
}

// Logs is how many logs there are.
func (f *Found) Logs() (n int) {
	for _, s := range f.Streams {
		n += len(s.Logs)
	}
	return n
}

// Packed is how many bytes all of them take on disk.
func (f *Found) Packed() (n int64) {
	for _, s := range f.Streams {
		n += s.Packed()
	}
	return n
}
