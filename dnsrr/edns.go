package dnsrr

import (
	"encoding/binary"
	"time"

	"github.com/miekg/dns"

	"evenkeel/dnsrr/cookie"
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

// appendOPT adds our own record to dst, if there was one (on errors too: RFC
// 6891, section 7): version 0, DO as asked, and those options that were asked
// for. It allocates nothing but for dst.
func (x *exchange) appendOPT(dst []byte, b *body) []byte {
	e := &x.r.edns
	if !e.present {
		return dst
	}
	dst = append(dst, 0, 0, byte(dns.TypeOPT), ednsSize>>8, ednsSize&0xff)
	dst = append(dst, byte(b.rcode>>4), 0)
	dst = binary.BigEndian.AppendUint16(dst, flagIf(e.dnssec, flagDO))
	start := len(dst)
	dst = x.appendOptions(append(dst, 0, 0), b)
	binary.BigEndian.PutUint16(dst[start:], uint16(len(dst)-start-2))
	return dst
}

func (x *exchange) appendOptions(dst []byte, b *body) []byte {
	e := &x.r.edns
	if e.malformed {
		return dst
	}
	if e.identity && x.o.Identity != "" {
		dst = append(appendOption(dst, dns.EDNS0NSID, len(x.o.Identity)), x.o.Identity...)
	}
	if e.cookie != nil && x.o.Cookies != nil {
		dst = x.o.Cookies.AppendJudged(appendOption(dst, dns.EDNS0COOKIE, cookie.FullLen), e.cookie, x.from, x.now, x.judged())
	}
	if e.subnet != nil { // as it came, scope 0: the answer is the same for all whom this asker speaks for
		dst = append(appendOption(dst, dns.EDNS0SUBNET, len(e.subnet)), e.subnet...)
	}
	if e.keepalive && x.tr == overTCP {
		dst = binary.BigEndian.AppendUint16(appendOption(dst, dns.EDNS0TCPKEEPALIVE, 2), uint16(idle/(100*time.Millisecond)))
	}
	if b.why != 0 {
		dst = appendOption(dst, dns.EDNS0EDE, 2+len(b.text))
		dst = append(binary.BigEndian.AppendUint16(dst, b.why), b.text...)
	}
	return dst
}

// judged is what the asker's cookie says of him, found out once.
func (x *exchange) judged() cookie.Judgement {
	if !x.looked {
		x.looked, x.cookie = true, x.o.Cookies.Judge(x.r.edns.cookie, x.from, x.now)
	}
	return x.cookie
}

func appendOption(dst []byte, code uint16, length int) []byte {
	dst = binary.BigEndian.AppendUint16(dst, code)
	return binary.BigEndian.AppendUint16(dst, uint16(length))
}

// own is our OPT as a record, if the query had one.
func (x *exchange) own() []dns.RR {
	octets := x.appendOPT(nil, &body{})
	if len(octets) == 0 {
		return nil
	}
	rr, _, err := dns.UnpackRR(octets, 0)
	if err != nil { // a bug of ours
		return nil
	}
	return []dns.RR{rr}
}
