package dnsrr

import (
	"math/bits"
	"sync/atomic"

	"github.com/miekg/dns"
)

// A signedSet is a handful and the records that sign it.
type signedSet struct {
	set    handful
	n      uint16
	octets []byte
	made   int64 // see stale
}

// signedSets are places for them: a power of two, as many as n nodes have
// handfuls by and large.
type signedSets []atomic.Pointer[signedSet]

func newSignedSets(n int) signedSets {
	return make(signedSets, 1<<bits.Len(uint(min(max(n*n, 16), 4096)-1)))
}

// signatures is those of a handful, remembered for as long as its table lives.
func (p *pool) signatures(x *exchange, name string, set handful) *signedSet {
	h := uint64(set.n)
	for _, c := range set.of[:set.n] {
		h = mix(h ^ uint64(c.member)<<16 ^ uint64(c.addr))
	}
	last := uint64(len(p.signed) - 1)
	place := &p.signed[h&last]
	for i := range uint64(4) { // two that meet must not push each other out again and again
		at := &p.signed[(h+i)&last]
		kept := at.Load()
		if kept == nil {
			place = at
			break
		}
		if kept.set == set && !x.stale(kept.made) {
			return kept
		}
		if kept.set == set {
			place = at
			break
		}
	}
	kept := p.prepare(x, name, set)
	place.Store(kept)
	return kept
}

func (p *pool) prepare(x *exchange, name string, set handful) *signedSet {
	var rrs []dns.RR
	for _, c := range set.of[:set.n] {
		rrs = append(rrs, address(x.t.header(name, x.r.qtype), p.members[c.member].addrs[c.addr]))
	}
	sigs := x.sign(rrs)
	m := &dns.Msg{Compress: true, Question: []dns.Question{{Name: name, Qtype: x.r.qtype, Qclass: dns.ClassINET}}, Answer: sigs}
	b, err := bodyOf(m)
	if err != nil { // a bug of ours
		return &signedSet{set: set, made: x.now.Unix()}
	}
	return &signedSet{set, uint16(len(sigs)), b.octets, x.now.Unix()}
}
