// Package farmlog makes the logs that the nodes of a mail farm would have
// written in the course of a story, together with what is true of them. Tests
// and benchmarks alone use it: it knows none of our readers, so that it cannot
// agree with them by sharing their faults.
//
// What is written is not made up line by line. A farm is played second by
// second: people open Outlook in the morning, a balancer gives their sessions to
// front ends, requests wait for a place in the queue of a pool, and what finds
// none is refused. The rows are what the parts would write of it.
//
// Start with [Stories] and [Story.Write].
package farmlog

import (
	"fmt"
	"io"
	"time"
)

// A Story is what happens to a farm. It is a value that does not change, and may
// be written any number of times.
type Story struct {
	Name   string        // a word: "incident"
	About  string        // a sentence
	Cause  string        // the kind of finding that has to stand first; "": nothing is wrong
	Also   []string      // kinds that are true as well, or follow from the cause
	Nodes  []string      // names of the servers, each a front end and a mailbox server
	Length time.Duration // whole days, from midnight to midnight UTC

	Sessions int // MAPI sessions in the busiest hour, at Scale 1

	shape
}

// A shape is how a story's farm differs from the next.
type shape struct {
	share  float64     // of new sessions, what the balancer gives to the node that has most; 0: it takes turns
	fails  int         // probes that must fail before a node is taken out; 0: 3
	modern bool        // HTTPERR as of Windows 2022, else 2019
	calm   float64     // how many times less news there are than is usual; 0: 1. Logs of a size have the more people
	old    bool        // EWS logs as of Exchange 2013, else 2016
	play   func(*farm) // lays down what will happen
}

// Options say how a story is written.
type Options struct {
	Seed  uint64    // the same seed gives the same bytes
	Start time.Time // a midnight UTC; zero: 2 March 2026, a Monday

	// Scale multiplies clients, places in queues and what pools can do, and
	// leaves times alone. 0: 1, or what Bytes needs, but not more than 1.
	Scale float64

	// Bytes is about how much is written in all, within a few in a hundred;
	// 0: what comes of Scale. What Scale does not do is done by clients that ask
	// for more or less; no session is silent for more than 5 minutes, so there
	// is a least.
	Bytes int64
}

// Write plays the story and writes its logs into the files that create opens, in
// a folder a node, as an administrator would have collected them: paths have
// slashes and begin with the node's name. Every file that was opened is closed. Files are written as
// the time of the story goes on; no more than ten a node are open at once.
func (s Story) Write(o Options, create func(path string) (io.WriteCloser, error)) (Truth, error) {
	if o.Start.IsZero() {
		o.Start = time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)
	}
	if !o.Start.Equal(o.Start.UTC().Truncate(24 * time.Hour)) {
		return Truth{}, fmt.Errorf("story %q: starts at %v, which is no midnight UTC", s.Name, o.Start)
	}
	scale, detail, err := s.fit(o)
	if err != nil {
		return Truth{}, err
	}
	return s.perform(o, scale, detail, create)
}

func (s Story) perform(o Options, scale, detail float64, create func(string) (io.WriteCloser, error)) (Truth, error) {
	f := newFarm(s, o, scale, detail, create)
	err := f.run()
	if e := f.close(); err == nil {
		err = e
	}
	if err != nil {
		return Truth{}, fmt.Errorf("story %q: %w", s.Name, err)
	}
	return f.truth.tell(f), nil
}

// fit finds the scale and the detail with which the story has the wanted size.
// It plays it small, twice, since both grow in a straight line.
func (s Story) fit(o Options) (scale, detail float64, err error) {
	scale, detail = o.Scale, 1
	if scale == 0 {
		scale = 1
	}
	if o.Bytes == 0 {
		return scale, 1, nil
	}
	small, large := 40/float64(s.Sessions), 120/float64(s.Sessions)
	a, err := s.size(o, small, 1)
	b, err2 := s.size(o, large, 1)
	c, err3 := s.size(o, large, 2)
	if err != nil || err2 != nil || err3 != nil {
		return 0, 0, fmt.Errorf("story %q: its size: %w", s.Name, err)
	}
	more := (c - b) / large          // bytes of one more detail, of a whole scale
	per := (b - a) / (large - small) // bytes of a whole scale, at detail 1
	fixed := a - per*small
	if o.Scale == 0 {
		scale = min(1, max(small, (float64(o.Bytes)-fixed)/(per-more/2)))
	}
	return scale, max(0.2, 1+(float64(o.Bytes)-fixed-per*scale)/(more*scale)), nil
}

func (s Story) size(o Options, scale, detail float64) (float64, error) {
	t, err := s.perform(o, scale, detail, func(string) (io.WriteCloser, error) { return nowhere{}, nil })
	return float64(t.Bytes), err
}

// nowhere is a file of which only the size is wanted.
type nowhere struct{}

// Write takes all.
func (nowhere) Write(b []byte) (int, error) { return len(b), nil }

// Close does nothing.
func (nowhere) Close() error { return nil }
