package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"

	"evenkeel/agent/config"
	"evenkeel/dnsrr"
)

// A dnsNet is all of the machine that listening for DNS touches.
type dnsNet struct {
	listen    func(netip.AddrPort) (dnsrr.Sockets, error)
	listenUDP func(netip.AddrPort) ([]net.PacketConn, error)
	listenTCP func(netip.AddrPort) (net.Listener, error)

	// unicast lists the machine's addresses, where a wildcard is served by one
	// socket for each of them; nil where one socket for all will do.
	unicast func() ([]netip.Addr, error)
}

// hostDNS is this machine's.
func hostDNS() dnsNet {
	n := dnsNet{listen: dnsrr.Listen, listenUDP: dnsrr.ListenUDP, listenTCP: dnsrr.ListenTCP}
	if !dnsrr.WildcardReplies {
		n.unicast = unicast
	}
	return n
}

// dnsListeners are the sockets of listen.dns. They can be exchanged while they
// are served, and those that are lost are opened again. The nil dnsListeners
// are none.
type dnsListeners struct {
	net      dnsNet
	reopened atomic.Uint64 // sockets that were lost and opened again

	mu      sync.Mutex // guards the rest
	wanted  []netip.AddrPort
	open    []*dnsListener
	serve   func(*dnsListener) // nil before run
	ended   bool               // nothing is opened any more
	refused map[netip.AddrPort]bool
}

// A dnsListener is one address of them.
type dnsListener struct {
	asked  netip.AddrPort // with port 0 if the system chose it
	at     netip.AddrPort
	socks  dnsrr.Sockets // as they were opened first
	cancel context.CancelFunc
	served sync.WaitGroup // the goroutines that serve it, none before run
}

// listenDNS takes all addresses or none.
func listenDNS(n dnsNet, wanted []netip.AddrPort) (*dnsListeners, error) {
	d := &dnsListeners{net: n, refused: map[netip.AddrPort]bool{}}
	return d, d.change(wanted)
}

// errLeaving refuses a change that comes too late.
var errLeaving = errors.New("the agent is about to stop")

// change makes wanted the addresses that are served, or else changes nothing
// and returns the system's refusal. What is new is served before what is gone
// is given up, and what stays never notices.
func (d *dnsListeners) change(wanted []netip.AddrPort) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.ended {
		return errLeaving
	}
	all, err := d.expand(wanted)
	if err != nil {
		return fmt.Errorf("listen.dns: %w", err)
	}
	missing, gone := compare(d.open, all)
	if err := conflict(missing, gone); err != nil {
		return err
	}
	fresh, err := d.openAll(missing, wanted)
	if err != nil {
		return err
	}
	d.wanted = slices.Clone(wanted)
	d.exchange(all, fresh, gone)
	return nil
}

// expand replaces wildcards by the machine's addresses where that is needed.
// With port 0 each would have a port of its own, so they stay as they are.
func (d *dnsListeners) expand(wanted []netip.AddrPort) ([]netip.AddrPort, error) {
	wild := func(at netip.AddrPort) bool { return at.Addr().IsUnspecified() && at.Port() != 0 }
	if d.net.unicast == nil || !slices.ContainsFunc(wanted, wild) {
		return wanted, nil
	}
	here, err := d.net.unicast()
	if err != nil {
		return nil, fmt.Errorf("the addresses of this machine: %w", err)
	}
	var all []netip.AddrPort
	for _, at := range wanted {
		if !wild(at) {
			all = append(all, at)
			continue
		}
		for _, a := range here {
			if a.Is4() || at.Addr().Is6() {
				all = append(all, netip.AddrPortFrom(a, at.Port()))
			}
		}
	}
	return all, nil
}

// compare says which of all is not open, and what is open beyond it.
func compare(open []*dnsListener, all []netip.AddrPort) (missing []netip.AddrPort, gone []*dnsListener) {
	gone = slices.Clone(open)
	for _, at := range all {
		i := slices.IndexFunc(gone, func(l *dnsListener) bool { return l.asked == at })
		if i < 0 {
			missing = append(missing, at)
			continue
		}
		gone = slices.Delete(gone, i, i+1)
	}
	return missing, gone
}

// conflict: a wildcard and an address that it covers cannot be had together,
// not even while one takes the other's place.
func conflict(missing []netip.AddrPort, gone []*dnsListener) error {
	for _, at := range missing {
		for _, l := range gone {
			if at.Port() == l.at.Port() && (at.Addr().IsUnspecified() || l.at.Addr().IsUnspecified()) {
				return fmt.Errorf("listen.dns: only a restart can change %v to %v, since one covers the other", l.at, at)
			}
		}
	}
	return nil
}

// openAll opens every address or none. One that was found rather than asked
// for may have left the machine meanwhile.
func (d *dnsListeners) openAll(missing, wanted []netip.AddrPort) (fresh []*dnsListener, err error) {
	for _, at := range missing {
		socks, err := d.net.listen(at)
		switch {
		case err == nil:
			fresh = append(fresh, &dnsListener{asked: at, at: socks.Addr(), socks: socks})
		case slices.Contains(wanted, at) || !says(err, noAddress):
			for _, l := range fresh {
				l.socks.Close()
			}
			return nil, refused("listen.dns", at, err)
		}
	}
	return fresh, nil
}

// exchange serves what is fresh, then ends what is gone. The order of all is
// that in which addresses are shown.
func (d *dnsListeners) exchange(all []netip.AddrPort, fresh, gone []*dnsListener) {
	for _, l := range fresh {
		if d.serve != nil {
			d.serve(l)
		}
	}
	d.open = append(slices.DeleteFunc(d.open, func(l *dnsListener) bool { return slices.Contains(gone, l) }), fresh...)
	slices.SortStableFunc(d.open, func(a, b *dnsListener) int {
		return cmp.Compare(slices.Index(all, a.asked), slices.Index(all, b.asked))
	})
	for _, l := range gone {
		l.end()
	}
}

// end closes the sockets, and waits until nobody serves them.
func (l *dnsListener) end() {
	if l.cancel == nil {
		l.socks.Close()
		return
	}
	l.cancel()
	l.served.Wait()
}

// bound are the addresses that are served, with the ports that the system
// chose.
func (d *dnsListeners) bound() (all []netip.AddrPort) {
	if d == nil {
		return nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, l := range d.open {
		all = append(all, l.at)
	}
	return all
}

// close ends all of them, for good.
func (d *dnsListeners) close() {
	if d == nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.ended = true
	for _, l := range d.open {
		l.end()
	}
}

// relisten takes up listen.dns of a configuration that is read again, or says
// why not.
func (a *agent) relisten(old, now config.Config) (refusal string) {
	if slices.Equal(old.Listen.DNS, now.Listen.DNS) {
		return ""
	}
	err := a.sockets.dns.change(now.Listen.DNS)
	if err == nil {
		a.log.Info("DNS is served elsewhere", "addresses", a.sockets.dns.bound())
		return ""
	}
	if hint, ok := hint(err); ok {
		return fmt.Sprintf("%v (%s)", err, hint)
	}
	return err.Error()
}
