package dnsrr

import (
	"slices"
	"sync/atomic"
	"time"

	"github.com/miekg/dns"
)

// Stats are a [Server]'s counts since it began.
type Stats struct {
	Queries  []QueryCount  // those above zero, by transport, type and code
	Answers  []AnswerCount // every node of the current table, by name
	Restarts uint64        // reads and accepts that failed and were taken up again

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

// Covered is [Stats].Covered alone, which costs nothing.
func (s *Server) Covered() time.Duration {
	return time.Duration(s.covered.Load()) * time.Second
}

// Stats returns the counts of now.
func (s *Server) Stats() Stats {
	out := Stats{Queries: s.queries.counts(), Restarts: s.restarts.Load(), Covered: s.Covered()}
	if l := s.live.Load(); l != nil {
		for i, n := range l.table.nodes {
			out.Answers = append(out.Answers, AnswerCount{n, l.answers[i].Load()})
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
	typeSlots  = 15
	rcodeSlots = 9
)

func typeNames() [typeSlots]uint16 {
	return [typeSlots]uint16{
		typeNone, dns.TypeA, dns.TypeAAAA, dns.TypeNS, dns.TypeSOA, dns.TypeTXT, dns.TypeMX, dns.TypeSRV,
		dns.TypeCNAME, dns.TypePTR, dns.TypeHTTPS, dns.TypeSVCB, dns.TypeANY, dns.TypeAXFR,
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
	types, rcodes := typeNames(), rcodeNames()
	ti, ri := slices.Index(types[:typeSlots-1], typ), slices.Index(rcodes[:rcodeSlots-1], rcode)
	t[tr][(ti+typeSlots)%typeSlots][(ri+rcodeSlots)%rcodeSlots].Add(1) // -1 is the last
}

func (t *tally) counts() (out []QueryCount) {
	for tr := range t {
		for ti := range t[tr] {
			for ri := range t[tr][ti] {
				if n := t[tr][ti][ri].Load(); n > 0 {
					out = append(out, QueryCount{transport(tr).String(), typeWord(ti), rcodeWord(ri), n})
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
	case typeSlots - 1:
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
