package main

import (
	"bufio"
	"bytes"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain lets the test binary be evenkeel itself when a script calls it so.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"evenkeel": main})
}

func TestScript(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"certify": certify,
			"exits":   exits,
			"fill":    fill,
			"launch":  launch,
		},
	})
}

// exits runs a command and compares its exit status: exits STATUS PROGRAM ARG...
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits STATUS PROGRAM ARG...")
	}
	if got, want := status(ts, ts.Exec(args[1], args[2:]...)), args[0]; strconv.Itoa(got) != want {
		ts.Fatalf("%q: exit status %d, want %s", args[1:], got, want)
	}
}

func status(ts *testscript.TestScript, err error) int {
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit):
		return exit.ExitCode()
	}
	ts.Fatalf("%v", err)
	return -1
}

// fill puts the script's variables into a file: fill FILE.
func fill(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: fill FILE")
	}
	text := os.Expand(ts.ReadFile(args[0]), ts.Getenv)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o600))
}

// certify makes a certificate for localhost and its key: certify CERT KEY.
func certify(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: certify CERT KEY")
	}
	pair, err := selfSigned("localhost", time.Now())
	ts.Check(err)
	key, err := x509.MarshalPKCS8PrivateKey(pair.PrivateKey)
	ts.Check(err)
	for i, block := range []*pem.Block{{Type: "CERTIFICATE", Bytes: pair.Certificate[0]}, {Type: "PRIVATE KEY", Bytes: key}} {
		ts.Check(os.WriteFile(ts.MkAbs(args[i]), pem.EncodeToMemory(block), 0o600))
	}
}

// A launched program runs beside the script.
type launched struct {
	cmd    *exec.Cmd
	stdout *bufio.Reader
	stderr bytes.Buffer // to be read once cmd has ended
}

// patience is how long a script may keep a launched program.
const patience = 30 * time.Second

// launch starts a program beside the script, which then awaits its words and
// interrupts it: launch PROGRAM ARG... One at a time.
func launch(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: launch PROGRAM ARG...")
	}
	l := &launched{cmd: exec.Command(args[0], args[1:]...)}
	l.cmd.Dir = ts.Getenv("WORK")
	l.cmd.Stderr = &l.stderr
	out, err := l.cmd.StdoutPipe()
	ts.Check(err)
	l.stdout = bufio.NewReader(out)
	ts.Check(l.cmd.Start())
	overdue := time.AfterFunc(patience, func() { l.cmd.Process.Kill() })
	ts.Defer(func() {
		overdue.Stop()
		l.cmd.Process.Kill()
		l.cmd.Wait()
	})
	ts.SetCmd("await", l.await)
	ts.SetCmd("interrupt", l.interrupt)
}

// await reads what the launched program prints up to a line that matches, and
// keeps what the pattern's group caught: await PATTERN VARIABLE.
func (l *launched) await(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: await PATTERN VARIABLE")
	}
	want, err := regexp.Compile(args[0])
	ts.Check(err)
	var seen string
	for {
		line, err := l.stdout.ReadString('\n')
		seen += line
		if found := want.FindStringSubmatch(strings.TrimSpace(line)); len(found) == 2 {
			ts.Setenv(args[1], found[1])
			return
		}
		if err != nil {
			l.cmd.Wait()
			ts.Fatalf("no line matches %s: %v\n%s%s", want, err, seen, &l.stderr)
		}
	}
}

// interrupt asks the launched program to end, waits until it has, and compares
// its exit status. What it logged is stderr now: interrupt STATUS.
func (l *launched) interrupt(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: interrupt STATUS")
	}
	ts.Check(l.cmd.Process.Signal(os.Interrupt))
	rest, err := io.ReadAll(l.stdout)
	ts.Check(err)
	got := status(ts, l.cmd.Wait())
	ts.Stdout().Write(rest)
	ts.Stderr().Write(l.stderr.Bytes())
	if want := args[0]; strconv.Itoa(got) != want {
		ts.Fatalf("exit status %d, want %s\n%s", got, want, &l.stderr)
	}
}
