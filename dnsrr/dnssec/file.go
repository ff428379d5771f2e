package dnssec

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/miekg/dns"
)

const (
	publicSuffix  = ".key"
	privateSuffix = ".private"
	maxFile       = 64 << 10         // octets; a pair of ours has 600
	stamp         = "20060102150405" // BIND's way to write an instant, in UTC
)

// Read reads a key pair from the two files that BIND's tools write, named by
// either of them or without a suffix, by a function such as os.ReadFile. Errors
// name the file and what is wrong with it.
func Read(read func(name string) ([]byte, error), path string) (Key, error) {
	path = base(path)
	public, err := read(path + publicSuffix)
	if err != nil {
		return Key{}, fmt.Errorf("public key: %w", err)
	}
	private, err := read(path + privateSuffix)
	if err != nil {
		return Key{}, fmt.Errorf("private key: %w", err)
	}
	k, err := parsePublic(public)
	if err != nil {
		return Key{}, fmt.Errorf("%s%s: %w", path, publicSuffix, err)
	}
	signer, err := parsePrivate(k, private)
	if err != nil {
		return Key{}, fmt.Errorf("%s%s: %w", path, privateSuffix, err)
	}
	return Key{k, signer, k.KeyTag()}, nil
}

func base(path string) string {
	for _, suffix := range []string{publicSuffix, privateSuffix} {
		if b, ok := strings.CutSuffix(path, suffix); ok {
			return b
		}
	}
	return path
}

// parse makes a key of the contents of its two files: a DNSKEY record as a zone
// file has it, and a private key in BIND's format, v1.2 or v1.3. It refuses a
// pair that does not fit, is revoked, or of an algorithm that is not supported.
func parse(public, private []byte) (Key, error) {
	k, err := parsePublic(public)
	if err != nil {
		return Key{}, fmt.Errorf("public key: %w", err)
	}
	signer, err := parsePrivate(k, private)
	if err != nil {
		return Key{}, fmt.Errorf("private key: %w", err)
	}
	return Key{k, signer, k.KeyTag()}, nil
}

// parsePublic reads one DNSKEY record.
func parsePublic(b []byte) (*dns.DNSKEY, error) {
	if len(b) > maxFile {
		return nil, fmt.Errorf("longer than %d octets", maxFile)
	}
	zp := dns.NewZoneParser(bytes.NewReader(b), "", "")
	zp.SetDefaultTTL(0)
	rr, _ := zp.Next()
	_, more := zp.Next()
	if err := zp.Err(); err != nil {
		return nil, errors.New(strings.TrimPrefix(err.Error(), "dns: "))
	}
	k, ok := rr.(*dns.DNSKEY)
	if !ok || more {
		return nil, errors.New("not one DNSKEY record")
	}
	k.Hdr.Name, k.Hdr.Ttl = dns.CanonicalName(k.Hdr.Name), 0
	if err := checkPublic(k); err != nil {
		return nil, err
	}
	raw, err := base64.StdEncoding.DecodeString(k.PublicKey)
	if err != nil {
		return nil, fmt.Errorf("public key: %w", err)
	}
	k.PublicKey = base64.StdEncoding.EncodeToString(raw) // one spelling
	if k.KeyTag() == 0 {
		return nil, errors.New("the tag 0 is of no use: generate another key")
	}
	return k, nil
}

// parsePrivate reads the private key that belongs to k.
func parsePrivate(k *dns.DNSKEY, b []byte) (crypto.Signer, error) {
	if len(b) > maxFile {
		return nil, fmt.Errorf("longer than %d octets", maxFile)
	}
	read, err := k.NewPrivateKey(string(b))
	if err != nil {
		return nil, fmt.Errorf("not a private key of algorithm %d: %w", k.Algorithm, err)
	}
	private, public, err := rebuild(read)
	switch {
	case err != nil:
		return nil, fmt.Errorf("not a private key of algorithm %d: %w", k.Algorithm, err)
	case base64.StdEncoding.EncodeToString(public) != k.PublicKey:
		return nil, errors.New("does not belong to the public key")
	}
	return private, nil
}

// rebuild checks a private key, which the library takes as it stands, together
// with whatever public key it was told. It returns the one that really belongs.
func rebuild(read crypto.PrivateKey) (private crypto.Signer, public []byte, err error) {
	switch read := read.(type) {
	case *ecdsa.PrivateKey:
		raw, err := read.Bytes()
		if err != nil {
			return nil, nil, err
		}
		private, err := ecdsa.ParseRawPrivateKey(elliptic.P256(), raw)
		if err != nil {
			return nil, nil, err
		}
		public, err := private.PublicKey.Bytes()
		if err != nil {
			return nil, nil, err
		}
		return private, public[1:], nil // DNS leaves out the octet that says uncompressed (RFC 6605, section 4)
	case ed25519.PrivateKey:
		if len(read) == ed25519.PrivateKeySize {
			return read, read.Public().(ed25519.PublicKey), nil
		}
	}
	return nil, nil, errors.New("no such key in it")
}

// Write writes the key's two files to dir, as BIND's tools name and write them,
// and returns their name without suffix. Only their owner may read the private
// one, and a file that exists is not overwritten. All their instants are now.
func (k Key) Write(dir string, now time.Time) (path string, err error) {
	path = filepath.Join(dir, k.String())
	if err := create(path+privateSuffix, k.privateText(now), 0o600); err != nil {
		return "", fmt.Errorf("writing a private key: %w", err)
	}
	if err := create(path+publicSuffix, k.publicText(now), 0o644); err != nil {
		return "", errors.Join(fmt.Errorf("writing a public key: %w", err), os.Remove(path+privateSuffix))
	}
	return path, nil
}

// create writes a file that did not exist, or leaves none.
func create(name, text string, mode fs.FileMode) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	if err == nil {
		err = f.Sync()
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, os.Remove(name))
	}
	return nil
}

func (k Key) publicText(now time.Time) string {
	var b strings.Builder
	role := "zone"
	if k.SEP() {
		role = "key"
	}
	fmt.Fprintf(&b, "; This is a %s-signing key, keyid %d, for %s\n", role, k.tag, k.Zone())
	for _, what := range []string{"Created", "Publish", "Activate"} {
		fmt.Fprintf(&b, "; %s: %s (%s)\n", what, now.UTC().Format(stamp), now.UTC().Format(time.ANSIC))
	}
	fmt.Fprintf(&b, "%s IN DNSKEY %d %d %d %s\n", k.Zone(), k.public.Flags, k.public.Protocol, k.Algorithm(), k.public.PublicKey)
	return b.String()
}

func (k Key) privateText(now time.Time) string {
	text := k.public.PrivateKeyString(k.private)
	for _, what := range []string{"Created", "Publish", "Activate"} {
		text += what + ": " + now.UTC().Format(stamp) + "\n"
	}
	return text
}
