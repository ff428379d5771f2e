package dnsrr

import (
	"context"
	"net"
	"net/netip"
	"sync"
	"time"

	"github.com/miekg/dns"
)

const (
	notifyEvery = time.Second     // how often the serial is looked at
	notifyTries = 5               // of one message to one secondary (RFC 1996, section 3.6)
	notifyWait  = 2 * time.Second // for the first reply, doubled with each try
)

// ServeNotify tells the secondaries of the [Options] of every new serial, from
// the first on, until ctx is done; then it returns nil. One that does not
// answer holds nobody up: it will look by itself when the refresh time of the
// SOA is over.
func (s *Server) ServeNotify(ctx context.Context) error {
	tick := time.NewTicker(notifyEvery)
	defer tick.Stop()
	var tellers sync.WaitGroup
	defer tellers.Wait()
	told := make(map[netip.AddrPort]uint32)
	for {
		if m, to := s.news(told); m != nil {
			for _, at := range to {
				tellers.Go(func() { notify(ctx, m, at) })
			}
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// news is what is to be told, and to whom, and takes it for told.
func (s *Server) news(told map[netip.AddrPort]uint32) (m *dns.Msg, to []netip.AddrPort) {
	l, o := s.live.Load(), s.options.Load()
	if l == nil || o == nil {
		return nil, nil
	}
	for _, at := range o.Transfer.Notify {
		if last, ok := told[at]; !ok || last != l.table.serial {
			told[at] = l.table.serial
			to = append(to, at)
		}
	}
	m = new(dns.Msg).SetNotify(l.table.zone)
	m.Answer = all(l.table.names[l.table.zone].sets[dns.TypeSOA], l.table.zone)
	return m, to
}

// notify sends m until it is answered, whatever the answer is.
func notify(ctx context.Context, m *dns.Msg, to netip.AddrPort) {
	for try := range notifyTries {
		wait := notifyWait << try
		begun := time.Now()
		if notifyOnce(ctx, m, to, wait) || ctx.Err() != nil {
			return
		}
		after(ctx, wait-time.Since(begun))
	}
}

// notifyOnce reports that the message was answered.
func notifyOnce(ctx context.Context, m *dns.Msg, to netip.AddrPort, wait time.Duration) bool {
	var d net.Dialer
	c, err := d.DialContext(ctx, "udp", to.String())
	if err != nil {
		return false
	}
	defer c.Close()
	defer context.AfterFunc(ctx, func() { c.Close() })()
	c.SetDeadline(time.Now().Add(wait))
	conn := dns.Conn{Conn: c}
	if conn.WriteMsg(m) != nil {
		return false
	}
	for {
		got, err := conn.ReadMsg()
		switch {
		case err != nil && got == nil:
			return false
		case err == nil && got.Response && got.Id == m.Id:
			return true
		}
	}
}
