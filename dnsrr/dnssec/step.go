package dnssec

import (
	"errors"
	"fmt"
	"slices"
)

// Step says what validators could not follow if next replaced k while caches
// and other nodes still have k's records, one mistake a line; nil is a step that
// is safe at any moment once the one before it has settled. Whoever reads new
// keys asks this, and warns: the keys themselves may be fine, and the step there
// too large.
func (k *Keys) Step(next *Keys) error {
	if k.zone != next.zone {
		return fmt.Errorf("the zone %s is another than %s", next.zone, k.zone)
	}
	return errors.Join(
		leads(k.asked, next.keySigners, "the DS set of before leads to no key that signs the DNSKEY set: publish the KSK first, and wait for the parent"),
		leads(next.asked, k.keySigners, "the DS set of now leads to no key that signed the DNSKEY set of before: keep the KSK, retired"),
		leads(next.published, k.signers, "data signed before has no key in the DNSKEY set any more: keep the key, as a retired ZSK or an active KSK"),
		leads(k.published, next.signers, "data signed now has no key in the DNSKEY set of before: publish the ZSK first, or let both KSKs be active"),
	)
}

// leads is the mistake, unless one of the keys to is among those from.
func leads(from, to []Key, mistake string) error {
	if slices.ContainsFunc(to, func(key Key) bool { return slices.ContainsFunc(from, key.same) }) {
		return nil
	}
	return errors.New(mistake)
}

func (k Key) same(other Key) bool { return k.public.String() == other.public.String() }
