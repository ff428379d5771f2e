package main

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"evenkeel/agent/config"
	"evenkeel/dnsrr"
)

// browse asks as a browser does whose user believes any certificate. It shows
// the token and the certificate that it is given.
func browse(t *testing.T, a *running, path, token string, own ...tls.Certificate) (status int, header http.Header, body string, shown *x509.Certificate) {
	t.Helper()
	c := http.Client{Timeout: patience, Transport: &http.Transport{DisableKeepAlives: true, TLSClientConfig: &tls.Config{
		InsecureSkipVerify:   true,
		GetClientCertificate: shower(own),
	}}}
	q, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://"+a.sockets.admin.Addr().String()+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if token != "" {
		q.SetBasicAuth("operator", token)
	}
	r, body := whole(t, &c, q)
	return r.StatusCode, r.Header, body, r.TLS.PeerCertificates[0]
}

// shower shows the certificate whether or not the server knows its authority.
func shower(own []tls.Certificate) func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
	return func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
		if len(own) == 0 {
			return new(tls.Certificate), nil
		}
		return &own[0], nil
	}
}

// TestAdminBeyondLoopback is the story of an agent that anyone can reach: the
// token or a certificate lets in, and a reload changes what does.
func TestAdminBeyondLoopback(t *testing.T) {
	t.Parallel()
	ours, others := newAuthority(t), newAuthority(t)
	cfg := withAdmin(config.Admin{Token: goodToken, Certificate: ours.issue(t, asIs), ClientCAs: []*x509.Certificate{ours.cert}})
	a := start(t, cfg)
	member, stranger := ours.issue(t, asIs), others.issue(t, asIs)
	for _, c := range []struct {
		who, path, token string
		own              []tls.Certificate
		want             int
		body             string // how it begins
	}{
		{"nobody", "/", "", nil, 401, noToken},
		{"nobody", "/metrics", "", nil, 401, noToken},
		{"a watchman", "/healthz", "", nil, 200, "ok\n"},
		{"a holder of the token", "/", goodToken, nil, 200, "NODE "},
		{"a scraper with the token", "/metrics", goodToken, nil, 200, "# HELP "},
		{"a holder of a certificate", "/", "", []tls.Certificate{member}, 200, "NODE "},
		{"a stranger", "/", "", []tls.Certificate{stranger}, 401, noToken},
		{"a stranger who was told the token", "/", goodToken, []tls.Certificate{stranger}, 200, "NODE "},
		{"a member who mistypes it", "/", "guess", []tls.Certificate{member}, 200, "NODE "},
	} {
		if status, _, body, _ := browse(t, a, c.path, c.token, c.own...); status != c.want || !strings.HasPrefix(body, c.body) {
			t.Errorf("%s, %s: %d %.60q, want %d %q", c.who, c.path, status, body, c.want, c.body)
		}
	}
	t.Run("plain HTTP is told so", func(t *testing.T) {
		if status, _, body := get(t, a.url("/")); status != http.StatusBadRequest || !strings.Contains(body, plainToTLS) {
			t.Errorf("%d %q", status, body)
		}
	})
	t.Run("TLS 1.1 is refused", func(t *testing.T) {
		c, err := tls.Dial("tcp", a.sockets.admin.Addr().String(), &tls.Config{InsecureSkipVerify: true, MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11})
		if err == nil {
			c.Close()
			t.Error("spoken")
		}
	})
	t.Run("headers are bounded", func(t *testing.T) {
		if status, _, _, _ := browse(t, a, "/", strings.Repeat("x", 32<<10)); status != http.StatusRequestHeaderFieldsTooLarge {
			t.Errorf("answered %d", status)
		}
	})
	t.Run("reload", func(t *testing.T) { opensOtherwise(t, a, cfg, ours) })
}

