package diagnose

// window is how long after a row its session counts, in minutes: a wait for
// notifications, which every client has open, ends after five at most.
const window = 5

// forget is how long a session is known, in minutes. Its row after that counts
// as arriving.
const forget = window + 1

// exactSessions is how many are told apart; of more, a sample is.
const exactSessions = 1 << 16

// A visit is what is known of one session.
type visit struct {
	last    int64 // minute of its last row
	arrived int64 // second in which it last arrived
}

// sessions counts how many distinct ones a node has, minute by minute, and how
// many arrive. It is exact up to exactSessions, and an estimate beyond.
type sessions struct {
	seen   map[uint64]visit
	now    int64      // minute
	start  int64      // minute from which on rows came without a gap
	at     [8]float64 // by minute of the last row, modulo 8
	sample uint64     // bits of the hash that must be zero

	level   series[level]
	arrived series[count]
	peak    float64
	mark    mark // at the peak
}

func newSessions() *sessions {
	return &sessions{seen: map[uint64]visit{}, level: series[level]{step: 60}, arrived: series[count]{step: 10}}
}

// see is told a row of a session; connects: it says that it is a new one.
func (s *sessions) see(p *place, key uint64, connects bool) {
	s.advance(p.at/60, p)
	if s.mark.line == 0 {
		s.mark.set(p)
	}
	if key&s.sample != 0 {
		return
	}
	v, known := s.seen[key]
	known = known && s.now-v.last <= forget
	switch {
	case connects && p.at-v.arrived >= 60, !known && s.now-s.start > forget:
		v.arrived = p.at
		s.arrived.add(p.at, count(s.sample+1))
	}
	if known {
		s.at[v.last&7]--
	}
	s.at[s.now&7]++
	v.last = s.now
	s.seen[key] = v
	if len(s.seen) > exactSessions {
		s.thin()
	}
}

// advance closes the minutes before m.
func (s *sessions) advance(m int64, p *place) {
	switch {
	case m > s.now+2*forget, m < s.now-forget: // nothing was logged for long, or files come in a wrong order: all start anew
		s.end()
		s.at, s.now, s.start = [8]float64{}, m, m
		clear(s.seen)
	case m <= s.now: // a row that changed places with another
		return
	}
	for s.now < m {
		s.close(p)
		s.now++
		s.at[s.now&7] = 0
	}
}

// close notes how many there are at the end of a minute.
func (s *sessions) close(p *place) {
	n := s.present()
	if n > 0 {
		s.level.add(s.now*60, level(n))
	}
	if n > s.peak && p != nil {
		s.peak = n
		s.mark.set(p)
	}
	if s.now%8 == 0 {
		s.purge()
	}
}

func (s *sessions) present() (n float64) {
	for i := range int64(window) {
		n += s.at[(s.now-i)&7]
	}
	return n * float64(s.sample+1)
}

// end notes the minutes after the last row, in which sessions still count.
func (s *sessions) end() {
	for range window {
		if s.present() == 0 {
			return
		}
		s.close(nil)
		s.now++
		s.at[s.now&7] = 0
	}
}

func (s *sessions) purge() {
	for key, v := range s.seen {
		if s.now-v.last > forget {
			delete(s.seen, key)
		}
	}
}

// thin keeps every other session, by a further bit of its hash.
func (s *sessions) thin() {
	s.purge()
	for len(s.seen) > exactSessions {
		s.sample = s.sample<<1 | 1
		for key, v := range s.seen {
			if key&s.sample == 0 {
				continue
			}
			delete(s.seen, key)
			if s.now-v.last <= forget {
				s.at[v.last&7]--
			}
		}
	}
}
