package dnssec

import (
	"bytes"
	"encoding/binary"
	"slices"

	"github.com/miekg/dns"
)

// A scratch is what it takes to tell a set from another, used again and again.
type scratch struct {
	msg  dns.Msg
	wire []byte
	data [][]byte // parts of wire
	key  []byte
}

const header = 12 // octets of a message before its records

// identify lets w.key be all that is signed but for who signs and when: the
// original TTL, the owner's letters made small, type and class, and the data of
// all records in canonical order, each after its length. Letters within data stay
// as they are, so that it is finer than the canonical form of RFC 4034, section
// 6.2. It reports whether the records are one set that can be packed.
func (w *scratch) identify(set []dns.RR, original uint32) bool {
	w.msg.Answer = set
	wire, err := w.msg.PackBuffer(w.wire[:cap(w.wire)])
	w.msg.Answer = nil
	if err != nil {
		return false
	}
	w.wire, w.data = wire, w.data[:0]
	kind := w.kind(header)
	for at := header; at < len(wire); {
		if !bytes.Equal(w.kind(at), kind) {
			return false
		}
		from := at + len(kind) + 4 // after the TTL; the length belongs to the data
		at = from + 2 + int(binary.BigEndian.Uint16(wire[from:]))
		w.data = append(w.data, wire[from:at])
	}
	slices.SortFunc(w.data, func(a, b []byte) int { return bytes.Compare(a[2:], b[2:]) })
	w.key = binary.BigEndian.AppendUint32(w.key[:0], original)
	w.key = append(w.key, kind...)
	for _, d := range w.data {
		w.key = append(w.key, d...)
	}
	return true
}

// kind is owner, type and class of the record at a place of the wire, where it
// makes the owner's letters small.
func (w *scratch) kind(at int) []byte {
	n := nameLen(w.wire[at:])
	fold(w.wire[at : at+n])
	return w.wire[at : at+n+4]
}

// nameLen is the length of the name, without pointers, that wire begins with.
func nameLen(wire []byte) int {
	n := 0
	for wire[n] != 0 {
		n += 1 + int(wire[n])
	}
	return n + 1
}

// fold makes the letters of a name on the wire small. A label's length is never a
// letter.
func fold(name []byte) {
	for i, c := range name {
		if 'A' <= c && c <= 'Z' {
			name[i] += 'a' - 'A'
		}
	}
}

// digestOf is FNV-1a. It spreads, and identifies nothing.
func digestOf(key []byte) uint64 {
	digest := uint64(14695981039346656037)
	for _, c := range key {
		digest = (digest ^ uint64(c)) * 1099511628211
	}
	return digest
}
