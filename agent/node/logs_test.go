package node

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"evenkeel/policy/balance"
	"evenkeel/queue"
)

// A row of HTTP.sys' log at six minutes: who was refused for a full queue says
// that the node is full, whatever it holds now. A pool that is off, a queue that
// stands still, another status than 503 and what happened before the agent came
// back say nothing of the kind.
func TestRefusalsInLogs(t *testing.T) {
	const well = "0s 200 up -"
	for _, c := range []struct {
		promise, row string // behind the time
		ago          time.Duration
		want         string
	}{
		{"a full queue", "503 1 QueueFull MSExchangeMapiFrontEndAppPool", 0, well + ", 6m0s 200 degraded refused, 6m5.5s 200 up -"},
		{"written late by HTTP.sys", "503 1 QueueFull MSExchangeMapiFrontEndAppPool", 2 * time.Minute, well + ", 6m0s 200 degraded refused, 6m5.5s 200 up -"},
		{"a pool that is off", "503 1 AppOffline MSExchangeMapiFrontEndAppPool", 0, well},
		{"a queue that stands still", "- 1 Timer_ReqQueue MSExchangeMapiFrontEndAppPool", 0, well},
		{"what people call 400.2", "400 2 QueueFull MSExchangeMapiFrontEndAppPool", 0, well},
		{"of a quarter of an hour ago", "503 1 QueueFull MSExchangeMapiFrontEndAppPool", 15 * time.Minute, well},
	} {
		dir := t.TempDir()
		src := queue.HTTPErr(dir)
		t.Cleanup(src.Close)
		written := false
		sample := func(at time.Duration) queue.Sample {
			if at >= 6*time.Minute && !written {
				written = true
				row(t, dir, time.Now().Add(-c.ago), c.row)
			}
			s := calm(at)
			r, err := src.Read(t.Context())
			if err != nil {
				t.Error(err)
			}
			s.Queues, s.Logs = append(s.Queues, r.Queues...), r.Logs
			return s
		}
		l := live(t, world{sample: sample, others: neighbours}, 12*time.Minute)
		if got := l.story(probed); got != c.want {
			t.Errorf("%s: balancers are told\n%s, want\n%s", c.promise, got, c.want)
		}
	}
}

// Where the farm grants every wish, who is refused by a queue that is measured may
// fail the probe. What logs tell of others degrades, for as long, and never does.
func TestLogsNeverFail(t *testing.T) {
	const from, to = 6 * time.Minute, 6*time.Minute + 10*time.Second
	for _, c := range []struct {
		promise string
		depth   int
		want    string
	}{
		{"measured", 0, "0s 200 up -, 6m0s 200 degraded refused, 6m1s 503 failing refused, 9m1s 200 up -"},
		{"of a log", queue.Unmeasured, "0s 200 up -, 6m0s 200 degraded refused, 6m15.5s 200 up -"},
	} {
		sample := func(at time.Duration) queue.Sample {
			s := holding(1000, 0, 0)
			n := max(0, min(at, to)-from+Beat) / Beat
			s.Queues = append(s.Queues, queue.Queue{Name: "pool", Depth: c.depth, Limit: 1000, Refused: 40 * uint64(n)})
			return s
		}
		l := live(t, granting(sample), 12*time.Minute)
		if got := l.story(probed); got != c.want {
			t.Errorf("%s: balancers are told\n%s, want\n%s", c.promise, got, c.want)
		}
	}
}

// granting is a world whose nodes have room, and grant whatever is wished.
func granting(sample func(time.Duration) queue.Sample) world {
	var wish uint64
	others := func(at time.Duration) (out []Heard) {
		for _, h := range neighbours(at) {
			f, err := decodeFact(h.Fact)
			if f.Connections = 1000; err == nil && wish != 0 {
				f.Grant = balance.Grant{Node: "ex01", Beat: wish}
			}
			if h.Fact, err = appendFact(nil, f); err != nil {
				panic(err)
			}
			out = append(out, h)
		}
		return out
	}
	return world{sample: sample, others: others, change: func(n *Node, _ func() time.Duration) {
		tell := n.Tell
		n.Tell = func(beat uint64, b []byte) error {
			if f, err := decodeFact(b); err == nil {
				wish = f.Wish.Beat
			}
			return tell(beat, b)
		}
	}}
}

func row(t *testing.T, dir string, at time.Time, rest string) {
	t.Helper()
	text := "#Software: Microsoft HTTP API 2.0\r\n#Version: 1.0\r\n#Fields: date time c-ip c-port s-ip s-port cs-version cs-method cs-uri sc-status s-siteid s-reason s-queuename\r\n" +
		at.UTC().Format("2006-01-02 15:04:05") + " 192.0.2.31 51514 127.0.0.1 443 HTTP/1.1 POST /mapi/emsmdb/ " + rest + "\r\n"
	if err := os.WriteFile(filepath.Join(dir, "httperr1.log"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
