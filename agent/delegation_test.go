package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/miekg/dns"

	"evenkeel/agent/config"
	"evenkeel/agent/dashboard"
)

func ips(texts ...string) (out []netip.Addr) {
	for _, t := range texts {
		out = append(out, netip.MustParseAddr(t))
	}
	return out
}

// pair is a farm whose second node has both families.
func pair() delegation {
	return delegation{zone: "mail.example.org.", servers: []nameServer{
		{"ex01.mail.example.org.", ips("10.0.0.11")},
		{"ex02.mail.example.org.", ips("10.0.0.12", "2001:db8::12")},
	}}
}

// signedNode is a farm of one, whose zone is signed.
func signedNode(algorithm uint8) delegation {
	d := pair()
	d.servers = d.servers[:1]
	d.ds = []dsRecord{{31979, algorithm, 2, "0AFF"}}
	return d
}

// Administrators paste these lines as they are.
func TestDelegationStyles(t *testing.T) {
	for _, c := range []struct {
		style func(delegation) string
		of    delegation
		want  string
	}{
		{bindLines, pair(), `; delegates mail.example.org. to its agents: add this to the zone example.org. on its primary,
; and raise the serial of its SOA
mail.example.org.      3600 IN NS   ex01.mail.example.org.
mail.example.org.      3600 IN NS   ex02.mail.example.org.
ex01.mail.example.org. 3600 IN A    10.0.0.11
ex02.mail.example.org. 3600 IN A    10.0.0.12
ex02.mail.example.org. 3600 IN AAAA 2001:db8::12
`},
		{powershellLines, pair(), `# delegates mail.example.org to its agents: run this on a DNS server that holds the zone example.org
Add-DnsServerZoneDelegation -Name 'example.org' -ChildZoneName 'mail' -NameServer 'ex01.mail.example.org' -IPAddress 10.0.0.11
Add-DnsServerZoneDelegation -Name 'example.org' -ChildZoneName 'mail' -NameServer 'ex02.mail.example.org' -IPAddress 10.0.0.12,2001:db8::12
`},
		{bindLines, signedNode(13), `; delegates mail.example.org. to its agents: add this to the zone example.org. on its primary,
; and raise the serial of its SOA
mail.example.org.      3600 IN NS ex01.mail.example.org.
ex01.mail.example.org. 3600 IN A  10.0.0.11
mail.example.org.      3600 IN DS 31979 13 2 0AFF
`},
		{powershellLines, signedNode(13), `# delegates mail.example.org to its agents: run this on a DNS server that holds the zone example.org
Add-DnsServerZoneDelegation -Name 'example.org' -ChildZoneName 'mail' -NameServer 'ex01.mail.example.org' -IPAddress 10.0.0.11
Add-DnsServerResourceRecordDS -ZoneName 'example.org' -Name 'mail' -KeyTag 31979 -CryptoAlgorithm ECDsaP256Sha256 -DigestType Sha256 -Digest '0AFF'
`},
		{powershellLines, signedNode(15), `# delegates mail.example.org to its agents: run this on a DNS server that holds the zone example.org
Add-DnsServerZoneDelegation -Name 'example.org' -ChildZoneName 'mail' -NameServer 'ex01.mail.example.org' -IPAddress 10.0.0.11
# Windows DNS servers know no algorithm 15: the DS of key 31979 cannot be added
`},
		{powershellLines, delegation{zone: "intranet.", servers: []nameServer{{"ex01.intranet.", ips("10.0.0.11")}}},
			`# delegates intranet to its agents: run this on a DNS server that holds the zone .
Add-DnsServerZoneDelegation -Name '.' -ChildZoneName 'intranet' -NameServer 'ex01.intranet' -IPAddress 10.0.0.11
`},
	} {
		if got := c.style(c.of); got != c.want {
			t.Errorf("got\n%swant\n%s", got, c.want)
		}
	}
}

// A zone file's $ORIGIN changes nothing about the lines, and what a name server
// reads in them is the delegation.
func TestBindLinesAreAZoneFile(t *testing.T) {
	var got []string
	z := dns.NewZoneParser(strings.NewReader(bindLines(pair())), "elsewhere.test.", "parent.zone")
	for rr, ok := z.Next(); ok; rr, ok = z.Next() {
		got = append(got, strings.Join(strings.Fields(rr.String()), " "))
	}
	want := []string{
		"mail.example.org. 3600 IN NS ex01.mail.example.org.",
		"mail.example.org. 3600 IN NS ex02.mail.example.org.",
		"ex01.mail.example.org. 3600 IN A 10.0.0.11",
		"ex02.mail.example.org. 3600 IN A 10.0.0.12",
		"ex02.mail.example.org. 3600 IN AAAA 2001:db8::12",
	}
	if err := z.Err(); err != nil || !slices.Equal(got, want) {
		t.Errorf("%v\ngot  %q\nwant %q", err, got, want)
	}
}

