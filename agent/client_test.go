package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"evenkeel/agent/config"
)

// pems writes a certificate and its key into files beside each other.
func pems(t *testing.T, c tls.Certificate) (cert, key string) {
	t.Helper()
	dir := t.TempDir()
	cert, key = filepath.Join(dir, "admin.crt"), filepath.Join(dir, "admin.key")
	der, err := x509.MarshalPKCS8PrivateKey(c.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	put(t, cert, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.Certificate[0]}))
	put(t, key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))
	return cert, key
}

func put(t *testing.T, name string, text []byte) {
	t.Helper()
	if err := os.WriteFile(name, text, 0o600); err != nil {
		t.Fatal(err)
	}
}

// behind serves an agent's status behind a door as a configuration describes it.
func behind(t *testing.T, cfg config.Config) (addr string) {
	t.Helper()
	d := newDoor(cfg)
	s := httptest.NewUnstartedServer(d.guard(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, `{"node":"ex01"}`)
	})))
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	if s.TLS = d.tls(); s.TLS != nil {
		s.Listener = tls.NewListener(s.Listener, s.TLS)
	}
	s.Start()
	t.Cleanup(s.Close)
	return s.Listener.Addr().String()
}

// Everything that can be amiss between a command and an agent has an error of
// its own, and a hint that says what to do.
func TestAsking(t *testing.T) {
	ours := newAuthority(t)
	served := ours.issue(t, asIs)
	caFile, _ := pems(t, tls.Certificate{Certificate: [][]byte{ours.cert.Raw}, PrivateKey: ours.key})
	certFile, keyFile := pems(t, served)
	memberCert, memberKey := pems(t, ours.issue(t, asIs))
	strangerCert, strangerKey := pems(t, newAuthority(t).issue(t, asIs))
	dir := t.TempDir()
	token, wrong, short := filepath.Join(dir, "admin.token"), filepath.Join(dir, "wrong.token"), filepath.Join(dir, "short.token")
	put(t, token, []byte(goodToken+"\n"))
	put(t, wrong, []byte("another0123456789abc\n"))
	put(t, short, []byte("0123\n"))

	byToken := behind(t, withAdmin(config.Admin{Token: goodToken, Certificate: served}))
	byCertificate := behind(t, withAdmin(config.Admin{ClientCAs: []*x509.Certificate{ours.cert}, Certificate: served}))
	plain := behind(t, withAdmin(config.Admin{Token: goodToken}))

	yaml := filepath.Join(dir, "evenkeel.yaml")
	put(t, yaml, fmt.Appendf(nil, "listen: {admin: '%s'}\nadmin: {token_file: admin.token, cert_file: '%s', key_file: '%s'}\n", byToken, certFile, keyFile))
	mutual := filepath.Join(dir, "mutual.yaml")
	put(t, mutual, fmt.Appendf(nil, "listen: {admin: '%s'}\nadmin: {client_ca_file: '%s', cert_file: '%s', key_file: '%s'}\n", byCertificate, caFile, certFile, keyFile))
	bad := filepath.Join(dir, "bad.yaml")
	put(t, bad, []byte("admin: {token_file: gone.token}\n"))

	as := func(cert, key string) string { return " --cert-file " + cert + " --key-file " + key }
	for _, c := range []struct {
		when, flags string
		want        string // of stderr; empty: the agent answers
		hint        string
	}{
		{"all is in the configuration", "--config " + yaml, "", ""},
		{"the same files on another node", "--config " + yaml + " --admin " + byToken, "", ""},
		{"a certificate of the farm's is asked for", "--config " + mutual, "", ""},
		{"a token and an authority by flags", "--admin https://" + byToken + "/ --token-file " + token + " --ca-file " + caFile, "", ""},
		{"a client's certificate by flags", "--admin https://" + byCertificate + " --ca-file " + caFile + as(memberCert, memberKey), "", ""},
		{"plain HTTP on loopback", "--admin " + plain + " --token-file " + token, "", ""},

		{"nobody signed the certificate", "--admin https://" + byToken + " --token-file " + token, byToken + " cannot prove who it is: x509: ", "--ca-file names who signed"},
		{"no token", "--admin " + plain, "401 Unauthorized: send the token of admin.token_file", "--token-file names a file"},
		{"another token", "--admin " + plain + " --token-file " + wrong, "401 Unauthorized: ", "the agent has another token"},
		{"no certificate", "--admin https://" + byCertificate + " --ca-file " + caFile, "403 Forbidden: show a certificate", "--cert-file and --key-file name"},
		{"a stranger's certificate", "--admin https://" + byCertificate + " --ca-file " + caFile + as(strangerCert, strangerKey), "403 Forbidden: show a certificate", "--cert-file and --key-file name"},
		{"TLS spoken to plain HTTP", "--admin https://" + plain, plain + " speaks plain HTTP, not TLS", "--admin http://" + plain},
		{"plain HTTP spoken to TLS", "--admin " + byToken, byToken + " speaks TLS, not plain HTTP", "--admin https://" + byToken},
		{"the token on the wire", "--admin http://192.0.2.1:9853 --token-file " + token, "the token is not sent to http://192.0.2.1:9853, where it could be read on the way", "--admin https://192.0.2.1:9853"},
		{"a token file that is not there", "--admin " + plain + " --token-file " + filepath.Join(dir, "gone"), "--token-file: open ", "it is one line"},
		{"half a token", "--admin " + plain + " --token-file " + short, "--token-file: " + short + " holds 4 characters, want 20 to 512", ""},
		{"an authority that is none", "--admin " + plain + " --ca-file " + token, "--ca-file: " + token + " holds no certificate in PEM form", ""},
		{"an authority that is not there", "--admin " + plain + " --ca-file " + filepath.Join(dir, "gone"), "--ca-file: open ", ""},
		{"a certificate that is none", "--admin " + plain + as(token, keyFile), "--cert-file, --key-file: tls: ", ""},
		{"a configuration that cannot be used", "--config " + bad, "the configuration cannot be used\n" + bad + ":1:21: admin.token_file: open ", ""},
		{"the same, with everything else by flags", "--config " + bad + " --admin " + plain + " --token-file " + token, "the configuration cannot be used\n", ""},
	} {
		status, stdout, stderr := ask(t.Context(), append([]string{"status", "--json"}, strings.Fields(c.flags)...)...)
		if c.want == "" {
			if status != 0 || stdout != `{"node":"ex01"}` || stderr != "" {
				t.Errorf("%s: exit status %d, %q\n%s", c.when, status, stdout, stderr)
			}
			continue
		}
		said := strings.TrimPrefix(stderr, "error: asking the agent: ")
		said = strings.TrimPrefix(said, "error: ")
		if status != 1 || stdout != "" || !strings.HasPrefix(said, c.want) || !strings.Contains(stderr, "hint: "+c.hint) && c.hint != "" {
			t.Errorf("%s: exit status %d\n%swant %s\nhint: %s", c.when, status, stderr, c.want, c.hint)
		}
		if strings.Contains(stderr, goodToken) {
			t.Errorf("%s: the token is shown: %s", c.when, stderr)
		}
	}
}

