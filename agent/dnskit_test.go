package main

import (
	"strings"
	"testing"

	"evenkeel/agent/config"
	"evenkeel/dnsrr/dnssec"
)

// signing is a configuration whose zone has these keys.
func signing(t *testing.T, uses ...dnssec.Use) config.Config {
	t.Helper()
	var cfg config.Config
	if len(uses) > 0 {
		keys, err := dnssec.NewKeys("mail.test.", uses)
		if err != nil {
			t.Fatal(err)
		}
		cfg.Zone.DNSSEC = config.DNSSEC{Keys: make([]config.ZoneKey, len(uses)), Use: keys}
	}
	return cfg
}

func zoneKey(t *testing.T, sep bool) dnssec.Key {
	t.Helper()
	k, err := dnssec.Generate("mail.test.", dnssec.Ed25519, sep)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// What validators cannot follow is said when the keys are read again.
func TestStepsOfKeys(t *testing.T) {
	ksk := dnssec.Use{Key: zoneKey(t, true), State: dnssec.Active}
	old, new := zoneKey(t, false), zoneKey(t, false)
	unsigned := signing(t)
	first := signing(t, ksk, dnssec.Use{Key: old, State: dnssec.Active})
	published := signing(t, ksk, dnssec.Use{Key: old, State: dnssec.Active}, dnssec.Use{Key: new, State: dnssec.Published})
	for _, tt := range []struct {
		name     string
		from, to config.Config
		want     string // of the warning; empty: none
	}{
		{"to sign", unsigned, first, ""},
		{"nothing", first, first, ""},
		{"to publish a key", first, published, ""},
		{"to sign with it", published, signing(t, ksk, dnssec.Use{Key: old, State: dnssec.Retired}, dnssec.Use{Key: new, State: dnssec.Active}), ""},
		{"to sign with a key that nobody knows", first, signing(t, ksk, dnssec.Use{Key: new, State: dnssec.Active}), "publish the ZSK first"},
		{"to sign no more", first, unsigned, "not signed any more"},
	} {
		err := stepped(tt.from, tt.to)
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
}

// A reload that leaves keys and limits as they are keeps what was remembered of
// them; one that changes them does not.
func TestAKitOutlivesAReload(t *testing.T) {
	cfg := signing(t, dnssec.Use{Key: zoneKey(t, true), State: dnssec.Active})
	cfg.DNS.RateLimit.PerSecond = 10
	k := newKit(cfg)
	signer, limiter, own := k.signer, k.limiter, k.options().Cookies
	cfg.DNS.Version = "9"
	if k.change(cfg, false); k.signer != signer || k.limiter != limiter || k.options().Version != "9" || own == nil {
		t.Error("what did not change was made anew, or what did was not taken up")
	}
	cfg.DNS.RateLimit.PerSecond = 11
	cfg.Zone.DNSSEC = config.DNSSEC{}
	if k.change(cfg, false); k.signer != nil || k.limiter == limiter {
		t.Error("what changed was not taken up")
	}
}
