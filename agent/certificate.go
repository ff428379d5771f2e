package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"math/big"
	"time"

	"evenkeel/agent/config"
)

// tlsOf is how probes over TLS are answered: with the operator's certificate, or
// with one made now. No server name is asked for and none is looked at: balancers
// connect by address, and most never look at the certificate.
func tlsOf(c config.Config) (*tls.Config, error) {
	cert := c.Health.Certificate
	if len(cert.Certificate) == 0 {
		var err error
		if cert, err = selfSigned(c.Node.FQDN, time.Now()); err != nil {
			return nil, err
		}
	}
	return &tls.Config{Certificates: []tls.Certificate{cert}, MinVersion: tls.VersionTLS12}, nil
}

// selfSigned makes a certificate that is good from yesterday, for clocks that are
// a little behind, and for ten years.
func selfSigned(fqdn string, now time.Time) (tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, err
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127))
	if err != nil {
		return tls.Certificate{}, err
	}
	tmpl := &x509.Certificate{
		SerialNumber: serial,
		Subject:      pkix.Name{CommonName: fqdn[:min(len(fqdn), 64)]}, // ub-common-name, RFC 5280 appendix A
		DNSNames:     []string{fqdn},
		NotBefore:    now.AddDate(0, 0, -1),
		NotAfter:     now.AddDate(10, 0, 0),
		KeyUsage:     x509.KeyUsageDigitalSignature,
		ExtKeyUsage:  []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, tmpl, tmpl, &key.PublicKey, key)
	if err != nil {
		return tls.Certificate{}, err
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, nil
}
