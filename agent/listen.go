package main

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"syscall"

	"evenkeel/agent/config"
)

// sockets are all that an agent listens on but gossip, which binds its own.
type sockets struct {
	dns        *dnsListeners // which may change while they are served
	health     []net.Listener
	healthTLS  []net.Listener
	agentCheck []net.Listener
	admin      net.Listener
	adminTLS   bool         // admin is spoken to over TLS
	gate       net.Listener // nil: there is none
}

// listen binds every address of the configuration, or none.
func listen(c config.Listen) (s sockets, err error) {
	defer func() {
		if err != nil {
			s.close()
			s = sockets{}
		}
	}()
	if s.dns, err = listenDNS(hostDNS(), c.DNS); err != nil {
		return s, err
	}
	for _, at := range c.Health {
		l, err := net.Listen(network("tcp", at), at.String())
		if err != nil {
			return s, refused("listen.health", at, err)
		}
		s.health = append(s.health, l)
	}
	for _, at := range c.AgentCheck {
		l, err := net.Listen(network("tcp", at), at.String())
		if err != nil {
			return s, refused("listen.agent_check", at, err)
		}
		s.agentCheck = append(s.agentCheck, l)
	}
	admin, err := net.Listen(network("tcp", c.Admin), c.Admin.String())
	if err != nil {
		return s, refused("listen.admin", c.Admin, err)
	}
	s.admin = newCrowd(admin, adminOpen)
	err = s.listenGate(c.Gate)
	return s, err
}

// listenGate binds the address on which front ends ask, if there is one.
func (s *sockets) listenGate(at netip.AddrPort) (err error) {
	if !at.IsValid() {
		return nil
	}
	if s.gate, err = net.Listen(network("tcp", at), at.String()); err != nil {
		s.gate = nil
		return refused("listen.gate", at, err)
	}
	return nil
}

// listenTLS binds the addresses on which healthcheck.htm is served over TLS.
func (s *sockets) listenTLS(c config.Config) error {
	if len(c.Health.TLS) == 0 {
		return nil
	}
	conf, err := tlsOf(c)
	if err != nil {
		return fmt.Errorf("health.tls: %w", err)
	}
	for _, at := range c.Health.TLS {
		l, err := net.Listen(network("tcp", at), at.String())
		if err != nil {
			return refused("health.tls.listen", at, err)
		}
		s.healthTLS = append(s.healthTLS, tls.NewListener(l, conf))
	}
	return nil
}

// secureAdmin has admin spoken to over TLS, as conf says; nil leaves it plain.
func (s *sockets) secureAdmin(conf *tls.Config) {
	if conf != nil {
		s.admin, s.adminTLS = tls.NewListener(s.admin, conf), true
	}
}

// adminURL is where people and commands ask, without a path.
func adminURL(secure bool, addr string) string {
	u := url.URL{Scheme: "http", Host: addr}
	if secure {
		u.Scheme = "https"
	}
	return u.String()
}

// network keeps 0.0.0.0 to IPv4, which package net would open for both families.
func network(base string, at netip.AddrPort) string {
	if at.Addr().Is4() {
		return base + "4"
	}
	return base
}

// refused says whose address err is about, and what its reader could do.
func refused(key string, at netip.AddrPort, err error) error {
	err = fmt.Errorf("%s: %w", key, err)
	switch {
	case says(err, inUse):
		return hinted{err, fmt.Sprintf("another program listens on %v; stop it, or give %s another address", at, key)}
	case errors.Is(err, syscall.EACCES):
		return hinted{err, fmt.Sprintf("ports below 1024 need root or CAP_NET_BIND_SERVICE; or give %s a higher port", key)}
	case says(err, noAddress):
		return hinted{err, fmt.Sprintf("this machine has no address %v", at.Addr())}
	}
	return err
}

// says reports whether err is the system's refusal e, or holds its words:
// memberlist passes on no more than those.
func says(err error, e syscall.Errno) bool {
	return errors.Is(err, e) || strings.Contains(err.Error(), e.Error())
}

// A service is a line of what the agent serves and where.
type service struct{ what, where string }

func (s sockets) served() (out []service) {
	for _, at := range s.dns.bound() {
		out = append(out, service{"dns", at.String() + " udp and tcp"})
	}
	for _, l := range s.health {
		out = append(out, service{"health", "http://" + l.Addr().String() + "/healthcheck.htm"})
	}
	for _, l := range s.healthTLS {
		out = append(out, service{"health", "https://" + l.Addr().String() + "/healthcheck.htm"})
	}
	for _, l := range s.agentCheck {
		out = append(out, service{"agent check", l.Addr().String()})
	}
	if s.gate != nil {
		out = append(out, service{"gate", "http://" + s.gate.Addr().String() + "/v1/check"})
	}
	return append(out, service{"admin", adminURL(s.adminTLS, s.admin.Addr().String()) + "/"})
}

// ports are the TCP ports of the agent itself as of now: they are no mail
// service.
func (s sockets) ports() (out []uint16) {
	for _, at := range s.dns.bound() {
		out = append(out, at.Port())
	}
	for _, l := range s.listeners() {
		out = append(out, uint16(l.Addr().(*net.TCPAddr).Port))
	}
	return out
}

func (s sockets) listeners() []net.Listener {
	all := slices.Concat(s.health, s.healthTLS, s.agentCheck)
	if s.admin != nil {
		all = append(all, s.admin)
	}
	if s.gate != nil {
		all = append(all, s.gate)
	}
	return all
}

func (s sockets) close() {
	s.dns.close()
	for _, l := range s.listeners() {
		l.Close()
	}
}