// opensOtherwise reloads the agent with another certificate and token, and
// without authorities. What is refused changes nothing.
func opensOtherwise(t *testing.T, a *running, cfg config.Config, ours authority) {
	const newToken = "another0123456789abc"
	member := ours.issue(t, asIs)
	was := cfg.Admin.Certificate
	cfg.Admin = config.Admin{Token: newToken, Certificate: ours.issue(t, asIs)}
	for _, c := range []struct {
		why    string
		refuse error
		served tls.Certificate
		token  string
	}{
		{"refused", io.ErrUnexpectedEOF, was, goodToken},
		{"taken", nil, cfg.Admin.Certificate, newToken},
	} {
		a.reload(&reloader{read: func() (config.Config, dnsrr.Records, error) { return cfg, dnsrr.Records{}, c.refuse }})
		status, _, _, shown := browse(t, a, "/", c.token)
		if status != http.StatusOK || !shown.Equal(c.served.Leaf) {
			t.Errorf("%s: %d with the token, another certificate: %v", c.why, status, !shown.Equal(c.served.Leaf))
		}
	}
	if status, _, _, _ := browse(t, a, "/", goodToken, member); status != http.StatusUnauthorized {
		t.Errorf("the old token and a certificate of who is no authority any more: %d", status)
	}
}

// An agent on loopback that was given nothing to ask for is as open as ever,
// but not for a page whose name was made to lead here.
func TestRebinding(t *testing.T) {
	t.Parallel()
	a := start(t, withAdmin(config.Admin{}))
	for _, c := range []struct {
		host, path string
		want       int
	}{{"evil.example:9853", "/api/v1/status", 403}, {"evil.example:9853", "/healthz", 200}, {"localhost", "/api/v1/status", 200}} {
		q, err := http.NewRequestWithContext(t.Context(), http.MethodGet, a.url(c.path), nil)
		if err != nil {
			t.Fatal(err)
		}
		q.Host = c.host
		r, err := (&http.Client{Timeout: patience}).Do(q)
		if err != nil {
			t.Fatal(err)
		}
		r.Body.Close()
		if r.StatusCode != c.want {
			t.Errorf("%s as %s: %d, want %d", c.path, c.host, r.StatusCode, c.want)
		}
	}
}

// The first two come in, the third is hung up on until one leaves.
func TestCrowd(t *testing.T) {
	raw, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := newCrowd(raw, 2)
	inside := make(chan net.Conn)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for c, err := l.Accept(); err == nil; c, err = l.Accept() {
			inside <- c
		}
	}()
	defer func() { l.Close(); <-done }()
	come := func() net.Conn {
		c, err := net.DialTimeout("tcp", l.Addr().String(), patience)
		if err != nil {
			t.Fatal(err)
		}
		c.SetDeadline(time.Now().Add(patience))
		t.Cleanup(func() { c.Close() })
		return c
	}
	come()
	first := <-inside
	come()
	second := <-inside
	defer second.Close()
	if n, err := come().Read(make([]byte, 1)); err == nil || isTimeout(err) {
		t.Errorf("the third reads %d bytes, %v; want to be hung up on", n, err)
	}
	first.Close()
	first.Close() // gives one place back, not two
	come()
	defer (<-inside).Close()
	if n, err := come().Read(make([]byte, 1)); err == nil || isTimeout(err) {
		t.Errorf("with two inside another reads %d bytes, %v; want to be hung up on", n, err)
	}
}

func isTimeout(err error) bool {
	e, ok := err.(net.Error)
	return ok && e.Timeout()
}

// Strangers who cannot speak TLS are no news; what breaks here is.
func TestTroubles(t *testing.T) {
	var log bytes.Buffer
	out := troubles{slog.New(slog.NewTextHandler(&log, nil))}
	io.WriteString(out, "http: TLS handshake error from 192.0.2.1:1234: EOF\n")
	if log.Len() > 0 {
		t.Errorf("said %s", &log)
	}
	io.WriteString(out, "http: panic serving 192.0.2.1:1234: oh\n")
	if got := log.String(); !strings.Contains(got, "panic serving 192.0.2.1:1234: oh") {
		t.Errorf("said %q", got)
	}
}
