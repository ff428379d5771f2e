package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"io/fs"
	"log/slog"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"evenkeel/agent/config"
)

const goodToken = "0123456789abcdef0123"

// withAdmin is an agent's configuration of which admin is as given.
func withAdmin(a config.Admin) config.Config {
	cfg := settings("ex01", loopback(), 0)
	cfg.Sources.Listener.Ports = nil
	cfg.Admin = a
	return cfg
}

// A page from elsewhere is of our own origin once its name leads here; the name
// it calls us by gives it away. Who proved who he is may call us anything.
func TestHostsOnLoopback(t *testing.T) {
	open, locked := lockOf(withAdmin(config.Admin{})), lockOf(withAdmin(config.Admin{Token: goodToken}))
	for _, c := range []struct {
		host string
		want int
	}{
		{"127.0.0.1:9853", 0},
		{"127.0.0.1", 0},
		{"127.8.9.10:1", 0},
		{"[::1]:9853", 0},
		{"[::1]", 0},
		{"[::ffff:127.0.0.1]:9853", 0},
		{"localhost:9853", 0},
		{"LOCALHOST.:9853", 0},
		{"ex01:9853", 0},
		{"EX01.mail.example:9853", 0},
		{"", 0},
		{"evil.example:9853", 403},
		{"evil.example", 403},
		{"localhost.evil.example:9853", 403},
		{"127.0.0.1.evil.example:9853", 403},
		{"ex02:9853", 403},
		{"192.0.2.1:9853", 403},
		{"0.0.0.0:9853", 403},
		{"[::]:9853", 403},
		{"]:[", 403},
	} {
		q := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/api/v1/status", nil)
		q.Host = c.host
		if got, _ := open.judge(q, time.Now()); got != c.want {
			t.Errorf("Host %q: %d, want %d", c.host, got, c.want)
		}
		if got, _ := locked.judge(q, time.Now()); got != http.StatusUnauthorized {
			t.Errorf("Host %q without the token: %d, want 401", c.host, got)
		}
		q.Header.Set("Authorization", "Bearer "+goodToken)
		if got, _ := locked.judge(q, time.Now()); got != 0 {
			t.Errorf("Host %q with the token: %d, want to be let in", c.host, got)
		}
	}
}

func TestTokens(t *testing.T) {
	basic := func(user, password string) string {
		q := httptest.NewRequest(http.MethodGet, "/", nil)
		q.SetBasicAuth(user, password)
		return q.Header.Get("Authorization")
	}
	l := lockOf(withAdmin(config.Admin{Token: goodToken}))
	for _, c := range []struct {
		by, shown string
		want      int
	}{
		{"a program", "Bearer " + goodToken, 0},
		{"a program that writes it small", "bearer  " + goodToken, 0},
		{"a browser", basic("", goodToken), 0},
		{"a browser, as somebody", basic("operator", goodToken), 0},
		{"nobody", "", 401},
		{"a guess", "Bearer 0123456789abcdef0124", 401},
		{"its beginning", "Bearer 0123456789abcdef012", 401},
		{"more than it", "Bearer " + goodToken + "4", 401},
		{"no scheme", goodToken, 401},
		{"another scheme", "Digest " + goodToken, 401},
		{"the token as the user", basic(goodToken, ""), 401},
		{"half of Basic", "Basic " + goodToken, 401},
		{"an empty token", "Bearer ", 401},
	} {
		q := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil)
		q.Header.Set("Authorization", c.shown)
		if got, _ := l.judge(q, time.Now()); got != c.want {
			t.Errorf("%s: %d, want %d", c.by, got, c.want)
		}
	}
	// Where there is no token, none lets in: not the empty one either.
	l = lockOf(withAdmin(config.Admin{ClientCAs: []*x509.Certificate{newAuthority(t).cert}}))
	q := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
	q.Header.Set("Authorization", "Bearer ")
	if got, _ := l.judge(q, time.Now()); got != http.StatusForbidden {
		t.Errorf("no token where none is known: %d, want 403", got)
	}
}

