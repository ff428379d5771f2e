package queue

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

// A shelf is a folder of logs and the source that reads it, at an instant that
// the test sets.
type shelf struct {
	t   *testing.T
	dir string
	src *LogSource
	now time.Time
}

func newShelf(t *testing.T, make func(string) *LogSource) *shelf {
	s := &shelf{t: t, dir: t.TempDir(), now: time.Date(2025, 3, 14, 8, 0, 0, 0, time.UTC)}
	s.open(make)
	return s
}

func (s *shelf) open(make func(string) *LogSource) {
	s.src = make(s.dir)
	s.src.clock = func() time.Time { return s.now }
	s.src.addrs = func() ([]net.Addr, error) {
		return []net.Addr{&net.IPNet{IP: net.IPv4(198, 51, 100, 21), Mask: net.CIDRMask(24, 32)}}, nil
	}
	s.t.Cleanup(s.src.Close)
}

// write appends to a file below the folder.
func (s *shelf) write(name, text string) {
	s.t.Helper()
	name = filepath.Join(s.dir, name)
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		s.t.Fatal(err)
	}
	f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err == nil {
		_, err = f.WriteString(text)
	}
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		s.t.Fatal(err)
	}
}

// read reads later, when every folder is due.
func (s *shelf) read() Reading {
	s.t.Helper()
	s.now = s.now.Add(s.src.kind.every)
	r, err := s.src.Read(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	return r
}

func (s *shelf) row(ago time.Duration, rest string) string {
	return s.now.Add(-ago).Format("2006-01-02 15:04:05") + " " + rest + "\r\n"
}

const (
	errHead = "#Software: Microsoft HTTP API 2.0\r\n#Version: 1.0\r\n#Date: 2025-03-14 08:00:00\r\n#Fields: date time c-ip c-port s-ip s-port cs-version cs-method cs-uri sc-status s-siteid s-reason s-queuename\r\n"
	mapi    = "MSExchangeMapiFrontEndAppPool"
)

// turned is a row of HTTPERR.
func (s *shelf) turned(ago time.Duration, status, reason, pool string) string {
	return s.row(ago, "192.0.2.31 51514 198.51.100.21 443 HTTP/1.1 POST /mapi/emsmdb/?MailboxId=1@contoso.example "+status+" 1 "+reason+" "+pool)
}

func httperr(dir string) *LogSource { return HTTPErr(dir) }

func poolOf(r Reading, name string) Pool {
	i := slices.IndexFunc(r.Logs.Pools, func(p Pool) bool { return p.Name == name })
	if i < 0 {
		return Pool{}
	}
	return r.Logs.Pools[i]
}

// What stood there before is history; what comes is news, once.
func TestRefusalsOfPools(t *testing.T) {
	s := newShelf(t, httperr)
	s.write("httperr1.log", errHead+s.turned(0, "503", "QueueFull", mapi))
	if r := s.read(); len(r.Queues) > 0 || len(r.Logs.Pools) > 0 || r.Logs.Files[0].Rows != 0 {
		t.Fatalf("history: got %+v, %+v", r.Queues, r.Logs)
	}
	s.write("httperr1.log", s.turned(0, "503", "QueueFull", mapi)+s.turned(0, "503", "QueueFull", mapi)+
		s.turned(0, "400", "QueueFull", mapi)+s.turned(0, "400", "URL", "-")+s.turned(0, "-", "Timer_ConnectionIdle", "-")+"a cut row\r\n")
	s.write("httperr1.log", s.turned(time.Second, "-", "Timer_ReqQueue", mapi)+s.turned(0, "-", "Connection_Abandoned_By_ReqQueue", "OWA")+s.turned(0, "503", "N/A", "-"))
	at := s.now
	for range 2 {
		r := s.read()
		if want := []Queue{{Name: mapi, Depth: Unmeasured, Refused: 2}}; !reflect.DeepEqual(r.Queues, want) {
			t.Errorf("got %+v, want %+v", r.Queues, want)
		}
		want := []Pool{
			{Name: "-", Refused: []Refused{{"N/A", 1}}},
			{Name: mapi, Refused: []Refused{{"QueueFull", 2}}, Full: at, Stalled: Count{1, at.Add(-time.Second)}},
			{Name: "OWA", Abandoned: Count{1, at}},
		}
		if !reflect.DeepEqual(r.Logs.Pools, want) {
			t.Errorf("got  %+v\nwant %+v", r.Logs.Pools, want)
		}
		if want := (LogFiles{Source: "httperr", Rows: 8, Rejected: 1}); r.Logs.Files[0] != want {
			t.Errorf("got %+v, want %+v", r.Logs.Files[0], want)
		}
	}
}

// A pool that is off is no full queue, and says since when it is off.
func TestPoolOff(t *testing.T) {
	s := newShelf(t, httperr)
	s.read()
	s.write("httperr1.log", errHead)
	var began time.Time
	for i, reason := range []string{"AppOffline", "Disabled", "AppShutdown"} {
		if i == 0 {
			began = s.now
		}
		s.write("httperr1.log", s.turned(0, "503", reason, mapi))
		r := s.read()
		if p := poolOf(r, mapi); len(r.Queues) > 0 || !p.OffSince(s.now).Equal(began) {
			t.Errorf("%s: got %+v, off since %v, want %v", reason, r.Queues, p.OffSince(s.now), began)
		}
	}
	s.now = s.now.Add(fresh)
	p := poolOf(s.read(), mapi)
	if !p.OffSince(s.now).IsZero() || p.Refused[0].N != 1 {
		t.Errorf("five minutes later: got %+v", p)
	}
	again := s.now
	s.write("httperr1.log", s.turned(0, "503", "AppOffline", mapi))
	if p := poolOf(s.read(), mapi); !p.OffSince(s.now).Equal(again) {
		t.Errorf("off again: got %+v, want since %v", p, again)
	}
}

// What was written while the agent was off is counted, and is no news.
func TestOldRowsAreNoNews(t *testing.T) {
	s := newShelf(t, httperr)
	s.read()
	s.write("httperr1.log", errHead+s.turned(20*time.Minute, "503", "QueueFull", mapi)+s.turned(fresh+time.Second, "503", "QueueFull", mapi))
	r := s.read()
	if p := poolOf(r, mapi); len(r.Queues) > 0 || p.Refused[0].N != 2 || p.Full.IsZero() {
		t.Errorf("got %+v, %+v", r.Queues, p)
	}
	s.write("httperr1.log", s.turned(0, "503", "QueueFull", mapi))
	if r = s.read(); len(r.Queues) != 1 || r.Queues[0].Refused != 1 || poolOf(r, mapi).Refused[0].N != 3 {
		t.Errorf("got %+v, %+v", r.Queues, r.Logs.Pools)
	}
}

func TestPoolsThatCount(t *testing.T) {
	s := newShelf(t, func(dir string) *LogSource { return HTTPErr(dir, "absent", mapi) })
	s.read()
	s.write("httperr1.log", errHead+s.turned(0, "503", "QueueFull", "MSExchangeOWACalendarAppPool")+s.turned(0, "503", "QueueFull", mapi))
	if r := s.read(); len(r.Queues) != 1 || r.Queues[0].Name != mapi || len(r.Logs.Pools) != 2 {
		t.Errorf("got %+v, %+v", r.Queues, r.Logs.Pools)
	}
}

// Wherever it stops, each row is met once: with the state as it was written to
// JSON, and with files that are new since.
func TestRestart(t *testing.T) {
	s := newShelf(t, httperr)
	s.write("httperr1.log", errHead+s.turned(0, "503", "QueueFull", mapi))
	s.read()
	ended, last := uint64(0), uint64(0) // what former readers met, and what this one did
	for i := range 5 {
		name := fmt.Sprintf("httperr%d.log", 1+i/2)
		if i%2 == 0 && i > 0 {
			s.write(name, errHead)
		}
		s.write(name, s.turned(0, "503", "QueueFull", mapi))
		if i%2 == 0 {
			last = poolSum(s.read())
		}
		ended += last
		s.src.Close()
		b, err := json.Marshal(s.src.State())
		var state LogState
		if err == nil {
			err = json.Unmarshal(b, &state)
		}
		s.write(name, s.turned(0, "503", "QueueFull", mapi)) // while it is off
		s.open(httperr)
		if err == nil {
			err = s.src.Load(state)
		}
		if err != nil {
			t.Fatal(err)
		}
		last = poolSum(s.read())
		if got, want := ended+last, uint64(2*(i+1)); got != want {
			t.Errorf("restart %d: %d rows, want %d", i, got, want)
		}
	}
	s.open(httperr)
	s.read()
	if err := s.src.Load(LogState{Path: "elsewhere"}); err == nil || !strings.Contains(err.Error(), "elsewhere") || s.src.State() == nil {
		t.Errorf("a state of elsewhere: %v", err)
	}
}

func poolSum(r Reading) (n uint64) {
	for _, p := range r.Logs.Pools {
		for _, c := range p.Refused {
			n += c.N
		}
	}
	return n
}

// The state is made anew when rows were read, seconds apart, and not otherwise.
func TestStateMoves(t *testing.T) {
	s := newShelf(t, httperr)
	s.write("httperr1.log", errHead)
	if s.src.State() != nil {
		t.Error("a state before the first reading")
	}
	s.read()
	first := s.src.State()
	for range 40 {
		s.read()
	}
	if first == nil || s.src.State() != first {
		t.Error("a new state, and nothing was written")
	}
	s.write("httperr1.log", s.turned(0, "503", "QueueFull", mapi))
	s.read()
	if s.src.State() == first {
		t.Error("the state is the old one, and a row was read")
	}
}

// A file that is no log is said, and costs none of the others.
func TestNoLog(t *testing.T) {
	s := newShelf(t, httperr)
	s.read()
	s.write("httperr1.log", errHead+s.turned(0, "503", "QueueFull", mapi))
	s.write("httperr2.log", strings.Repeat("Dear diary, today nothing was logged.\r\n", 2000))
	r := s.read()
	if poolSum(r) != 1 || len(r.Logs.Hints) != 1 || !strings.Contains(r.Logs.Hints[0], "Dear diary") {
		t.Errorf("got %+v", r.Logs)
	}
}

// One Read is bounded; what is left is said, and read by the next ones.
func TestBehind(t *testing.T) {
	s := newShelf(t, httperr)
	s.read()
	var b strings.Builder
	b.WriteString(errHead)
	row := s.turned(0, "503", "QueueFull", mapi)
	n := uint64(20<<20/len(row) + 1)
	for range n {
		b.WriteString(row)
	}
	s.write("httperr1.log", b.String())
	clock := s.src.clock
	s.src.clock = func() time.Time { s.now = s.now.Add(pollFor); return clock() } // a slow machine
	r := s.read()
	if f := r.Logs.Files[0]; f.Rows == 0 || f.Rows >= n || f.Behind < 3<<20 {
		t.Errorf("got %+v of %d rows", f, n)
	}
	for range 4 {
		r = s.read()
	}
	if f := r.Logs.Files[0]; f.Rows != n || f.Behind != 0 || r.Queues[0].Refused != n {
		t.Errorf("got %+v, %+v, want %d rows", f, r.Queues, n)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.src.Read(ctx); err != nil {
		t.Errorf("told to stop: %v", err)
	}
}
