package main

import (
	"crypto/tls"
	"crypto/x509"
	"io"
	"net/netip"
	"strings"
	"testing"
	"time"

	"evenkeel/agent/config"
)

// A probe over TLS by address, without a server name, gets the page; the
// certificate is the node's own and outlives the agent.
func TestProbeOverTLS(t *testing.T) {
	cfg := settings("ex01", loopback(), 0)
	cfg.Health.TLS = []netip.AddrPort{loopback()}
	a := start(t, cfg)
	for _, name := range []string{"", "nobody.knows.it"} {
		c, err := tls.Dial("tcp", a.sockets.healthTLS[0].Addr().String(), &tls.Config{InsecureSkipVerify: true, ServerName: name})
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(c, "GET /mapi/healthcheck.htm HTTP/1.0\r\n\r\n")
		page, err := io.ReadAll(c)
		if err != nil || !strings.Contains(string(page), "X-FEServer: ex01\r\n") {
			t.Errorf("server name %q: %q, %v", name, page, err)
		}
		c.Close()
	}
}

func TestSelfSigned(t *testing.T) {
	now := time.Date(2026, 5, 4, 8, 0, 0, 0, time.UTC)
	for _, fqdn := range []string{"ex01.mail.example", strings.Repeat("long.", 30) + "example"} {
		cert, err := selfSigned(fqdn, now)
		if err != nil {
			t.Fatal(err)
		}
		leaf, err := x509.ParseCertificate(cert.Certificate[0])
		if err != nil {
			t.Fatal(err)
		}
		if err := leaf.VerifyHostname(fqdn); err != nil {
			t.Error(err)
		}
		if now.Sub(leaf.NotBefore) < time.Hour || leaf.NotAfter.Sub(now) < 9*365*24*time.Hour {
			t.Errorf("good from %v to %v", leaf.NotBefore, leaf.NotAfter)
		}
	}
}

// The operator's certificate is served as it is.
func TestOwnCertificate(t *testing.T) {
	own, err := selfSigned("own.example", time.Now())
	if err != nil {
		t.Fatal(err)
	}
	c, err := tlsOf(config.Config{Health: config.Health{Certificate: own}})
	if err != nil || len(c.Certificates) != 1 || string(c.Certificates[0].Certificate[0]) != string(own.Certificate[0]) {
		t.Errorf("another certificate is served, %v", err)
	}
}
