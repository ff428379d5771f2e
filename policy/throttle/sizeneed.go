package throttle

import "time"

// percent sizes a part of a minute of 2010: there is a percentage that is enough
// where one less is not.
func (s *Sized) percent(w *walk, i int, p Part) {
	x, ok := s.Component.parameter(s.Present.Generation, p, asLimit)
	if !ok {
		return
	}
	enough := func(n int64) bool {
		r := minuteOf(n)
		return n > 0 && w.used(i, r, r.Cap).used < r.Cap
	}
	// What is owed is bounded by the limit, so a little more may rarely be too little.
	written := func(least int64) int64 {
		write := roundCount(least)
		for !enough(write) {
			write++
		}
		return write
	}
	least := firstThat(1, enough)
	s.need(p, asLimit, least, written(least))
	present, _ := s.Present.Setting(x)
	if n, ok := present.Value.limit(); ok && n >= least && !enough(n) {
		more := n + firstThat(1, func(by int64) bool { return enough(n + by) })
		s.Needs[len(s.Needs)-1].more = [2]int64{more, written(more)}
	}
}

// minuteOf is n percent of each minute.
func minuteOf(n int64) Rate {
	return Rate{Cap: n * int64(onePercent), Refill: n * int64(onePercent), Per: time.Minute}
}

// firstThat is a number that is enough where one less is not; 0 is, or not. It is
// found the sooner the nearer it is to a guess, at least 1.
func firstThat(guess int64, enough func(int64) bool) int64 {
	if enough(0) {
		return 0
	}
	low, high := int64(0), min(guess, mostWritten-1) // low is not enough
	for step := int64(1); !enough(high); step *= 2 {
		if high == mostWritten-1 {
			return mostWritten
		}
		low, high = high, min(high+step, mostWritten-1)
	}
	for step := int64(1); low == 0 && high-step > 0; step *= 2 {
		if enough(high - step) {
			high -= step
		} else {
			low = high - step
		}
	}
	for high-low > 1 {
		if middle := low + (high-low)/2; enough(middle) {
			high = middle
		} else {
			low = middle
		}
	}
	return high
}

// mostWritten is more than any parameter takes.
const mostWritten = Unlimited

// bucket sizes time by burst and recharge.
func (s *Sized) bucket(w *walk) {
	b := bucketOf{w: w}
	if w.limits.Cutoff == 0 { // at zero already
		b.spare = 1
	}
	s.curve(&b)
	hour := int64(0)
	for _, n := range s.Nodes {
		hour = max(hour, milliseconds(int64(n.Hour)))
	}
	burst := b.burst(hour)
	recharge := b.recharge(burst)
	s.need(LocalTime, asBurst, burst, roundTime(burst))
	s.need(LocalTime, asRefill, recharge, roundTime(recharge))
}

// curve finds the two ends.
func (s *Sized) curve(b *bucketOf) {
	burst, has := s.Component.parameter(s.Present.Generation, LocalTime, asBurst)
	recharge, _ := s.Component.parameter(s.Present.Generation, LocalTime, asRefill)
	if !has {
		return
	}
	atOnce, _ := s.Present.Setting(burst)
	back, _ := s.Present.Setting(recharge)
	if n, ok := back.Value.limit(); ok {
		s.Curve.Burst = written(b.burst(n))
	}
	if n, ok := atOnce.Value.limit(); ok {
		s.Curve.Recharge = written(b.recharge(n))
	}
	if !b.w.limits.Rate[rateLocal].Unlimited {
		s.near(burst, atOnce.Value, s.Curve.Burst)
	}
}

// written is n, where a parameter takes as much.
func written(n int64) Value {
	if n >= mostWritten {
		return Value{State: NoLimit}
	}
	return Number(n)
}

// A bucketOf finds what one of burst and recharge must be when the other is
// given, in ms, and ms an hour.
type bucketOf struct {
	w     *walk
	spare int64 // ns that must be left at least
}

// used is the most that was used at a request's beginning, or something that is
// more than enough.
func (b *bucketOf) used(recharge, enough int64) high {
	return b.w.used(rateLocal, Rate{Refill: recharge * int64(time.Millisecond), Per: time.Hour}, enough)
}

func (b *bucketOf) burst(recharge int64) int64 {
	burst := milliseconds(b.used(recharge, most).used + b.spare)
	if burst == 0 && recharge == 0 { // by which nothing is allowed
		return 1
	}
	return min(burst, mostWritten)
}

func (b *bucketOf) recharge(burst int64) int64 {
	limit := burst*int64(time.Millisecond) - b.spare
	return firstThat(b.guess(limit), func(n int64) bool {
		return (burst > 0 || n > 0) && b.used(n, limit).used <= limit
	})
}

// guesses are more than it takes to come near: each is at a corner of what is used,
// which falls in straight lines, ever flatter.
const guesses = 12

// guess is near the recharge at which no more is used than the limit. What is too
// much at one recharge was earned at a greater one since there was last nothing used.
func (b *bucketOf) guess(limit int64) (n int64) {
	for range guesses {
		h := b.used(n, most)
		if h.used <= limit || h.after <= 0 {
			break
		}
		n += 1 + int64(min(float64(h.used-limit)/float64(time.Millisecond)*(float64(time.Hour)/float64(h.after)), mostWritten))
		if n >= mostWritten {
			break
		}
	}
	return min(max(n, 1), mostWritten)
}

// milliseconds are those of ns, a begun one too.
func milliseconds(ns int64) int64 {
	return (ns + int64(time.Millisecond) - 1) / int64(time.Millisecond)
}
