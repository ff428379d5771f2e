package dnssec

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/miekg/dns"
)

// A State is what a key is used for just now; what it means depends on whether
// the key is a ZSK or a KSK, see [Keys].
type State int

// The states of a key, in the order in which its life passes through them.
const (
	Published State = iota // known to who asks, and signs nothing
	Active                 // signs
	Retired                // signs nothing any more, and is still known
)

// ParseState reads the word of a state, as [State.String] writes it.
func ParseState(word string) (State, error) {
	for s := Published; s <= Retired; s++ {
		if word == s.String() {
			return s, nil
		}
	}
	return 0, fmt.Errorf("state %q is none of published, active, retired", word)
}

// String is the word that ParseState reads.
func (s State) String() string {
	switch s {
	case Published:
		return "published"
	case Active:
		return "active"
	case Retired:
		return "retired"
	}
	return fmt.Sprintf("state %d", int(s))
}

// A Use is a key and what it is used for.
type Use struct {
	Key   Key
	State State
}

// Keys are the keys of a zone at one moment. They never change, and what they
// return is the caller's.
//
// A ZSK is in the DNSKEY set in every state, and signs data while it is active
// (pre-publication, RFC 6781, section 4.1.1.1). For a KSK the parent is asked to
// have a DS record in every state, while only an active one is in the DNSKEY
// set and signs it (double-DS, section 4.1.2). Where no ZSK is active, the
// active KSKs sign everything, as CSKs.
type Keys struct {
	zone       string
	published  []Key // in the DNSKEY set
	asked      []Key // KSKs: the parent's DS set
	keySigners []Key // active KSKs
	signers    []Key // of all else
}

// NewKeys checks the keys of a zone and what they are used for. Refused, all
// mistakes joined, is what validators could not follow, or might not:
//   - no active KSK, a key of another zone, a key listed twice, and keys of one
//     algorithm that share a tag;
//   - an algorithm that is in the DNSKEY set and does not sign both that set and
//     the data, or is asked of the parent and does not sign the DNSKEY set
//     (RFC 4035, section 2.2).
func NewKeys(zone string, uses []Use) (*Keys, error) {
	k := &Keys{zone: dns.CanonicalName(zone)}
	if err := checkUses(k.zone, uses); err != nil {
		return nil, err
	}
	var zsks []Key // active ones
	for _, u := range sorted(uses) {
		switch {
		case !u.Key.SEP():
			k.published = append(k.published, u.Key)
			if u.State == Active {
				zsks = append(zsks, u.Key)
			}
			continue
		case u.State == Active:
			k.published = append(k.published, u.Key)
			k.keySigners = append(k.keySigners, u.Key)
		}
		k.asked = append(k.asked, u.Key)
	}
	k.signers = zsks
	if len(zsks) == 0 {
		k.signers = k.keySigners
	}
	if err := k.check(); err != nil {
		return nil, err
	}
	return k, nil
}

// sorted puts KSKs first, and has the same order on every node.
func sorted(uses []Use) []Use {
	return slices.SortedFunc(slices.Values(uses), func(a, b Use) int {
		return cmp.Or(
			-cmp.Compare(a.Key.public.Flags, b.Key.public.Flags),
			cmp.Compare(a.Key.Algorithm(), b.Key.Algorithm()),
			cmp.Compare(a.Key.tag, b.Key.tag))
	})
}

// checkUses says what is wrong with single keys, and with two that look alike.
func checkUses(zone string, uses []Use) error {
	type id struct {
		algorithm uint8
		tag       uint16
	}
	errs := []error{checkZone(zone)}
	seen := map[id]bool{}
	for i, u := range uses {
		switch {
		case u.Key.public == nil:
			errs = append(errs, fmt.Errorf("key %d: there is none", i))
			continue
		case u.Key.Zone() != zone:
			errs = append(errs, fmt.Errorf("key %s: of another zone than %s", u.Key, zone))
		case u.State < Published || u.State > Retired:
			errs = append(errs, fmt.Errorf("key %s: %s does not exist", u.Key, u.State))
		}
		this := id{u.Key.Algorithm(), u.Key.tag}
		if seen[this] {
			errs = append(errs, fmt.Errorf("key %s: listed twice, or two keys share this tag", u.Key))
		}
		seen[this] = true
	}
	return errors.Join(errs...)
}

// check says what is wrong with the keys together.
func (k *Keys) check() error {
	if len(k.keySigners) == 0 {
		return fmt.Errorf("zone %s: no active KSK: nothing would lead from the parent to its keys", k.zone)
	}
	var errs []error
	for _, algorithm := range []uint8{P256, Ed25519} {
		is := func(key Key) bool { return key.Algorithm() == algorithm }
		shown, asked := slices.ContainsFunc(k.published, is), slices.ContainsFunc(k.asked, is)
		if (shown || asked) && !slices.ContainsFunc(k.keySigners, is) {
			errs = append(errs, fmt.Errorf("algorithm %d: no active KSK signs the DNSKEY set with it (RFC 4035, section 2.2)", algorithm))
		}
		if shown && !slices.ContainsFunc(k.signers, is) {
			errs = append(errs, fmt.Errorf("algorithm %d: no active key signs the zone's data with it (RFC 4035, section 2.2)", algorithm))
		}
	}
	return errors.Join(errs...)
}

// Zone returns the zone that the keys are of, fully qualified, in small letters.
func (k *Keys) Zone() string { return k.zone }

// DNSKEY returns the DNSKEY set of the zone: every ZSK, and the active KSKs.
func (k *Keys) DNSKEY(ttl uint32) (set []dns.RR) {
	for _, key := range k.published {
		rr := *key.public
		rr.Hdr.Ttl = ttl
		set = append(set, &rr)
	}
	return set
}

// DS returns the DS set that the parent zone ought to have: one record of digest
// type 2 for each KSK in any state, of TTL 0.
func (k *Keys) DS() (set []*dns.DS) {
	for _, key := range k.asked {
		set = append(set, key.ds())
	}
	return set
}

// CDS returns the records by which a parent that looks for them learns the DS
// set (RFC 7344, section 3.1).
func (k *Keys) CDS(ttl uint32) (set []dns.RR) {
	for _, ds := range k.DS() {
		rr := ds.ToCDS()
		rr.Hdr.Ttl = ttl
		set = append(set, rr)
	}
	return set
}

// CDNSKEY returns the same as [Keys.CDS] for parents that want keys and make
// the digests themselves (RFC 7344, section 3.2).
func (k *Keys) CDNSKEY(ttl uint32) (set []dns.RR) {
	for _, key := range k.asked {
		rr := key.public.ToCDNSKEY()
		rr.Hdr.Ttl = ttl
		set = append(set, rr)
	}
	return set
}

// signersOf returns the keys that sign sets of a type.
func (k *Keys) signersOf(typ uint16) []Key {
	switch typ {
	case dns.TypeDNSKEY, dns.TypeCDS, dns.TypeCDNSKEY:
		return k.keySigners
	}
	return k.signers
}
