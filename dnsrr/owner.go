package dnsrr

import (
	"sync/atomic"

	"github.com/miekg/dns"
)

// An owner is a name that exists. One that has nothing is only the parent of
// others: an empty non-terminal (RFC 4592, section 2.2.2).
type owner struct {
	alias *dns.CNAME
	farm  *pools // its A and AAAA are weighed, and none of its sets
	sets  map[uint16][]dns.RR
	node  bool   // of this name: its A and AAAA are its own
	live  bool   // its SRV records are weighed
	like  uint64 // hash of the name: all that a wildcard answers is alike

	ready, readySigned [typeSlots]atomic.Pointer[body] // see kept, by typeSlot
	fronts             [2]atomic.Pointer[front]        // of an alias, and of a signed one
}

// some reports that there is something to answer.
func (o *owner) some() bool {
	return len(o.sets) > 0 || o.farm != nil && len(o.farm.by[0].members)+len(o.farm.by[1].members) > 0
}

// hides reports that a static record of a type cannot stand beside what the
// farm says at this name.
func (o *owner) hides(typ uint16) bool {
	addrs := o.node || o.farm != nil
	switch typ {
	case dns.TypeA, dns.TypeAAAA:
		return addrs
	case dns.TypeSRV:
		return o.live
	}
	return typ == dns.TypeCNAME && (addrs || o.live)
}

// add puts rr under its name.
func (t *Table) add(rr dns.RR) {
	h := rr.Header()
	o := t.exist(h.Name)
	if c, ok := rr.(*dns.CNAME); ok {
		o.alias = c
		return
	}
	if o.sets == nil {
		o.sets = make(map[uint16][]dns.RR)
	}
	o.sets[h.Rrtype] = append(o.sets[h.Rrtype], rr)
}

// exist returns the owner of name, and lets all names above it exist too.
func (t *Table) exist(name string) *owner {
	if o := t.names[name]; o != nil {
		return o
	}
	o := &owner{like: hashName(name)}
	t.names[name] = o
	if name != t.zone {
		t.exist(parent(name))
	}
	return o
}

// find returns the owner that answers for name: its own, or else the wildcard
// next to the closest name that exists (RFC 4592, section 3.3.1).
func (t *Table) find(name string) *owner {
	if o := t.names[name]; o != nil {
		return o
	}
	for name != t.zone {
		name = parent(name)
		if t.names[name] != nil {
			break
		}
	}
	return t.names["*."+name]
}
