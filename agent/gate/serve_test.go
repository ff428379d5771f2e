package gate

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
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

// Who finds no place may still say what is over: or else a budget would be
// charged for ever, just when there is a crowd. What is held is counted or denied.
func TestCountsInACrowd(t *testing.T) {
	var ended, freed, held int
	j := judge{
		done: func(_ time.Time, ticket throttle.Ticket, _ throttle.Cost) bool { ended++; return ticket == 1 },
		free: func(throttle.Caller, throttle.Part, uint32) { freed++ },
		hold: func(_ throttle.Caller, p throttle.Part, n uint32) throttle.Verdict {
			if held++; n > 1 {
				return throttle.Verdict{Part: throttle.Full}
			}
			return allowed
		},
	}
	addr := serve(t, gateOf(j, unmeasured, Options{FailOpen: true}), Bounds{Connections: 1})
	dial(t, addr).asks(t, "/v1/check")
	for _, c := range []struct {
		path, line string
		want       int
	}{
		{"/v1/done", "X-Evenkeel-Ticket: 0000000000000001", 204}, {"/v1/done", "X-Evenkeel-Ticket: 0000000000000002", 404},
		{"/v1/free", "X-Evenkeel-Part: MaxDevices", 204}, {"/v1/hold", "X-Evenkeel-Part: MaxDevices", 200},
		{"/v1/hold", "X-Evenkeel-Part: MaxDevices\r\nX-Evenkeel-Count: 2", 403},
	} {
		f := dial(t, addr)
		if r := f.asks(t, c.path, c.line); r == nil || r.StatusCode != c.want || !r.Close {
			t.Errorf("%s: %v, want %d and the end of the connection", c.path, r, c.want)
		}
	}
	if ended != 2 || freed != 1 || held != 2 {
		t.Errorf("%d done, %d freed, %d held; want 2, 1 and 2", ended, freed, held)
	}
}

// What net/http answers itself, before there is a question.
func TestBeforeTheHandler(t *testing.T) {
	s := gateOf(judge{}, unmeasured, Options{})
	addr := serve(t, s, Bounds{Connections: 16})
	for request, want := range map[string]int{
		"OPTIONS * HTTP/1.1\r\nHost: gate\r\n\r\n":                                                             404, // and not 200, which is yes
		"GET /v1/check HTTP/1.1\r\nHost: gate\r\nX-Evenkeel-User: " + strings.Repeat("a", 30<<10) + "\r\n\r\n": 200,
		"GET /v1/check HTTP/1.1\r\nHost: gate\r\nX-Evenkeel-User: " + strings.Repeat("a", 40<<10) + "\r\n\r\n": 431,
		"GET /v1/check HTTP/1.1\r\nHost: gate\r\nAuthorization: Basic \x01\r\n\r\n":                            400,
		"GET /v1/check HTTP/1.1\r\nHost: gate\r\nAuthorization: Basic \xfc\r\n\r\n":                            200,
		"GET /v1/check/%zz HTTP/1.1\r\nHost: gate\r\n\r\n":                                                     400,
		"GET /v1/check HTTP/1.1\r\n\r\n":                                                                       400,
	} {
		f := dial(t, addr)
		fmt.Fprint(f.conn, request)
		if r, err := http.ReadResponse(f.r, nil); err != nil || r.StatusCode != want {
			t.Errorf("%.60q: %v, %v; want %d", request, r, err, want)
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
		got = nil
		if w := ask(s, "/v1/check?done=none", "X-Evenkeel-Done: yes"); w.Header().Get(headTicket) == "" || got != nil {
			t.Errorf("a front end that says done after all: %s, ended %v", shown(w), got)
		}
		if w := ask(s, "/v1/next?done=none", "X-Evenkeel-Ticket: 0000000000000007"); w.Code != 200 || got != nil {
			t.Errorf("the next item: %s, ended %v", shown(w), got)
		}
	})
}

// Serve ends when it is told to, with requests that are held, and says so when
// its listener breaks.
func TestServeEnds(t *testing.T) {
	asked, left := make(chan bool, 1), make(chan bool, 1)
	j := judge{
		check: func(throttle.Caller, throttle.Ask) (throttle.Ticket, throttle.Verdict) {
			asked <- true
			return 7, throttle.Verdict{Action: throttle.Delay, Part: throttle.CAS, Wait: time.Minute}
		},
		done: func(time.Time, throttle.Ticket, throttle.Cost) bool { left <- true; return true },
	}
	s := gateOf(j, unmeasured, Options{Hold: true, Waiters: 1, Wait: time.Hour})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, l, Bounds{Connections: 2}) }()
	fmt.Fprint(dial(t, l.Addr().String()).conn, "GET /v1/check HTTP/1.1\r\nHost: gate\r\n\r\n")
	<-asked
	stop()
	if err := <-ended; err != nil {
		t.Errorf("told to end: %v", err)
	}
	<-left // the held one notices
	l, err = net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	if err := s.Serve(t.Context(), l, Bounds{}); err == nil {
		t.Error("a broken listener is no error")
	}
}

// Who names nobody may be let through unjudged: clients with Kerberos, NTLM or
// OAuth never say their names in clear. A name that is there and cannot be read
// is somebody's, who would use it to be free of limits.
func TestAnonymousAllowed(t *testing.T) {
	s := gateOf(says(0, throttle.Verdict{Part: throttle.Concurrency, Limit: 1}), unmeasured, Options{Anonymous: true})
	for line, want := range map[string]int{
		"X-Evenkeel-User: ":                      200,
		"Authorization: Negotiate TlRMTVNTUAAB":  200,
		"Authorization: Bearer Basic":            200,
		"X-Evenkeel-User: anna":                  403,
		"X-Evenkeel-User: an\x00na":              403,
		`Remote-User: CONTOSO\`:                  403,
		"Authorization: Basic %%%":               403,
		"authorization: basic\tYW5uYTpzZWNyZXQ=": 403,
		basic("", "secret"):                      403,
		basic("an\x00na", "secret"):              403,
		basic(strings.Repeat("a", 300), ""):      403,
	} {
		if got := ask(s, "/v1/check", line); got.Code != want {
			t.Errorf("%q: %d, want %d", line, got.Code, want)
		}
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
