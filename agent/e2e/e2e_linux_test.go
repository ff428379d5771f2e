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
	needs(t, "ip", "nft", "nginx", "haproxy", "unbound", "promtool")
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
	} {
		stories.Go(func() { t.Run(s.name, func(t *testing.T) { s.play(t, bin) }) })
	}
	stories.Wait()
}

// needs skips where the stage cannot be built. In CI, which installs what is
// needed, a program that is missing is an error.
func needs(t *testing.T, programs ...string) {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("network namespaces need root")
	}
	var missing []string
	for _, p := range programs {
		if _, err := exec.LookPath(p); err != nil {
			missing = append(missing, p)
		}
	}
	switch {
	case len(missing) == 0:
	case os.Getenv("CI") == "true":
		t.Fatalf("not installed: %v", missing)
	default:
		t.Skipf("not installed: %v", missing)
	}
	trial := fmt.Sprintf("%s%d-trial", prefix, os.Getpid())
	if err := try("", "ip", "netns", "add", trial); err != nil {
		t.Skipf("network namespaces cannot be made here: %v", err)
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
