// Package dnssec signs the records of a zone as they are answered.
//
// A [Key] is a key pair as BIND keeps it in two files. [Keys] are those of one
// zone, each in the state that its rollover has reached; they make the records
// that publish them. A [Signer] signs with them, and remembers what it signed.
// [Denial] says that a name or a type is missing.
//
// Start with [NewKeys] and [Signer.Sign]; DESIGN.md walks every rollover
// through, as validators see it.
package dnssec

import (
	"crypto"
	"errors"
	"fmt"
	"strings"

	"github.com/miekg/dns"
)

// The algorithms there are keys for (RFC 8624, section 3.1). Both are signed
// with in microseconds, and their signatures are 64 octets.
const (
	P256    = dns.ECDSAP256SHA256 // 13, which every validator knows (RFC 6605)
	Ed25519 = dns.ED25519         // 15, twice as fast, and unknown to old validators (RFC 8080)
)

// A Key is a key pair of a zone. Only [Generate] and [Read] make one;
// it never changes and may be copied. It is printed as its file's name, without
// anything secret.
type Key struct {
	public  *dns.DNSKEY // of TTL 0, its owner folded
	private crypto.Signer
	tag     uint16
}

// Generate makes a new key pair of a zone, with the system's chance. The zone is
// fully qualified, of letters, digits, hyphens and underscores; the algorithm
// [P256] or [Ed25519]. A key for sep is marked as the one that the parent zone
// points at: a KSK (RFC 4034, section 2.1.1), others are ZSKs.
func Generate(zone string, algorithm uint8, sep bool) (Key, error) {
	public := &dns.DNSKEY{
		Hdr:   dns.RR_Header{Name: dns.CanonicalName(zone), Rrtype: dns.TypeDNSKEY, Class: dns.ClassINET},
		Flags: dns.ZONE, Protocol: 3, Algorithm: algorithm,
	}
	if sep {
		public.Flags |= dns.SEP
	}
	if err := checkPublic(public); err != nil {
		return Key{}, err
	}
	for {
		private, err := public.Generate(256)
		if err != nil {
			return Key{}, fmt.Errorf("key of %s: %w", public.Hdr.Name, err)
		}
		if public.KeyTag() != 0 { // which the library takes for no tag
			return Key{public, private.(crypto.Signer), public.KeyTag()}, nil
		}
	}
}

// checkPublic refuses what is no key for the data of a zone that we could sign.
func checkPublic(k *dns.DNSKEY) error {
	switch {
	case k.Algorithm != P256 && k.Algorithm != Ed25519:
		return fmt.Errorf("algorithm %d is not supported: it is %d or %d", k.Algorithm, P256, Ed25519)
	case k.Flags&dns.REVOKE != 0:
		return errors.New("the key is revoked (RFC 5011, section 2.1)")
	case k.Flags&^dns.SEP != dns.ZONE || k.Protocol != 3: // RFC 4034, sections 2.1.1 and 2.1.2
		return fmt.Errorf("flags %d and protocol %d are not those of a zone's key: 256 or 257, and 3", k.Flags, k.Protocol)
	case k.Hdr.Class != dns.ClassINET:
		return fmt.Errorf("class %s is not served", dns.Class(k.Hdr.Class))
	}
	return checkZone(k.Hdr.Name)
}

// checkZone admits names of which each label is one of hosts or services. Others
// are not served, and could not be part of a file's name.
func checkZone(zone string) error {
	labels, fqdn := strings.CutSuffix(zone, ".")
	if _, ok := dns.IsDomainName(zone); !ok || !fqdn || labels == "" {
		return fmt.Errorf("zone %q: not the full name of a zone", zone)
	}
	for _, c := range labels {
		if !(c == '.' || c == '-' || c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z') {
			return fmt.Errorf("zone %q: %q is not a letter, digit, hyphen or underscore", zone, c)
		}
	}
	return nil
}

// Zone returns the zone that the key is of, fully qualified, in small letters.
func (k Key) Zone() string { return k.public.Hdr.Name }

// Tag returns the key tag (RFC 4034, appendix B), never 0. Other keys may share
// it, but not within [Keys].
func (k Key) Tag() uint16 { return k.tag }

// Algorithm returns the number of the key's algorithm, [P256] or [Ed25519].
func (k Key) Algorithm() uint8 { return k.public.Algorithm }

// SEP tells a KSK, which the parent zone points at, from a ZSK.
func (k Key) SEP() bool { return k.public.Flags&dns.SEP != 0 }

// DS returns the data of the DS record that the parent zone needs for the key,
// as a zone file has it: tag, algorithm, digest type 2 (RFC 4509), digest.
func (k Key) DS() string {
	ds := k.ds()
	return fmt.Sprintf("%d %d %d %s", ds.KeyTag, ds.Algorithm, ds.DigestType, strings.ToUpper(ds.Digest))
}

func (k Key) ds() *dns.DS { return k.public.ToDS(dns.SHA256) }

// String is the name of the key's files without suffix, as BIND names them:
// Kmail.example.+013+12345.
func (k Key) String() string {
	if k.public == nil {
		return "no key"
	}
	return fmt.Sprintf("K%s+%03d+%05d", k.Zone(), k.Algorithm(), k.tag)
}

// GoString is the same as String: %#v shows nothing secret either.
func (k Key) GoString() string { return k.String() }
