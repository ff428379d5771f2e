package configs

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// unit is what a unit file says: section and name of every line, and its
// values in their order.
func unit(t *testing.T, file string) map[string][]string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	says, section := map[string][]string{}, ""
	for line := range strings.Lines(string(b)) {
		line = strings.TrimSpace(line)
		name, value, ok := strings.Cut(line, "=")
		switch {
		case line == "" || line[0] == '#' || line[0] == ';':
		case line[0] == '[':
			section = strings.Trim(line, "[]")
		case !ok || strings.HasSuffix(line, `\`):
			t.Fatalf("%s: no NAME=VALUE on one line: %s", file, line)
		default:
			key := section + "." + name
			says[key] = append(says[key], value)
		}
	}
	return says
}

// What the unit must hold. That systemd takes the file is for systemd to say:
// systemd-analyze verify.
func TestUnit(t *testing.T) {
	says := unit(t, "evenkeel.service")
	for _, tt := range []struct{ name, want, why string }{
		{"Service.ExecStart", "/usr/bin/evenkeel run", "where the packages put it"},
		{"Service.Type", "notify", "the agent says when there is something to answer"},
		{"Service.WatchdogSec", "30", "a loop that hangs is seen by nobody else"},
		{"Service.Restart", "on-failure", "a node without its agent is down for the farm"},
		{"Unit.StartLimitIntervalSec", "0", "or systemd gives up after five tries"},
		{"Service.DynamicUser", "yes", "no root"},
		{"Service.AmbientCapabilities", "CAP_NET_BIND_SERVICE", "port 53"},
		{"Service.CapabilityBoundingSet", "CAP_NET_BIND_SERVICE", "and nothing else"},
		{"Service.NoNewPrivileges", "yes", ""},
		{"Service.LoadCredential", "gossip.key:/etc/evenkeel/gossip.key", "the key is root's, and the user is not known before the start"},
		{"Service.SetCredential", "gossip.key:missing", "or a farm of one, without a key, does not start"},
		{"Service.ConfigurationDirectory", "evenkeel", "/etc/evenkeel"},
		{"Service.StateDirectory", "evenkeel", "the one place where it may write"},
		{"Service.ProtectSystem", "strict", ""},
		{"Service.ProtectHome", "yes", ""},
		{"Service.PrivateTmp", "yes", ""},
		{"Service.PrivateDevices", "yes", ""},
		{"Service.PrivateMounts", "yes", ""},
		{"Service.ProtectClock", "yes", ""},
		{"Service.ProtectControlGroups", "yes", ""},
		{"Service.ProtectHostname", "yes", ""},
		{"Service.ProtectKernelLogs", "yes", ""},
		{"Service.ProtectKernelModules", "yes", ""},
		{"Service.ProtectKernelTunables", "yes", ""},
		{"Service.ProtectProc", "invisible", ""},
		{"Service.RestrictAddressFamilies", "AF_INET AF_INET6 AF_NETLINK AF_UNIX", "serve, look at sockets, talk to systemd"},
		{"Service.RestrictNamespaces", "yes", ""},
		{"Service.RestrictRealtime", "yes", ""},
		{"Service.RestrictSUIDSGID", "yes", ""},
		{"Service.RemoveIPC", "yes", ""},
		{"Service.LockPersonality", "yes", ""},
		{"Service.MemoryDenyWriteExecute", "yes", ""},
		{"Service.SystemCallArchitectures", "native", ""},
		{"Service.SystemCallErrorNumber", "EPERM", "or a call that a later Go tries out ends the agent"},
		{"Install.WantedBy", "multi-user.target", "systemctl enable"},
	} {
		if got := says[tt.name]; !slices.Equal(got, []string{tt.want}) {
			t.Errorf("%s: got %q, want %q once (%s)", tt.name, got, tt.want, tt.why)
		}
	}
	if got, want := says["Service.SystemCallFilter"], []string{"@system-service", "~@privileged @resources"}; !slices.Equal(got, want) {
		t.Errorf("Service.SystemCallFilter: got %q, want %q: first what is allowed, then what of it is not", got, want)
	}
}

// Lines that look like more safety and are less service.
func TestUnitLeavesOut(t *testing.T) {
	says := unit(t, "evenkeel.service")
	for name, why := range map[string]string{
		"ProcSubset":               "pid hides /proc/net/netstat and /proc/stat: all sources fault",
		"PrivateUsers":             "CAP_NET_BIND_SERVICE is nothing in a user namespace of our own",
		"PrivateNetwork":           "there is nobody to serve",
		"RestartPreventExitStatus": "2 is wrong usage, and also how a Go program panics and how the watchdog ends it",
		"User":                     "nobody makes one: see DynamicUser",
	} {
		if got := says["Service."+name]; len(got) > 0 {
			t.Errorf("%s=%s: %s", name, got[0], why)
		}
	}
}

// systemd kills what still drains.
func TestUnitLetsItDrain(t *testing.T) {
	m := regexp.MustCompile(`(?m)^drain: (\S+)`).FindStringSubmatch(string(Default()))
	if m == nil {
		t.Fatal("no drain in evenkeel.yaml")
	}
	drain, err := time.ParseDuration(m[1])
	if err != nil {
		t.Fatal(err)
	}
	got := unit(t, "evenkeel.service")["Service.TimeoutStopSec"]
	if len(got) != 1 {
		t.Fatalf("got TimeoutStopSec %q, want one", got)
	}
	stop, err := time.ParseDuration(got[0] + "s")
	if err != nil || stop < drain+10*time.Second {
		t.Errorf("TimeoutStopSec=%s, %v: want at least 10 s more than the drain of %v", got[0], err, drain)
	}
}

// A package holds what is in this repository, and only what can be found on a
// machine by those who were told where.
func TestPackageContents(t *testing.T) {
	b, err := os.ReadFile("nfpm.yml")
	if err != nil {
		t.Fatal(err)
	}
	text := string(b)
	for _, m := range regexp.MustCompile(`(?m)(?:src|postinstall|preremove|postremove): (\S+)$`).FindAllStringSubmatch(text, -1) {
		if m[1] == "dist/evenkeel" {
			continue // make builds it
		}
		if _, err := os.Stat("../" + m[1]); err != nil {
			t.Error(err)
		}
	}
	for _, place := range []string{
		"/usr/bin/evenkeel", "/etc/evenkeel", "/lib/systemd/system/evenkeel.service", "/usr/lib/systemd/system/evenkeel.service",
		"/usr/share/doc/evenkeel/evenkeel.yaml", "/usr/share/doc/evenkeel/copyright",
	} {
		if !strings.Contains(text, "dst: "+place+"\n") {
			t.Errorf("nothing goes to %s", place)
		}
	}
}

// Installing starts nothing: a farm is joined when the operator says so.
func TestPackageStartsNothing(t *testing.T) {
	for _, script := range []string{"units-changed.sh", "before-removal.sh"} {
		b, err := os.ReadFile(script)
		if err != nil {
			t.Fatal(err)
		}
		if m := regexp.MustCompile(`systemctl.*\b(start|restart|try-restart|enable|preset)\b`).Find(b); m != nil {
			t.Errorf("%s: %s", script, m)
		}
	}
}
