package main

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"reflect"
	"time"

	"evenkeel/agent/config"
	"evenkeel/dnsrr"
	"evenkeel/dnsrr/cookie"
	"evenkeel/dnsrr/dnssec"
	"evenkeel/dnsrr/ratelimit"
)

// A dnsKit is what answers DNS beside the zone's content, and outlives a reload
// that does not change it: a signer remembers signatures, a limiter who was
// limited.
type dnsKit struct {
	cfg     config.Config // that it was made of
	own     [16]byte      // secret of cookies where the farm has none
	signer  *dnssec.Signer
	limiter *ratelimit.Limiter
}

// newKit makes a kit. Chance is for what nobody may guess.
func newKit(cfg config.Config) *dnsKit {
	k := &dnsKit{}
	rand.Read(k.own[:]) // never fails
	k.change(cfg, true)
	return k
}

// change makes of another configuration what differs.
func (k *dnsKit) change(cfg config.Config, first bool) {
	if first || !reflect.DeepEqual(k.cfg.Zone.DNSSEC, cfg.Zone.DNSSEC) {
		k.signer = nil // whose keys are gone
		if keys := cfg.Zone.DNSSEC.Use; keys != nil {
			k.signer = dnssec.NewSigner(keys)
		}
	}
	if first || !reflect.DeepEqual(k.cfg.DNS.RateLimit, cfg.DNS.RateLimit) {
		var seed [8]byte
		rand.Read(seed[:])
		k.limiter = ratelimit.New(ratelimit.Options{
			PerSecond: cfg.DNS.RateLimit.PerSecond, Slip: cfg.DNS.RateLimit.Slip, Exempt: cfg.DNS.RateLimit.Exempt,
			Seed: binary.LittleEndian.Uint64(seed[:]), Start: time.Now(),
		})
	}
	k.cfg = cfg
}

// options are the server's.
func (k *dnsKit) options() dnsrr.Options {
	secrets := k.cfg.DNS.Cookies
	if len(secrets) == 0 { // the cookies of a single agent are its own affair
		secrets = [][16]byte{k.own}
	}
	return dnsrr.Options{
		Identity: k.cfg.DNS.ID, Version: k.cfg.DNS.Version, Transfer: k.cfg.DNS.Transfer,
		Cookies: cookie.New(secrets...), Limiter: k.limiter,
	}
}

// stepped is what validators cannot follow when the keys of a zone change so,
// a line each: it is said, and done, since the operator may know better.
func stepped(old, now config.Config) error {
	before, after := old.Zone.DNSSEC.Use, now.Zone.DNSSEC.Use
	switch {
	case before == nil || reflect.DeepEqual(before, after):
		return nil
	case after == nil:
		return errors.New("the zone is not signed any more: its DS must have left the parent, and all caches, before")
	}
	return before.Step(after)
}
