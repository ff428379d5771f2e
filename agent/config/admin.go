package config

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"strings"
)

// An Admin says who may ask listen.admin, and how. Beyond loopback it has a
// certificate, and a token or authorities; on loopback it may have nothing, and
// then whoever is on this machine may ask. The names of files are whole: what
// the configuration names without a folder is beside it.
type Admin struct {
	TokenFile    string
	Token        string // as [ParseToken] returns it; empty = no token lets in
	CertFile     string
	KeyFile      string
	Certificate  tls.Certificate // to be served; without a chain = plain HTTP
	ClientCAFile string
	ClientCAs    []*x509.Certificate // clients with a certificate of these are let in; empty = no certificate does; never without Certificate
}

// Files lists the files that an Admin was read from.
func (a Admin) Files() (names []string) {
	for _, name := range []string{a.TokenFile, a.CertFile, a.KeyFile, a.ClientCAFile} {
		if name != "" {
			names = append(names, name)
		}
	}
	return names
}

// TLS says that the listener is spoken to over TLS.
func (a Admin) TLS() bool { return len(a.Certificate.Certificate) > 0 }

// Open says that nobody is asked who he is.
func (a Admin) Open() bool { return a.Token == "" && len(a.ClientCAs) == 0 }

const (
	minToken = 20  // characters; even of hexadecimal digits these are 80 bits, which nobody guesses over a network
	maxToken = 512 // far below what a header may hold
)

// ParseToken reads a token from the text of its file: one line of 20 to 512
// printable ASCII characters without a blank, and white space around it, as
// editors leave it. The error never shows any of it.
func ParseToken(text []byte) (string, error) {
	token := strings.TrimSpace(string(bytes.TrimPrefix(text, []byte("\ufeff"))))
	odd := func(c rune) bool { return c <= ' ' || c > '~' }
	switch {
	case token == "":
		return "", errors.New("holds no token")
	case strings.ContainsAny(token, "\r\n"):
		return "", errors.New("holds more than one line")
	case strings.ContainsFunc(token, odd):
		return "", errors.New("holds more than printable ASCII characters without a blank")
	case len(token) < minToken || len(token) > maxToken:
		return "", fmt.Errorf("holds %d characters, want %d to %d", len(token), minToken, maxToken)
	}
	return token, nil
}

const (
	newToken = "(umask 077; head -c 32 /dev/urandom | base64 > admin.token)"
	newPair  = "openssl req -x509 -nodes -newkey rsa:2048 -days 3650 -subj /CN=evenkeel -addext subjectAltName=DNS:evenkeel -keyout admin.key -out admin.crt"
)

// admin reads who may ask listen.admin, and keeps the page that can drain nodes
// away from the network where that is nobody in particular, or where the token
// could be read on the way.
func (r *reader) admin(c *Config) {
	a := &c.Admin
	r.token(a)
	r.certificate("admin", &a.Certificate, &a.CertFile, &a.KeyFile)
	r.authorities(a)
	r.needsTLS(a)
	r.beyondLoopback(c)
}

func (r *reader) token(a *Admin) {
	const key = "admin.token_file"
	if a.TokenFile == "" || !r.sound(key) {
		return
	}
	a.TokenFile = r.beside(a.TokenFile)
	text, err := r.open(a.TokenFile)
	switch {
	case errors.Is(err, fs.ErrPermission):
		r.spoil(r.at(key), err.Error(), "who runs the agent must be able to read it; others ask with --admin and --token-file")
		return
	case err != nil:
		r.spoil(r.at(key), err.Error(), "make one with: "+newToken)
		return
	}
	if a.Token, err = ParseToken(text); err != nil {
		r.spoil(r.at(key), fmt.Sprintf("%s %v", show(a.TokenFile), err), "make one with: "+newToken)
	}
}

// authorities reads whose certificates let a client in.
func (r *reader) authorities(a *Admin) {
	const key = "admin.client_ca_file"
	if a.ClientCAFile == "" || !r.sound(key) {
		return
	}
	a.ClientCAFile = r.beside(a.ClientCAFile)
	text, err := r.open(a.ClientCAFile)
	if err != nil {
		r.spoil(r.at(key), err.Error(), "")
		return
	}
	if a.ClientCAs, err = parseCertificates(text); err != nil {
		r.spoil(r.at(key), fmt.Sprintf("%s: %v", show(a.ClientCAFile), err), "it is PEM: BEGIN CERTIFICATE of each authority, and no key")
	}
}

// parseCertificates reads a PEM file of one or more certificates (RFC 7468, 5).
// What stands around and between them is explanation, and not looked at.
func parseCertificates(text []byte) (out []*x509.Certificate, err error) {
	for block, rest := pem.Decode(text); block != nil; block, rest = pem.Decode(rest) {
		if block.Type != "CERTIFICATE" {
			return nil, fmt.Errorf("holds a %s", strings.ToLower(show(block.Type)))
		}
		cert, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, fmt.Errorf("certificate %d: %w", len(out)+1, err)
		}
		out = append(out, cert)
	}
	if len(out) == 0 {
		return nil, errors.New("holds no certificate")
	}
	return out, nil
}

// needsTLS refuses authorities that no client could ever be measured by.
func (r *reader) needsTLS(a *Admin) {
	if len(a.ClientCAs) > 0 && !a.TLS() && r.sound("admin.cert_file", "admin.key_file") {
		r.refuse(r.at("admin.client_ca_file"), "needs admin.cert_file and admin.key_file, since certificates are shown over TLS alone", "for both: "+newPair)
	}
}

// beyondLoopback says all that is missing at once. What is there and cannot be
// used has been told already.
func (r *reader) beyondLoopback(c *Config) {
	a := c.Admin
	if c.Listen.Admin.Addr().IsLoopback() || !r.sound("listen.admin", "admin.token_file", "admin.client_ca_file") {
		return
	}
	var missing, how []string
	if a.Open() {
		missing, how = append(missing, "admin.token_file (or admin.client_ca_file)"), append(how, "for a token: "+newToken)
	}
	if !a.TLS() && len(a.ClientCAs) == 0 && r.sound("admin.cert_file", "admin.key_file") {
		missing, how = append(missing, "admin.cert_file and admin.key_file"), append(how, "for a certificate: "+newPair)
	}
	if len(missing) > 0 {
		how = append(how, "or listen on 127.0.0.1")
		r.refuse(r.at("listen.admin"), fmt.Sprintf("%s is beyond loopback, where anyone could drain the farm: it needs %s", c.Listen.Admin, strings.Join(missing, ", ")),
			strings.Join(how, "; "))
	}
}
