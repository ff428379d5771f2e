package e2e

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A browser is a Chromium without a screen and one page in it, spoken to through
// a pair of pipes.
type browser struct {
	t       *testing.T
	in      *os.File
	out     *os.File
	answers *bufio.Reader
	session string
	asked   int
	said    []string // what the page complained of
}

// answer is what comes out of the pipe: the answer to a command, or an event.
type answer struct {
	ID     int             `json:"id"`
	Method string          `json:"method"`
	Result json.RawMessage `json:"result"`
	Params json.RawMessage `json:"params"`
	Error  json.RawMessage `json:"error"`
}

// browse starts a browser whose window is of a size. It ends with the test.
func browse(t *testing.T, width, height int) *browser {
	t.Helper()
	name := chromium(t)
	theirIn, in := pipe(t)
	out, theirOut := pipe(t)
	cmd := exec.Command(name, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run",
		"--remote-debugging-pipe", "--user-data-dir="+t.TempDir(), fmt.Sprintf("--window-size=%d,%d", width, height), "about:blank")
	cmd.ExtraFiles = []*os.File{theirIn, theirOut}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	b := &browser{t: t, in: in, out: out, answers: bufio.NewReader(out)}
	t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		_ = cmd.Wait()
		gone(cmd.Process.Pid)
	})
	_, _ = theirIn.Close(), theirOut.Close()
	var target struct{ TargetID, SessionID string }
	b.do("Target.createTarget", map[string]any{"url": "about:blank"}, &target)
	b.do("Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &target)
	b.session = target.SessionID
	for _, domain := range []string{"Page", "Runtime", "Log"} {
		b.do(domain+".enable", nil, nil)
	}
	b.do("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false}, nil)
	return b
}

// gone waits until no process of a group is left, which may still write to the
// folder that the test removes next.
func gone(group int) {
	for range 500 {
		if syscall.Kill(-group, 0) != nil {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// chromium is the browser's path. Where there is none the test is skipped, and
// fails in CI.
func chromium(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	if os.Getenv("CI") == "true" {
		t.Fatal("not installed: chromium")
	}
	t.Skip("not installed: chromium")
	return ""
}

func pipe(t *testing.T) (r, w *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = r.Close(), w.Close() })
	return r, w
}

// do gives a command and waits for its answer.
func (b *browser) do(method string, params any, into any) {
	b.t.Helper()
	b.asked++
	m := map[string]any{"id": b.asked, "method": method}
	if params != nil {
		m["params"] = params
	}
	if b.session != "" {
		m["sessionId"] = b.session
	}
	text, err := json.Marshal(m)
	if err == nil {
		_, err = b.in.Write(append(text, 0))
	}
	if err != nil {
		b.t.Fatalf("%s: %v", method, err)
	}
	for {
		a := b.next(method)
		switch {
		case a.ID != b.asked:
			continue
		case a.Error != nil:
			b.t.Fatalf("%s: %s", method, a.Error)
		case into != nil:
			if err := json.Unmarshal(a.Result, into); err != nil {
				b.t.Fatalf("%s: %v in %s", method, err, a.Result)
			}
		}
		return
	}
}

// next reads one message, and keeps it if the page complains in it.
func (b *browser) next(waiting string) (a answer) {
	b.t.Helper()
	_ = b.out.SetReadDeadline(time.Now().Add(time.Minute))
	text, err := b.answers.ReadBytes(0)
	if err != nil {
		b.t.Fatalf("%s: %v", waiting, err)
	}
	if err := json.Unmarshal(text[:len(text)-1], &a); err != nil {
		b.t.Fatalf("%s: %v in %s", waiting, err, text)
	}
	switch a.Method {
	case "Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded":
		b.said = append(b.said, a.Method+" "+string(a.Params))
	}
	return a
}

// eval is the value of an expression, or of the promise that it is.
func (b *browser) eval(expression string) string {
	b.t.Helper()
	var out struct {
		Result           struct{ Value any }
		ExceptionDetails json.RawMessage
	}
	b.do("Runtime.evaluate", map[string]any{"expression": expression, "awaitPromise": true, "returnByValue": true}, &out)
	if out.ExceptionDetails != nil {
		b.t.Fatalf("%s: %s", expression, out.ExceptionDetails)
	}
	return fmt.Sprint(out.Result.Value)
}

// until waits until a condition holds in the page, which is looked at whenever
// the page is drawn, and for ten seconds at most.
func (b *browser) until(condition string) {
	b.t.Helper()
	const wait = `new Promise(function (done) { var end = Date.now() + 10000; (function look() {
		if (CONDITION) done("yes"); else if (Date.now() > end) done("no"); else requestAnimationFrame(look); })(); })`
	if b.eval(strings.Replace(wait, "CONDITION", condition, 1)) != "yes" {
		b.t.Fatalf("not within ten seconds: %s; the address is %s, shown is %s", condition, b.eval("location.href"), b.eval("document.querySelector('.shown').textContent"))
	}
}

// key presses a key.
func (b *browser) key(name string) {
	b.t.Helper()
	press := map[string]any{"type": "keyDown", "key": name}
	if len(name) == 1 {
		press["text"] = name
	}
	b.do("Input.dispatchKeyEvent", press, nil)
	b.do("Input.dispatchKeyEvent", map[string]any{"type": "keyUp", "key": name}, nil)
}

// mouse does something with a mouse.
func (b *browser) mouse(what string, x, y float64, more map[string]any) {
	b.t.Helper()
	m := map[string]any{"type": what, "x": x, "y": y}
	for k, v := range more {
		m[k] = v
	}
	b.do("Input.dispatchMouseEvent", m, nil)
}
