package e2e

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// logs waits until n's agent has logged a line that holds all of words.
func (n *node) logs(t *testing.T, words ...string) {
	t.Helper()
	eventually(t, soon, fmt.Sprintf("%s logs %q", n.id, words), func() (string, bool) {
		for line := range strings.Lines(n.agent.log.String()) {
			if holds(line, words) {
				return "", true
			}
		}
		return n.agent.log.String(), false
	})
}

func holds(line string, words []string) bool {
	for _, w := range words {
		if !strings.Contains(line, w) {
			return false
		}
	}
	return true
}

// Two agents have different gossip keys. Both say so, each goes on alone, and
// neither hears of the other.
func keyStory(t *testing.T, bin string) {
	f := newFarm(t, bin, "key", 200, 200)
	a, b := f.nodes[0], f.nodes[1]
	b.set.Key = "other.key"
	f.write(t, b.set.Key, base64.StdEncoding.EncodeToString([]byte(strings.Repeat("o", 32))))
	for _, n := range f.nodes {
		n.start(t)
	}
	for _, n := range f.nodes {
		n.logs(t, `"ERROR"`, "a peer's key differs from ours")
	}
	throughout(t, 10*time.Second, "a and b go on alone", func() (string, bool) {
		x, y := a.status(), b.status()
		return fmt.Sprint(x, y), len(x.Nodes) == 1 && len(y.Nodes) == 1 && a.shares(t, 1)["a"] == 1 && b.shares(t, 1)["b"] == 1
	})
}

// An agent advertises an address to which nothing leads, so that it is heard and
// hears next to nothing. The others say which address it is, and it says that it
// is alone; nobody fails, and everyone is answered.
func routeStory(t *testing.T, bin string) {
	f := newFarm(t, bin, "route", 200, 200, 400)
	a, b, c := f.nodes[0], f.nodes[1], f.nodes[2]
	c.set.Advertise = "203.0.113.9:7946" // RFC 5737, section 3: nobody has it
	for _, n := range f.nodes {
		n.start(t)
	}
	a.logs(t, `"ERROR"`, "203.0.113.9:7946", "network is unreachable")
	b.logs(t, `"ERROR"`, "203.0.113.9:7946", "network is unreachable")
	c.logs(t, `"WARN"`, "the advertised address is none of this machine's", "203.0.113.9:7946")
	c.logs(t, `"WARN"`, "most of the farm fell silent at once")
	throughout(t, 10*time.Second, "nobody fails, and everyone is answered", f.answers(t))
}

// answers says whether every probe and every agent's DNS says yes.
func (f *farm) answers(t *testing.T) func() (string, bool) {
	return func() (string, bool) {
		for _, n := range f.nodes {
			if code, state := n.probe(); code != 200 || n.shares(t, 1) == nil {
				return fmt.Sprint(n.id, ": ", code, " ", state), false
			}
		}
		return "", true
	}
}

// Two machines have one name. Everyone is told so, with both addresses. The two
// go on answering, each with its own address.
func nameStory(t *testing.T, bin string) {
	f := newFarm(t, bin, "name", 200, 200, 400)
	a, c := f.nodes[0], f.nodes[2]
	c.set.Name = a.set.Name
	for _, n := range f.nodes {
		n.set.Ramp = 0
		n.start(t)
	}
	for _, n := range f.nodes {
		n.logs(t, `"ERROR"`, "two machines use one name", a.addr.String()+":7946", c.addr.String()+":7946")
		eventually(t, soon, n.id+" shows the alarm", func() (string, bool) {
			alarms := n.status().Alarms
			return fmt.Sprint(alarms), len(alarms) == 1 && holds(alarms[0], []string{a.addr.String(), c.addr.String()})
		})
	}
	throughout(t, 5*time.Second, "each of the two answers with itself and not with the other", func() (string, bool) {
		x, y := a.shares(t, 20), c.shares(t, 20)
		return fmt.Sprint(x, y), x["a"] > 0 && x["c"] == 0 && y["c"] > 0 && y["a"] == 0
	})
	throughout(t, time.Second, "nobody fails", f.answers(t))
}

// An address is in use. The agent says which, and under which key it was
// given, and ends with 1.
func portStory(t *testing.T, bin string) {
	f := newFarm(t, bin, "port", 200)
	a := f.nodes[0]
	for _, taken := range []struct{ key, addr string }{
		{"listen.dns", "10.77.0.11:53"},
		{"listen.health", "10.77.0.11:8080"},
		{"listen.agent_check", "10.77.0.11:3333"},
		{"listen.admin", "127.0.0.1:9853"},
		{"listen.gossip", "10.77.0.11:7946"},
	} {
		var l net.Listener
		err := a.do(func() (err error) {
			l, err = net.Listen("tcp", taken.addr)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		text, code := a.refuses(t)
		if code != 1 || !holds(text, []string{"error: ", taken.key, taken.addr, "hint: "}) {
			t.Errorf("%s taken: exit status %d, want 1, with an error that names both:\n%s", taken.addr, code, text)
		}
		l.Close()
	}
}

// refuses runs n's agent, which must end by itself.
func (n *node) refuses(t *testing.T) (text string, code int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), soon)
	defer cancel()
	cmd := exec.CommandContext(ctx, n.farm.bin, "run", "--config", n.configure(t))
	var out []byte
	err := n.do(func() (err error) { out, err = cmd.CombinedOutput(); return err })
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return string(out), cmd.ProcessState.ExitCode()
}
