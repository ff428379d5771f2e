package health

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"io"
	"math/big"
	"net"
	"testing"
	"time"
)

func selfSigned(t *testing.T) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	tmpl := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), DNSNames: []string{"ex01.mail.test"}}
	der, err := x509.CreateCertificate(rand.Reader, tmpl, tmpl, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

// Azure and others connect by address: no server name in the handshake, an
// address for a host, no look at the certificate. Over TLS too a missing Host is
// noticed.
func TestProbesOverTLS(t *testing.T) {
	cfg := &tls.Config{Certificates: []tls.Certificate{selfSigned(t)}}
	var s Server
	s.Publish(ex01)
	addr := serving(t, func(ctx context.Context, l net.Listener) error { return s.Serve(ctx, tls.NewListener(l, cfg)) })
	for _, name := range []string{"", "mail.test", "nobody.knows.it"} {
		for probe, words := range map[string][]string{
			"GET /ews/healthcheck.htm HTTP/1.1\r\nHost: 10.0.0.4:443\r\nConnection: Close\r\n\r\n": {"HTTP/1.1 200 OK\r\n", "200 OK<br/>ex01.mail.test"},
			"GET /ews/healthcheck.htm HTTP/1.1\r\nConnection: Close\r\n\r\n":                       {"HTTP/1.1 400 "},
		} {
			c := tls.Client(dial(t, addr), &tls.Config{InsecureSkipVerify: true, ServerName: name})
			io.WriteString(c, probe)
			got, err := io.ReadAll(c)
			if err != nil || !has(string(got), words...) {
				t.Errorf("server name %q, %q: %q, %v", name, probe, got, err)
			}
		}
	}
	if got := s.Stats(); got.NoHost != 3 || !got.LastNoHost.From.IsLoopback() {
		t.Errorf("no host: %d, last %v; want 3, from loopback", got.NoHost, got.LastNoHost)
	}
}
