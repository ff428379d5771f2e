package e2e

import (
	"context"
	"fmt"
	"net/netip"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/miekg/dns"
)

// answers waits until the server at addr knows the zone.
func (r *tree) answers(t *testing.T, addr netip.Addr, zone string) {
	t.Helper()
	eventually(t, soon, fmt.Sprintf("%s answers for %s", addr, zone), func() (string, bool) {
		m, err := r.query(addr, zone, dns.TypeSOA)
		if err != nil {
			return err.Error(), false
		}
		return m.String(), m.Rcode == dns.RcodeSuccess && len(m.Answer) > 0
	})
}

// query asks the server at addr with DO and AD, over UDP up to three times, as
// stub resolvers do, and over TCP what was cut.
func (r *tree) query(addr netip.Addr, name string, kind uint16) (*dns.Msg, error) {
	q := new(dns.Msg).SetQuestion(name, kind)
	q.SetEdns0(1232, true)
	q.AuthenticatedData = true
	var m *dns.Msg
	var err error
	for range 3 {
		if m, err = r.exchange(addr, "udp", q); err == nil {
			break
		}
	}
	if err == nil && m.Truncated {
		return r.exchange(addr, "tcp", q)
	}
	return m, err
}

func (r *tree) exchange(addr netip.Addr, network string, q *dns.Msg) (*dns.Msg, error) {
	conn, err := r.hub.dial(context.Background(), network, netip.AddrPortFrom(addr, 53).String())
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	m, _, err := (&dns.Client{Timeout: 10 * time.Second}).ExchangeWithConn(q, &dns.Conn{Conn: conn})
	return m, err
}

// output runs a program that ends by itself in s, and returns what it printed,
// errors too.
func (s space) output(t *testing.T, name string, args ...string) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*soon) // zonemaster's, on a busy machine
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	var out []byte
	err := s.do(func() (err error) { out, err = cmd.CombinedOutput(); return err })
	return string(out), err
}

// A check is a command line, asked in the hub, and regular expressions of what
// its output must have and must not have. The agents are at 10.77.0.11 to 13.
type check struct {
	signed  bool // makes sense only where the farm signs
	fails   bool // the program says so
	command string
	want    []string
	never   []string
}

// passes plays a check.
func (r *tree) passes(t *testing.T, c check) {
	t.Helper()
	if c.signed && !r.signed {
		return
	}
	fields := strings.Fields(c.command)
	out, err := r.hub.output(t, fields[0], fields[1:]...)
	if (err != nil) != c.fails {
		t.Errorf("%s: %v\n%s", c.command, err, out)
		return
	}
	for _, want := range c.want {
		if !regexp.MustCompile(want).MatchString(out) {
			t.Errorf("%s: no %q in\n%s", c.command, want, out)
		}
	}
	for _, never := range c.never {
		if found := regexp.MustCompile(never).FindString(out); found != "" {
			t.Errorf("%s: %q in\n%s", c.command, found, out)
		}
	}
}
