package configs

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestDefaultIsTheFile(t *testing.T) {
	want, err := os.ReadFile("evenkeel.yaml")
	if err != nil {
		t.Fatal(err)
	}
	b := Default()
	if string(b) != string(want) {
		t.Error("Default differs from evenkeel.yaml")
	}
	b[0] = 'x' // the caller's own
	if string(Default()) != string(want) {
		t.Error("who writes to what Default returned changes it for others")
	}
}

// Whoever reads the file learns what each key is for.
func TestEveryKeyHasAComment(t *testing.T) {
	section := regexp.MustCompile(`^[a-z_]+:$`)
	for i, line := range strings.Split(string(Default()), "\n") {
		if line == "" || strings.HasPrefix(line, "#") || section.MatchString(line) {
			continue
		}
		if _, comment, ok := strings.Cut(line, " # "); !ok || strings.TrimSpace(comment) == "" {
			t.Errorf("evenkeel.yaml:%d: no comment: %s", i+1, line)
		}
	}
}

// The words that haproxy.cfg must hold, in the section where they count.
// That HAProxy takes the file is for HAProxy to say: haproxy -c -f haproxy.cfg.
func TestHAProxy(t *testing.T) {
	backend := section(t, "haproxy.cfg", "backend exchange")
	for _, tt := range []struct {
		line string
		why  string
	}{
		{`^balance roundrobin$`, "a static algorithm takes no weight but 0 % and 100 %"},
		{`^option httpchk$`, "a connect alone says nothing about the node"},
		{`^http-check send .*uri /mapi/healthcheck\.htm`, "the page that the agent serves"},
		{`^http-check expect status 200$`, "the only answer that means in service"},
		{`^default-server .*\bweight 100\b`, "with weight 1 every percent below 100 rounds to 0"},
		{`^default-server .*\bcheck port 8080\b`, "the port of listen.health"},
		{`^default-server .*\binter \d+s fall \d+ rise \d+\b`, "how soon a node is out and back is a decision"},
		{`^default-server .*\bagent-check agent-port 3333\b`, "the port of listen.agent_check"},
	} {
		if !slices.ContainsFunc(backend, regexp.MustCompile(tt.line).MatchString) {
			t.Errorf("no line matches %s (%s)", tt.line, tt.why)
		}
	}
}

func TestHAProxyCutsNobody(t *testing.T) {
	for _, line := range section(t, "haproxy.cfg", "backend exchange") {
		if strings.Contains(line, "shutdown-sessions") || strings.Contains(line, "slowstart") {
			t.Errorf("sessions are cut, or a ramp is laid over the agent's: %s", line)
		}
	}
}

// A node that one file calls by an address is the same in the other.
func TestExchangeFilesAgree(t *testing.T) {
	farm, err := os.ReadFile("exchange-two-nodes.yaml")
	if err != nil {
		t.Fatal(err)
	}
	servers := 0
	for _, line := range section(t, "haproxy.cfg", "backend exchange") {
		m := regexp.MustCompile(`^server \S+ ([0-9.]+):443$`).FindStringSubmatch(line)
		if m == nil {
			continue
		}
		servers++
		if !strings.Contains(string(farm), `"`+m[1]+`:7946"`) {
			t.Errorf("%s is a server of haproxy.cfg and no peer in exchange-two-nodes.yaml", m[1])
		}
	}
	if servers != 2 {
		t.Errorf("got %d servers, want 2", servers)
	}
}

// section is what a section of an HAProxy file says, without comments.
func section(t *testing.T, file, head string) []string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	in := false
	for line := range strings.Lines(string(b)) {
		line, _, _ = strings.Cut(strings.TrimRight(line, "\r\n"), "#")
		switch text := strings.TrimSpace(line); {
		case text == "":
		case !strings.HasPrefix(line, " "):
			in = text == head
		case in:
			lines = append(lines, text)
		}
	}
	if len(lines) == 0 {
		t.Fatalf("%s: nothing in %q", file, head)
	}
	return lines
}
