package e2e

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A transcript is what an operator typed and was answered, with the seconds
// since it began at the left. It shows the folder of the configuration as
// /etc/evenkeel, and is otherwise what a terminal would show.
type transcript struct {
	farm  *farm
	began time.Time
	text  strings.Builder
	line  []byte // that is not whole yet
}

// transcribe shows the transcript in the log of the test, whole, when it ends.
func (f *farm) transcribe(t *testing.T) *transcript {
	s := &transcript{farm: f, began: time.Now()}
	t.Cleanup(func() { t.Logf("\n%s", s.text.String()) })
	return s
}

// Write takes what a command prints. It is called by one goroutine at a time.
func (s *transcript) Write(b []byte) (int, error) {
	s.line = append(s.line, b...)
	for {
		line, rest, whole := bytes.Cut(s.line, []byte("\n"))
		if !whole {
			return len(b), nil
		}
		s.line = rest
		shown := strings.ReplaceAll(string(line), s.farm.dir, "/etc/evenkeel")
		fmt.Fprintf(&s.text, "%6.1f  %s\n", time.Since(s.began).Seconds(), shown)
	}
}

func (s *transcript) says(format string, args ...any) { fmt.Fprintf(s, format+"\n", args...) }

// types runs a command on n, which must succeed.
func (s *transcript) types(t *testing.T, n *node, command string) {
	t.Helper()
	s.says("%s# %s", n.id, command)
	ctx, cancel := context.WithTimeout(t.Context(), soon)
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh", "-c", command)
	cmd.Stdout, cmd.Stderr = s, s
	cmd.Env = append(os.Environ(), "EVENKEEL_CONFIG="+n.configure(t),
		"PATH="+strings.Join([]string{filepath.Dir(n.farm.bin), n.commands(), os.Getenv("PATH")}, ":"))
	if err := n.do(cmd.Run); err != nil {
		t.Fatalf("%s on %s: %v\n%s", command, n.id, err, s.text.String())
	}
}

// startsServer starts nginx on n.
func (s *transcript) startsServer(t *testing.T, n *node) {
	t.Helper()
	s.says("%s# nginx &", n.id)
	n.server = n.nginx(t)
}

// startsAgent starts n's agent.
func (s *transcript) startsAgent(t *testing.T, n *node) {
	t.Helper()
	s.says("%s# evenkeel run 2>>evenkeel.log &", n.id)
	n.start(t)
	eventually(t, soon, n.id+" says what it serves", func() (string, bool) {
		return n.agent.log.String(), strings.Contains(n.agent.out.String(), "gossip:")
	})
	s.Write([]byte(n.agent.out.String()))
}

// stopsAgent ends n's agent as a supervisor does.
func (s *transcript) stopsAgent(t *testing.T, n *node) {
	t.Helper()
	s.says("%s# kill -TERM %d; wait", n.id, n.agent.cmd.Process.Pid)
	n.terminate(t)
}

// stopsServer lets nginx end when those it talks to have.
func (s *transcript) stopsServer(t *testing.T, n *node) {
	t.Helper()
	s.types(t, n, "nginx -s quit")
	select {
	case <-n.server.(nginx).gone:
	case <-time.After(soon):
		t.Fatalf("nginx of %s does not end", n.id)
	}
}

// sees waits until at's agent says of n what ok wants.
func (at *node) sees(t *testing.T, n *node, what string, ok func(standing) bool) {
	t.Helper()
	eventually(t, soon, fmt.Sprintf("%s sees %s %s", at.id, n.id, what), func() (string, bool) {
		s := at.status()
		return s.String(), ok(s.of(n.id))
	})
}

// grown waits until every agent sees all up, and none in its ramp.
func (f *farm) grown(t *testing.T) {
	t.Helper()
	for _, at := range f.nodes {
		for _, n := range f.nodes {
			at.sees(t, n, "up", func(s standing) bool { return s.State == "up" && s.Why == "" })
		}
	}
}

func slow(s standing) bool { return s.State == "up" && s.Why == "ramp" && s.Share > 0 }
func many(s standing) bool { return s.Connections != nil && *s.Connections > 10 }
func left(s standing) bool { return s.State == "down" }

