package config

import (
	"net/netip"
	"reflect"
	"testing"
	"time"

	"evenkeel/policy/throttle"
)

// A domain that the gate knows under two names is one to the policies too.
func TestDomainsOfPolicies(t *testing.T) {
	const text = "gate: {domains: [CONTOSO=contoso.example]}\npolicy: {file: policy.yaml}"
	read := func(string) ([]byte, error) {
		return []byte("policies: [{name: tight}]\nusers: {'CONTOSO\\anna': tight}"), nil
	}
	c, err := load("f.yaml", []byte(text), read, "ex01")
	if err != nil {
		t.Fatal(err)
	}
	if got := c.Policy.Book.Effective("anna@contoso.example").Policy; got != "tight" {
		t.Errorf("got %q, want tight", got)
	}
}

// The gate is off unless it is given an address, and all of its keys arrive.
func TestGate(t *testing.T) {
	byDefault := defaultGate()
	byDefault.Waiters = 512
	if c := mustLoad(t, ""); c.Listen.Gate.IsValid() || !reflect.DeepEqual(c.Gate, byDefault) {
		t.Errorf("by default: %v %+v", c.Listen.Gate, c.Gate)
	}
	c := mustLoad(t, `
listen: {gate: "10.0.0.1:9854"}
gate: {allow: [10.0.0.0/24], fail: closed, hold: true, deny: 429, anonymous: allowed, domains: [CONTOSO=Contoso.Example.],
  assume: 1s, release: 1h, shadow: true, rpc_factor: 2000, budgets: 1000, requests: 100, wait: 5s, waiters: 4, connections: 5}
`)
	want := Gate{
		Allow: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/24")}, Hold: true, Deny: 429, Anonymous: true, Domains: []throttle.Domain{{Short: "contoso", Full: "contoso.example"}},
		Assume: time.Second, Release: time.Hour, Shadow: true, Backoff: throttle.Backoff{Factor: 2000, Target: 100 * time.Millisecond, Cap: 2 * time.Second}, Budgets: 1000, Requests: 100, Wait: 5 * time.Second, Waiters: 4, Connections: 5,
	}
	if !reflect.DeepEqual(c.Gate, want) || c.Listen.Gate != netip.MustParseAddrPort("10.0.0.1:9854") {
		t.Errorf("got  %v %+v\nwant %+v", c.Listen.Gate, c.Gate, want)
	}
}

// Document 003: the factor is from 0, which turns it off, to 5000.
func TestGateFactor(t *testing.T) {
	for text, want := range map[string]uint32{"0": 0, "1": 1, "5000": 5000} {
		if c := mustLoad(t, "gate: {rpc_factor: "+text+"}"); c.Gate.Backoff.Factor != want || c.Gate.Backoff.Valid() != nil {
			t.Errorf("%s: got %+v, %v", text, c.Gate.Backoff, c.Gate.Backoff.Valid())
		}
	}
	for _, text := range []string{"-1", "5001", "4294967297", "1.5", "many"} {
		if got := headlines(t, "f.yaml", "gate: {rpc_factor: "+text+"}"); len(got) != 1 {
			t.Errorf("%s: got %q, want one complaint", text, got)
		}
	}
}

// Who is held leaves connections for those who are not.
func TestGateWaiters(t *testing.T) {
	for text, want := range map[string]int{
		"{connections: 100}": 50, "{connections: 100, waiters: auto}": 50, "{connections: 100, waiters: 99}": 99, "{waiters: 1000}": 1000, "{connections: 1}": 0,
	} {
		if got := mustLoad(t, "gate: "+text).Gate.Waiters; got != want {
			t.Errorf("%s: %d waiters, want %d", text, got, want)
		}
	}
}
