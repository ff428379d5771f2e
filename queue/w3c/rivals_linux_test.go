package w3c

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"evenkeel/queue/lines/linestest"
)

// BenchmarkRivals reads one site log, from a file, with the programs that are
// installed, each asked for what it counts anyway, and says the processor time
// of each. They keep more than we do: goaccess all its reports, lnav an index
// of lines, so that it is the order of size that is compared. One run is enough: -benchtime 1x.
func BenchmarkRivals(b *testing.B) {
	dir := b.TempDir()
	path := filepath.Join(dir, "u_ex250314.log")
	data := site(benchSize)
	if err := os.WriteFile(path, data, 0o600); err != nil {
		b.Fatal(err)
	}
	report := func(b *testing.B, spent time.Duration) {
		b.ReportMetric(float64(len(data))*float64(b.N)/1e6/spent.Seconds(), "MB/cpu-s")
	}
	b.Run("by=w3c", func(b *testing.B) {
		from := linestest.CPU()
		for b.Loop() {
			countFile(b, path)
		}
		report(b, linestest.CPU()-from)
	})
	for name, args := range map[string][]string{
		"goaccess": {path, "--log-format=W3C", "--no-global-config", "--no-progress", "-o", filepath.Join(dir, "out.json")},
		"lnav":     {"-n", "-c", ";SELECT sc_status, count(*), avg(time_taken) FROM w3c_log GROUP BY sc_status", path},
	} {
		b.Run("by="+name, func(b *testing.B) {
			var spent time.Duration
			for b.Loop() {
				spent += rival(b, dir, name, args...)
			}
			report(b, spent)
		})
	}
}

// countFile counts the rows by status, and sums the times taken.
func countFile(b *testing.B, path string) {
	f, err := os.Open(path)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	rows, taken := map[uint64]int{}, uint64(0)
	r := NewReader(f, Position{}, "sc-status", "time-taken")
	for r.Next() {
		status, _ := r.Uint(0)
		n, _ := r.Uint(1)
		rows[status]++
		taken += n
	}
	if r.Err() != nil || rows[200] == 0 {
		b.Fatal(r.Err(), rows)
	}
}

// rival runs a program to its end, and returns its processor time.
func rival(b *testing.B, home, name string, args ...string) time.Duration {
	path, err := exec.LookPath(name)
	if err != nil {
		b.Skip("not installed")
	}
	cmd := exec.CommandContext(b.Context(), path, args...)
	cmd.Env = append(os.Environ(), "HOME="+home)
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("%v: %v: %s", cmd, err, bytes.TrimSpace(out))
	}
	return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
}
