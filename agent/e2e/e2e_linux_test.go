package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// TestFarm plays every story on a stage of its own. Stories wait more than they
// work, so all are played at once.
func TestFarm(t *testing.T) {
	needs(t, "ip", "nft", "nginx", "haproxy", "unbound", "promtool",
		"named", "dnssec-keygen", "dig", "delv", "kdig", "pdns_recursor", "dnsperf", "dnsviz", "zonemaster-cli")
	sweep()
	bin := build(t)
	var stories sync.WaitGroup
	for _, s := range []struct {
		name string
		play func(*testing.T, string)
	}{
		{"start", startStory},
		{"crash", crashStory},
		{"freeze", freezeStory},
		{"asked", askedStory},
		{"brief", briefStory},
		{"early", earlyStory},
		{"stall", stallStory},
		{"resolvers", resolversStory},
		{"model", modelStory},
		{"balancer", balancerStory},
		{"families", familiesStory},
		{"partition", partitionStory},
		{"restart", restartStory},
		{"guard", guardStory},
		{"rounds", roundsStory},
		{"add", addStory},
		{"maintenance", maintenanceStory},
		{"key", keyStory},
		{"route", routeStory},
		{"name", nameStory},
		{"port", portStory},
		{"zone", zoneStory},
		{"signed", signedStory},
		{"gate", gateStory},
	} {
		stories.Go(func() { t.Run(s.name, func(t *testing.T) { s.play(t, bin) }) })
	}
	stories.Wait()
}

// needs skips where the stage cannot be built. In CI, which is root and installs
// what is needed, that is an error: a gate that plays no story is none.
func needs(t *testing.T, programs ...string) {
	t.Helper()
	skip := t.Skipf
	if os.Getenv("CI") == "true" {
		skip = t.Fatalf
	}
	if os.Getuid() != 0 {
		skip("network namespaces need root")
	}
	var missing []string
	for _, p := range programs {
		if _, err := exec.LookPath(p); err != nil {
			missing = append(missing, p)
		}
	}
	if len(missing) > 0 {
		skip("not installed: %v", missing)
	}
	trial := fmt.Sprintf("%s%d-trial", prefix, os.Getpid())
	if err := try("", "ip", "netns", "add", trial); err != nil {
		skip("network namespaces cannot be made here: %v", err)
	}
	run(t, "", "ip", "netns", "delete", trial)
}

// build makes the agent.
func build(t *testing.T) string {
	t.Helper()
	bin := filepath.Join(t.TempDir(), "evenkeel")
	run(t, "", "go", "build", "-o", bin, "evenkeel/agent")
	return bin
}
