package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"evenkeel/agent/config"
	"evenkeel/agent/dashboard"
)

// askWithin is how long an agent is waited for.
const askWithin = 5 * time.Second

// A caller asks one agent by its admin address.
type caller struct {
	base   string // such as https://10.0.0.11:9853, without a path
	token  string // empty: none is sent
	client *http.Client
}

// A trust is what a caller shows of himself, and whom he believes to be the
// agent. The zero trust shows nothing, and believes whom the system believes.
type trust struct {
	token  string
	pinned [][]byte          // certificates (DER) that are believed whatever they say
	roots  *x509.CertPool    // nil: the system's
	own    []tls.Certificate // shown where the agent asks for one
}

// trustOf is what a node's own configuration knows: its listener's token, the
// certificate, which all nodes of a farm may share, and, where the agent asks
// for one, that same certificate as a client's.
func trustOf(a config.Admin) trust {
	t := trust{token: a.Token, pinned: a.Certificate.Certificate}
	if len(a.ClientCAs) > 0 {
		t.own = []tls.Certificate{a.Certificate}
	}
	return t
}

func newCaller(base string, t trust) (caller, error) {
	u, err := url.Parse(base)
	if err != nil {
		return caller{}, err
	}
	if u.Scheme == "http" && t.token != "" && !here(u.Hostname()) {
		return caller{}, hinted{fmt.Errorf("the token is not sent to %s, where it could be read on the way", base), "--admin https://" + u.Host}
	}
	conf := &tls.Config{
		MinVersion: tls.VersionTLS12, Certificates: t.own,
		InsecureSkipVerify: true, // verify does it, and knows more
		VerifyConnection:   func(s tls.ConnectionState) error { return t.verify(u.Hostname(), s.PeerCertificates) },
	}
	return caller{base, t.token, &http.Client{
		Transport:     &http.Transport{TLSClientConfig: conf, IdleConnTimeout: time.Minute}, // and no proxy: an agent is near
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

// callerOf asks the agent of a configuration from the machine that it is for.
func callerOf(cfg config.Config) (caller, error) {
	return newCaller(ownURL(cfg), trustOf(cfg.Admin))
}

// ownURL is where this machine asks its own agent.
func ownURL(cfg config.Config) string {
	return adminURL(cfg.Admin.TLS(), reachable(cfg.Listen.Admin).String())
}

// here says that what is sent to host does not leave this machine.
func here(host string) bool {
	a, err := netip.ParseAddr(host)
	return err == nil && a.Unmap().IsLoopback() || strings.EqualFold(host, "localhost")
}

// reachable is where to ask who listens on at: a wildcard is no destination.
func reachable(at netip.AddrPort) netip.AddrPort {
	switch at.Addr() {
	case netip.IPv4Unspecified():
		return netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), at.Port())
	case netip.IPv6Unspecified():
		return netip.AddrPortFrom(netip.IPv6Loopback(), at.Port())
	}
	return at
}

// verify believes a certificate that is pinned, whatever name it carries and
// however old it is: who holds its key has the files of our listener. Any other
// must be good for host. chain is not empty (RFC 8446, 4.4.2).
func (t trust) verify(host string, chain []*x509.Certificate) error {
	leaf := chain[0]
	if slices.ContainsFunc(t.pinned, func(der []byte) bool { return bytes.Equal(der, leaf.Raw) }) {
		return nil
	}
	between := x509.NewCertPool()
	for _, c := range chain[1:] {
		between.AddCert(c)
	}
	_, err := leaf.Verify(x509.VerifyOptions{DNSName: host, Roots: t.roots, Intermediates: between})
	if err != nil {
		return &tls.CertificateVerificationError{UnverifiedCertificates: chain, Err: err}
	}
	return nil
}

// get asks for a small document.
func (c caller) get(ctx context.Context, path string) ([]byte, error) {
	return c.do(ctx, http.MethodGet, path, nil, http.StatusOK)
}

// post gives an order.
func (c caller) post(ctx context.Context, path string, body []byte) error {
	_, err := c.do(ctx, http.MethodPost, path, body, http.StatusAccepted)
	return err
}

// status asks the agent what it sees.
func (c caller) status(ctx context.Context) (s dashboard.Status, err error) {
	body, err := c.get(ctx, "/api/v1/status")
	if err != nil {
		return s, err
	}
	if err := json.Unmarshal(body, &s); err != nil {
		return s, fmt.Errorf("reading the agent's answer: %w", err)
	}
	return s, nil
}

func (c caller) do(ctx context.Context, method, path string, body []byte, want int) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, askWithin)
	defer cancel()
	q, err := http.NewRequestWithContext(ctx, method, c.base+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	q.Header.Set("Content-Type", "application/json")
	if c.token != "" {
		q.Header.Set("Authorization", "Bearer "+c.token)
	}
	r, err := c.client.Do(q)
	if err != nil {
		return nil, c.unanswered(err)
	}
	defer r.Body.Close()
	text, err := io.ReadAll(io.LimitReader(r.Body, 16<<20))
	switch {
	case r.StatusCode != want:
		return nil, c.turnedAway(r, string(bytes.TrimSpace(text[:min(len(text), 1024)]))) // as far as it came
	case err != nil:
		return nil, err
	}
	return text, nil
}

// unanswered says why there was no answer at all.
func (c caller) unanswered(err error) error {
	host := strings.TrimPrefix(strings.TrimPrefix(c.base, "https://"), "http://")
	var certificate *tls.CertificateVerificationError
	var op *net.OpError
	switch {
	case errors.Is(err, http.ErrSchemeMismatch):
		return hinted{fmt.Errorf("%s speaks plain HTTP, not TLS", host), "--admin http://" + host}
	case errors.As(err, &certificate):
		return hinted{fmt.Errorf("%s cannot prove who it is: %w", host, certificate.Err),
			"--ca-file names who signed its certificate; where --config names its admin.cert_file, that is believed as it is"}
	case errors.As(err, &op):
		return op // it names the address; with the URL in front the cause would be beyond a terminal's edge
	}
	return err
}

// plainToTLS is how a Go server answers HTTP where it expected TLS.
const plainToTLS = "HTTP request to an HTTPS server"

// turnedAway says what an answer other than the one we want means.
func (c caller) turnedAway(r *http.Response, text string) error {
	err := fmt.Errorf("%s: %s", r.Status, dashboard.Plain(text))
	switch {
	case r.StatusCode == http.StatusBadRequest && strings.Contains(text, plainToTLS):
		secure := strings.Replace(c.base, "http://", "https://", 1)
		return hinted{fmt.Errorf("%s speaks TLS, not plain HTTP", strings.TrimPrefix(secure, "https://")), "--admin " + secure}
	case r.StatusCode == http.StatusUnauthorized && c.token == "":
		return hinted{err, "--token-file names a file with the token; the configuration does, for who may read it"}
	case r.StatusCode == http.StatusUnauthorized:
		return hinted{err, "the agent has another token: is its admin.token_file the same, and was it read again since it changed?"}
	case r.StatusCode == http.StatusForbidden && r.TLS != nil:
		return hinted{err, "--cert-file and --key-file name a client's certificate and its key"}
	}
	return err
}

// unreached says what to do when an agent did not take what it was asked.
func unreached(err error) error {
	err = fmt.Errorf("asking the agent: %w", err)
	if _, ok := hint(err); ok {
		return err
	}
	return hinted{err, "is it running? its admin address is in its first lines, --admin names another"}
}
