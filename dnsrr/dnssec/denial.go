package dnssec

import (
	"slices"

	"github.com/miekg/dns"
)

const maxName, maxLabel = 255, 63 // octets on the wire (RFC 1035, section 2.3.4)

// Denial returns the NSEC record that denies name, or all its types but the
// given ones, and no other name: compact denial (RFC 9824). It is named as asked,
// so that it matches and needs no second record for a wildcard. The types are
// all that the name could answer with, in any order, without RRSIG and NSEC,
// which are added; none for an empty non-terminal. A name that is missing has
// none either, and is marked by NXNAME.
//
// The name is in the zone, both as text of the library. The record is the
// caller's; a name that cannot be packed has none.
func Denial(zone, name string, types []uint16, missing bool, ttl uint32) *dns.NSEC {
	next, ok := successor(zone, name)
	if !ok {
		return nil
	}
	bitmap := append(slices.Clip(types), dns.TypeRRSIG, dns.TypeNSEC)
	if missing {
		bitmap = append(bitmap, dns.TypeNXNAME)
	}
	slices.Sort(bitmap)
	return &dns.NSEC{
		Hdr:        dns.RR_Header{Name: name, Rrtype: dns.TypeNSEC, Class: dns.ClassINET, Ttl: ttl},
		NextDomain: next,
		TypeBitMap: slices.Compact(bitmap),
	}
}

// successor is the first name after name in the canonical order (RFC 4034,
// section 6.1): \000 below it. A name that is too long for that is followed by
// its next sibling (RFC 4471, section 3.1), and the last of a zone by the zone.
// It is in small letters, since the letters of a next name are signed as they
// are (RFC 6840, section 5.1), and would make a new record of each spelling.
func successor(zone, name string) (string, bool) {
	var room [maxName]byte
	n, err := dns.PackDomainName(name, room[:], 0, nil, false)
	if err != nil {
		return "", false
	}
	wire, end := room[:n], len(zone)+1 // a zone has no escapes
	fold(wire)
	if len(wire)+2 <= maxName {
		return unpack(append([]byte{1, 0}, wire...))
	}
	if len(wire)+1 <= maxName && wire[0] < maxLabel {
		label := int(wire[0]) + 1
		wire = slices.Insert(wire, label, 0)
		wire[0]++
		return unpack(wire)
	}
	for len(wire) > end {
		label := wire[1 : 1+wire[0]]
		if more, ok := increment(label); ok {
			return unpack(slices.Concat([]byte{byte(len(more))}, more, wire[1+len(label):]))
		}
		wire = wire[1+len(label):]
	}
	return dns.CanonicalName(zone), true
}

// increment is the first label after label that is no longer than it; there may
// be none. Capital letters are passed over: they sort as small ones.
func increment(label []byte) ([]byte, bool) {
	for n := len(label); n > 0; n-- {
		switch c := label[n-1]; c {
		case 0xff:
		case 'A' - 1:
			return append(slices.Clone(label[:n-1]), 'Z'+1), true
		default:
			return append(slices.Clone(label[:n-1]), c+1), true
		}
	}
	return nil, false
}

func unpack(wire []byte) (string, bool) {
	name, _, err := dns.UnpackDomainName(wire, 0)
	return name, err == nil
}