// Who says it all by flags needs no configuration that he can read, unless he
// names it.
func TestAskingWithoutConfiguration(t *testing.T) {
	addr := behind(t, withAdmin(config.Admin{}))
	broken := func(name string) string {
		if name == "EVENKEEL_CONFIG" {
			return filepath.Join(t.TempDir(), "gone.yaml")
		}
		return ""
	}
	var out, err bytes.Buffer
	if status := command(t.Context(), env{[]string{"status", "--json", "--admin", addr}, &out, &err, broken}); status != 0 {
		t.Errorf("exit status %d, %s", status, &err)
	}
	err.Reset()
	if status := command(t.Context(), env{[]string{"status", "--json"}, &out, &err, broken}); status != 1 || !strings.Contains(err.String(), "gone.yaml") {
		t.Errorf("exit status %d, %s", status, &err)
	}
}

// A redirect would carry the token to who knows where.
func TestNoRedirectIsFollowed(t *testing.T) {
	away := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("followed") }))
	defer away.Close()
	s := httptest.NewServer(http.RedirectHandler(away.URL, http.StatusTemporaryRedirect))
	defer s.Close()
	c, err := newCaller(s.URL, trust{token: goodToken})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.get(context.Background(), "/api/v1/status"); err == nil || !strings.Contains(err.Error(), "307") {
		t.Errorf("got %v", err)
	}
}

