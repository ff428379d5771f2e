package dnsrr

import (
	"github.com/miekg/dns"
)

// introduce answers who this server is, in the class that is left for such
// questions (RFC 4892), to whoever asks, if the operator wants it said.
func (x *exchange) introduce() int {
	text := ""
	switch x.m.Question[0].Name {
	case "id.server.", "hostname.bind.":
		text = x.o.Identity
	case "version.server.", "version.bind.":
		text = x.o.Version
	}
	if text == "" || x.r.qtype != dns.TypeTXT && x.r.qtype != dns.TypeANY {
		return x.fail(dns.RcodeRefused, dns.ExtendedErrorCodeNotAuthoritative, "of this nothing is said here")
	}
	x.m.Authoritative = true
	h := dns.RR_Header{Name: x.m.Question[0].Name, Rrtype: dns.TypeTXT, Class: dns.ClassCHAOS}
	x.m.Answer = []dns.RR{&dns.TXT{Hdr: h, Txt: []string{escape(text)}}}
	return dns.RcodeSuccess
}
