package main

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"crypto/tls"
	"crypto/x509"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"runtime"
	"strings"
	"sync/atomic"
	"time"

	"evenkeel/agent/config"
)

// A door stands between listen.admin and who asks there.
type door struct {
	lock    atomic.Pointer[lock]   // what opens it now; a reload changes it whole
	refused atomic.Uint64          // requests with a token or certificate that did not open it
	last    atomic.Pointer[string] // who made the last of them
}

func newDoor(cfg config.Config) *door {
	d := new(door)
	d.change(cfg)
	return d
}

// change makes cfg what opens the door from the next request on, also for who
// is connected already.
func (d *door) change(cfg config.Config) { d.lock.Store(lockOf(cfg)) }

// A lock is what opens a door. It never changes.
type lock struct {
	token       [sha256.Size]byte // its hash: all are of one length, so that comparing them tells nothing
	asksToken   bool
	authorities *x509.CertPool // who must have signed a client's certificate; nil: none is asked for
	names       []string       // by which this node is called, in lower case
	tls         *tls.Config    // nil: plain HTTP
}

func lockOf(cfg config.Config) *lock {
	a := cfg.Admin
	l := &lock{names: []string{"localhost", strings.ToLower(cfg.Node.Name), strings.ToLower(cfg.Node.FQDN)}}
	if a.Token != "" {
		l.token, l.asksToken = sha256.Sum256([]byte(a.Token)), true
	}
	if len(a.ClientCAs) > 0 {
		l.authorities = x509.NewCertPool()
		for _, c := range a.ClientCAs {
			l.authorities.AddCert(c)
		}
	}
	if a.TLS() {
		l.tls = &tls.Config{Certificates: []tls.Certificate{a.Certificate}, MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"}}
	}
	if a.TLS() && l.authorities != nil {
		// Asked for, and judged with the request: a client whose certificate is
		// of others may have the token, and is told what is wrong if not.
		l.tls.ClientAuth, l.tls.ClientCAs = tls.RequestClientCert, l.authorities
	}
	return l
}

// tls is how the listener speaks, nil where that is plain HTTP.
func (d *door) tls() *tls.Config {
	if d.lock.Load().tls == nil {
		return nil
	}
	return &tls.Config{
		MinVersion:         tls.VersionTLS12,
		GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) { return d.lock.Load().tls, nil },
	}
}

// What is said to who is turned away.
const (
	noToken       = "send the token of admin.token_file: Authorization: Bearer TOKEN, or as the password of any user"
	noCertificate = "show a certificate that an authority of admin.client_ca_file signed"
	noSuchHost    = "not asked by this name: without admin.token_file it answers to localhost, to loopback addresses and to the node's own names"
)

// judge says with which status q is turned away, and why; 0 lets it in.
func (l *lock) judge(q *http.Request, now time.Time) (status int, why string) {
	open := !l.asksToken && l.authorities == nil
	switch {
	case q.URL.Path == "/healthz": // whoever reaches the port knows as much
		return 0, ""
	case open && !l.calls(q.Host):
		return http.StatusForbidden, noSuchHost
	case open, l.holdsToken(q), l.holdsCertificate(q, now):
		return 0, ""
	case l.asksToken:
		return http.StatusUnauthorized, noToken
	}
	return http.StatusForbidden, noCertificate // 401 would have a browser ask for a password that helps nobody
}

// holdsToken accepts RFC 6750 (Bearer), and RFC 7617 (Basic) for browsers.
func (l *lock) holdsToken(q *http.Request) bool {
	_, shown, basic := q.BasicAuth()
	if !basic {
		scheme, rest, _ := strings.Cut(q.Header.Get("Authorization"), " ")
		if !strings.EqualFold(scheme, "Bearer") {
			return false
		}
		shown = strings.TrimSpace(rest)
	}
	hash := sha256.Sum256([]byte(shown))
	return l.asksToken && subtle.ConstantTimeCompare(hash[:], l.token[:]) == 1
}

// holdsCertificate judges the certificate at every request: it may have run out
// since the connection began, and a reload may have dropped its authority.
// That the client has its key is certain since the handshake.
func (l *lock) holdsCertificate(q *http.Request, now time.Time) bool {
	if l.authorities == nil || !shows(q) {
		return false
	}
	chain := x509.NewCertPool()
	for _, c := range q.TLS.PeerCertificates[1:] {
		chain.AddCert(c)
	}
	_, err := q.TLS.PeerCertificates[0].Verify(x509.VerifyOptions{
		Roots: l.authorities, Intermediates: chain, CurrentTime: now,
		KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	})
	return err == nil
}

func shows(q *http.Request) bool { return q.TLS != nil && len(q.TLS.PeerCertificates) > 0 }

// calls says that host, of a Host header, is this machine as seen from itself.
// A page from elsewhere whose name was made to lead here (DNS rebinding) is, to
// the browser, of the same origin as we are; but it calls us by its own name.
// No header at all comes from no browser.
func (l *lock) calls(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.ToLower(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
	if a, err := netip.ParseAddr(host); err == nil {
		return a.Unmap().IsLoopback()
	}
	for _, name := range l.names {
		if host == name {
			return true
		}
	}
	return host == ""
}

// guard lets requests to h through the door.
func (d *door) guard(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		status, why := d.lock.Load().judge(q, time.Now())
		if status == 0 {
			h.ServeHTTP(w, q)
			return
		}
		if q.Header.Get("Authorization") != "" || shows(q) {
			d.last.Store(&q.RemoteAddr) // first: who is counted has a name
			d.refused.Add(1)
		}
		if status == http.StatusUnauthorized {
			w.Header().Set("WWW-Authenticate", `Basic realm="evenkeel"`)
		}
		w.Header().Set("Connection", "close") // the next guess costs another handshake
		http.Error(w, why, status)
	})
}

// sayEvery is how often wrong tokens are spoken of at most.
const sayEvery = time.Minute

// tell says how many did not get in since it last did, until ctx is done. Who
// showed nothing is not counted: every browser asks so first.
func (d *door) tell(ctx context.Context, log *slog.Logger) {
	tick := time.NewTicker(sayEvery)
	defer tick.Stop()
	var said uint64
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if n := d.refused.Load(); n > said {
			log.Warn("listen.admin turned away a wrong token or certificate", "times", n-said, "last", *d.last.Load())
			said = n
		}
	}
}

// exposed lists the secrets of listen.admin that every user of this machine may
// read. On Windows the mode says nothing of it.
func exposed(a config.Admin, stat func(string) (fs.FileInfo, error)) (names []string) {
	for _, name := range []string{a.TokenFile, a.KeyFile} {
		if name == "" || runtime.GOOS == "windows" {
			continue
		}
		if i, err := stat(name); err == nil && i.Mode().Perm()&0o004 != 0 {
			names = append(names, name)
		}
	}
	return names
}
