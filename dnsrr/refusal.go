package dnsrr

import (
	"github.com/miekg/dns"

	"evenkeel/dnsrr/cookie"
)

// refusal is the code of a message that asks nothing we could look up.
func (x *exchange) refusal() int {
	r := &x.r
	switch {
	case x.sig != nil && x.sig.error != 0: // before all that is signed (RFC 8945, section 5.2)
		return dns.RcodeNotAuth
	case r.opcode != dns.OpcodeQuery:
		return refusedOpcode(r.opcode)
	case r.bad || r.edns.malformed:
		return dns.RcodeFormatError
	case r.edns.version > 0:
		return dns.RcodeBadVers
	case r.questions == 0 && r.edns.cookie != nil && x.o.Cookies != nil:
		return x.refusedCookie()
	case r.questions != 1: // RFC 9619
		return dns.RcodeFormatError
	}
	return x.refusedQuestion()
}

// refusedCookie answers who asks for nothing but a cookie, and tells whether
// the one he has is good (RFC 7873, section 5.4).
func (x *exchange) refusedCookie() int {
	switch x.o.Cookies.Check(x.r.edns.cookie, x.from, x.now) {
	case cookie.Valid, cookie.ClientOnly:
		return dns.RcodeSuccess
	}
	return dns.RcodeBadCookie
}

// refusedOpcode: NOTIFY and UPDATE are known and not for us (RFC 1996,
// section 3.10; RFC 2136, section 3.3); the rest is unknown.
func refusedOpcode(op int) int {
	if op == dns.OpcodeNotify || op == dns.OpcodeUpdate {
		return dns.RcodeRefused
	}
	return dns.RcodeNotImplemented
}

// typeNXNAME stands for a missing name in an NSEC, and is never asked for (RFC
// 9824, section 3.5).
const typeNXNAME = 128

// refusedQuestion knows the types and classes that are no data (RFC 6895,
// sections 3.1 and 3.2). Class ANY is taken as IN, of which there is only one.
func (x *exchange) refusedQuestion() int {
	switch x.r.qtype {
	case dns.TypeNone, dns.TypeOPT, dns.TypeTSIG, dns.TypeTKEY:
		return dns.RcodeFormatError
	case typeNXNAME:
		return x.fail(dns.RcodeFormatError, dns.ExtendedErrorCodeInvalidQueryType, "NXNAME is never asked for")
	}
	switch x.r.qclass {
	case dns.ClassINET, dns.ClassANY, dns.ClassCHAOS:
		return dns.RcodeSuccess
	case 0:
		return dns.RcodeFormatError
	}
	return x.fail(dns.RcodeRefused, dns.ExtendedErrorCodeNotSupported, "of this class is nothing here")
}

// fail notes what the code alone does not say (RFC 8914), and returns the code.
func (x *exchange) fail(rcode int, why uint16, text string) int {
	x.why, x.text = why, text
	return rcode
}