// listening is the configuration of ex01, which hears questions at the given
// places.
func listening(at ...string) config.Config {
	c := config.Config{Node: config.Node{Name: "ex01"}, Zone: config.Zone{Name: "mail.example.org."}}
	for _, a := range at {
		c.Listen.DNS = append(c.Listen.DNS, netip.MustParseAddrPort(a))
	}
	return c
}

func nodeAt(name string, addrs ...string) dashboard.Node {
	return dashboard.Node{Name: name, State: "up", Addresses: addrs}
}

func downAt(name string, addrs ...string) dashboard.Node {
	return dashboard.Node{Name: name, State: "down", Addresses: addrs}
}

// A delegation that would not work is printed all the same, and says why it
// would not: the mistake may be one that is mended next.
func TestDoubtsOfADelegation(t *testing.T) {
	const single = "with one name server the zone is away whenever that node is; two at least are asked for (RFC 1034, section 4.1)"
	ex01, ex02 := nodeAt("ex01", "10.0.0.11"), nodeAt("ex02", "10.0.0.12")
	dual := nodeAt("ex01", "10.0.0.11", "2001:db8::11")
	for _, c := range []struct {
		when   string
		listen []string
		farm   []dashboard.Node
		want   []string
	}{
		{"all is well", []string{"10.0.0.11:53"}, []dashboard.Node{ex01, ex02}, nil},
		{"every address is listened on", []string{"0.0.0.0:53"}, []dashboard.Node{ex01, ex02}, nil},
		{"and by IPv6 those of IPv4 too", []string{"[::]:53"}, []dashboard.Node{dual, ex02}, nil},
		{"another port beside is no harm", []string{"127.0.0.1:8053", "10.0.0.11:53"}, []dashboard.Node{ex01, ex02}, nil},
		{"what peers listen on is not known", []string{"10.0.0.11:53"}, []dashboard.Node{ex02, ex01}, nil},
		{"a port that nobody asks", []string{"10.0.0.11:8053"}, []dashboard.Node{ex01, ex02},
			[]string{"resolvers ask ex01 at 10.0.0.11:53, where it does not listen: listen.dns is [10.0.0.11:8053]"}},
		{"an address that nobody reaches", []string{"127.0.0.1:53"}, []dashboard.Node{ex01, ex02},
			[]string{"resolvers ask ex01 at 10.0.0.11:53, where it does not listen: listen.dns is [127.0.0.1:53]"}},
		{"half of the addresses", []string{"0.0.0.0:53"}, []dashboard.Node{dual, ex02},
			[]string{"resolvers ask ex01 at [2001:db8::11]:53, where it does not listen: listen.dns is [0.0.0.0:53]"}},
		{"no DNS at all", nil, []dashboard.Node{ex01, ex02},
			[]string{"resolvers ask ex01 at 10.0.0.11:53, where it does not listen: listen.dns is []"}},
		{"loopback", []string{"0.0.0.0:53"}, []dashboard.Node{nodeAt("ex01", "127.0.0.1"), ex02},
			[]string{"ex01 has the address 127.0.0.1, which other machines cannot reach"}},
		{"only on its link", []string{"0.0.0.0:53"}, []dashboard.Node{ex01, nodeAt("ex02", "10.0.0.12", "fe80::1")},
			[]string{"ex02 has the address fe80::1, which other machines cannot reach"}},
		{"alone", []string{"0.0.0.0:53"}, []dashboard.Node{ex01}, []string{single}},
		{"a peer that was never heard", []string{"0.0.0.0:53"}, []dashboard.Node{ex01, nodeAt("ex02")},
			[]string{"ex02 is left out: no address of it is known", single}},
		{"a peer that may be gone for good", []string{"0.0.0.0:53"}, []dashboard.Node{ex01, downAt("ex02", "10.0.0.12")},
			[]string{"ex02 is down: leave it out if it does not come back"}},
		{"a name is only shown", []string{"0.0.0.0:53"}, []dashboard.Node{ex01, ex02, nodeAt("\x1b[2Jex03")},
			[]string{"\ufffd[2Jex03 is left out: no address of it is known"}},
	} {
		d, got, err := delegate(listening(c.listen...), c.farm)
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: %v\ngot  %q\nwant %q", c.when, err, got, c.want)
		}
		if !slices.IsSortedFunc(d.servers, func(a, b nameServer) int { return strings.Compare(a.name, b.name) }) {
			t.Errorf("%s: not in the order of names: %v", c.when, d.servers)
		}
	}
}

// What DNS would not serve is not pasted into a zone or a shell either.
func TestDelegationRefuses(t *testing.T) {
	for _, c := range []struct {
		when string
		farm []dashboard.Node
		want string
	}{
		{"a farm without addresses", []dashboard.Node{nodeAt("ex01")}, "no address of any node is known"},
		{"nobody", nil, "no address of any node is known"},
		{"no address", []dashboard.Node{nodeAt("ex01", "ten")}, `node "ex01": ParseAddr("ten"): `},
		{"an address of every node", []dashboard.Node{nodeAt("ex01", "0.0.0.0")}, `the farm cannot be served: target "ex01": address 0.0.0.0: `},
		{"a node twice", []dashboard.Node{nodeAt("ex01", "10.0.0.11"), nodeAt("EX01", "10.0.0.12")}, `the farm cannot be served: target "EX01": listed twice`},
		{"a name that ends a quote", []dashboard.Node{nodeAt("ex01'; Clear-Host; '", "10.0.0.11")}, "the farm cannot be served: "},
		{"a name that ends a line", []dashboard.Node{nodeAt("ex01\n@", "10.0.0.11")}, "the farm cannot be served: "},
	} {
		d, doubts, err := delegate(listening("0.0.0.0:53"), c.farm)
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: %+v, %q, %v; want %s", c.when, d, doubts, err, c.want)
		}
	}
}

