package e2e

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"path/filepath"
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
	file := n.farm.write(t, "nginx.conf", fmt.Sprintf(`
daemon off; master_process off; error_log stderr; pid %s;
events { worker_connections 4096; }
http {
  access_log off; client_header_timeout 1h;
  client_body_temp_path %[2]s; proxy_temp_path %[2]s; fastcgi_temp_path %[2]s; uwsgi_temp_path %[2]s; scgi_temp_path %[2]s;
  server { listen %[3]s:25 backlog=%[4]d; return 204; }
}`, filepath.Join(dir, "pid"), dir, n.addr, backlog))
	p := n.space.start(t, nil, "nginx", "-e", "stderr", "-c", file)
	n.listens(t)
	return nginx{p}
}

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
	d := demo.Server{Backlog: backlog, Stalled: func(time.Duration) bool { return s.stalled.Load() }}
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
