package e2e

import (
	"encoding/base64"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"text/template"
	"time"
)

// The stage has short times, so that a story takes seconds.
const (
	backlog = 100              // places in each accept queue, where a story sets no other
	roomy   = 4096             // places that do not run out while a server waits for a processor
	drain   = 3 * time.Second  // how long a node that leaves lets clients turn away
	ramp    = 10 * time.Second // slow start
	hold    = 5 * time.Second  // of a failing probe
	ttl     = time.Second      // of answers
	soon    = time.Minute      // within this happens what must, and has no time promised: three times what a busy machine was seen to need

	patience = 40 * time.Second // for one answer that has no time promised: any program may have to wait for a processor
)

// A farm is nodes around a hub: a switch, on which clients, resolvers and
// balancers live too.
type farm struct {
	bin    string // the agent
	dir    string // for files of all programs
	hub    space
	nodes  []*node
	relays []*relay     // through which all gossip; nil: it is not relayed
	late   atomic.Int64 // see relay
}

// A node is one machine of the farm.
type node struct {
	space
	farm   *farm
	id     string
	addr   netip.Addr // where its server and its agent are asked
	limit  int        // of connections
	places int        // in its accept queue
	set    settings
	server server
	agent  *process // the last that was started

	sessions atomic.Int64 // that clients hold here, where a story counts them
}

// settings are what a story may change of a node's configuration before its
// agent starts.
type settings struct {
	Name                   string
	Addrs                  []netip.Addr     // which DNS hands out, and on which the agent listens
	Join                   []netip.AddrPort // of all nodes
	Advertise              string           // empty: the address that gossip listens on
	Key                    string           // a file in the farm's folder
	TTL, Hold, Ramp, Drain time.Duration
	Zone, More             string // further keys, of zone and at the top
	Gate                   string // where front ends ask; empty: nowhere
}

// A server is what the clients come for. It can hang as real ones do: the
// kernel goes on queueing for it.
type server interface {
	stall()
	resume()
}

// hubAddr is address i of the network: 0 is the hub, where questions come from
// and the balancer stands, 1 and up are its resolvers, 10 and up the nodes, 100
// and up their relays.
func hubAddr(i int) netip.Addr { return netip.AddrFrom4([4]byte{10, 77, 0, byte(1 + i)}) }

// newFarm builds a stage with one node for each limit, called a, b, c, and
// starts everything but the agents. The server of a is nginx.
func newFarm(t *testing.T, bin, name string, limits ...int) *farm {
	t.Helper()
	f := newStage(t, bin, name, limits...)
	f.nodes[0].server = f.nodes[0].nginx(t)
	for _, n := range f.nodes[1:] {
		n.server = n.sluggard(t)
	}
	return f
}

// newStage builds a farm without servers.
func newStage(t *testing.T, bin, name string, limits ...int) *farm {
	t.Helper()
	f := &farm{bin: bin, dir: t.TempDir(), hub: newSpace(t, name+"-hub")}
	f.hub.ip(t, "link add hub type bridge\nlink set hub up")
	f.hub.ip(t, fmt.Sprintf("address add %s/24 dev hub", hubAddr(0)))
	f.write(t, "gossip.key", base64.StdEncoding.EncodeToString([]byte(strings.Repeat("k", 32))))
	f.write(t, "stat", "cpu 0 0 0 100 0 0 0 0 0 0\n")
	for i, limit := range limits {
		id := string(rune('a' + i))
		n := &node{farm: f, id: id, addr: hubAddr(10 + i), limit: limit, places: backlog, space: newSpace(t, name+"-"+id)}
		n.set = settings{Name: id, Addrs: []netip.Addr{n.addr}, Key: "gossip.key", TTL: ttl, Hold: hold, Ramp: ramp, Drain: drain}
		n.plug(t)
		f.nodes = append(f.nodes, n)
	}
	for _, n := range f.nodes {
		n.set.Join = f.peers()
	}
	return f
}

// plug connects n with the hub.
func (n *node) plug(t *testing.T) {
	n.farm.hub.ip(t, fmt.Sprintf("link add to-%s type veth peer name eth0 netns %s\nlink set to-%s master hub up", n.id, n.name, n.id))
	n.ip(t, fmt.Sprintf("address add %s/24 dev eth0\nlink set eth0 up", n.addr))
}

func (f *farm) write(t *testing.T, name, text string) string {
	t.Helper()
	name = filepath.Join(f.dir, name)
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// peers are where all agents gossip.
func (f *farm) peers() (all []netip.AddrPort) {
	for _, n := range f.nodes {
		all = append(all, netip.AddrPortFrom(n.addr, 7946))
	}
	return all
}

// On is the list of a node's addresses with a port.
func (s settings) On(port uint16) string {
	var all []string
	for _, a := range s.Addrs {
		all = append(all, strconv.Quote(netip.AddrPortFrom(a, port).String()))
	}
	return "[" + strings.Join(all, ", ") + "]"
}

// configure writes n's configuration, and returns the file.
func (n *node) configure(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	err := template.Must(template.New("").Parse(`
node: {name: {{.Name}}, addresses: [{{range .Addrs}}"{{.}}", {{end}}]}
zone: {name: mail.test., ttl: {min: {{.TTL}}, max: {{.TTL}}}{{.Zone}}}
listen:
  dns: {{.On 53}}
  health: {{.On 8080}}
  agent_check: {{.On 3333}}
  gossip: "{{index .Addrs 0}}:7946"
  gate: "{{.Gate}}"
gossip: {key_file: {{.Key}}, advertise: "{{.Advertise}}", join: [{{range .Join}}"{{.}}", {{end}}]}
sources: [listener: {ports: [25]}]
limits: {connections: {{.Limit}}, ramp: {{.Ramp}}}
health: {hold: {{.Hold}}}
drain: {{.Drain}}
{{.More}}
`)).Execute(&b, struct {
		settings
		Limit int
	}{n.set, n.limit})
	if err != nil {
		t.Fatal(err)
	}
	return n.farm.write(t, n.id+".yaml", b.String())
}

// start starts n's agent. All nodes share this machine's processors, which
// would make all of them degraded when it is busy: the agent is shown a
// processor time that stands still, which is not measurable.
func (n *node) start(t *testing.T) {
	t.Helper()
	n.agent = n.space.start(t, []string{"HOST_PROC=" + n.farm.dir}, n.farm.bin, "run", "--config", n.configure(t))
}

// startAll starts every agent, and waits until each gives all nodes their fair
// share, which is after the ramp.
func (f *farm) startAll(t *testing.T) {
	t.Helper()
	for _, n := range f.nodes {
		n.start(t)
	}
	f.level(t)
}

// terminate asks n's agent to leave, and waits until it has. It may be called
// beside the test.
func (n *node) terminate(t *testing.T) {
	t.Helper()
	if err := n.agent.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Error(err)
		return
	}
	select {
	case <-n.agent.gone:
	case <-time.After(soon):
		t.Errorf("%s: still there %v after SIGTERM", n.id, soon)
		return
	}
	if got := n.agent.cmd.ProcessState.ExitCode(); got != 0 {
		t.Errorf("%s: exit status %d after SIGTERM, want 0", n.id, got)
	}
}
