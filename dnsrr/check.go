package dnsrr

import (
	"errors"
	"fmt"
	"math"
	"time"
)

func (s Set) check() error {
	if err := checkZone(s.Zone); err != nil {
		return err
	}
	var errs []error
	if s.TTL < 0 || s.TTL/time.Second > maxTTL {
		errs = append(errs, fmt.Errorf("ttl %v: not within 0..2147483647 s", s.TTL))
	}
	if s.MaxTTL < 0 || s.MaxTTL/time.Second > maxTTL {
		errs = append(errs, fmt.Errorf("longest ttl %v: not within 0..2147483647 s", s.MaxTTL))
	}
	if s.Answers < 0 || s.Answers > maxAnswers {
		errs = append(errs, fmt.Errorf("answers %d: not within 0..%d", s.Answers, maxAnswers))
	}
	if s.Records.zone != "" && s.Records.zone != fold(s.Zone) {
		errs = append(errs, fmt.Errorf("records: of the zone %s, not %s", s.Records.zone, s.Zone))
	}
	if s.Signer != nil && s.Signer.Keys().Zone() != fold(s.Zone) {
		errs = append(errs, fmt.Errorf("keys: of the zone %s, not %s", s.Signer.Keys().Zone(), s.Zone))
	}
	if len(s.Targets) > maxMembers {
		errs = append(errs, fmt.Errorf("targets: %d are more than %d", len(s.Targets), maxMembers))
	}
	seen := make(map[string]bool, len(s.Targets))
	for _, g := range s.Targets {
		if err := g.check(); err != nil {
			errs = append(errs, fmt.Errorf("target %q: %w", g.Name, err))
		}
		if seen[fold(g.Name)] {
			errs = append(errs, fmt.Errorf("target %q: listed twice", g.Name))
		}
		seen[fold(g.Name)] = true
	}
	return errors.Join(append(errs, s.checkServices()...)...)
}

func (s Set) checkServices() (errs []error) {
	if len(s.Services) > maxServices {
		errs = append(errs, fmt.Errorf("services: %d are more than %d", len(s.Services), maxServices))
	}
	seen := make(map[string]bool, len(s.Services))
	for _, v := range s.Services {
		if err := v.check(s.Zone); err != nil {
			errs = append(errs, fmt.Errorf("service %q: %w", v.Name, err))
		}
		for _, name := range append([]string{v.Name}, v.SRV...) {
			if seen[fold(name)] {
				errs = append(errs, fmt.Errorf("service %q: %s is listed twice", v.Name, name))
			}
			seen[fold(name)] = true
		}
	}
	return errs
}

func (g Target) check() error {
	if err := checkLabel(g.Name); err != nil {
		return err
	}
	if g.Name[0] == '_' {
		return errors.New("a leading underscore is for services")
	}
	if !(g.Share >= 0) || math.IsInf(g.Share, 0) {
		return fmt.Errorf("share %v: not a share", g.Share)
	}
	if !(g.Fair >= 0) || math.IsInf(g.Fair, 0) {
		return fmt.Errorf("fair %v: not a share", g.Fair)
	}
	for _, a := range g.Addrs {
		if !a.IsValid() || a.IsUnspecified() || a.IsMulticast() || a.Zone() != "" {
			return fmt.Errorf("address %v: no client could use it", a)
		}
	}
	return nil
}
