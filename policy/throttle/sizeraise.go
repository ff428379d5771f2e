package throttle

// Raise is what of Needs the policy has too little of, and what to write for it;
// nothing where nothing is throttled. With that, and all else as it is, nothing is.
// Of burst and recharge that may be one alone: then Least and Write go by the other as
// the policy has it.
func (s *Sized) Raise() (out []Need) {
	if len(s.Throttled) == 0 {
		return nil
	}
	var pair []Need
	for _, n := range s.Needs {
		switch limit, limited := n.Present.limit(); {
		case n.Parameter.Part() == LocalTime:
			pair = append(pair, n)
		case limited && n.Least > limit:
			out = append(out, n)
		case n.more[0] > 0:
			n.Least, n.Write = n.more[0], n.more[1]
			out = append(out, n)
		}
	}
	return append(out, s.raiseTime(pair)...)
}

// raiseTime does so of burst and recharge, the order of which is that of [Parameters].
func (s *Sized) raiseTime(pair []Need) []Need {
	if len(pair) != 2 {
		return nil
	}
	burst, recharge := pair[0], pair[1]
	hasBurst, limited := burst.Present.limit()
	hasRecharge, both := recharge.Present.limit()
	needed, ok := s.Curve.Burst.limit()
	switch {
	case !limited || !both || ok && needed <= hasBurst: // it is not time that throttles
		return nil
	case hasRecharge >= recharge.Write:
		if ok {
			burst.Least, burst.Write = needed, roundTime(needed)
		}
		return []Need{burst}
	case hasBurst >= burst.Write:
		if n, ok := s.Curve.Recharge.limit(); ok {
			recharge.Least, recharge.Write = n, roundTime(n)
		}
		return []Need{recharge}
	}
	return pair
}
