package e2e

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"evenkeel/agent/demo"
)

// nginx is a server that hangs when its process is stopped.
type nginx struct{ *process }

func (n *node) nginx(t *testing.T) server {
	t.Helper()
	dir := t.TempDir()
	var listen strings.Builder
	for _, a := range n.set.Addrs {
		fmt.Fprintf(&listen, "listen %s backlog=%d; ", netip.AddrPortFrom(a, 25), n.places)
	}
	file := n.farm.write(t, n.id+"-nginx.conf", fmt.Sprintf(`
daemon off; master_process off; error_log stderr; pid %s;
events { worker_connections 4096; }
http {
  access_log off; client_header_timeout 1h;
  client_body_temp_path %[2]s; proxy_temp_path %[2]s; fastcgi_temp_path %[2]s; uwsgi_temp_path %[2]s; scgi_temp_path %[2]s;
  server { %[3]sreturn 204; }
}`, filepath.Join(dir, "pid"), dir, &listen))
	n.command(t, "nginx", "-e", "stderr", "-c", file)
	p := n.space.start(t, nil, "nginx", "-e", "stderr", "-c", file)
	n.listens(t)
	return nginx{p}
}

// command lets operators on n type name alone, for name with args.
func (n *node) command(t *testing.T, name string, args ...string) {
	t.Helper()
	path, err := exec.LookPath(name)
	if err == nil {
		err = os.MkdirAll(n.commands(), 0o700)
	}
	if err == nil {
		script := fmt.Appendf(nil, "#!/bin/sh\nexec %s %s \"$@\"\n", path, strings.Join(args, " "))
		err = os.WriteFile(filepath.Join(n.commands(), name), script, 0o700)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func (n *node) commands() string { return filepath.Join(n.farm.dir, n.id) }

func (s nginx) stall()  { s.cmd.Process.Signal(syscall.SIGSTOP) }
func (s nginx) resume() { s.cmd.Process.Signal(syscall.SIGCONT) }

// listens waits until n's server accepts.
func (n *node) listens(t *testing.T) {
	t.Helper()
	eventually(t, soon, n.id+" accepts on port 25", func() (string, bool) {
		conn, err := n.farm.hub.dial(t.Context(), "tcp", netip.AddrPortFrom(n.addr, 25).String())
		if err != nil {
			return err.Error(), false
		}
		return "", conn.Close() == nil
	})
}

// A sluggard is a server that hangs when it is told to.
type sluggard struct{ stalled atomic.Bool }

func (n *node) sluggard(t *testing.T) server {
	t.Helper()
	s := &sluggard{}
	d := demo.Server{Backlog: n.places, Stalled: func(time.Duration) bool { return s.stalled.Load() }}
	var l net.Listener
	if err := n.do(func() (err error) { l, err = d.Listen(netip.AddrPortFrom(n.addr, 25)); return err }); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() { d.Serve(ctx, l) })
	t.Cleanup(func() { stop(); wg.Wait() })
	return s
}

// stall takes effect after one more connection, for which Accept waits already.
func (s *sluggard) stall()  { s.stalled.Store(true) }
func (s *sluggard) resume() { s.stalled.Store(false) }
