package config

import (
	"crypto/tls"
	"encoding/base64"
	"fmt"
	"path/filepath"
	"strings"
)

// beside is a file that the configuration names without a root.
func (r *reader) beside(name string) string {
	if r.file == Embedded || filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(filepath.Dir(r.file), name)
}

// certificate reads the pair of files that a section names, if it names one.
func (r *reader) certificate(section string, into *tls.Certificate, certFile, keyFile *string) {
	cert, key := section+".cert_file", section+".key_file"
	if *certFile == "" && *keyFile == "" || !r.sound(cert, key) {
		return
	}
	if *certFile == "" || *keyFile == "" {
		r.spoil(r.at(cert, key), "one file without the other", "a certificate goes with its key: name both files, or neither")
		return
	}
	*certFile, *keyFile = r.beside(*certFile), r.beside(*keyFile)
	chain, err := r.open(*certFile)
	if err != nil {
		r.spoil(r.at(cert), err.Error(), "")
		return
	}
	secret, err := r.open(*keyFile)
	if err != nil {
		r.spoil(r.at(key), err.Error(), "")
		return
	}
	if *into, err = tls.X509KeyPair(chain, secret); err != nil {
		r.spoil(r.at(cert), err.Error(), "both files are PEM, the certificate first and its chain behind it")
	}
}

const makeKey = "make one with: head -c 32 /dev/urandom | base64"

// secret reads the gossip key, and refuses to gossip in the open.
func (r *reader) secret(c *Config) {
	g := &c.Gossip
	switch {
	case !r.sound("gossip.key_file", "listen.gossip"):
	case g.KeyFile != "":
		r.keyFile(g)
	case !c.Listen.Gossip.Addr().IsLoopback():
		at := r.at("listen.gossip")
		at.key = "gossip.key_file"
		r.refuse(at, fmt.Sprintf("required, as gossip listens on %s, beyond loopback", c.Listen.Gossip), makeKey)
	}
}

// keyFile reads the key from its file: base64 (RFC 4648, 4) with white space
// around it, as base64(1) and editors leave it.
func (r *reader) keyFile(g *Gossip) {
	at := r.at("gossip.key_file")
	g.KeyFile = r.beside(g.KeyFile)
	text, err := r.open(g.KeyFile)
	if err != nil {
		r.refuse(at, err.Error(), makeKey)
		return
	}
	key, err := base64.StdEncoding.DecodeString(strings.TrimSpace(string(text)))
	switch {
	case err != nil: // without its words, which might show the key
		r.refuse(at, fmt.Sprintf("%s does not hold base64", show(g.KeyFile)), makeKey)
	case len(key) != 16 && len(key) != 24 && len(key) != 32:
		r.refuse(at, fmt.Sprintf("%s holds %d bytes, want 16, 24 or 32", show(g.KeyFile), len(key)), makeKey)
	default:
		g.Key = key
	}
}
