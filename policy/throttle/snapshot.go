package throttle

import "time"

// A Snapshot is one budget at one instant, in the words that Exchange writes
// into its logs (document 000). It is a value; [Snapshot.AppendText] writes it
// and [ParseSnapshot] reads it back.
//
// A budget has one of two forms: time in parts of a minute (2010), or one
// balance that recharges (2013 and later). What the other form has is not
// written.
type Snapshot struct {
	Tokens bool   // the form of 2013 and later
	Owner  string // whose; not written where empty, nor in the form of 2010
	Policy string // by which policy; not written where empty

	Conn    SnapshotCount // requests; its limit is not written in the form of 2010, and so none in what is read
	Hanging uint32        // requests that wait; not written where 0, nor in the form of 2013

	AD, CAS, AB, RPC SnapshotTime  // of a minute (2010)
	Find             SnapshotCount // items and folders in responses (2010)
	Hash             int32         // that Exchange's readers are told to ignore; of ours, of the owner's name, another in each Ledger (2010)
	Subs             SnapshotCount // subscriptions (2010)

	Local          SnapshotTokens // (2013)
	ServiceAccount bool           // (2013)
	Live           time.Duration  // how long the budget has been in use (2013)
}

// A SnapshotTime is how a part stands that is so much time in each minute.
type SnapshotTime struct {
	Limit, Used time.Duration // of a minute
	Unlimited   bool          // Limit is nothing
}

// Left is what is left of the part: negative where more was used. It is in
// whole milliseconds, of which begun ones of use do not count, as Exchange
// prints it: 36000 ms of which 15.625 ms are used leave 35985 ms.
func (t SnapshotTime) Left() time.Duration {
	return t.Limit.Truncate(time.Millisecond) - max(0, t.Used).Truncate(time.Millisecond)
}

// OfMinute is how much of a minute was used, in whole percent: 17093 ms are
// 28 %, whatever the limit is. It is what Exchange prints as "effective
// percent", and may pass 100, since threads add up.
func (t SnapshotTime) OfMinute() int64 {
	return int64(max(0, t.Used) / (time.Minute / 100))
}

// OfLimit is how much of the limit was used, 1 for all of it. It is 0 where
// there is no limit; of a limit of 0 all is used.
func (t SnapshotTime) OfLimit() float64 {
	switch {
	case t.Unlimited:
		return 0
	case t.Limit <= 0:
		return 1
	}
	return float64(t.Used) / float64(t.Limit)
}

// A SnapshotCount is how a part stands that is so many at once.
type SnapshotCount struct {
	Limit, Used uint32
	Unlimited   bool // Limit is nothing
}

// A SnapshotTokens is how a balance stands that is drawn on by use, and
// recharges (2013 and later).
type SnapshotTokens struct {
	Burst     time.Duration // the highest balance
	Balance   time.Duration // negative: in debt
	Recharge  time.Duration // more in each hour
	Unlimited bool          // nothing limits: of the three above, what is 0 is nothing, and what is not was in the text that was read
	Cutoff    time.Duration // the debt at which the owner is locked out
	NoCutoff  bool          // Cutoff is nothing
}
