package dnssec

import (
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/miekg/dns"
)

// How many sets a signer remembers at least; twice as many at most.
const (
	known   = 4096 // of names that exist
	missing = 1024 // of names that do not: whoever makes them up must not push out the rest
)

// A Signer signs with the keys of one zone, and remembers what it signed by
// what was signed: a set that comes again, in any order and under any letter
// case of its name, costs no signature. It is safe for concurrent use.
type Signer struct {
	keys           *Keys
	known, missing cache
	pool           sync.Pool // of *scratch
}

// NewSigner makes a signer that remembers nothing yet. Who gets new keys makes
// another one: signatures are of their keys.
func NewSigner(keys *Keys) *Signer {
	return &Signer{
		keys:    keys,
		known:   cache{limit: known / shards},
		missing: cache{limit: missing / shards},
		pool:    sync.Pool{New: func() any { return new(scratch) }},
	}
}

// Keys returns the keys that s signs with.
func (s *Signer) Keys() *Keys { return s.keys }

// Sign returns the RRSIG records of one set: records of one name, type and
// class, in any order. One is made by each active KSK for DNSKEY, CDS and
// CDNSKEY, and by each active ZSK for the rest, or KSK where there is none.
//
// They have the owner and the TTL of the first record, as it spells them, and
// say original for the TTL before any cache: the set may be handed out with
// less, and not with more (RFC 4034, section 3.1.4). They are made to hold from an
// hour before for a week and more; those that are returned hold at now, and for
// two days at least. The clock that now is of may go back.
//
// What is returned is the caller's, and set is not written to. There are no
// signatures of an empty set, nor of records that are not one set or cannot be
// packed.
func (s *Signer) Sign(set []dns.RR, original uint32, now time.Time) []dns.RR {
	if len(set) == 0 {
		return nil
	}
	work := s.pool.Get().(*scratch)
	defer s.pool.Put(work)
	if !work.identify(set, original) {
		return nil
	}
	digest := digestOf(work.key)
	e := s.cacheOf(set[0]).find(work.key, digest, now, func(e *entry) { s.fill(e, work.wire, original, digest) })
	return e.records(set[0].Header())
}

// cacheOf keeps apart what anyone can ask for once: the denial of a name that
// does not exist.
func (s *Signer) cacheOf(rr dns.RR) *cache {
	if n, ok := rr.(*dns.NSEC); ok && slices.Contains(n.TypeBitMap, dns.TypeNXNAME) {
		return &s.missing
	}
	return &s.known
}

// records copies the signatures for a set with the owner and TTL of h.
func (e *entry) records(h *dns.RR_Header) []dns.RR {
	sigs := slices.Clone(e.sigs)
	out := make([]dns.RR, len(sigs))
	for i := range sigs {
		sigs[i].Hdr.Name, sigs[i].Hdr.Ttl = h.Name, h.Ttl
		out[i] = &sigs[i]
	}
	return out
}

// fill makes the signatures of the set that wire has; if one fails there are
// none.
func (s *Signer) fill(e *entry, wire []byte, original uint32, digest uint64) {
	set := canonical(wire, original)
	if len(set) == 0 {
		return
	}
	v := validFrom(e.at, digest)
	var sigs []dns.RRSIG
	for _, key := range s.keys.signersOf(set[0].Header().Rrtype) {
		sig := dns.RRSIG{
			Algorithm: key.Algorithm(), KeyTag: key.tag, SignerName: s.keys.zone, OrigTtl: original,
			Inception: uint32(v.inception.Unix()), Expiration: uint32(v.expiration.Unix()),
		}
		if err := sig.Sign(key.private, set); err != nil {
			return
		}
		sigs = append(sigs, sig)
	}
	e.sigs, e.validity = sigs, v
}

// canonical reads the set that wire has, with the original TTL. It is read again
// since the library makes letters small as they are written, and would pass over
// an A that stands as \065. It also takes any owner that begins with an asterisk
// for a wildcard, which *a.example. is not; there, the asterisk is not written
// as it is.
func canonical(wire []byte, original uint32) []dns.RR {
	var m dns.Msg
	if m.Unpack(wire) != nil {
		return nil
	}
	for _, rr := range m.Answer {
		h := rr.Header()
		h.Ttl = original
		if rest, ok := strings.CutPrefix(h.Name, "*"); ok && !strings.HasPrefix(rest, ".") {
			h.Name = `\042` + rest
		}
	}
	return m.Answer
}
