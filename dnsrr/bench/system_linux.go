package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// A process is a server with all of its children: they are one group.
type process struct {
	cmd *exec.Cmd
	log string // file that it prints to
}

// launch starts a program on cores ("0", or "0,1"), in a folder that is its own. It must be
// called from the first thread, with which the program dies.
func launch(cores string, dir string, env []string, argv ...string) (*process, error) {
	p := &process{log: filepath.Join(dir, "log")}
	out, err := os.Create(p.log)
	if err != nil {
		return nil, err
	}
	defer out.Close()
	p.cmd = exec.Command("taskset", append([]string{"-c", cores}, argv...)...)
	p.cmd.Dir, p.cmd.Stdout, p.cmd.Stderr = dir, out, out
	p.cmd.Env = append(os.Environ(), env...)
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	return p, p.cmd.Start()
}

// stop ends the group: asks, and after two seconds no longer asks.
func (p *process) stop() {
	if p.cmd.ProcessState != nil {
		return // it was stopped, and its number may be another's
	}
	pid := p.cmd.Process.Pid
	_ = syscall.Kill(-pid, syscall.SIGTERM)
	late := time.AfterFunc(2*time.Second, func() { _ = syscall.Kill(-pid, syscall.SIGKILL) })
	_ = p.cmd.Wait() // that it was killed is no news
	late.Stop()
	for end := time.Now().Add(time.Second); alive(pid) && time.Now().Before(end); time.Sleep(time.Millisecond) {
		_ = syscall.Kill(-pid, syscall.SIGKILL) // children that the first one left behind
	}
}

// alive reports that somebody of a group is neither gone nor merely unburied.
func alive(group int) bool {
	for _, pid := range members(group) {
		if f := statFields(pid); len(f) > 0 && f[0] != "Z" {
			return true
		}
	}
	return false
}

// spent is the processor time of all threads that the group has or had.
func (p *process) spent() (u usage, err error) {
	for _, pid := range members(p.cmd.Process.Pid) {
		var t unix.Timespec
		if err := unix.ClockGettime(int32(^pid)<<3|2, &t); err != nil { // its processor clock, as clock_getcpuclockid names it
			return u, fmt.Errorf("reading the clock of process %d: %w", pid, err)
		}
		u.CPU += time.Duration(t.Nano())
		if f := statFields(pid); len(f) > 12 {
			u.User += ticks(f[11])
			u.System += ticks(f[12])
		}
	}
	if u.CPU == 0 {
		return u, fmt.Errorf("process %d has ended", p.cmd.Process.Pid)
	}
	return u, nil
}

// memory is what the group occupies, in octets: with what is shared, and with
// its share of that.
func (p *process) memory() (resident, proportional int64) {
	for _, pid := range members(p.cmd.Process.Pid) {
		b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid)) // gone is nothing
		for line := range strings.Lines(string(b)) {
			f := strings.Fields(line)
			if len(f) != 3 || f[2] != "kB" {
				continue
			}
			kib, _ := strconv.ParseInt(f[1], 10, 64)
			switch f[0] {
			case "Rss:":
				resident += kib << 10
			case "Pss:":
				proportional += kib << 10
			}
		}
	}
	return resident, proportional
}

// members lists the processes of a group.
func members(group int) (pids []int) {
	dirs, _ := os.ReadDir("/proc") // without it there are none
	for _, d := range dirs {
		pid, err := strconv.Atoi(d.Name())
		if err != nil {
			continue
		}
		if f := statFields(pid); len(f) > 2 && f[2] == strconv.Itoa(group) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// statFields is /proc/PID/stat from the state on; the name before may hold spaces.
func statFields(pid int) []string {
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)) // gone is nothing
	_, rest, _ := strings.Cut(string(b[strings.LastIndexByte(string(b), ')')+1:]), " ")
	return strings.Fields(rest)
}

// ticks are hundredths of a second, whatever the kernel's own are.
func ticks(s string) time.Duration {
	n, _ := strconv.ParseInt(s, 10, 64)
	return time.Duration(n) * 10 * time.Millisecond
}

// idle is how long a core had nothing to do since the machine began, to a
// hundredth of a second.
func idle(core int) time.Duration {
	b, _ := os.ReadFile("/proc/stat") // without it, it was never idle
	for line := range strings.Lines(string(b)) {
		if f := strings.Fields(line); len(f) > 5 && f[0] == "cpu"+strconv.Itoa(core) {
			return ticks(f[4]) + ticks(f[5])
		}
	}
	return 0
}

// machine says what is measured on, and how busy it is.
func machine() string {
	cpu := "unknown processor"
	b, _ := os.ReadFile("/proc/cpuinfo")
	for line := range strings.Lines(string(b)) {
		if key, value, _ := strings.Cut(line, ":"); strings.TrimSpace(key) == "model name" {
			cpu = strings.TrimSpace(value)
			break
		}
	}
	release, _ := os.ReadFile("/proc/sys/kernel/osrelease")
	load, _ := os.ReadFile("/proc/loadavg")
	busy, _, _ := strings.Cut(string(load), " ")
	return fmt.Sprintf("Linux %s, %s, load average %s", strings.TrimSpace(string(release)), cpu, busy)
}
