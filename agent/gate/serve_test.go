package gate

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"evenkeel/policy/throttle"
)

// serve serves s on loopback until the test ends, and returns where.
func serve(t testing.TB, s *Server, b Bounds) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, l, b) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return l.Addr().String()
}

// A caller is a front end with one connection.
type front struct {
	conn net.Conn
	r    *bufio.Reader
}

func dial(t *testing.T, addr string) front {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	c.SetDeadline(time.Now().Add(time.Minute))
	return front{c, bufio.NewReader(c)}
}

// asks puts a question and reads the answer; nil where the gate hangs up.
func (f front) asks(t *testing.T, path string, lines ...string) *http.Response {
	t.Helper()
	fmt.Fprintf(f.conn, "GET %s HTTP/1.1\r\nHost: gate\r\n%s\r\n", path, strings.Join(append(lines, ""), "\r\n"))
	r, err := http.ReadResponse(f.r, nil)
	if err != nil {
		return nil
	}
	r.Body.Close()
	return r
}

// One connection carries question after question.
func TestKeepAlive(t *testing.T) {
	f := dial(t, serve(t, gateOf(judge{}, unmeasured, Options{}), Bounds{Connections: 4}))
	for i := range 100 {
		if r := f.asks(t, "/v1/check", "X-Evenkeel-User: anna"); r == nil || r.StatusCode != 200 {
			t.Fatalf("question %d: %v", i, r)
		}
		if r := f.asks(t, "/v1/done", "X-Evenkeel-Ticket: 0000000000000001"); r == nil || r.StatusCode != 204 {
			t.Fatalf("question %d: %v", i, r)
		}
	}
}

// Who finds no place is told so, as configured; who finds none even for that is
// hung up on. A place is free again when its guest has left.
func TestCrowd(t *testing.T) {
	for _, open := range []bool{true, false} {
		s := gateOf(judge{}, unmeasured, Options{FailOpen: open})
		addr := serve(t, s, Bounds{Connections: 1})
		first := dial(t, addr)
		first.asks(t, "/v1/check")
		second := dial(t, addr)
		want := map[bool]int{true: 200, false: 403}[open]
		if r := second.asks(t, "/v1/check"); r == nil || r.StatusCode != want || !r.Close || r.Header.Get(headTicket) != "" {
			t.Errorf("open=%v: without a place: %v, want %d, no ticket and the end of the connection", open, r, want)
		}
		if s.Stats().Failed == 0 || s.Stats().Crowded == 0 {
			t.Errorf("open=%v: not counted: %+v", open, s.Stats())
		}
		first.conn.Close()
		for { // until the gate has seen it
			if r := dial(t, addr).asks(t, "/v1/check"); r != nil && r.Header.Get(headTicket) != "" {
				break
			}
		}
	}
}

func TestNoRoomAtAll(t *testing.T) {
	addr := serve(t, gateOf(judge{}, unmeasured, Options{}), Bounds{Connections: 0})
	for range 16 {
		dial(t, addr)
	}
	if r := dial(t, addr).asks(t, "/v1/check"); r != nil {
		t.Errorf("answered %v, want the end of the connection", r)
	}
}

// Beyond loopback only who is listed may connect.
func TestWhoMayConnect(t *testing.T) {
	d := door{bounds: Bounds{Allow: []netip.Prefix{netip.MustParsePrefix("10.1.0.0/16"), netip.MustParsePrefix("2001:db8::/32")}}}
	for addr, want := range map[string]bool{
		"127.0.0.1:1": true, "127.9.9.9:1": true, "[::1]:1": true, "10.1.2.3:1": true, "[::ffff:10.1.2.3]:1": true, "[2001:db8::9]:1": true,
		"10.2.0.1:1": false, "[2001:db9::9]:1": false, "198.51.100.7:1": false,
	} {
		if got := d.admits(net.TCPAddrFromAddrPort(netip.MustParseAddrPort(addr))); got != want {
			t.Errorf("%s: got %v, want %v", addr, got, want)
		}
	}
}

func delays(d time.Duration) judge {
	return says(7, throttle.Verdict{Action: throttle.Delay, Part: throttle.CAS, Wait: d, Limit: 54000})
}

