package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"evenkeel/agent/config"
	"evenkeel/agent/dashboard"
	"evenkeel/dnsrr"
)

const (
	// delegationTTL is of name servers and their glue alike, so that neither
	// outlives the other. An hour, since they change with the machines and not
	// with the load, and a parent asked less often is missed less when it is away
	// (RFC 9199, section 3.5). It delays nobody: what the agents say of their own
	// zone, with a TTL of seconds, replaces the parent's word in a resolver that
	// asks for it (RFC 2181, section 5.4.1).
	delegationTTL = time.Hour

	dnsPort = 53 // a delegation names no port: resolvers ask this one
)

func delegationCommand(e env) *cobra.Command {
	c := &cobra.Command{Use: "delegation", Short: "print what points the parent zone at the agents", Args: noArgs}
	file := configFlag(c)
	style := c.Flags().String("style", "bind", "`STYLE`: bind, lines of a zone file, or powershell, commands for Windows DNS servers")
	c.RunE = func(c *cobra.Command, _ []string) error {
		switch *style {
		case "bind":
			return printDelegation(c.Context(), e, *file, bindLines)
		case "powershell":
			return printDelegation(c.Context(), e, *file, powershellLines)
		}
		return fmt.Errorf("%w: --style is bind or powershell, found %q", errUsage, *style)
	}
	return c
}

func printDelegation(ctx context.Context, e env, file string, write func(delegation) string) error {
	cfg, _, err := load(e, file)
	if err != nil {
		return err
	}
	nodes, unheard, err := farmOf(ctx, cfg)
	if err != nil {
		return err
	}
	d, doubts, err := delegate(cfg, nodes)
	if err != nil {
		return err
	}
	for _, doubt := range doubts {
		fmt.Fprintf(e.stderr, "warning: %s\n", doubt)
	}
	if unheard != nil {
		fmt.Fprintf(e.stderr, "hint: %s stands here alone, since its agent does not answer (%s); run this beside a running one to list its peers too\n",
			cfg.Node.Name, dashboard.Plain(unheard.Error()))
	}
	_, err = fmt.Fprint(e.stdout, write(d))
	return err
}

// farmOf asks this node's agent for the farm. Where it does not answer, which
// unheard says, the farm is what the configuration knows: this node.
func farmOf(ctx context.Context, cfg config.Config) (nodes []dashboard.Node, unheard, err error) {
	s, unheard := askAgent(ctx, cfg)
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	if unheard == nil {
		return s.Nodes, nil, nil
	}
	own, err := itself(cfg)
	return []dashboard.Node{own}, unheard, err
}

// askAgent is answered by this node's agent alone: another one, of which
// listen.admin is the same, may belong to another farm.
func askAgent(ctx context.Context, cfg config.Config) (s dashboard.Status, err error) {
	agent, err := callerOf(cfg)
	if err != nil {
		return s, err
	}
	if s, err = agent.status(ctx); err != nil {
		return s, err
	}
	if s.Node != cfg.Node.Name {
		return s, fmt.Errorf("the one at %v is node %s", cfg.Listen.Admin, s.Node)
	}
	return s, nil
}

// itself is this node without its agent, with the addresses that the agent
// would hand out.
func itself(cfg config.Config) (dashboard.Node, error) {
	gossip := cfg.Listen.Gossip
	if cfg.Gossip.Advertise.IsValid() {
		gossip = cfg.Gossip.Advertise
	}
	n := dashboard.Node{Name: cfg.Node.Name}
	for _, a := range addressesOf(cfg, gossip) {
		if a.IsUnspecified() { // the way to the peers decides, and gossip finds it
			return n, hinted{errors.New("node.addresses is not configured, and no agent runs that has found them out"),
				"start the agent, or configure node.addresses"}
		}
		n.Addresses = append(n.Addresses, a.String())
	}
	return n, nil
}

// A delegation is what a parent zone has to say for resolvers to find the
// agents. Its names fit into zone files and between quotes as they are.
type delegation struct {
	zone    string // fully qualified
	servers []nameServer
	ds      []dsRecord // empty: the zone is not signed
}

// A dsRecord is a digest by which the parent vouches for a key (RFC 4034,
// section 5).
type dsRecord struct {
	tag        uint16
	algorithm  uint8
	digestType uint8
	digest     string // hexadecimal digits
}

