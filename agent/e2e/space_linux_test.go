package e2e

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

const prefix = "evenkeel-" // of every space; the test's process id follows

// sweep removes what tests that crashed have left.
func sweep() {
	left, _ := filepath.Glob("/run/netns/" + prefix + "*") // the pattern is well formed
	for _, path := range left {
		name := filepath.Base(path)
		pid, _, _ := strings.Cut(strings.TrimPrefix(name, prefix), "-")
		if _, err := os.Stat("/proc/" + pid); err != nil {
			try("", "ip", "netns", "delete", name) // another run may be faster
		}
	}
}

// A space is a network namespace: a machine, as far as the network can tell.
type space struct {
	name string
	web  *http.Client // asks from here
}

// newSpace makes a space with a loopback interface. It is gone after the test,
// with all links into it.
func newSpace(t *testing.T, name string) space {
	t.Helper()
	s := space{name: fmt.Sprintf("%s%d-%s", prefix, os.Getpid(), name)}
	s.web = &http.Client{Timeout: patience, Transport: &http.Transport{DialContext: s.dial}}
	run(t, "", "ip", "netns", "add", s.name)
	t.Cleanup(func() {
		s.web.CloseIdleConnections()
		run(t, "", "ip", "netns", "delete", s.name)
	})
	s.ip(t, "link set lo up")
	return s
}

// ip gives ip(8) one command a line.
func (s space) ip(t *testing.T, lines string) {
	t.Helper()
	run(t, lines, "ip", "-n", s.name, "-batch", "-")
}

// nft gives the packet filter of s its rules.
func (s space) nft(t *testing.T, rules string) {
	t.Helper()
	if err := s.do(func() error { return try(rules, "nft", "-f", "-") }); err != nil {
		t.Fatal(err)
	}
}

// do calls f on a thread that is in s. A socket stays in the space in which it
// was made. The thread ends with f: nothing else may run on it.
func (s space) do(f func() error) error {
	done := make(chan error)
	go func() {
		runtime.LockOSThread()
		done <- s.enter(f)
	}()
	return <-done
}

// enter moves the thread into s, for good, and calls f.
func (s space) enter(f func() error) error {
	ns, err := os.Open("/run/netns/" + s.name)
	if err != nil {
		return err
	}
	defer ns.Close()
	if err := unix.Setns(int(ns.Fd()), unix.CLONE_NEWNET); err != nil {
		return fmt.Errorf("entering %s: %w", s.name, err)
	}
	return f()
}

// dial has the signature that net/http and others ask for.
func (s space) dial(ctx context.Context, network, addr string) (c net.Conn, err error) {
	err = s.do(func() error {
		c, err = new(net.Dialer).DialContext(ctx, network, addr)
		return err
	})
	return c, err
}

// A process is a program that runs until it is killed, or the test is over.
type process struct {
	cmd      *exec.Cmd
	out, log record        // what it has printed so far, to stdout and to stderr
	gone     chan struct{} // closed when it has ended
}

// A record keeps what is written, and passes it on.
type record struct {
	to io.Writer

	mu   sync.Mutex // guards text
	text strings.Builder
}

func (r *record) Write(b []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.text.Write(b)
	return r.to.Write(b)
}

func (r *record) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.String()
}

// start runs a program in s. What it prints is shown if the test fails. It
// does not outlive the thread that started it, and so not a test that crashes.
func (s space) start(t *testing.T, env []string, name string, args ...string) *process {
	t.Helper()
	p := &process{cmd: exec.Command(name, args...), out: record{to: t.Output()}, log: record{to: t.Output()}, gone: make(chan struct{})}
	p.cmd.Env = append(os.Environ(), env...)
	p.cmd.Stdout, p.cmd.Stderr = &p.out, &p.log
	// A group of its own: when a shell ends, the kernel wakes who is stopped in
	// the groups that it leaves behind, and the test may be in one.
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
	started := make(chan error)
	go func() {
		defer close(p.gone)
		runtime.LockOSThread()
		err := s.enter(p.cmd.Start)
		started <- err
		if err == nil {
			p.cmd.Wait()
		}
	}()
	if err := <-started; err != nil {
		t.Fatalf("start %s: %v", name, err)
	}
	t.Cleanup(p.kill)
	return p
}

// kill ends p as a crash does, and returns when it has ended.
func (p *process) kill() {
	p.cmd.Process.Kill() // an error means that it has ended already
	<-p.gone
}

// run runs a program that ends by itself.
func run(t *testing.T, stdin, name string, args ...string) {
	t.Helper()
	if err := try(stdin, name, args...); err != nil {
		t.Fatal(err)
	}
}

func try(stdin, name string, args ...string) error {
	cmd := exec.Command(name, args...)
	cmd.Stdin = strings.NewReader(stdin)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%v: %w\n%s%s", cmd, err, stdin, out)
	}
	return nil
}
