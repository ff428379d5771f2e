package e2e

import (
	"context"
	"encoding/base64"
	"fmt"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"text/template"
	"time"
)

// The stage has short times, so that a story takes seconds; answers live for
// one, and a failing probe is held for five.
const (
	backlog = 100              // places in each accept queue
	drain   = 3 * time.Second  // how long a node that leaves lets clients turn away
	ramp    = 10 * time.Second // slow start
	soon    = time.Minute      // within this happens what must, and has no time promised: three times what a busy machine was seen to need
)

// A farm is nodes around a hub: a switch, on which clients, resolvers and
// balancers live too.
type farm struct {
	bin   string // the agent
	dir   string // for files of all programs
	hub   space
	nodes []*node
}

// A node is one machine of the farm.
type node struct {
	space
	farm   *farm
	id     string
	addr   netip.Addr
	limit  int // of connections
	server server
	agent  *process // the last that was started
}

// A server is what the clients come for. It can hang as real ones do: the
// kernel goes on queueing for it.
type server interface {
	stall()
	resume()
}

// hubAddr is address i of the network: 0 is the hub, where questions come from
// and the balancer stands, 1 and 2 are its resolvers, 10 and up the nodes.
func hubAddr(i int) netip.Addr { return netip.AddrFrom4([4]byte{10, 77, 0, byte(1 + i)}) }

// newFarm builds a stage with one node for each limit, called a, b, c, and
// starts everything but the agents. The server of a is nginx.
func newFarm(t *testing.T, bin, name string, limits ...int) *farm {
	t.Helper()
	f := &farm{bin: bin, dir: t.TempDir(), hub: newSpace(t, name+"-hub")}
	f.hub.ip(t, "link add hub type bridge\nlink set hub up\naddress add 10.77.0.1/24 dev hub\naddress add 10.77.0.2/24 dev hub\naddress add 10.77.0.3/24 dev hub")
	key := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("k", 32)))
	f.write(t, "gossip.key", key)
	f.write(t, "stat", "cpu 0 0 0 100 0 0 0 0 0 0\n")
	for i, limit := range limits {
		id := string(rune('a' + i))
		n := &node{farm: f, id: id, addr: hubAddr(10 + i), limit: limit, space: newSpace(t, name+"-"+id)}
		n.plug(t)
		if i == 0 {
			n.server = n.nginx(t)
		} else {
			n.server = n.sluggard(t)
		}
		f.nodes = append(f.nodes, n)
	}
	for _, n := range f.nodes {
		f.write(t, n.id+".yaml", n.config(t))
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

// config is the same for all nodes but for its name, address and limit.
func (n *node) config(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	err := template.Must(template.New("").Parse(`
node: {name: {{.ID}}, addresses: ["{{.Addr}}"]}
zone: {name: mail.test., ttl: {min: 1s, max: 1s}}
listen:
  dns: ["{{.Addr}}:53"]
  health: ["{{.Addr}}:8080"]
  agent_check: ["{{.Addr}}:3333"]
  gossip: "{{.Addr}}:7946"
gossip: {key_file: gossip.key, join: [{{range .Peers}}"{{.}}:7946", {{end}}]}
sources: [listener: {ports: [25]}]
limits: {connections: {{.Limit}}, ramp: {{.Ramp}}}
health: {hold: 5s}
drain: {{.Drain}}
`)).Execute(&b, map[string]any{
		"ID": n.id, "Addr": n.addr, "Peers": n.farm.addrs(), "Limit": n.limit, "Ramp": ramp, "Drain": drain,
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func (f *farm) addrs() (all []string) {
	for _, n := range f.nodes {
		all = append(all, n.addr.String())
	}
	return all
}

// start starts n's agent. All nodes share this machine's processors, which
// would make all of them degraded when it is busy: the agent is shown a
// processor time that stands still, which is not measurable.
func (n *node) start(t *testing.T) {
	t.Helper()
	n.agent = n.space.start(t, []string{"HOST_PROC=" + n.farm.dir}, n.farm.bin, "run", "--config", filepath.Join(n.farm.dir, n.id+".yaml"))
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

// peers are the addresses of the other nodes, in the words of nftables.
func (n *node) peers() string {
	var all []string
	for _, o := range n.farm.nodes {
		if o != n {
			all = append(all, o.addr.String())
		}
	}
	return "{ " + strings.Join(all, ", ") + " }"
}

// cut takes n's peers from it, and nothing else.
func (n *node) cut(t *testing.T) {
	t.Helper()
	n.nft(t, fmt.Sprintf(`table inet cut {
		chain in {
			type filter hook input priority 0
			ip saddr %[1]s drop
		}
		chain out {
			type filter hook output priority 0
			ip daddr %[1]s drop
		}
	}`, n.peers()))
}

// mend undoes cut.
func (n *node) mend(t *testing.T) {
	t.Helper()
	n.nft(t, "delete table inet cut")
}

// lose drops so many percent of what n's peers send to it.
func (n *node) lose(t *testing.T, percent int) {
	t.Helper()
	n.nft(t, fmt.Sprintf(`table inet loss {
		chain in {
			type filter hook input priority 0
			ip saddr %s numgen random mod 100 < %d drop
		}
	}`, n.peers(), percent))
}

// A crowd is clients that stay until they are sent home.
type crowd struct{ conns []net.Conn }

func newCrowd(t *testing.T) *crowd {
	c := &crowd{}
	t.Cleanup(c.leave)
	return c
}

// leave hangs up all.
func (c *crowd) leave() {
	for _, conn := range c.conns {
		conn.Close()
	}
	c.conns = nil
}

// connect makes count connections to n's server. The kernel makes them, whether
// the server hangs or not, as long as its queue is not full.
func (n *node) connect(t *testing.T, c *crowd, count int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), soon)
	defer cancel()
	for range count {
		conn, err := n.farm.hub.dial(ctx, "tcp", netip.AddrPortFrom(n.addr, 25).String())
		if err != nil {
			t.Fatalf("connecting to %s: %v", n.id, err)
		}
		c.conns = append(c.conns, conn)
	}
}