// A third node is added to a pair that works. No client is denied anything, and
// the third gets its part of them.
func addStory(t *testing.T, bin string) {
	f := newStage(t, bin, "add", 200, 200, 400)
	a, b, c := f.nodes[0], f.nodes[1], f.nodes[2]
	f.nodes = f.nodes[:2]
	for _, n := range f.nodes {
		n.server = n.nginx(t)
		n.set.Join = f.peers() // which need not change when a third comes
	}
	f.startAll(t)
	clients := f.call(t, f.unbound(t, 1), 50*time.Millisecond, 5*time.Second)
	f.nodes = append(f.nodes, c)
	b.sees(t, a, "with clients", many)
	a.sees(t, b, "with clients", many)

	s := f.transcribe(t)
	s.types(t, a, "evenkeel status")
	s.startsServer(t, c)
	s.types(t, c, "evenkeel check")
	s.startsAgent(t, c)
	a.sees(t, c, "in its ramp", slow)
	s.types(t, a, "evenkeel status")
	f.grown(t)
	s.types(t, b, "evenkeel status")
	s.types(t, c, "evenkeel delegation")
	b.sees(t, c, "with its part of the clients", many)
	s.types(t, c, "evenkeel status")

	clients.happy(t)
	s.says("clients: %v", clients)
}

// A node is drained, stopped, started and comes back. No client is denied
// anything.
func maintenanceStory(t *testing.T, bin string) {
	f := newStage(t, bin, "mend", 200, 200, 400)
	for _, n := range f.nodes {
		n.server = n.nginx(t)
	}
	f.startAll(t)
	a, b := f.nodes[0], f.nodes[1]
	clients := f.call(t, f.unbound(t, 1), 50*time.Millisecond, 5*time.Second)
	a.sees(t, b, "with clients", many)

	s := f.transcribe(t)
	s.types(t, a, "evenkeel status")
	s.types(t, b, "evenkeel drain b --over 10s --wait")
	s.types(t, a, "evenkeel status")
	s.stopsServer(t, b)
	s.stopsAgent(t, b)
	a.sees(t, b, "gone", left)
	s.types(t, a, "evenkeel status")
	s.startsServer(t, b)
	s.startsAgent(t, b)
	a.sees(t, b, "in its ramp", slow)
	s.types(t, a, "evenkeel status")
	f.grown(t)
	s.types(t, b, "evenkeel status")

	clients.happy(t)
	s.says("clients: %v", clients)
}

// A node is asked by another to drain, and started anew before that request is
// forgotten. It carries out nothing that was asked of its former self.
func askedStory(t *testing.T, bin string) {
	f := newFarm(t, bin, "asked", 200, 200, 400)
	f.startAll(t)
	a, b := f.nodes[0], f.nodes[1]
	f.transcribe(t).types(t, a, "evenkeel drain b")
	b.terminate(t)
	a.sees(t, b, "gone", left)
	b.start(t)
	a.sees(t, b, "in its ramp", slow)
	f.level(t)
}

// A node that holds nobody is drained and stopped. The resolver still sends it
// clients for as long as it may remember it, so the drain waits for that.
func briefStory(t *testing.T, bin string) {
	f := newStage(t, bin, "brief", 200, 200, 400)
	for _, n := range f.nodes {
		n.server = n.nginx(t)
		n.set.TTL = 3 * time.Second
	}
	f.startAll(t)
	b := f.nodes[1]
	clients := f.call(t, f.unbound(t, 1), 25*time.Millisecond, 0)
	s := f.transcribe(t)
	s.types(t, b, "evenkeel drain b --over 10s --wait")
	s.stopsServer(t, b)
	throughout(t, 5*time.Second, "clients are served", func() (string, bool) { return clients.String(), clients.first.Load() == nil })
	clients.happy(t)
}

// A machine starts its agent a little before its server. Nobody is sent there
// until there is something that serves.
func earlyStory(t *testing.T, bin string) {
	f := newStage(t, bin, "early", 200, 200, 400)
	c := f.nodes[2]
	for _, n := range f.nodes[:2] {
		n.server = n.nginx(t)
		n.start(t)
	}
	f.nodes[0].sees(t, f.nodes[1], "in its ramp", slow)
	c.start(t)
	throughout(t, 3*time.Second, "nobody is sent to c", func() (string, bool) {
		s := f.nodes[0].status()
		return s.String(), f.nodes[0].shares(t, 50)[c.id] == 0
	})
	c.server = c.nginx(t)
	f.level(t)
}
