package dnsrr

import "github.com/miekg/dns"

const (
	plainSize = dns.MinMsgSize // octets over UDP without EDNS (RFC 1035, section 4.2.1)
	ednsSize  = 1232           // octets that cross any IPv6 path unfragmented (RFC 9715)
	tcpSize   = dns.MaxMsgSize
)

// An edns is what a query says of its sender's abilities (RFC 6891). Options
// are not used, and so neither read nor echoed.
type edns struct {
	present   bool
	malformed bool // more than one, or not at the root (section 6.1.1)
	version   uint8
	dnssec    bool // DO, echoed (RFC 3225, section 3)
	size      int  // octets the sender takes
}

func readEDNS(q *dns.Msg) (e edns) {
	for _, rr := range q.Extra {
		opt, ok := rr.(*dns.OPT)
		if !ok {
			continue
		}
		if e.present || opt.Hdr.Name != "." {
			e.malformed = true
		}
		e.present, e.version, e.dnssec, e.size = true, opt.Version(), opt.Do(), int(opt.UDPSize())
	}
	return e
}

// limit is how long a reply may be, in octets.
func (e edns) limit(udp bool) int {
	switch {
	case !udp:
		return tcpSize
	case !e.present:
		return plainSize
	}
	return min(max(e.size, plainSize), ednsSize)
}

// opt is our own record: version 0, and DO as asked.
func (e edns) opt() *dns.OPT {
	o := &dns.OPT{Hdr: dns.RR_Header{Name: ".", Rrtype: dns.TypeOPT}}
	o.SetUDPSize(ednsSize)
	if e.dnssec {
		o.SetDo()
	}
	return o
}

// finish adds our OPT where there was one, on errors too (RFC 6891, section
// 7), and makes m fit: what was not asked for goes first and in silence, then
// all goes and TC says to come by TCP (RFC 2181, section 9).
func finish(m *dns.Msg, e edns, udp bool) {
	var own []dns.RR
	if e.present {
		own = []dns.RR{e.opt()}
	}
	m.Extra = append(m.Extra, own...)
	if limit := e.limit(udp); m.Len() > limit {
		m.Extra = own
		if m.Len() > limit {
			m.Truncated, m.Answer, m.Ns = true, nil, nil
		}
	}
}
