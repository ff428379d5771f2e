package dnsrr

import (
	"hash/maphash"
	"math"
	"sync/atomic"

	"github.com/miekg/dns"
)

// absences are the signed denials of names that are not in a table, so that who
// asks again costs no more than others. There is no end of such names, so there
// are places for 1024 alone, in sets of four, and they go to those that are asked
// for again: a newcomer takes the place of the one in his set that was asked for
// least, once as many newcomers were turned away as it was asked for. Whoever
// makes names up takes such places from himself.
type absences struct {
	seed   uint64 // nobody can choose names that meet in a set
	places [absentSets][absentWays]atomic.Pointer[absence]
}

const (
	absentSets = 256
	absentWays = 4
	mostUses   = 15 // that count
)

// An absence is the denial of one name, whatever type was asked for.
type absence struct {
	name []byte // in small letters
	by   [2]body
	uses atomic.Uint32 // since it was kept, less those who would have its place
}

// newAbsences draws where the names stand by chance, which no answer depends on.
func newAbsences() *absences {
	return &absences{seed: maphash.Bytes(maphash.MakeSeed(), nil)}
}

func (a *absences) set(name []byte) *[absentWays]atomic.Pointer[absence] {
	return &a.places[hashOctets(a.seed, name)%absentSets]
}

// find returns the denial of a name; nil: it is not kept.
func (a *absences) find(name []byte) *absence {
	set := a.set(name)
	for i := range set {
		if one := set[i].Load(); one != nil && sameName(one.name, name) {
			if one.uses.Load() < mostUses {
				one.uses.Add(1)
			}
			return one
		}
	}
	return nil
}

// keep takes a denial up, if there is a place for it.
func (a *absences) keep(one *absence) {
	set := a.set(one.name)
	var least *absence
	at, fewest := 0, uint32(math.MaxUint32)
	for i := range set {
		other := set[i].Load()
		if other == nil || sameName(other.name, one.name) {
			set[i].Store(one)
			return
		}
		if uses := other.uses.Load(); uses < fewest {
			least, at, fewest = other, i, uses
		}
	}
	if fewest > 0 {
		least.uses.CompareAndSwap(fewest, fewest-1) // two newcomers at once must not count below none
		return
	}
	set[at].Store(one)
}

// denied is the signed denial of a missing name, if it is known. Whether it says
// that the name is missing or without data is the asker's choice (RFC 9824,
// section 5.1).
func (x *exchange) denied(name []byte) (b *body, ok bool) {
	one := x.t.absent.find(name)
	if one == nil {
		return nil, false
	}
	b = &one.by[indexOf(x.r.edns.compact)]
	return b, !x.stale(b.made)
}

// remember keeps what the other path said of a missing name.
func (x *exchange) remember(b *body) {
	name := x.r.owner()
	if !ordinary(x.r.qtype) || b.counts[0] > 0 || x.t.wild && x.t.speaksFor(name) {
		return
	}
	one := &absence{name: folded(name)}
	for i, rcode := range []int{dns.RcodeSuccess, dns.RcodeNameError} {
		one.by[i] = *b
		one.by[i].rcode, one.by[i].made = rcode, x.now.Unix()
	}
	x.t.absent.keep(one)
}
