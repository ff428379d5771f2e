package main

import (
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"evenkeel/agent/config"
)

// BenchmarkJudge is what the door costs a request: nothing to ask for, a token,
// and a certificate, which is verified each time.
func BenchmarkJudge(b *testing.B) {
	ours := newAuthority(b)
	member := &tls.ConnectionState{PeerCertificates: []*x509.Certificate{ours.issue(b, asIs).Leaf}}
	for _, c := range []struct {
		name string
		a    config.Admin
		tls  *tls.ConnectionState
	}{
		{"open", config.Admin{}, nil},
		{"token", config.Admin{Token: goodToken}, nil},
		{"certificate", config.Admin{ClientCAs: []*x509.Certificate{ours.cert}}, member},
	} {
		b.Run(c.name, func(b *testing.B) {
			l := lockOf(withAdmin(c.a))
			q := httptest.NewRequestWithContext(b.Context(), http.MethodGet, "http://127.0.0.1:9853/metrics", nil)
			q.Header.Set("Authorization", "Bearer "+goodToken)
			q.TLS = c.tls
			now := time.Now()
			b.ReportAllocs()
			for b.Loop() {
				if status, why := l.judge(q, now); status != 0 {
					b.Fatal(status, why)
				}
			}
		})
	}
}