func TestClientCertificates(t *testing.T) {
	ours, others := newAuthority(t), newAuthority(t)
	between := authority{key: newKey(t)}
	between.cert = sign(t, &x509.Certificate{
		SerialNumber: big.NewInt(3), Subject: pkix.Name{CommonName: "between"}, NotBefore: ours.cert.NotBefore, NotAfter: ours.cert.NotAfter,
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}, ours.cert, between.key, ours.key)
	l := lockOf(withAdmin(config.Admin{ClientCAs: []*x509.Certificate{ours.cert}}))
	leaf := func(a authority, change func(*x509.Certificate)) *x509.Certificate { return a.issue(t, change).Leaf }
	for _, c := range []struct {
		shown string
		chain []*x509.Certificate
		want  int
	}{
		{"one of ours", []*x509.Certificate{leaf(ours, asIs)}, 0},
		{"one by way of another", []*x509.Certificate{leaf(between, asIs), between.cert}, 0},
		{"one by way of another that is not shown", []*x509.Certificate{leaf(between, asIs)}, 403},
		{"one of others", []*x509.Certificate{leaf(others, asIs)}, 403},
		{"one of others, and ours beside it", []*x509.Certificate{leaf(others, asIs), ours.cert}, 403},
		{"one that has run out", []*x509.Certificate{leaf(ours, func(c *x509.Certificate) { c.NotAfter = time.Now().Add(-time.Minute) })}, 403},
		{"one for servers alone", []*x509.Certificate{leaf(ours, func(c *x509.Certificate) { c.ExtKeyUsage = c.ExtKeyUsage[:1] })}, 403},
		{"none", nil, 403},
	} {
		q := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/api/v1/drain", nil)
		q.TLS = &tls.ConnectionState{PeerCertificates: c.chain}
		if got, _ := l.judge(q, time.Now()); got != c.want {
			t.Errorf("%s: %d, want %d", c.shown, got, c.want)
		}
	}
	q := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
	q.TLS = &tls.ConnectionState{PeerCertificates: []*x509.Certificate{leaf(ours, asIs)}}
	if got, _ := l.judge(q, time.Now().Add(2*time.Hour)); got != http.StatusForbidden {
		t.Errorf("an hour after it ran out, on a connection that stayed open: %d, want 403", got)
	}
}

// Who is turned away sees nothing of what is behind the door, and a browser is
// told to ask for the token. The word that we live is for everyone.
func TestDoor(t *testing.T) {
	d := newDoor(withAdmin(config.Admin{Token: goodToken}))
	h := d.guard(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte("inside")) }))
	visit := func(target, token string) *httptest.ResponseRecorder {
		q := httptest.NewRequestWithContext(t.Context(), http.MethodGet, target, nil)
		if token != "" {
			q.Header.Set("Authorization", "Bearer "+token)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, q)
		return w
	}
	for _, path := range []string{"/", "/metrics", "/api/v1/status", "/healthz/", "/healthz/../", "/nowhere"} {
		w := visit(path, "")
		if w.Code != http.StatusUnauthorized || w.Header().Get("WWW-Authenticate") != `Basic realm="evenkeel"` || strings.Contains(w.Body.String(), "inside") {
			t.Errorf("%s: %d %q %q", path, w.Code, w.Header(), w.Body)
		}
		if w := visit(path, goodToken); w.Code != http.StatusOK || w.Body.String() != "inside" {
			t.Errorf("%s with the token: %d %q", path, w.Code, w.Body)
		}
	}
	if w := visit("/healthz", ""); w.Code != http.StatusOK {
		t.Errorf("/healthz: %d", w.Code)
	}
	if got := d.refused.Load(); got != 0 {
		t.Errorf("%d wrong tokens, and none was shown", got)
	}
	d.change(withAdmin(config.Admin{Token: "another 0123456789abc"}))
	if w := visit("/", goodToken); w.Code != http.StatusUnauthorized || d.refused.Load() != 1 {
		t.Errorf("with the token of before: %d, %d counted", w.Code, d.refused.Load())
	}
}

// A thousand guesses are a line a minute, and no line shows one.
func TestWrongTokensAreTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log notebook
		d := newDoor(withAdmin(config.Admin{Token: goodToken}))
		h := d.guard(http.NotFoundHandler())
		ctx, stop := context.WithTimeout(t.Context(), 10*time.Minute+time.Second)
		defer stop()
		var wg sync.WaitGroup
		wg.Go(func() { d.tell(ctx, slog.New(slog.NewTextHandler(&log, nil))) })
		for range 1000 { // in the first five minutes
			q := httptest.NewRequest(http.MethodGet, "/", nil)
			q.Header.Set("Authorization", "Bearer guessguessguessguess")
			h.ServeHTTP(httptest.NewRecorder(), q)
			time.Sleep(300 * time.Millisecond)
		}
		wg.Wait()
		got := log.String()
		if lines := strings.Count(got, "\n"); lines < 5 || lines > 6 || !strings.Contains(got, "last=192.0.2.1:1234") || strings.Contains(got, "guessguess") {
			t.Errorf("said in %d lines:\n%s", strings.Count(got, "\n"), got)
		}
	})
}

// What lets in should be readable for the agent alone.
func TestExposed(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the mode of a file says nothing there")
	}
	dir := t.TempDir()
	file := func(name string, mode fs.FileMode) string {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, nil, mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(name, mode); err != nil { // whatever the umask
			t.Fatal(err)
		}
		return name
	}
	bad, good := file("bad", 0o644), file("good", 0o640)
	for _, c := range []struct {
		a    config.Admin
		want []string
	}{
		{config.Admin{}, nil},
		{config.Admin{TokenFile: good, KeyFile: good, CertFile: bad}, nil},
		{config.Admin{TokenFile: bad, KeyFile: good}, []string{bad}},
		{config.Admin{TokenFile: bad, KeyFile: bad}, []string{bad, bad}},
		{config.Admin{TokenFile: filepath.Join(dir, "gone")}, nil},
	} {
		if got := exposed(c.a, os.Stat); !slices.Equal(got, c.want) {
			t.Errorf("%+v: %q, want %q", c.a, got, c.want)
		}
	}
}
