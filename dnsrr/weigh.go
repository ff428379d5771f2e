package dnsrr

import (
	"net/netip"
	"slices"

	"github.com/miekg/dns"
)

// pools are the nodes behind one weighted name, by family.
type pools struct {
	name  string // whose addresses they are
	salt  uint64 // tells its sequences from those of other names
	by    [2]pool
	known [2]bool // some node has addresses of the family, whether it is answered or not
}

func (f *pools) of(six bool) *pool { return &f.by[indexOf(six)] }

func indexOf(six bool) int {
	if six {
		return 1
	}
	return 0
}

// weigh compiles the wheels of both families from the targets, which are
// sorted by name, so that equal facts give equal answers on every node.
func (t *Table) weigh(name string, sorted []Target, shares []float64, answers int, salt uint64) *pools {
	if answers == 0 {
		answers = maxAnswers
	}
	out := &pools{name: name, salt: salt}
	for i, six := range []bool{false, true} {
		out.by[i], out.known[i] = t.poolOf(sorted, shares, answers, six)
	}
	return out
}

// poolOf also reports that some target has addresses of the family, whether it
// is answered or not.
func (t *Table) poolOf(sorted []Target, shares []float64, answers int, six bool) (p pool, known bool) {
	var own []float64
	seen := make(map[netip.Addr]bool, len(sorted))
	for node, g := range sorted {
		addrs := family(g.Addrs, six)
		known = known || len(addrs) > 0
		if len(addrs) == 0 || shares[node] == 0 {
			continue
		}
		p.members = append(p.members, member{node, addrs, p.packed.n})
		p.packed.add(addrs, t.ttl)
		own = append(own, shares[node])
		for _, a := range addrs {
			p.claimed = p.claimed || seen[a]
			seen[a] = true
		}
	}
	p.wheel = newWheel(own, answers)
	if t.set.Signer != nil {
		p.signed = newSignedSets(len(p.members))
	}
	return p, known
}

// onlySix reports that there are no IPv4 addresses. An asker of both families
// is counted by the IPv4 one.
func (f *pools) onlySix() bool { return len(f.by[0].members) == 0 }

// livingOf returns the shares of those that may be answered: none for the dead
// and for who does not carry the service; even ones if nobody of them has one;
// and as if all carried it if nobody does, since a wrong answer helps more than
// none.
func livingOf(sorted []Target, carries func(Target) bool) []float64 {
	some := false
	here := make([]Target, len(sorted))
	for i, g := range sorted {
		here[i] = g
		here[i].Gone = g.Gone || !carries(g)
		some = some || !here[i].Gone && len(g.Addrs) > 0
	}
	if !some {
		here = sorted
	}
	return living(here)
}

// living returns the shares of the targets: none for the dead and for who has
// no address, and even ones if no other is left.
func living(sorted []Target) []float64 {
	out := make([]float64, len(sorted))
	some := false
	for i, g := range sorted {
		if !g.Gone && len(g.Addrs) > 0 {
			out[i] = g.Share
			some = some || g.Share > 0
		}
	}
	if some {
		return out
	}
	for i, g := range sorted {
		if !g.Gone && len(g.Addrs) > 0 {
			out[i] = 1
		}
	}
	return out
}

// family returns the addresses of one family, each once. An IPv4 address in
// IPv6 form is an IPv4 address.
func family(addrs []netip.Addr, six bool) []netip.Addr {
	var out []netip.Addr
	for _, a := range addrs {
		if a = a.Unmap(); a.Is6() == six && !slices.Contains(out, a) {
			out = append(out, a)
		}
	}
	return out
}

func familyType(six bool) uint16 {
	if six {
		return dns.TypeAAAA
	}
	return dns.TypeA
}

// address returns the A or AAAA record of a.
func address(h dns.RR_Header, a netip.Addr) dns.RR {
	if a.Is4() {
		return &dns.A{Hdr: h, A: a.AsSlice()}
	}
	return &dns.AAAA{Hdr: h, AAAA: a.AsSlice()}
}
