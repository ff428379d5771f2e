package dnsrr

import (
	"sync/atomic"
	"time"

	"github.com/miekg/dns"
)

// Stats are a [Server]'s counts since it began.
type Stats struct {
	Queries  []QueryCount  // those above zero, by transport, type and code
	Answers  []AnswerCount // every node of the current table, by name
	Restarts uint64        // reads and accepts that failed and were taken up again
	Limited  uint64        // replies over UDP that were not sent, since too many like them had been
	Slipped  uint64        // and those sent truncated in their place

	// Dropped is the queries over UDP that nobody read in time, and that the
	// system threw away. Linux alone says so, and with the next that is read.
	Dropped uint64

	// Shed is the replies over UDP that the system did not take. Linux alone
	// is asked.
	Shed uint64

	// Covered is the TTLs of all weighted answers, added up, those of A and AAAA
	// once. Its growth in a second is how many caches hold an answer.
	Covered time.Duration
}

// A QueryCount is how many queries of a kind came.
type QueryCount struct {
	Transport string // udp, tcp
	Type      string // A, AAAA, …; "other"; "none" where the question could not be read
	Rcode     string // NOERROR, …; "other"; "none" where nothing was answered
	N         uint64
}

// An AnswerCount is how often an address of a node was handed out by weight, at the
// apex or for a service.
type AnswerCount struct {
	Node string
	N    uint64
}

// Covered is [Stats].Covered alone, which costs little.
func (s *Server) Covered() time.Duration {
	var sum uint64
	for i := range s.counts {
		sum += s.counts[i].covered.Load()
	}
	return time.Duration(sum) * time.Second
}

// Stats returns the counts of now.
func (s *Server) Stats() Stats {
	out := Stats{
		Queries: s.queryCounts(), Restarts: s.restarts.Load(),
		Dropped: s.dropped.Load(), Shed: s.shed.Load(), Covered: s.Covered(),
		Limited: s.limits.Load(), Slipped: s.slipped.Load(),
	}
	if l := s.live.Load(); l != nil {
		for i, n := range l.table.nodes {
			out.Answers = append(out.Answers, AnswerCount{n, l.answers[i].sum()})
		}
	}
	return out
}

type transport int

const (
	overUDP transport = iota
	overTCP
	transports
)

// String is the label of the metric.
func (t transport) String() string { return [...]string{"udp", "tcp"}[t] }

const (
	typeNone     = dns.TypeNone // no question, or none that could be read
	rcodeSilence = -1
)

// What is counted by its own name. The last place of each is for all others,
// so that foreign bytes cannot make new counters.
const (
	typeSlots  = 16
	otherTypes = typeSlots - 1
	rcodeSlots = 9
)

func typeNames() [typeSlots]uint16 {
	return [typeSlots]uint16{
		typeNone, dns.TypeA, dns.TypeAAAA, dns.TypeNS, dns.TypeSOA, dns.TypeTXT, dns.TypeMX, dns.TypeSRV,
		dns.TypeCNAME, dns.TypePTR, dns.TypeHTTPS, dns.TypeSVCB, dns.TypeANY, dns.TypeAXFR, dns.TypeDNSKEY,
	}
}

func rcodeNames() [rcodeSlots]int {
	return [rcodeSlots]int{
		rcodeSilence, dns.RcodeSuccess, dns.RcodeFormatError, dns.RcodeServerFailure, dns.RcodeNameError,
		dns.RcodeNotImplemented, dns.RcodeRefused, dns.RcodeBadVers,
	}
}

// A tally counts queries by transport, type and code.
type tally [transports][typeSlots][rcodeSlots]atomic.Uint64

func (t *tally) add(tr transport, typ uint16, rcode int) {
	t[tr][typeSlot(typ)][rcodeSlot(rcode)].Add(1)
}

// typeSlot is the place of a type in typeNames.
func typeSlot(typ uint16) int {
	switch typ {
	case typeNone:
		return 0
	case dns.TypeA:
		return 1
	case dns.TypeAAAA:
		return 2
	case dns.TypeNS:
		return 3
	case dns.TypeSOA:
		return 4
	case dns.TypeTXT:
		return 5
	case dns.TypeMX:
		return 6
	case dns.TypeSRV:
		return 7
	case dns.TypeCNAME:
		return 8
	case dns.TypePTR:
		return 9
	case dns.TypeHTTPS:
		return 10
	case dns.TypeSVCB:
		return 11
	case dns.TypeANY:
		return 12
	case dns.TypeAXFR:
		return 13
	case dns.TypeDNSKEY:
		return 14
	}
	return otherTypes
}

// rcodeSlot is the place of a code in rcodeNames.
func rcodeSlot(rcode int) int {
	switch {
	case rcodeSilence <= rcode && rcode <= dns.RcodeRefused:
		return rcode - rcodeSilence
	case rcode == dns.RcodeBadVers:
		return rcodeSlots - 2
	}
	return rcodeSlots - 1
}

// queryCounts adds up all stripes.
func (s *Server) queryCounts() (out []QueryCount) {
	for tr := range transports {
		for ti := range typeSlots {
			for ri := range rcodeSlots {
				var n uint64
				for i := range s.counts {
					n += s.counts[i].queries[tr][ti][ri].Load()
				}
				if n > 0 {
					out = append(out, QueryCount{tr.String(), typeWord(ti), rcodeWord(ri), n})
				}
			}
		}
	}
	return out
}

func typeWord(slot int) string {
	switch slot {
	case 0:
		return "none"
	case otherTypes:
		return "other"
	}
	return dns.Type(typeNames()[slot]).String()
}

func rcodeWord(slot int) string {
	switch slot {
	case 0:
		return "none"
	case rcodeSlots - 1:
		return "other"
	}
	if rcode := rcodeNames()[slot]; rcode != dns.RcodeBadVers { // 16 is BADSIG too, in another place
		return dns.RcodeToString[rcode]
	}
	return "BADVERS"
}
