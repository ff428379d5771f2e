package config

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"io/fs"
	"math/big"
	"strings"
	"testing"
)

// makePEM makes a certificate and its key.
func makePEM() (cert, key string, err error) {
	secret, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return "", "", err
	}
	tmpl := &x509.Certificate{SerialNumber: big.NewInt(1)}
	der, err := x509.CreateCertificate(rand.Reader, tmpl, tmpl, &secret.PublicKey, secret)
	if err != nil {
		return "", "", err
	}
	pkcs8, err := x509.MarshalPKCS8PrivateKey(secret)
	if err != nil {
		return "", "", err
	}
	block := func(kind string, b []byte) string {
		return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: b}))
	}
	return block("CERTIFICATE", der), block("PRIVATE KEY", pkcs8), nil
}

func TestCertificate(t *testing.T) {
	const text = "health:\n  tls: {listen: ['127.0.0.1:8443'], cert_file: c.pem, key_file: k.pem}\n"
	cert, key := onePair()
	files := map[string]string{"/etc/c.pem": cert, "/etc/k.pem": key}
	read := func(name string) ([]byte, error) {
		if s, ok := files[name]; ok {
			return []byte(s), nil
		}
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	c, err := Load("/etc/evenkeel.yaml", []byte(text), read)
	if err != nil || len(c.Health.Certificate.Certificate) != 1 || len(c.Health.TLS) != 1 {
		t.Fatalf("%v, %d certificates", err, len(c.Health.Certificate.Certificate))
	}
	for name, want := range map[string]string{
		"/etc/c.pem": "2:48: health.tls.cert_file: open /etc/c.pem: file does not exist",
		"/etc/k.pem": "2:65: health.tls.key_file: open /etc/k.pem: file does not exist",
	} {
		was := files[name]
		delete(files, name)
		if _, err := Load("/etc/evenkeel.yaml", []byte(text), read); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
		files[name] = was
	}
	files["/etc/c.pem"] = "no certificate"
	var p Problems
	if _, err := Load("/etc/evenkeel.yaml", []byte(text), read); !errors.As(err, &p) || p[0].Key != "health.tls.cert_file" || p[0].Hint == "" {
		t.Errorf("got %v", err)
	}
}
