package main

import (
	"context"
	"log/slog"
	"net"
	"net/netip"
	"time"
)

// A dnsServer is what serves the sockets: each call until ctx is done, or the
// sockets are of no more use, which is an error; both close them.
type dnsServer interface {
	ServeUDP(ctx context.Context, pcs ...net.PacketConn) error
	ServeTCP(ctx context.Context, l net.Listener) error
}

// run serves all addresses, those too that come later, until ctx is done; then
// none is open.
func (d *dnsListeners) run(ctx context.Context, s dnsServer, log *slog.Logger) error {
	d.mu.Lock()
	d.serve = func(l *dnsListener) { d.serveOne(ctx, l, s, log) }
	if !d.ended {
		for _, l := range d.open {
			d.serve(l)
		}
	}
	d.mu.Unlock()
	defer d.close()
	if d.net.unicast == nil {
		<-ctx.Done()
		return nil
	}
	tick := time.NewTicker(lookAround)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
			d.look(log)
		}
	}
}

// serveOne starts to serve one address. Its transports know nothing of each
// other: while one is lost the other answers.
func (d *dnsListeners) serveOne(ctx context.Context, l *dnsListener, s dnsServer, log *slog.Logger) {
	ctx, l.cancel = context.WithCancel(ctx)
	udp, tcp := l.socks.UDP, l.socks.TCP
	l.served.Go(func() {
		d.keep(ctx, dnsTransport{
			serve: func() error { return s.ServeUDP(ctx, udp...) },
			open:  func() error { return renew(&udp, d.net.listenUDP, l.at) },
			log:   log.With("address", l.at, "transport", "udp"),
		})
	})
	l.served.Go(func() {
		d.keep(ctx, dnsTransport{
			serve: func() error { return s.ServeTCP(ctx, tcp) },
			open:  func() error { return renew(&tcp, d.net.listenTCP, l.at) },
			log:   log.With("address", l.at, "transport", "tcp"),
		})
	})
}

// renew opens at anew; what fails leaves the old.
func renew[T any](old *T, open func(netip.AddrPort) (T, error), at netip.AddrPort) error {
	fresh, err := open(at)
	if err == nil {
		*old = fresh
	}
	return err
}

// A dnsTransport is one transport of an address, whatever its sockets are now.
type dnsTransport struct {
	serve func() error // closes them, too
	open  func() error // where there are none
	log   *slog.Logger
}

// keep serves until ctx is done. Sockets that are lost are opened again, at
// once if they were well until now. The log says the first loss, and no other
// before they have been well again.
func (d *dnsListeners) keep(ctx context.Context, k dnsTransport) {
	var b backoff
	for {
		began := time.Now()
		err := k.serve()
		if ctx.Err() != nil {
			return
		}
		if time.Since(began) >= wellAfter {
			b = backoff{}
		}
		first := b == backoff{}
		if first {
			k.log.Warn("DNS lost its sockets; they are opened again as soon as the system allows", "err", err)
		}
		for !pause(ctx, b.next()) && k.open() != nil {
		}
		if ctx.Err() != nil {
			// What was opened in the last moment is closed by one who serves.
			k.serve()
			return
		}
		d.reopened.Add(1)
		if first {
			k.log.Info("DNS is served again")
		}
	}
}

const (
	wellAfter    = time.Minute      // sockets that lasted so long are well
	longestPause = 30 * time.Second // between two attempts
)

// A backoff is how long to wait before the next attempt: not at all before the
// first, then a second, and twice as long each time.
type backoff struct{ attempts int }

func (b *backoff) next() time.Duration {
	b.attempts++
	if b.attempts == 1 {
		return 0
	}
	return min(longestPause, time.Second<<min(b.attempts-2, 10))
}

// pause waits, and reports whether ctx ended meanwhile.
func pause(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C:
	}
	return ctx.Err() != nil
}
