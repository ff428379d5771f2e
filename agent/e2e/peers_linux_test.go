package e2e

import (
	"bufio"
	"context"
	"encoding/csv"
	"fmt"
	"net"
	"net/netip"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// unbound starts a caching resolver at hub address i, which it returns, and
// waits for nothing: it has answers when the agents have.
func (f *farm) unbound(t *testing.T, i int) int {
	t.Helper()
	var stubs strings.Builder
	for _, n := range f.nodes {
		fmt.Fprintf(&stubs, "  stub-addr: %s\n", n.addr)
	}
	f.hub.ip(t, fmt.Sprintf("address add %s/24 dev hub", hubAddr(i)))
	f.startUnbound(t, hubAddr(i), `
  module-config: "iterator"
  local-zone: "test." transparent`, `
stub-zone:
  name: "mail.test."
`+stubs.String())
	return i
}

// startUnbound starts unbound at an address of the hub, with further lines for
// its server, and behind it.
func (f *farm) startUnbound(t *testing.T, at netip.Addr, server, behind string) {
	t.Helper()
	file := f.write(t, fmt.Sprintf("unbound-%s.conf", at), fmt.Sprintf(`
server:
  interface: %[1]s
  outgoing-interface: %[1]s
  access-control: 10.77.0.0/24 allow
  directory: %[2]q
  pidfile: ""
  chroot: ""
  username: ""
  use-syslog: no%[3]s
remote-control:
  control-enable: no
%[4]s`, at, f.dir, server, behind))
	f.hub.start(t, nil, "unbound", "-d", "-c", file)
}

// A balancer is HAProxy, which asks every agent both ways.
type balancer struct {
	farm   *farm
	socket string
}

func (f *farm) haproxy(t *testing.T) balancer {
	t.Helper()
	var servers strings.Builder
	for _, n := range f.nodes {
		to := n.set.Addrs[len(n.set.Addrs)-1] // the IPv6 one, where there is one
		fmt.Fprintf(&servers, "  server %s %s\n", n.id, netip.AddrPortFrom(to, 25))
	}
	b := balancer{f, filepath.Join(f.dir, "haproxy.sock")}
	file := f.write(t, "haproxy.cfg", fmt.Sprintf(`
global
  stats socket %s mode 600 level user
defaults
  mode tcp
  timeout connect 2s
  timeout client 1h
  timeout server 1h
  timeout check 2s
frontend mail
  bind %s:25
  default_backend farm
backend farm
  balance roundrobin
  option httpchk
  http-check send meth GET uri /mapi/healthcheck.htm ver HTTP/1.1 hdr Host mail.test
  http-check expect status 200
  default-server weight 100 check port 8080 inter 200ms fall 3 rise 2 agent-check agent-port 3333 agent-inter 200ms
%s`, b.socket, hubAddr(0), &servers))
	f.hub.start(t, nil, "haproxy", "-db", "-f", file)
	return b
}

// A backend is what HAProxy shows of a server.
type backend struct {
	status string // UP, DRAIN, DOWN, and more words after it
	weight int
}

func (b backend) is(status string) bool { return strings.HasPrefix(b.status, status) }

// servers asks HAProxy for its servers; nil while it cannot be asked.
func (b balancer) servers() map[string]backend {
	conn, err := net.Dial("unix", b.socket)
	if err != nil {
		return nil
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(5 * time.Second))
	fmt.Fprintln(conn, "show stat")
	r := csv.NewReader(bufio.NewReader(conn))
	r.FieldsPerRecord = -1
	rows, err := r.ReadAll()
	if err != nil || len(rows) == 0 {
		return nil
	}
	column := map[string]int{}
	for i, name := range rows[0] {
		column[strings.TrimPrefix(name, "# ")] = i
	}
	out := map[string]backend{}
	for _, row := range rows[1:] {
		if name := row[column["svname"]]; row[0] == "farm" && name != "BACKEND" {
			weight, _ := strconv.Atoi(row[column["weight"]])
			out[name] = backend{row[column["status"]], weight}
		}
	}
	return out
}

// HAProxy in front: weights follow the load, a node in trouble is taken out,
// two are not, and a node that leaves is drained before it is gone.
func balancerStory(t *testing.T, bin string) {
	f := newFarm(t, bin, "balancer", 200, 200, 400)
	h := f.haproxy(t)
	f.startAll(t)
	a, b := f.nodes[0], f.nodes[1]
	h.shows(t, "all alike", alike)
	ctx, stop := context.WithCancel(t.Context())
	var watch sync.WaitGroup
	watch.Go(func() { h.oneDown(ctx, t) })
	defer watch.Wait()
	defer stop()

	first, second := newCrowd(t), newCrowd(t)
	b.connect(t, first, b.limit/2)
	h.shows(t, "less for b, and more for the others", func(s map[string]backend) bool {
		return s["b"].weight < 50 && s["a"].weight > 110 && s["c"].weight > 110
	})
	first.leave()

	overload(t, first, a)
	h.shows(t, "a taken out", func(s map[string]backend) bool { return s["a"].is("DOWN") })
	overload(t, second, b)
	h.shows(t, "a back, as b is no better", func(s map[string]backend) bool { return s["a"].is("UP") && s["b"].weight < 10 })
	a.relieve(first)
	b.relieve(second)
	h.shows(t, "all alike", alike)

	b.agent.cmd.Process.Signal(syscall.SIGTERM)
	h.shows(t, "b drained", func(s map[string]backend) bool { return s["b"].is("DRAIN") })
	h.shows(t, "b gone", func(s map[string]backend) bool { return s["b"].is("DOWN") && s["a"].is("UP") && s["c"].is("UP") })
	<-b.agent.gone
}

// shows waits until HAProxy shows what ok wants of its servers.
func (b balancer) shows(t *testing.T, what string, ok func(map[string]backend) bool) {
	t.Helper()
	eventually(t, soon, "HAProxy shows "+what, func() (string, bool) {
		s := b.servers()
		return fmt.Sprint(s), len(s) == len(b.farm.nodes) && ok(s)
	})
}

// alike says that all servers are up and get their fair share.
func alike(servers map[string]backend) bool {
	for _, s := range servers {
		if !s.is("UP") || s.weight < 95 || s.weight > 105 {
			return false
		}
	}
	return true
}

// oneDown watches until ctx is done: of three servers one may be down.
func (b balancer) oneDown(ctx context.Context, t *testing.T) {
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		down := 0
		s := b.servers()
		for _, server := range s {
			if server.is("DOWN") {
				down++
			}
		}
		if down > 1 {
			t.Errorf("more than one is down: %v", s)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}
