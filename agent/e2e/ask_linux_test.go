package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/miekg/dns"
)

// eventually waits for what must happen. ok also says what it has seen, for who
// reads the failure.
func eventually(t *testing.T, within time.Duration, what string, ok func() (string, bool)) {
	t.Helper()
	began := time.Now()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		seen, happened := ok()
		took := time.Since(began)
		switch {
		case happened:
			t.Logf("%s: after %v", what, took.Round(10*time.Millisecond))
			return
		case took > within:
			t.Fatalf("%s: not within %v; last seen: %s", what, within, seen)
		}
		<-tick.C
	}
}

// throughout wants every check to hold for a while. ok also says what it has
// seen.
func throughout(t *testing.T, d time.Duration, what string, ok func() (string, bool)) {
	t.Helper()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for began := time.Now(); time.Since(began) < d; <-tick.C {
		if seen, holds := ok(); !holds {
			t.Fatalf("%s: not for %v, only for %v; seen: %s", what, d, time.Since(began), seen)
		}
	}
}

// A status is what a node's API says of the farm.
type status struct {
	Alone  bool
	Alarms []string
	Nodes  []standing
}

// A standing is what a status says of a node. A nil is not known.
type standing struct {
	Name, State, Why   string
	Share              float64
	Connections, Queue *int
}

func (s status) of(id string) standing {
	for _, n := range s.Nodes {
		if n.Name == id {
			return n
		}
	}
	return standing{Name: id}
}

func (s status) String() string {
	var b strings.Builder
	for _, n := range s.Nodes {
		fmt.Fprintf(&b, "%s %s %.3f %s; ", n.Name, n.State, n.Share, n.Why)
	}
	return fmt.Sprintf("%salone=%t", b.String(), s.Alone)
}

// status asks n's agent on its own loopback. One that cannot be asked knows
// nothing.
func (n *node) status() (s status) {
	r, err := n.web.Get("http://127.0.0.1:9853/api/v1/status")
	if err != nil {
		return status{}
	}
	defer r.Body.Close()
	if json.NewDecoder(r.Body).Decode(&s) != nil {
		return status{}
	}
	return s
}

// metrics are what n's agent tells Prometheus.
func (n *node) metrics(t *testing.T) string {
	t.Helper()
	r, err := n.web.Get("http://127.0.0.1:9853/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// probe asks n's healthcheck.htm as a balancer does, but with more patience.
// Status 0 is no answer.
func (n *node) probe() (code int, state string) { return n.probeWithin(patience) }

func (n *node) probeWithin(d time.Duration) (code int, state string) {
	ctx, cancel := context.WithTimeout(context.Background(), d)
	defer cancel()
	q, err := http.NewRequestWithContext(ctx, http.MethodGet, fmt.Sprintf("http://%s:8080/mapi/healthcheck.htm", n.addr), nil)
	if err != nil {
		return 0, err.Error()
	}
	r, err := n.farm.hub.web.Do(q)
	if err != nil {
		return 0, err.Error()
	}
	defer r.Body.Close()
	io.Copy(io.Discard, r.Body) // or the connection is not used again
	return r.StatusCode, r.Header.Get("X-Evenkeel-State")
}

// lookup asks the DNS server at addr for the farm's IPv4 addresses.
func (f *farm) lookup(addr netip.Addr) ([]string, error) {
	conn, err := f.asks(addr)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	return ask(conn, dns.TypeA)
}

// asks is where to ask the DNS server at addr.
func (f *farm) asks(addr netip.Addr) (*dns.Conn, error) {
	conn, err := f.hub.dial(context.Background(), "udp", netip.AddrPortFrom(addr, 53).String())
	return &dns.Conn{Conn: conn}, err
}

// ask asks for the farm's addresses of a kind. A datagram may be lost, so that
// it asks up to three times, as stub resolvers do.
func ask(conn *dns.Conn, kind uint16) (out []string, err error) {
	q := new(dns.Msg).SetQuestion("mail.test.", kind)
	c := dns.Client{Timeout: 5 * time.Second}
	var r *dns.Msg
	for range 3 {
		if r, _, err = c.ExchangeWithConn(q, conn); err == nil {
			break
		}
	}
	if err != nil {
		return nil, err
	}
	for _, rr := range r.Answer {
		switch rr := rr.(type) {
		case *dns.A:
			out = append(out, rr.A.String())
		case *dns.AAAA:
			out = append(out, rr.AAAA.String())
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("no address: %s", dns.RcodeToString[r.Rcode])
	}
	return out, nil
}

// shares are the parts of clients that n's answers send to each node, where
// every client takes any of the addresses it is given.
func (n *node) shares(t *testing.T, questions int) map[string]float64 {
	t.Helper()
	return n.farm.sharesFrom(t, n.addr, dns.TypeA, questions)
}

// sharesFrom is shares of any DNS server, by addresses of a kind.
func (f *farm) sharesFrom(t *testing.T, at netip.Addr, kind uint16, questions int) map[string]float64 {
	t.Helper()
	conn, err := f.asks(at)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	got := map[string]float64{}
	for range questions {
		addrs, err := ask(conn, kind)
		if err != nil {
			t.Fatalf("asking %s: %v", at, err)
		}
		for _, a := range addrs {
			got[f.idOf(a)] += 1 / float64(len(addrs)*questions)
		}
	}
	return got
}

func (f *farm) byAddr(addr string) *node {
	a := netip.MustParseAddr(addr)
	return f.nodes[slices.IndexFunc(f.nodes, func(n *node) bool { return slices.Contains(n.set.Addrs, a) })]
}

func (f *farm) idOf(addr string) string { return f.byAddr(addr).id }

// fair is n's share by its limit.
func (n *node) fair() float64 {
	total := 0
	for _, o := range n.farm.nodes {
		total += o.limit
	}
	return float64(n.limit) / float64(total)
}

// level waits until every agent gives all nodes their fair share.
func (f *farm) level(t *testing.T) {
	t.Helper()
	for _, at := range f.nodes {
		eventually(t, soon, at.id+" gives all nodes their fair share", func() (string, bool) {
			s := at.status()
			for _, n := range f.nodes {
				if o := s.of(n.id); o.State != "up" || o.Why != "" || math.Abs(o.Share-n.fair()) > 0.01 {
					return s.String(), false
				}
			}
			return s.String(), !s.Alone
		})
	}
}

// answersFairly waits until n's answers give all nodes their fair share.
func (n *node) answersFairly(t *testing.T) {
	t.Helper()
	eventually(t, soon, n.id+" sends each node its fair share of the clients", func() (string, bool) {
		got := n.shares(t, 200)
		for _, o := range n.farm.nodes {
			if math.Abs(got[o.id]-o.fair()) > 0.05 {
				return fmt.Sprint(got), false
			}
		}
		return "", true
	})
}
