package main

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"os"

	"github.com/spf13/cobra"

	"evenkeel/agent/config"
)

// clientFlags say which agent to ask and how; what they leave open is in the
// configuration.
type clientFlags struct{ config, admin, token, ca, cert, key *string }

func agentFlags(c *cobra.Command) *clientFlags {
	s := func(name, usage string) *string { return c.Flags().String(name, "", usage) }
	return &clientFlags{
		config: configFlag(c),
		admin:  s("admin", "the agent's admin `ADDR`, as HOST:PORT or a URL; default: listen.admin of the configuration"),
		token:  s("token-file", "`FILE` with the agent's token; default: admin.token_file of the configuration"),
		ca:     s("ca-file", "`FILE` (PEM) of authorities that the agent's certificate may be of; default: the system's"),
		cert:   s("cert-file", "`FILE` (PEM) of a client's certificate, to be shown to the agent"),
		key:    s("key-file", "`FILE` (PEM) of its key"),
	}
}

// find makes the caller that flags and configuration describe. With --admin
// the flags may say it all, so a configuration that nobody named need not be
// there, or readable for who asks.
func (f *clientFlags) find(e env) (caller, error) {
	cfg, err := loadBy(config.LoadToAsk, e, *f.config)
	if err != nil && (*f.admin == "" || *f.config != "") {
		return caller{}, err
	}
	t, err := f.over(trustOf(cfg.Admin))
	if err != nil {
		return caller{}, err
	}
	if *f.admin == "" {
		return newCaller(ownURL(cfg), t)
	}
	base, err := addressed(*f.admin, cfg.Admin.TLS())
	if err != nil {
		return caller{}, fmt.Errorf("%w: --admin: %w", errUsage, err)
	}
	return newCaller(base, t)
}

// addressed is the URL of an agent that HOST:PORT or a URL names. A bare
// address is asked by plain HTTP only on this machine, and there only if the
// configuration does not say that its listener speaks TLS.
func addressed(admin string, secure bool) (string, error) {
	if u, err := url.Parse(admin); err == nil && u.Host != "" {
		if u.Scheme != "http" && u.Scheme != "https" || u.User != nil || u.Path != "" && u.Path != "/" || u.RawQuery != "" {
			return "", fmt.Errorf("want HOST:PORT, http://HOST:PORT or https://HOST:PORT, got %q", u.Redacted())
		}
		return u.Scheme + "://" + u.Host, nil
	}
	host, port, err := net.SplitHostPort(admin)
	if err != nil || host == "" {
		return "", fmt.Errorf("want HOST:PORT or a URL, got %q", admin)
	}
	if at, err := netip.ParseAddrPort(admin); err == nil {
		admin = reachable(at).String()
		host = reachable(at).Addr().String()
	} else {
		admin = net.JoinHostPort(host, port)
	}
	return adminURL(secure || !here(host), admin), nil
}

// over puts what the flags name in the place of what t says.
func (f *clientFlags) over(t trust) (trust, error) {
	if *f.token != "" {
		text, err := os.ReadFile(*f.token)
		if err != nil {
			return t, hinted{fmt.Errorf("--token-file: %w", err), "it is one line, the same as in admin.token_file of the agent, and must be readable for who asks"}
		}
		if t.token, err = config.ParseToken(text); err != nil {
			return t, fmt.Errorf("--token-file: %s %w", *f.token, err)
		}
	}
	if *f.ca != "" {
		text, err := os.ReadFile(*f.ca)
		if err != nil {
			return t, fmt.Errorf("--ca-file: %w", err)
		}
		t.roots = x509.NewCertPool()
		if !t.roots.AppendCertsFromPEM(text) {
			return t, fmt.Errorf("--ca-file: %s holds no certificate in PEM form", *f.ca)
		}
	}
	return f.client(t)
}

// client adds the certificate that the flags name.
func (f *clientFlags) client(t trust) (trust, error) {
	switch {
	case *f.cert == "" && *f.key == "":
		return t, nil
	case *f.cert == "" || *f.key == "":
		return t, fmt.Errorf("%w: %w", errUsage, errors.New("--cert-file and --key-file go together"))
	}
	pair, err := tls.LoadX509KeyPair(*f.cert, *f.key)
	if err != nil {
		return t, fmt.Errorf("--cert-file, --key-file: %w", err)
	}
	t.own = []tls.Certificate{pair}
	return t, nil
}
