package dnsrr

import (
	"encoding/binary"
	"slices"
	"time"

	"github.com/miekg/dns"
)

const (
	plainSize = dns.MinMsgSize // octets over UDP without EDNS (RFC 1035, section 4.2.1)
	ednsSize  = 1232           // octets that cross any IPv6 path unfragmented (RFC 9715)
	tcpSize   = dns.MaxMsgSize
)

const (
	flagDO = 1 << 15 // RFC 3225, section 3
	flagCO = 1 << 14 // compact answers are understood (RFC 9824, section 5.1)
)

// An edns is what a query says of its sender's abilities (RFC 6891), read in
// place. Options that are not used are neither read nor echoed.
type edns struct {
	present   bool
	malformed bool // more than one, not at the root, or an option that is not as its RFC says
	version   uint8
	dnssec    bool // DO, echoed
	compact   bool // CO: a name that is missing may be called so
	size      int  // octets the sender takes

	identity  bool   // NSID is asked for (RFC 5001)
	keepalive bool   // and how long an idle connection lives (RFC 7828)
	cookie    []byte // data of the option; nil = none (RFC 7873)
	subnet    []byte // data of the option; nil = none (RFC 7871)
}

// read takes up an OPT by its owner, its fixed fields and its data.
func (e *edns) read(owner, fixed, data []byte) {
	if e.present || len(owner) != 1 { // RFC 6891, section 6.1.1
		e.malformed = true
	}
	flags := number(fixed, 6)
	e.present, e.size, e.version = true, number(fixed, 2), fixed[5]
	e.dnssec, e.compact = flags&flagDO != 0, flags&flagCO != 0
	if e.version == 0 && !e.readOptions(data) { // what a later version's look like is not known
		e.malformed = true
	}
}

func (e *edns) readOptions(data []byte) bool {
	for len(data) > 0 {
		if len(data) < 4 || len(data) < 4+number(data, 2) {
			return false
		}
		code, n := uint16(number(data, 0)), number(data, 2)
		if !e.readOption(code, data[4:4+n:4+n]) {
			return false
		}
		data = data[4+n:]
	}
	return true
}

// readOption reports whether an option is as its RFC says. Of cookies only the
// first counts, whatever the others are (RFC 7873, section 5.2).
func (e *edns) readOption(code uint16, data []byte) bool {
	switch code {
	case dns.EDNS0NSID:
		e.identity = true
	case dns.EDNS0TCPKEEPALIVE:
		e.keepalive = true
	case dns.EDNS0COOKIE:
		if e.cookie != nil {
			return true
		}
		e.cookie = data
		return len(data) == 8 || 16 <= len(data) && len(data) <= 40
	case dns.EDNS0SUBNET:
		if e.subnet == nil {
			e.subnet = data
		}
		return wellFormedSubnet(data)
	}
	return true
}

// wellFormedSubnet checks a client subnet (RFC 7871, section 6): as many
// octets of the address as the length says, no bits beyond, no scope.
func wellFormedSubnet(data []byte) bool {
	if len(data) < 4 || data[3] != 0 {
		return false
	}
	bits, addr := int(data[2]), data[4:]
	if bits > familyBits(number(data, 0)) || len(addr) != (bits+7)/8 {
		return false
	}
	return bits%8 == 0 || addr[len(addr)-1]<<(bits%8) == 0
}

// familyBits is the length of the addresses of a family; family 0 has none, and
// is for who would rather not say. -1: there is no such family.
func familyBits(family int) int {
	switch family {
	case 0:
		return 0
	case 1:
		return 32
	case 2:
		return 128
	}
	return -1
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

// opt is our own record: version 0, DO as asked, and those options that were
// asked for.
func (x *exchange) opt() *dns.OPT {
	e := &x.r.edns
	o := &dns.OPT{Hdr: dns.RR_Header{Name: ".", Rrtype: dns.TypeOPT}}
	o.SetUDPSize(ednsSize)
	if e.dnssec {
		o.SetDo()
	}
	if e.malformed {
		return o
	}
	local := func(code uint16, data []byte) {
		o.Option = append(o.Option, &dns.EDNS0_LOCAL{Code: code, Data: data})
	}
	if e.identity && x.o.Identity != "" {
		local(dns.EDNS0NSID, []byte(x.o.Identity))
	}
	if e.cookie != nil && x.o.Cookies != nil {
		local(dns.EDNS0COOKIE, x.o.Cookies.Append(nil, e.cookie, x.from, x.now))
	}
	if e.subnet != nil { // scope 0: the answer is the same for all whom this asker speaks for
		local(dns.EDNS0SUBNET, slices.Clone(e.subnet))
	}
	if e.keepalive && x.tr == overTCP {
		local(dns.EDNS0TCPKEEPALIVE, binary.BigEndian.AppendUint16(nil, uint16(idle/(100*time.Millisecond))))
	}
	if x.error != 0 {
		o.Option = append(o.Option, &dns.EDNS0_EDE{InfoCode: x.error, ExtraText: x.text})
	}
	return o
}

// own is our OPT, if the query had one.
func (x *exchange) own() []dns.RR {
	if !x.r.edns.present {
		return nil
	}
	return []dns.RR{x.opt()}
}

// finish adds our OPT where there was one, on errors too (RFC 6891, section
// 7), and makes the reply fit: what was not asked for goes first and in silence,
// then all goes and TC says to come by TCP (RFC 2181, section 9). Room is left
// for a signature.
func (x *exchange) finish() {
	m, own := x.m, x.own()
	m.Extra = append(m.Extra, own...)
	limit := x.r.edns.limit(x.tr == overUDP)
	if x.sig != nil {
		limit -= x.sig.room()
	}
	if m.Len() > limit {
		m.Extra = own
		if m.Len() > limit {
			m.Truncated, m.Answer, m.Ns = true, nil, nil
		}
	}
}
