package main

import (
	"reflect"

	"evenkeel/agent/config"
	"evenkeel/agent/node"
	"evenkeel/health/probe"
)

// servicesOf are the operator's services in the loop's words.
func servicesOf(c config.Config) (out []node.Service) {
	for _, s := range c.Services {
		out = append(out, node.Service{Name: s.Name, Ports: s.Ports, SRV: s.SRV})
	}
	return out
}

// targetsOf are those of them that are asked how they are.
func targetsOf(c config.Config) (out []probe.Target) {
	for _, s := range c.Services {
		if s.Probe != "" {
			out = append(out, probe.Target{Service: s.Name, URL: s.Probe})
		}
	}
	return out
}

// sameZone says that two configurations answer alike, as far as the serial goes.
func sameZone(a, b config.Config) bool {
	return reflect.DeepEqual(a.Zone, b.Zone) && reflect.DeepEqual(servicesOf(a), servicesOf(b))
}

// unwell puts what the probes found into the loop's words.
func (a *agent) unwell() map[string]node.Failure {
	out := make(map[string]node.Failure)
	for name, f := range a.probes.Failing() {
		out[name] = node.Failure{Err: f.Err, Well: f.Well}
	}
	return out
}
