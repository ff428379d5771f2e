package queue

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"evenkeel/queue/maillog"
)

// refusing is a source of HTTPERR that has read its header, with the pools named.
func refusing(t *testing.T, pools ...string) *shelf {
	s := newShelf(t, func(dir string) *LogSource { return HTTPErr(dir, pools...) })
	s.read()
	s.write("httperr1.log", errHead)
	return s
}

// full is a row of a full queue, on a port.
func (s *shelf) full(pool string, port int) string {
	return s.row(0, fmt.Sprintf("192.0.2.31 51514 198.51.100.21 %d HTTP/1.1 POST /mapi/ 503 1 QueueFull %s", port, pool))
}

func refusedBy(r Reading) string {
	var out []string
	for _, q := range r.Queues {
		out = append(out, fmt.Sprint(q.Name, " ", q.Refused))
	}
	return strings.Join(out, ", ")
}

// Where none is named the pools of Exchange's front end count; one that is named
// does, whatever it is, however its name is written and whatever else is off.
func TestWhichPoolsCount(t *testing.T) {
	const calendar, back, intranet = "MSExchangeOWACalendarAppPool", "MSExchangeMapiMailboxAppPool", "Intranet"
	for _, c := range []struct {
		promise, pool string
		port          int
		named         []string
		want          string
	}{
		{"of the front end", mapi, 443, nil, mapi + " 1"},
		{"in another case", strings.ToUpper(mapi), 443, nil, strings.ToUpper(mapi) + " 1"},
		{"ten places", calendar, 443, nil, ""},
		{"of the back end", back, 444, nil, ""},
		{"of the back end, without TLS", back, 81, nil, ""},
		{"of somebody else", intranet, 443, nil, ""},
		{"one that is not named", mapi, 443, []string{intranet}, ""},
		{"ten places, named", calendar, 443, []string{mapi, calendar}, calendar + " 1"},
		{"of the back end, named", back, 444, []string{back}, back + " 1"},
		{"of somebody else, named in another case", intranet, 443, []string{"inTRAnet"}, intranet + " 1"},
		{"a blank", "ASP.NET+v4.0", 443, []string{"ASP.NET v4.0"}, "ASP.NET+v4.0 1"},
		{"a blank, otherwise", "ASP.NET%20v4.0", 443, []string{"asp.net v4.0"}, "ASP.NET%20v4.0 1"},
	} {
		s := refusing(t, c.named...)
		for i := range mostNames { // as many others
			s.write("httperr1.log", s.turned(0, "503", "AppOffline", fmt.Sprint("MSExchangeOther", i)))
		}
		s.read()
		if len(c.named) == 0 {
			s = refusing(t)
		}
		s.write("httperr1.log", s.full(c.pool, c.port))
		if r := s.read(); refusedBy(r) != c.want || poolSum(r) == 0 {
			t.Errorf("%s: got %q, want %q", c.promise, refusedBy(r), c.want)
		}
	}
}

// One pool is one, however its name is written.
func TestPoolInTwoCases(t *testing.T) {
	s := refusing(t)
	s.write("httperr1.log", s.full(mapi, 443)+s.full(strings.ToLower(mapi), 443))
	if r := s.read(); refusedBy(r) != mapi+" 2" || len(r.Logs.Pools) != 1 {
		t.Errorf("got %q, %+v", refusedBy(r), r.Logs.Pools)
	}
}

// A name that no pool has is said once another one's queue was full.
func TestHintAtNameOfNoPool(t *testing.T) {
	s := refusing(t, mapi, "MSExchnageOWA")
	s.write("httperr1.log", s.turned(0, "503", "AppOffline", mapi))
	if r := s.read(); len(r.Logs.Hints) > 0 {
		t.Errorf("nothing was full: %q", r.Logs.Hints)
	}
	s.write("httperr1.log", s.full("MSExchangeOWAAppPool", 443))
	if h := s.read().Logs.Hints; len(h) != 1 || !strings.Contains(h[0], "MSExchnageOWA,") || !strings.Contains(h[0], "MSExchangeOWAAppPool") {
		t.Errorf("got %q", h)
	}
	s.write("httperr1.log", s.turned(0, "503", "AppOffline", "msexchnageowa"))
	if h := s.read().Logs.Hints; len(h) > 0 {
		t.Errorf("there is one: %q", h)
	}
}

// HTTP.sys writes how many connections it refused before the reason, of no pool.
func TestConnectionsRefused(t *testing.T) {
	s := refusing(t, mapi)
	s.write("httperr1.log", s.row(0, "- - - - - - - - - 3_Connections_Refused -")+s.row(0, "- - - - - - - - - 40_Connections_Refused -"))
	r := s.read()
	if want := []Pool{{Name: "-", Refused: []Refused{{"Connections_Refused", 43}}}}; !reflect.DeepEqual(r.Logs.Pools, want) || refusedBy(r) != "http.sys 43" {
		t.Errorf("got %+v, %q", r.Logs.Pools, refusedBy(r))
	}
	for reason, want := range map[string]string{"QueueFull": "1 QueueFull", "12_": "12 ", "12": "1 12", "": "1 ", "_x": "1 _x", "9999999999_x": "1 9999999999_x"} {
		if n, word := counted([]byte(reason)); fmt.Sprintf("%d %s", n, word) != want {
			t.Errorf("%q: got %d %s", reason, n, word)
		}
	}
}