// dsOf is the records for the keys of a configuration.
func dsOf(cfg config.Config) (out []dsRecord) {
	if cfg.Zone.DNSSEC.Use == nil {
		return nil
	}
	for _, d := range cfg.Zone.DNSSEC.Use.DS() {
		out = append(out, dsRecord{d.KeyTag, d.Algorithm, d.DigestType, strings.ToUpper(d.Digest)})
	}
	return out
}

// A nameServer is a node that answers for the zone.
type nameServer struct {
	name  string       // fully qualified, always inside the zone: without glue nobody would find it
	addrs []netip.Addr // at least one
}

// cut returns the zone above and the label that leads to this one from there.
func (d delegation) cut() (parent, child string) {
	child, parent, _ = strings.Cut(d.zone, ".")
	return cmp.Or(parent, "."), child
}

// delegate makes a delegation of the nodes of a farm, and says why it might
// not work. It refuses what DNS would refuse to serve.
func delegate(cfg config.Config, nodes []dashboard.Node) (d delegation, doubts []string, err error) {
	d.zone, d.ds = cfg.Zone.Name, dsOf(cfg)
	set := dnsrr.Set{Zone: cfg.Zone.Name}
	for _, n := range nodes {
		addrs, err := addrsOf(n)
		if err != nil {
			return delegation{}, nil, err
		}
		doubts = append(doubts, doubtNode(n, addrs)...)
		if n.Name == cfg.Node.Name {
			doubts = append(doubts, doubtListen(cfg, addrs)...)
		}
		if len(addrs) > 0 {
			d.servers = append(d.servers, nameServer{n.Name + "." + d.zone, addrs})
			set.Targets = append(set.Targets, dnsrr.Target{Name: n.Name, Addrs: addrs})
		}
	}
	if _, err := dnsrr.Compile(set); err != nil {
		return delegation{}, nil, fmt.Errorf("the farm cannot be served: %w", err)
	}
	slices.SortFunc(d.servers, func(a, b nameServer) int { return strings.Compare(a.name, b.name) })
	switch len(d.servers) {
	case 0:
		return delegation{}, nil, errors.New("no address of any node is known")
	case 1:
		doubts = append(doubts, "with one name server the zone is away whenever that node is; two at least are asked for (RFC 1034, section 4.1)")
	}
	return d, doubts, nil
}

func addrsOf(n dashboard.Node) (out []netip.Addr, err error) {
	for _, text := range n.Addresses {
		a, err := netip.ParseAddr(text)
		if err != nil {
			return nil, fmt.Errorf("node %q: %w", n.Name, err)
		}
		out = append(out, a.Unmap())
	}
	return out, nil
}

// doubtNode says why resolvers might not reach a node.
func doubtNode(n dashboard.Node, addrs []netip.Addr) (doubts []string) {
	name := dashboard.Plain(n.Name)
	if len(addrs) == 0 {
		return []string{name + " is left out: no address of it is known"}
	}
	if n.State == "down" {
		doubts = append(doubts, name+" is down: leave it out if it does not come back")
	}
	for _, a := range addrs {
		if a.IsLoopback() || a.IsLinkLocalUnicast() {
			doubts = append(doubts, fmt.Sprintf("%s has the address %v, which other machines cannot reach", name, a))
		}
	}
	return doubts
}

// doubtListen says at which of its addresses this node does not hear what
// resolvers ask. How its peers listen is not known here.
func doubtListen(cfg config.Config, addrs []netip.Addr) (doubts []string) {
	for _, a := range addrs {
		if !slices.ContainsFunc(cfg.Listen.DNS, func(at netip.AddrPort) bool { return hears(at, a) }) {
			doubts = append(doubts, fmt.Sprintf("resolvers ask %s at %v, where it does not listen: listen.dns is %v",
				cfg.Node.Name, netip.AddrPortFrom(a, dnsPort), cfg.Listen.DNS))
		}
	}
	return doubts
}

// hears reports whether a socket at the given place is asked by who asks a. An
// unspecified IPv6 address is bound for both families, see [network].
func hears(at netip.AddrPort, a netip.Addr) bool {
	every := at.Addr().IsUnspecified() && (at.Addr().Is6() || a.Is4())
	return at.Port() == dnsPort && (every || at.Addr() == a)
}
