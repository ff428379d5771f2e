package throttle

// find: items in responses that are not sent yet. Who did not ask for pages
// expects all of them, and is refused; a page is cut to what fits. A page of
// nothing is refused too: it would say that there is more, and the client would
// ask again at once for the same place, without an end (document 000: one goes
// on until the last item is in).
func (b *Budget) find(l *Limits, a *Ask, v *Verdict) {
	limit := l.Max[gaugeFind]
	if a.Find == 0 || gaugeParts[b.Component][gaugeFind] != FindCount || limit == Unlimited {
		return
	}
	switch room := limit - min(limit, b.Held[gaugeFind]); {
	case a.Find <= room:
	case a.Paged && room > 0:
		v.Find = room
	default:
		v.meet(Deny, FindCount, 0, int64(limit))
	}
}