func TestAddressed(t *testing.T) {
	for _, c := range []struct {
		admin  string
		secure bool
		want   string // empty: wrong usage
	}{
		{"127.0.0.1:9853", false, "http://127.0.0.1:9853"},
		{"127.0.0.1:9853", true, "https://127.0.0.1:9853"},
		{"localhost:9853", false, "http://localhost:9853"},
		{"[::1]:9853", false, "http://[::1]:9853"},
		{"0.0.0.0:9853", false, "http://127.0.0.1:9853"},
		{"[::]:9853", true, "https://[::1]:9853"},
		{"10.0.0.11:9853", false, "https://10.0.0.11:9853"},
		{"ex02:9853", false, "https://ex02:9853"},
		{"http://127.0.0.1:9853", true, "http://127.0.0.1:9853"},
		{"https://ex02:9853/", false, "https://ex02:9853"},
		{"https://proxy.example", false, "https://proxy.example"},
		{"ex02", false, ""},
		{":9853", false, ""},
		{"ftp://ex02:9853", false, ""},
		{"https://ex02:9853/status", false, ""},
		{"https://operator:secret@ex02:9853", false, ""},
		{"https://ex02:9853/?a", false, ""},
	} {
		got, err := addressed(c.admin, c.secure)
		if got != c.want || (err == nil) != (c.want != "") || err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("%s, TLS configured %v: got %q, %v; want %q", c.admin, c.secure, got, err, c.want)
		}
	}
	if status, _, stderr := ask(t.Context(), "status", "--admin", "ex02"); status != 2 || !strings.Contains(stderr, "error: usage: --admin: want HOST:PORT") {
		t.Errorf("exit status %d, %s", status, stderr)
	}
	if status, _, stderr := ask(t.Context(), "status", "--admin", "ex02:1", "--key-file", "x"); status != 2 || !strings.Contains(stderr, "go together") {
		t.Errorf("exit status %d, %s", status, stderr)
	}
}

// A wildcard is no destination: its agent is asked on this machine.
func TestReachable(t *testing.T) {
	for at, want := range map[string]string{"0.0.0.0:1": "127.0.0.1:1", "[::]:1": "[::1]:1", "10.0.0.1:1": "10.0.0.1:1", "127.0.0.2:1": "127.0.0.2:1"} {
		if got := reachable(netip.MustParseAddrPort(at)).String(); got != want {
			t.Errorf("%s is asked at %s, want %s", at, got, want)
		}
	}
}

// A certificate is believed as it is where our files hold it, else only for the
// name that was asked for.
func TestVerify(t *testing.T) {
	ours := newAuthority(t)
	roots := x509.NewCertPool()
	roots.AddCert(ours.cert)
	old := ours.issue(t, func(c *x509.Certificate) { c.NotAfter = c.NotBefore.Add(1) }).Leaf
	good := ours.issue(t, asIs).Leaf
	for _, c := range []struct {
		promise string
		t       trust
		host    string
		leaf    *x509.Certificate
		want    bool
	}{
		{"pinned, by any name", trust{pinned: [][]byte{good.Raw}}, "elsewhere.example", good, true},
		{"pinned, however old", trust{pinned: [][]byte{ours.cert.Raw, old.Raw}}, "127.0.0.1", old, true},
		{"not what is pinned", trust{pinned: [][]byte{old.Raw}}, "127.0.0.1", good, false},
		{"signed, by name", trust{roots: roots}, "ex01.mail.example", good, true},
		{"signed, by address", trust{roots: roots}, "127.0.0.1", good, true},
		{"signed for another", trust{roots: roots}, "ex02.mail.example", good, false},
		{"signed, and too old", trust{roots: roots}, "127.0.0.1", old, false},
		{"of nobody the system knows", trust{}, "127.0.0.1", good, false},
	} {
		if err := c.t.verify(c.host, []*x509.Certificate{c.leaf}); (err == nil) != c.want {
			t.Errorf("%s: %v", c.promise, err)
		}
	}
}
