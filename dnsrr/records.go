package dnsrr

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/miekg/dns"
)

const (
	whyLabel = "_why" // the name below the apex that explains the answers
	whyTTL   = 1      // s: who asks why does not want to know why it was
	maxWire  = 4096   // octets of a static record
	unsetTTL = 1<<32 - 1
	maxTTL   = 1<<31 - 1 // RFC 2181, section 8
	maxChain = 8         // aliases followed in one answer
)

// Records are further records of a zone that do not change with the farm. The
// zero Records are none. Records that exist are valid, and never change.
type Records struct {
	zone string // folded; empty when there are none
	rrs  []dns.RR
}

// ParseRecords reads records, one zone-file line each (RFC 1035, section 5.1);
// names without a final dot are relative to zone. A record without a TTL takes
// that of the [Set]. Empty lines and comments are skipped.
//
// The error is [RecordErrors]: all mistakes, one a line. Refused
// are: names outside the zone; SOA, NS, A and AAAA at the apex and any _why,
// which are the farm's own; NS and DNAME, which need rules this server does not
// have; the records of DNSSEC, which are made of the zone's keys; an asterisk
// that is not the first label; an alias beside other records, in a circle, or
// as the target of MX and SRV (RFC 2181, sections 10.1, 10.3); addresses in a
// SVCB or HTTPS record for a name of this zone, since they would not follow the
// weights (RFC 9460, section 7.3); TTLs that differ within a set (RFC 2181,
// section 5.2); directives such as $INCLUDE.
func ParseRecords(zone string, lines []string) (Records, error) {
	if err := checkZone(zone); err != nil {
		return Records{}, err
	}
	r := reading{Records{zone: fold(zone)}, map[string]bool{}, map[string]string{}}
	var errs RecordErrors
	for i, line := range lines {
		if err := r.add(line); err != nil {
			errs = append(errs, RecordError{i, line, err})
		}
	}
	if len(errs) > 0 {
		return Records{}, errs
	}
	return r.Records, nil
}

// A reading is Records while lines are read, and what the next line is judged
// by.
type reading struct {
	Records
	exists  map[string]bool   // the owners, and all names above them in the zone
	aliases map[string]string // what each owner of a CNAME is an alias of
}

// A RecordError is what is wrong with one line.
type RecordError struct {
	Index int    // of the line, from 0
	Line  string // as it was given
	Err   error
}

// Error names the line by its number and text, and what is wrong with it.
func (e RecordError) Error() string { return fmt.Sprintf("record %d %q: %v", e.Index, e.Line, e.Err) }

// Unwrap returns what is wrong, without the line.
func (e RecordError) Unwrap() error { return e.Err }

// RecordErrors are the mistakes of several lines, at least one, in their order.
type RecordErrors []RecordError

// Error is one line a mistake.
func (es RecordErrors) Error() string {
	var lines []string
	for _, e := range es {
		lines = append(lines, e.Error())
	}
	return strings.Join(lines, "\n")
}

// add reads one line.
func (r *reading) add(line string) error {
	rr, err := parseLine(r.zone, line)
	if err != nil || rr == nil {
		return err
	}
	h := rr.Header()
	if h.Name, err = canonical(h.Name); err != nil {
		return err
	}
	if err := cmp.Or(r.checkOwner(h), checkType(h.Rrtype), r.checkBeside(rr), r.checkAlias(rr), r.checkHints(rr)); err != nil {
		return err
	}
	r.rrs = append(r.rrs, rr)
	for at := h.Name; !r.exists[at] && within(at, r.zone); at = parent(at) {
		r.exists[at] = true
	}
	if c, ok := rr.(*dns.CNAME); ok {
		r.aliases[h.Name] = c.Target
	}
	return nil
}

// parseLine reads at most one record: nil is an empty line.
func parseLine(zone, line string) (dns.RR, error) {
	line = strings.TrimSpace(line)
	if strings.HasPrefix(line, "$") {
		return nil, errors.New("directives are not read here")
	}
	zp := dns.NewZoneParser(strings.NewReader(line), zone, "")
	zp.SetDefaultTTL(unsetTTL)
	rr, _ := zp.Next()
	_, more := zp.Next()
	switch err := zp.Err(); {
	case err != nil:
		return nil, plain(err)
	case more:
		return nil, errors.New("more than one record")
	case rr == nil:
		return nil, nil
	case rr.Header().Class != dns.ClassINET:
		return nil, fmt.Errorf("class %s is not served", dns.Class(rr.Header().Class))
	case rr.Header().Ttl > maxTTL && rr.Header().Ttl != unsetTTL:
		return nil, errors.New("ttl: beyond 2147483647 s")
	}
	return rr, checkData(rr)
}

// plain is a mistake that the parser found, without its prefix and its count of
// lines, which is of the one line it was given.
func plain(err error) error {
	text, _, _ := strings.Cut(strings.TrimPrefix(err.Error(), "dns: "), " at line: ")
	return errors.New(text)
}

// checkData packs rr once, since the parser takes data as it stands and leaves
// its mistakes to whoever packs.
func checkData(rr dns.RR) error {
	if _, err := dns.PackRR(rr, make([]byte, maxWire), 0, nil, false); err != nil {
		return fmt.Errorf("data: %w", err)
	}
	return nil
}

