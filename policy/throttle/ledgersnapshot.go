package throttle

import "time"

// Snapshot is how c stands at the instant, in the words that Exchange writes
// into its logs: in the form of 2010 where his policy limits time in parts of a
// minute, else in that of 2013. What is in flight is counted up to now. How long
// the budget has been in use is not known.
func (l *Ledger) Snapshot(now time.Time, c Caller) Snapshot {
	limits := l.looked(now, c)
	s := limits.snapshot(l.standing(now, c, limits))
	s.Owner, s.Hash = c.Name, int32(l.hash(c.Name))
	return s
}

// snapshot puts b, settled, into Exchange's words.
func (l *Limits) snapshot(b Budget) Snapshot {
	return Snapshot{
		Tokens: !l.Minute, Policy: l.Policy, ServiceAccount: l.ServiceAccount,
		Conn: l.count(b, Concurrency), Hanging: l.count(b, Hanging).Used,
		AD: l.time(b, AD), CAS: l.time(b, CAS), AB: l.time(b, AB), RPC: l.time(b, RPC),
		Find: l.count(b, FindCount), Subs: l.count(b, Subscriptions),
		Local: l.tokens(b),
	}
}

// count is a gauge; one that the component does not have has no limit.
func (l *Limits) count(b Budget, p Part) SnapshotCount {
	i := b.Component.gauge(p)
	if i < 0 {
		return SnapshotCount{Unlimited: true}
	}
	return SnapshotCount{Limit: l.Max[i], Used: b.Held[i], Unlimited: l.Max[i] == Unlimited}
}

// time is a part of the minute; one that the component does not have has no limit.
func (l *Limits) time(b Budget, p Part) SnapshotTime {
	i := b.Component.rate(p)
	if i < 0 {
		return SnapshotTime{Unlimited: true}
	}
	return SnapshotTime{Limit: time.Duration(l.Rate[i].Cap), Used: time.Duration(b.Used[i]), Unlimited: l.Rate[i].Unlimited}
}

// tokens is the balance, and what moves it.
func (l *Limits) tokens(b Budget) SnapshotTokens {
	i := b.Component.rate(LocalTime)
	if i < 0 || l.Rate[i].Unlimited {
		return SnapshotTokens{Unlimited: true, Cutoff: l.Cutoff, NoCutoff: l.Cutoff < 0}
	}
	r := l.Rate[i]
	return SnapshotTokens{
		Burst: time.Duration(r.Cap), Balance: time.Duration(r.Cap - b.Used[i]), Recharge: r.hourly(),
		Cutoff: l.Cutoff, NoCutoff: l.Cutoff < 0,
	}
}

// hourly is what is earned in an hour.
func (r *Rate) hourly() time.Duration {
	if r.Per <= 0 {
		return 0
	}
	return time.Duration(mulDiv(r.Refill, int64(time.Hour), int64(r.Per)))
}
