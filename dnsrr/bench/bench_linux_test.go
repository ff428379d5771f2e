package main

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"
)

// The smallest bench there is, from compiler to JSON: two servers that are built
// here, the first in the place of ours.
func TestBench(t *testing.T) {
	for _, program := range []string{"cc", "taskset"} {
		if _, err := find(program); err != nil {
			t.Skip(program, "is not here")
		}
	}
	if runtime.NumCPU() < 2 {
		t.Skip("servers and load need a core each")
	}
	runtime.LockOSThread()
	h := &house{options: options{rounds: 2, time: 200 * time.Millisecond, servers: []string{"plain", "echo"}, serverCore: 0, clientCore: 1, procs: 2, window: 192}, dir: t.TempDir()}
	if err := h.tools(t.Context()); err != nil {
		t.Fatal(err)
	}
	h.modes = []string{"saturation", "steady"}
	r := report{Ours: "plain", Tables: h.visit(t.Context(), nil, false, t.Output())}
	if len(h.notes) > 0 {
		t.Error(h.notes)
	}
	r.compared()
	if x, ok := r.ratio("saturation", "echo", figureCPU); !ok || x.N != 2 || x.Low <= 0 {
		t.Errorf("got %+v, %t", x, ok)
	}
	steady, ok := r.Tables[1].row("plain")
	if f := steady.Figures[0]; !ok || f.Rate != 10_000 || f.P50 <= 0 || f.P99 < f.P50 || f.CPU <= 0 || f.Resident <= 0 || f.Size < 60 {
		t.Errorf("got %+v", f)
	}
	for _, table := range r.Tables {
		for _, row := range table.Rows {
			for _, f := range row.Figures {
				if f.Errors > 0 || row.Server == "plain" && f.Records != 3 {
					t.Errorf("%s, %s: %+v", table.Mode, row.Server, f)
				}
			}
		}
	}
	var b bytes.Buffer
	if err := r.json(&b); err != nil || !json.Valid(b.Bytes()) {
		t.Error(err, b.String())
	}
	b.Reset()
	if err := r.markdown(&b); err != nil || !strings.Contains(b.String(), "| echo | 0.0 | all |") {
		t.Error(err, b.String())
	}
}

// What a process has spent includes its children, and the threads that it had.
func TestSpentCountsTheGroup(t *testing.T) {
	if _, err := exec.LookPath("taskset"); err != nil {
		t.Skip("taskset is not here")
	}
	runtime.LockOSThread()
	p, err := launch("0", t.TempDir(), nil, "sh", "-c", "(while :; do :; done) & sleep 60")
	if err != nil {
		t.Fatal(err)
	}
	defer p.stop()
	var u usage
	for end := time.Now().Add(30 * time.Second); u.CPU < 100*time.Millisecond && time.Now().Before(end); {
		if u, err = p.spent(); err != nil {
			t.Fatal(err)
		}
		runtime.Gosched()
	}
	if u.CPU < 100*time.Millisecond || u.User+u.System < 50*time.Millisecond {
		t.Errorf("got %+v", u)
	}
	if list := members(p.cmd.Process.Pid); len(list) < 2 {
		t.Errorf("got processes %v", list)
	}
	p.stop()
	if alive(p.cmd.Process.Pid) {
		t.Errorf("processes %v live on", members(p.cmd.Process.Pid))
	}
}
