package dnssec

import "time"

// How long signatures hold; DESIGN.md has the reasons.
const (
	early     = time.Hour          // a validator's clock may be behind ours
	lifetime  = 7 * 24 * time.Hour // from when it is made, at least
	spread    = 12 * time.Hour     // the most that chance of content adds to it
	remaining = 2 * 24 * time.Hour // of every signature that is handed out, at least
	renewal   = 24 * time.Hour     // renewed so much earlier at most, by chance of content
)

// A validity is from when to when signatures hold, and until when they are
// handed out.
type validity struct{ inception, expiration, renew time.Time }

// validFrom is the validity of signatures made at now. The digest of what is
// signed spreads them, so that what was signed together is not renewed together.
func validFrom(now time.Time, digest uint64) validity {
	later := portion(digest, spread)
	sooner := portion(digest>>32, renewal)
	expiration := now.Add(lifetime + later).Truncate(time.Second)
	return validity{now.Add(-early).Truncate(time.Second), expiration, expiration.Add(-remaining - sooner)}
}

// portion is a part of whole, in seconds, that the lower half of digest chooses.
func portion(digest uint64, whole time.Duration) time.Duration {
	return time.Duration(digest&(1<<32-1)*uint64(whole/time.Second)>>32) * time.Second
}

// serves tells whether the signatures may be handed out at now: none is of the
// future, after a clock was set back, and none is close to its end.
func (v validity) serves(now time.Time) bool {
	return !now.Before(v.inception) && now.Before(v.renew)
}
