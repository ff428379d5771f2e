package diagnose

// most is how many steps a series may have; beyond, its steps widen. Two days
// in steps of 10 s are 17,280.
const most = 20000

// summed values can become the value of a wider step.
type summed[T any] interface{ join(T) T }

// A count adds up over time.
type count float64

func (c count) join(o count) count { return c + o }

// A level does not: of a wider step it is the highest.
type level float64

func (l level) join(o level) level { return max(l, o) }

// A pace is how fast something was answered.
type pace struct {
	n, slow int32   // all, and those that took a second or more
	ms      float64 // of all
}

func (p pace) join(o pace) pace { return pace{p.n + o.n, p.slow + o.slow, p.ms + o.ms} }

// A series is a value for each step of time. However long the time is, its
// memory is bounded. The steps depend on the span alone and begin at multiples
// of their length, so that two series can be laid on each other.
type series[T summed[T]] struct {
	step  int64 // seconds
	first int64 // at[0] is of first*step and the seconds after
	at    []T
}

func (s *series[T]) add(sec int64, x T) {
	i := s.place(sec)
	s.at[i] = s.at[i].join(x)
}

// place is the index of a second, after making room for it.
func (s *series[T]) place(sec int64) int {
	for ; ; s.widen() {
		b := sec / s.step
		if len(s.at) == 0 {
			s.first = b
		}
		switch {
		case b >= s.first && b-s.first < int64(len(s.at)):
			return int(b - s.first)
		case b >= s.first && b-s.first < most:
			s.at = append(s.at, make([]T, b-s.first+1-int64(len(s.at)))...)
			return len(s.at) - 1
		case b < s.first && s.first-b+int64(len(s.at)) <= most:
			s.at = append(make([]T, s.first-b, s.first-b+int64(len(s.at))), s.at...)
			s.first = b
			return 0
		}
	}
}

func (s *series[T]) widen() { s.widenTo(wider(s.step)) }

// widenTo makes the steps longer: step is a multiple of what they are.
func (s *series[T]) widenTo(step int64) {
	if step == s.step || len(s.at) == 0 {
		s.step = step
		return
	}
	first := s.first * s.step / step
	last := (s.first + int64(len(s.at)) - 1) * s.step / step
	at := make([]T, last-first+1)
	for i, x := range s.at {
		j := (s.first+int64(i))*s.step/step - first
		at[j] = at[j].join(x)
	}
	s.step, s.first, s.at = step, first, at
}

// merge adds all of another series; both may be widened.
func (s *series[T]) merge(o *series[T]) {
	if len(o.at) == 0 {
		return
	}
	for s.step < o.step {
		s.widen()
	}
	for i, x := range o.at {
		s.add((o.first+int64(i))*o.step, x)
	}
}

// of is the value of the step that a second is in; the zero value where there
// is none.
func (s *series[T]) of(sec int64) (x T) {
	if i := sec/s.step - s.first; i >= 0 && i < int64(len(s.at)) {
		return s.at[i]
	}
	return x
}

// between joins the steps that begin from a second on and before another.
func (s *series[T]) between(from, to int64) (x T) {
	for sec := max(0, from-from%s.step); sec < to; sec += s.step {
		x = x.join(s.of(sec))
	}
	return x
}

// all joins all steps.
func (s *series[T]) all() (x T) {
	for _, y := range s.at {
		x = x.join(y)
	}
	return x
}

// wider is the next length of steps: each is a multiple of the one before it,
// and one that people read easily.
func wider(step int64) int64 {
	switch step {
	case 10, 300:
		return step * 3
	case 60:
		return step * 5
	}
	return step * 2
}
