package main

import (
	"log/slog"
	"net"
	"net/netip"
	"slices"
	"time"
)

// unicast lists the addresses of this machine at which resolvers may ask, each
// once. Link-local ones are not among them: no delegation can name them.
func unicast() ([]netip.Addr, error) {
	all, err := net.InterfaceAddrs()
	if err != nil {
		return nil, err
	}
	return askable(all), nil
}

func askable(all []net.Addr) (out []netip.Addr) {
	for _, i := range all {
		p, err := netip.ParsePrefix(i.String())
		if a := p.Addr().Unmap(); err == nil && (a.IsGlobalUnicast() || a.IsLoopback()) {
			out = append(out, a)
		}
	}
	slices.SortFunc(out, netip.Addr.Compare)
	return slices.Compact(out)
}

// lookAround is how often the machine's addresses are read again where that
// matters.
const lookAround = 5 * time.Second

// look follows the machine's addresses: those that came are served, those that
// went are given up. What the system refuses is said once, and tried again at
// the next look.
func (d *dnsListeners) look(log *slog.Logger) {
	d.mu.Lock()
	defer d.mu.Unlock()
	all, err := d.expand(d.wanted)
	if err != nil || d.ended {
		return
	}
	missing, gone := compare(d.open, all)
	var fresh []*dnsListener
	for _, at := range missing {
		socks, err := d.net.listen(at)
		if err == nil {
			fresh = append(fresh, &dnsListener{asked: at, at: socks.Addr(), socks: socks})
		} else if !d.refused[at] {
			log.Warn("DNS cannot be served at an address of this machine", "address", at, "err", err)
		}
		if d.refused[at] = true; err == nil {
			delete(d.refused, at)
		}
	}
	if len(fresh)+len(gone) > 0 {
		d.exchange(all, fresh, gone)
		log.Info("the addresses of this machine have changed", "came", len(fresh), "went", len(gone))
	}
}
