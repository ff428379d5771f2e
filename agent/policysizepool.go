package main

import (
	"time"

	"evenkeel/policy/throttle"
	"evenkeel/queue/maillog"
)

// A sizePool is the requests in one component. Each is in several logs, and counts
// once: of the logs that tell of a protocol in an hour the best one's are kept.
// Which log is there is looked at by the hour, since the best may be kept for the
// shortest time.
type sizePool map[sizeHourKey]*sizeHour

type sizeHourKey struct {
	protocol maillog.Protocol
	hour     int64 // since the epoch
}

type sizeHour struct {
	source              sizeSource // of uses
	uses                []throttle.Use
	logged, maybe, sync int              // of uses
	rows, refused       [sizeSources]int // by source; rows are without those that were refused
}

// mostUses are kept of an account, in some 350 MiB.
const mostUses = 2_000_000

// add keeps a request, unless a better log tells of it.
func (s *sizeReading) add(r *sizeRow) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.pools[r.component] == nil {
		s.pools[r.component] = sizePool{}
	}
	key := sizeHourKey{r.protocol, int64(r.use.Start / time.Hour)}
	h := s.pools[r.component][key]
	if h == nil {
		h = &sizeHour{}
		s.pools[r.component][key] = h
	}
	if r.refused {
		h.refused[r.source]++
	} else {
		h.rows[r.source]++
	}
	if r.source > h.source {
		s.kept -= len(h.uses)
		h.source, h.uses, h.logged, h.maybe, h.sync = r.source, nil, 0, 0, 0
	}
	if !r.refused && r.source == h.source {
		s.keep(h, r)
	}
}

func (s *sizeReading) keep(h *sizeHour, r *sizeRow) {
	if s.kept >= s.most {
		s.full = true
		s.stop()
		return
	}
	s.kept++
	h.uses = append(h.uses, r.use)
	h.logged += one(r.logged)
	h.maybe += one(r.maybe)
	h.sync += one(r.sync)
}

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}

// A sizeSum is what a pool came to.
type sizeSum struct {
	uses                         []throttle.Use
	logged, maybe, sync, refused int
	hours, left                  [sizeSources]int // in how many hours it was the best; how many of its rows are left out
}

// sum is all of the pool, which is empty then.
func (p sizePool) sum() (out sizeSum) {
	n := 0
	for _, h := range p {
		n += len(h.uses)
	}
	out.uses = make([]throttle.Use, 0, n)
	for key, h := range p {
		out.uses = append(out.uses, h.uses...)
		out.count(h)
		delete(p, key) // what was copied may go
	}
	return out
}

func (s *sizeSum) count(h *sizeHour) {
	s.logged, s.maybe, s.sync = s.logged+h.logged, s.maybe+h.maybe, s.sync+h.sync
	most := 0
	for source, n := range h.refused { // a front end refuses what the log behind it never sees
		most = max(most, n)
		if sizeSource(source) != h.source {
			s.left[source] += h.rows[source]
		}
	}
	s.refused += most
	s.hours[h.source]++
}

// rough says that any of the logs has whole seconds.
func (s *sizeSum) rough() bool { return s.hours[frontIIS] > 0 || s.hours[backIIS] > 0 }
