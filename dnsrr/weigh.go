package dnsrr

import (
	"net/netip"
	"slices"

	"github.com/miekg/dns"
)

// weigh compiles the wheels of both families from the targets, which are
// sorted by name, so that equal facts give equal answers on every node.
func (t *Table) weigh(sorted []Target, answers int) [2]pool {
	if answers == 0 {
		answers = maxAnswers
	}
	shares := living(sorted)
	var out [2]pool
	for i, six := range []bool{false, true} {
		var p pool
		var own []float64
		for node, g := range sorted {
			if addrs := family(g.Addrs, six); len(addrs) > 0 && shares[node] > 0 {
				p.members = append(p.members, member{node, addrs})
				own = append(own, shares[node])
			}
		}
		p.wheel = newWheel(own, answers)
		out[i] = p
	}
	return out
}

// onlySix reports that the farm has no IPv4 addresses. An asker of both
// families is counted by the IPv4 one.
func (t *Table) onlySix() bool { return len(t.pools[0].members) == 0 }

// living returns the shares of the targets: none for the dead, and even ones
// if no other is left.
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
		if !g.Gone {
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