// Without its agent a node still knows where the agent would say that it is,
// unless that is a matter of routes.
func TestAddressesWithoutAnAgent(t *testing.T) {
	joins := config.Gossip{Join: []string{"10.0.0.12:7946"}}
	advertises := joins
	advertises.Advertise = netip.MustParseAddrPort("192.0.2.9:0")
	bound := func(at string) config.Listen { return config.Listen{Gossip: netip.MustParseAddrPort(at)} }
	for _, c := range []struct {
		when string
		cfg  config.Config
		want string // empty: an error
	}{
		{"configured", config.Config{Node: config.Node{Addresses: ips("10.0.0.11", "2001:db8::11")}, Gossip: advertises}, "[10.0.0.11 2001:db8::11]"},
		{"told to peers", config.Config{Gossip: advertises, Listen: bound("10.0.0.11:7946")}, "[192.0.2.9]"},
		{"bound for peers", config.Config{Gossip: joins, Listen: bound("10.0.0.11:7946")}, "[10.0.0.11]"},
		{"a matter of routes", config.Config{Gossip: joins, Listen: bound("0.0.0.0:7946")}, ""},
	} {
		n, err := itself(c.cfg)
		if got := fmt.Sprint(n.Addresses); (err != nil) != (c.want == "") || err == nil && got != c.want {
			t.Errorf("%s: %s, %v; want %s", c.when, got, err, c.want)
		}
	}
	if n, err := itself(config.Config{Node: config.Node{Name: "ex01"}}); err != nil || n.Name != "ex01" || len(n.Addresses) != 1 {
		t.Errorf("a node without peers is %+v, %v; want one address, whatever it is", n, err)
	}
}

// beside writes a configuration for ex01 whose agent answers as a handler does.
func beside(t *testing.T, agent http.HandlerFunc) (file string) {
	t.Helper()
	s := httptest.NewServer(agent)
	t.Cleanup(s.Close)
	file = filepath.Join(t.TempDir(), "evenkeel.yaml")
	text := fmt.Sprintf(`node: {name: ex01, addresses: [10.0.0.11]}
zone: {name: mail.example.org}
listen: {dns: ["10.0.0.11:53"], admin: %q}
`, strings.TrimPrefix(s.URL, "http://"))
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// The peers are known to who runs among them; the word of anyone else is none.
func TestDelegationAsksTheAgent(t *testing.T) {
	tell := func(s dashboard.Status) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { json.NewEncoder(w).Encode(s) }
	}
	farm := []dashboard.Node{nodeAt("ex02", "10.0.0.12"), nodeAt("ex01", "10.0.0.11")}
	for _, c := range []struct {
		when  string
		agent http.HandlerFunc
		peers bool
		why   string // of the hint
	}{
		{"its agent", tell(dashboard.Status{Node: "ex01", Nodes: farm}), true, ""},
		{"the agent of another node", tell(dashboard.Status{Node: "ex02", Nodes: farm}), false, " is node ex02)"},
		{"something else", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html>") }, false, "(reading the agent's answer: "},
		{"an agent before its first beat", func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "starting", http.StatusServiceUnavailable)
		}, false, "(503 Service Unavailable: starting)"},
	} {
		status, stdout, stderr := ask(t.Context(), "delegation", "--config", beside(t, c.agent))
		if status != 0 || !strings.Contains(stdout, "ex01.mail.example.org. 3600 IN A  10.0.0.11\n") {
			t.Errorf("%s: exit status %d\n%s%s", c.when, status, stdout, stderr)
		}
		if got := strings.Contains(stdout, "ex02.mail.example.org. 3600 IN A  10.0.0.12\n"); got != c.peers {
			t.Errorf("%s: peers are listed: %v\n%s", c.when, got, stdout)
		}
		alone := strings.Contains(stderr, "\nhint: ex01 stands here alone, ") && strings.Contains(stderr, c.why)
		if c.peers && stderr != "" || !c.peers && !alone {
			t.Errorf("%s: said %q", c.when, stderr)
		}
	}
}

// Who interrupts the question is not given half of the answer.
func TestDelegationIsInterrupted(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	file := beside(t, func(_ http.ResponseWriter, r *http.Request) {
		interrupt()
		<-r.Context().Done()
	})
	if status, stdout, stderr := ask(ctx, "delegation", "--config", file); status != 1 || stdout != "" {
		t.Errorf("exit status %d\n%s%s", status, stdout, stderr)
	}
}