func (r *Records) checkOwner(h *dns.RR_Header) error {
	apex := h.Name == r.zone
	switch {
	case !within(h.Name, r.zone):
		return fmt.Errorf("outside of the zone %s", r.zone)
	case strings.Contains(h.Name, ".*."): // legal, of no use, and most often a mistake (RFC 4592, section 2.1.1)
		return errors.New("an asterisk is the first label or none")
	case h.Name == whyLabel+"."+r.zone:
		return errors.New("this name explains the answers, and is not free")
	case apex && farmsOwn(h.Rrtype):
		return fmt.Errorf("%s at the apex is answered for the farm", dns.Type(h.Rrtype))
	case apex && h.Rrtype == dns.TypeCNAME:
		return errors.New("CNAME beside other records")
	}
	return nil
}

// farmsOwn tells the types that the farm itself answers at the apex.
func farmsOwn(t uint16) bool {
	return t == dns.TypeSOA || t == dns.TypeNS || t == dns.TypeA || t == dns.TypeAAAA
}

// checkType refuses what would need rules that this server does not have.
func checkType(t uint16) error {
	switch t {
	case dns.TypeSOA, dns.TypeNS, dns.TypeDNAME:
		return fmt.Errorf("%s: delegations are not served", dns.Type(t))
	case dns.TypeDS, dns.TypeCDS, dns.TypeDNSKEY, dns.TypeCDNSKEY, dns.TypeRRSIG,
		dns.TypeNSEC, dns.TypeNSEC3, dns.TypeNSEC3PARAM, dns.TypeSIG, dns.TypeKEY, dns.TypeNXT:
		return fmt.Errorf("%s: made of the zone's keys, and not given here", dns.Type(t))
	}
	if t == 0 || t == dns.TypeOPT || 128 <= t && t <= 255 { // RFC 6895, section 3.1
		return fmt.Errorf("%s is no type of data", dns.Type(t))
	}
	return nil
}

// checkBeside compares rr with those of its name.
func (r *Records) checkBeside(rr dns.RR) error {
	h := rr.Header()
	for _, other := range r.rrs {
		o := other.Header()
		switch {
		case o.Name != h.Name:
		case dns.IsDuplicate(rr, other):
			return errors.New("listed twice")
		case o.Rrtype == dns.TypeCNAME || h.Rrtype == dns.TypeCNAME:
			return errors.New("CNAME beside other records")
		case o.Rrtype == h.Rrtype && o.Ttl != h.Ttl:
			return errors.New("ttl: differs from that of the same name and type")
		}
	}
	return nil
}

// checkAlias refuses the record that closes a circle of aliases, makes a chain
// too long to answer, or leads mail or a service to an alias.
func (r *reading) checkAlias(rr dns.RR) error {
	for _, other := range append([]dns.RR{rr}, r.rrs...) {
		if t := targetOf(other); t != "" && r.hops(t, rr) > 0 {
			return fmt.Errorf("%s: %s leads to an alias", other.Header().Name, dns.Type(other.Header().Rrtype))
		}
		if c, ok := other.(*dns.CNAME); ok && r.hops(c.Target, rr) >= maxChain {
			return errors.New("CNAME in a circle, or a chain too long")
		}
	}
	return nil
}

// targetOf is the host that must not be an alias; empty where there is none.
func targetOf(rr dns.RR) string {
	switch rr := rr.(type) {
	case *dns.MX:
		return rr.Mx
	case *dns.SRV:
		return rr.Target
	}
	return ""
}

// hops counts the aliases from name on, with extra as one more record.
func (r *reading) hops(name string, extra dns.RR) int {
	for n := range maxChain {
		next := r.aliasOf(fold(name), extra)
		if next == "" {
			return n
		}
		name = next
	}
	return maxChain
}

// aliasOf is what name is an alias of, by itself or by a wildcard; empty if it
// is none. A name that could be a node's is taken for one, which the wildcard
// of the zone does not reach.
func (r *reading) aliasOf(name string, extra dns.RR) string {
	owner := name
	for at := name; at != "."; at = parent(at) {
		if r.exists[at] || within(extra.Header().Name, at) {
			break // the closest name that exists
		}
		if owner = "*." + parent(at); parent(at) == r.zone && at == name {
			return ""
		}
	}
	if c, ok := extra.(*dns.CNAME); ok && c.Hdr.Name == owner {
		return c.Target
	}
	return r.aliases[owner]
}

// checkHints refuses addresses that clients would use instead of those that
// are weighed.
func (r *Records) checkHints(rr dns.RR) error {
	var s *dns.SVCB
	switch rr := rr.(type) {
	case *dns.SVCB:
		s = rr
	case *dns.HTTPS:
		s = &rr.SVCB
	default:
		return nil
	}
	if s.Target != "." && !within(fold(s.Target), r.zone) {
		return nil
	}
	for _, v := range s.Value {
		if k := v.Key(); k == dns.SVCB_IPV4HINT || k == dns.SVCB_IPV6HINT {
			return fmt.Errorf("%v: would not follow the weights", k)
		}
	}
	return nil
}