// A request is held for as long as it is to be delayed, and a minute at most.
func TestHeld(t *testing.T) {
	for _, c := range []struct {
		promise, target string
		wait            time.Duration
		options         Options
		took            time.Duration
		want            string
	}{
		{"as asked", "/v1/check?hold=yes", 3 * time.Second, Options{Waiters: 1, Wait: time.Hour}, 3 * time.Second, "200 ticket=0000000000000007 part=CAS reason=CAS (limit 54000) delays it"},
		{"as configured", "/v1/check", 3 * time.Second, Options{Hold: true, Waiters: 1, Wait: time.Hour}, 3 * time.Second, "200 ticket=0000000000000007 part=CAS reason=CAS (limit 54000) delays it"},
		{"not, as asked", "/v1/check?hold=no", 3 * time.Second, Options{Hold: true, Waiters: 1, Wait: time.Hour}, 0, "200 ticket=0000000000000007 delay=3000 part=CAS reason=CAS (limit 54000) delays it"},
		{"a minute at most", "/v1/check?hold=yes", 90 * time.Second, Options{Waiters: 1, Wait: time.Hour}, time.Minute, "200 ticket=0000000000000007 delay=30000 part=CAS reason=CAS (limit 54000) delays it"},
		{"as long as is configured", "/v1/check?hold=yes", 3 * time.Second, Options{Waiters: 1, Wait: 2 * time.Second}, 2 * time.Second,
			"200 ticket=0000000000000007 delay=1000 part=CAS reason=CAS (limit 54000) delays it"},
		{"without room, and open", "/v1/check?hold=yes", 3 * time.Second, Options{FailOpen: true}, 0, "200 ticket=0000000000000007 delay=3000 part=CAS reason=CAS (limit 54000) delays it"},
		{"without room, and closed", "/v1/check?hold=yes", 3 * time.Second, Options{}, 0, "403 reason=too many requests are held retry=1"},
	} {
		synctest.Test(t, func(t *testing.T) {
			began := time.Now()
			got := shown(ask(gateOf(delays(c.wait), unmeasured, c.options), c.target))
			if took := time.Since(began); got != c.want || took != c.took {
				t.Errorf("%s: after %v\ngot  %s\nwant %s", c.promise, took, got, c.want)
			}
		})
	}
}

// Who goes away while he is held leaves no request open, and makes room.
func TestLeavingWhileHeld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := delays(time.Minute)
		var ended []throttle.Ticket
		j.done = func(_ time.Time, ticket throttle.Ticket, _ throttle.Cost) bool {
			ended = append(ended, ticket)
			return true
		}
		s := gateOf(j, unmeasured, Options{Hold: true, Waiters: 1, Wait: time.Hour})
		ctx, leave := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		wg.Go(func() {
			s.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(ctx, http.MethodGet, "/v1/check", nil))
		})
		synctest.Wait()
		if n := s.Stats().Waiting; n != 1 {
			t.Errorf("%d wait, want 1", n)
		}
		leave()
		wg.Wait()
		if st := s.Stats(); len(ended) != 1 || ended[0] != 7 || st.Waiting != 0 || st.Left != 1 {
			t.Errorf("ended %v, %+v; want ticket 7, nobody waiting and one who left", ended, st)
		}
	})
}

// A request whose end nobody tells is charged what is configured, at once, and
// has no ticket to tell; one that is delayed too, when its time has come.
func TestAssumedEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		var got []string
		j := delays(3 * time.Second)
		j.done = func(now time.Time, ticket throttle.Ticket, c throttle.Cost) bool {
			got = append(got, fmt.Sprint(ticket, " after ", now.Sub(began), " for ", c.Time))
			return true
		}
		s := gateOf(j, unmeasured, Options{Assume: 100 * time.Millisecond, Waiters: 1, Wait: time.Hour})
		for _, target := range []string{"/v1/check?done=none", "/v1/check", "/v1/check?done=none&hold=yes"} {
			if w := ask(s, target); w.Code != 200 || (w.Header().Get(headTicket) == "") != strings.Contains(target, "none") {
				t.Errorf("%s: %s", target, shown(w))
			}
		}
		if want := "[7 after 0s for 100ms 7 after 3s for 100ms]"; fmt.Sprint(got) != want {
			t.Errorf("got %v, want %s", got, want)
		}
	})
}

// Serve ends when it is told to, with requests that are held, and says so when
// its listener breaks.
func TestServeEnds(t *testing.T) {
	s := gateOf(delays(time.Minute), unmeasured, Options{Hold: true, Waiters: 1, Wait: time.Hour})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, l, Bounds{Connections: 1}) }()
	f := dial(t, l.Addr().String())
	fmt.Fprint(f.conn, "GET /v1/check HTTP/1.1\r\nHost: gate\r\n\r\n")
	for s.Stats().Waiting == 0 {
	}
	stop()
	if err := <-ended; err != nil {
		t.Errorf("told to end: %v", err)
	}
	for s.Stats().Waiting > 0 { // the held one notices
	}
	l, err = net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	if err := s.Serve(t.Context(), l, Bounds{}); err == nil {
		t.Error("a broken listener is no error")
	}
}

// Who has no name may be let through unjudged, where names are not seen before
// the client has been answered once (Negotiate).
func TestAnonymousAllowed(t *testing.T) {
	j := says(0, throttle.Verdict{Part: throttle.Concurrency, Limit: 1})
	s := gateOf(j, unmeasured, Options{Anonymous: true})
	if got := shown(ask(s, "/v1/check")); got != "200" {
		t.Errorf("without a name: %s, want 200", got)
	}
	if got := ask(s, "/v1/check", "X-Evenkeel-User: anna"); got.Code != 403 {
		t.Errorf("with a name: %d, want 403", got.Code)
	}
}

// A reload holds from the next question on.
func TestConfigure(t *testing.T) {
	s := gateOf(says(0, throttle.Verdict{Part: throttle.CAS, Limit: 1}), unmeasured, Options{})
	s.Configure(Options{Deny: 429})
	if got := ask(s, "/v1/check"); got.Code != 429 {
		t.Errorf("got %d, want 429", got.Code)
	}
}
