package dnsrr

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/miekg/dns"
)

const (
	maxServices = 32
	srvScale    = 65535 // the weight of the largest share (RFC 2782)
)

func (s Service) check(zone string) error {
	if err := checkLabel(s.Name); err != nil {
		return err
	}
	if s.Name[0] == '_' {
		return errors.New("a leading underscore is for the names of SRV records")
	}
	for _, name := range s.SRV {
		switch {
		case strings.HasSuffix(name, "."):
			return fmt.Errorf("srv %q: relative to the zone, and so without a final dot", name)
		case fold(name) == whyLabel:
			return fmt.Errorf("srv %q: this name explains the answers, and is not free", name)
		}
		if err := checkZone(name + "." + zone); err != nil {
			return fmt.Errorf("srv %q: %w", name, err)
		}
	}
	if len(s.SRV) > 0 && s.Port == 0 {
		return errors.New("srv without a port")
	}
	return nil
}

// carries tells whether g has the service of that name now.
func (g Target) carries(name string) bool {
	for _, l := range g.Lacks {
		if fold(l) == fold(name) {
			return false
		}
	}
	return true
}

// addService adds the names of a service. What a node's own name takes is left
// to it, and told.
func (t *Table) addService(s Service, sorted []Target, answers int) {
	shares := livingOf(sorted, func(g Target) bool { return g.carries(s.Name) })
	name := fold(s.Name) + "." + t.zone
	if o := t.names[name]; o != nil && o.node {
		t.hidden = append(t.hidden, name)
	} else {
		t.exist(name).farm = t.weigh(name, sorted, shares, answers, hashName(fold(s.Name)))
	}
	for _, at := range s.SRV {
		owner := fold(at) + "." + t.zone
		t.exist(owner).live = true
		for _, rr := range t.serviceRecords(owner, s.Port, sorted, shares) {
			t.add(rr)
		}
	}
}

// serviceRecords are one SRV record a node that has a share, all of one
// priority, so that a client that finds one away goes on to the others.
func (t *Table) serviceRecords(owner string, port uint16, sorted []Target, shares []float64) (out []dns.RR) {
	most := 0.0
	for _, p := range shares {
		most = max(most, p)
	}
	for i, g := range sorted {
		if shares[i] > 0 {
			out = append(out, &dns.SRV{
				Hdr: t.header(owner, dns.TypeSRV), Target: t.nameOf(g), Port: port,
				Weight: weightOf(shares[i], most),
			})
		}
	}
	return out
}

// weightOf is a share as the weight of an SRV record: 0 is "almost never", and
// who is listed is wanted.
func weightOf(share, most float64) uint16 {
	return uint16(max(1, math.Round(srvScale*share/most)))
}