// A pool that is off is seen to be, where its rows come minutes late, and where a
// client comes only now and then.
func TestPoolOffLate(t *testing.T) {
	for _, c := range []struct {
		apart, late time.Duration
	}{{time.Minute, 2 * time.Minute}, {70 * time.Second, 0}} {
		s := refusing(t)
		began := s.now.Add(-c.late)
		for range 20 {
			s.write("httperr1.log", s.turned(c.late, "503", "AppOffline", mapi))
			p := poolOf(s.read(), mapi)
			if got := p.OffSince(s.now); !got.Equal(began) {
				t.Fatalf("every %v, %v late: off since %v, want %v", c.apart, c.late, got, began)
			}
			s.now = s.now.Add(c.apart - time.Second)
		}
	}
}

// A row of a time to come is counted, and nothing is taken for being now.
func TestRowsOfTheFuture(t *testing.T) {
	s := refusing(t)
	const year = 365 * 24 * time.Hour
	s.write("httperr1.log", s.turned(-year, "503", "AppOffline", mapi)+s.turned(-year, "503", "QueueFull", mapi))
	r := s.read()
	if p := poolOf(r, mapi); len(r.Queues) > 0 || poolSum(r) != 2 || !p.OffSince(s.now).IsZero() || !p.Full.IsZero() {
		t.Errorf("got %+v, %+v", r.Queues, p)
	}
	s.write("httperr1.log", s.turned(-ahead/2, "503", "QueueFull", mapi)+s.turned(-ahead/2, "503", "AppOffline", mapi))
	r = s.read()
	if p := poolOf(r, mapi); refusedBy(r) != mapi+" 1" || p.Full.After(s.now) || p.Seen.After(s.now) {
		t.Errorf("half a minute ahead, at %v: got %+v, %+v", s.now, r.Queues, p)
	}
	tl := newLogTally()
	tl.since = eight
	tl.add(eight, client(maillog.HTTPProxy, eight.Add(year), func(r *maillog.Record) { r.Session = []byte("x") }))
	tl.add(eight, client(maillog.HTTPProxy, eight.Add(ahead), func(r *maillog.Record) { r.Session = []byte("y") }))
	if now, later := tl.best(eight).N, tl.best(eight.Add(sessionWindow+time.Second)).N; now != 1 || later != 0 {
		t.Errorf("%d sessions now, %d later", now, later)
	}
}

// What another server logged, and somebody copied here, is no news of this one.
func TestRowsOfAnotherServer(t *testing.T) {
	s := refusing(t)
	s.write("httperr1.log", s.row(0, "192.0.2.31 51514 203.0.113.99 443 HTTP/1.1 POST /mapi/ 503 1 QueueFull "+mapi))
	r := s.read()
	if len(r.Queues) > 0 || poolSum(r) != 1 || len(r.Logs.Hints) != 1 || !strings.Contains(r.Logs.Hints[0], "203.0.113.99") {
		t.Errorf("got %+v, %+v", r.Queues, r.Logs)
	}
	s.write("httperr1.log", s.full(mapi, 443))
	if r := s.read(); refusedBy(r) != mapi+" 1" {
		t.Errorf("its own: %q", refusedBy(r))
	}
}

// A refusal is news if it is told within five minutes: a Read that hangs for
// longer, behind it, has none.
func TestNewsIsJudgedWhenTold(t *testing.T) {
	for took, want := range map[time.Duration]string{fresh - time.Second: mapi + " 1", fresh + time.Second: ""} {
		s := refusing(t)
		s.read()
		s.write("httperr1.log", s.turned(0, "503", "QueueFull", mapi))
		calls := 0
		s.src.clock = func() time.Time {
			if calls++; calls == 4 { // when the files were read
				s.now = s.now.Add(took)
			}
			return s.now
		}
		if r := s.read(); refusedBy(r) != want || poolSum(r) != 1 || calls != 4 {
			t.Errorf("%v: got %q, want %q, %d looks at the clock", took, refusedBy(r), want, calls)
		}
	}
}

// A file beside the logs that cannot be read is a fault, and hides none of what
// the others say; so that nothing of it is news when the fault ends.
func TestUnreadableFileHidesNothing(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may read everything")
	}
	s := refusing(t)
	s.write("httperr0.log", "x")
	if err := os.Chmod(filepath.Join(s.dir, "httperr0.log"), 0); err != nil {
		t.Fatal(err)
	}
	s.now = s.now.Add(time.Second)
	s.write("httperr1.log", s.full(mapi, 443))
	if r, err := s.src.Read(t.Context()); err == nil || refusedBy(r) != mapi+" 1" {
		t.Errorf("got %+v, %v", r.Queues, err)
	}
	s.now = s.now.Add(time.Hour)
	if err := os.Remove(filepath.Join(s.dir, "httperr0.log")); err != nil {
		t.Fatal(err)
	}
	if r := s.read(); refusedBy(r) != mapi+" 1" {
		t.Errorf("an hour later: %+v", r.Queues)
	}
}

// A Reading of logs counts beside a fault, and not when it is stale.
func TestLogsCountBesideAFault(t *testing.T) {
	broken := errors.New("access is denied")
	synctest.Test(t, func(t *testing.T) {
		sl := slot{src: &fake{name: "httperr"}}
		sl.note(time.Now(), Reading{Queues: []Queue{{Name: mapi, Depth: Unmeasured, Refused: 7}}, Logs: &Logs{Probes: 1}}, broken, trend{})
		s := Sampler{every: time.Second, slots: []slot{{src: sl.src}}}
		s.slots[0].last.Store(sl.last.Load())
		got := s.Sample(time.Now())
		if len(got.Queues) != 1 || got.Logs == nil || len(got.Faults) != 1 || got.Sources[0].Err != broken || got.Sources[0].Age >= 0 {
			t.Errorf("got %+v", got)
		}
		time.Sleep(patience*time.Second + 1)
		if got := s.Sample(time.Now()); len(got.Queues) > 0 || got.Logs != nil || !errors.Is(got.Faults[0].Err, ErrStale) {
			t.Errorf("stale: got %+v", got)
		}
	})
}
