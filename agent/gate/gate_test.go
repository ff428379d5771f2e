package gate

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"evenkeel/policy/throttle"
)

// A judge answers as it is told, and notes what it was asked. What is not told
// is allowed.
type judge struct {
	check func(throttle.Caller, throttle.Ask) (throttle.Ticket, throttle.Verdict)
	next  func(throttle.Ticket) throttle.Verdict
	done  func(time.Time, throttle.Ticket, throttle.Cost) bool
	hold  func(throttle.Caller, throttle.Part, uint32) throttle.Verdict
	free  func(throttle.Caller, throttle.Part, uint32)
}

var allowed = throttle.Verdict{Action: throttle.Allow, Would: throttle.Allow}

func (j judge) Check(_ time.Time, c throttle.Caller, a throttle.Ask) (throttle.Ticket, throttle.Verdict) {
	if j.check == nil {
		return 1, allowed
	}
	return j.check(c, a)
}

func (j judge) Next(_ time.Time, t throttle.Ticket, _ float64) throttle.Verdict {
	if j.next == nil {
		return allowed
	}
	return j.next(t)
}

func (j judge) Done(now time.Time, t throttle.Ticket, cost throttle.Cost) bool {
	return j.done == nil || j.done(now, t, cost)
}

func (j judge) Hold(_ time.Time, c throttle.Caller, p throttle.Part, n uint32) throttle.Verdict {
	if j.hold == nil {
		return allowed
	}
	return j.hold(c, p, n)
}

func (j judge) Free(_ time.Time, c throttle.Caller, p throttle.Part, n uint32) {
	if j.free != nil {
		j.free(c, p, n)
	}
}

// says is a judge that always answers so.
func says(t throttle.Ticket, v throttle.Verdict) judge {
	v.Would = v.Action
	return judge{check: func(throttle.Caller, throttle.Ask) (throttle.Ticket, throttle.Verdict) { return t, v }}
}

// gateOf is a gate that asks j.
func gateOf(j Judge, cpu func() float64, o Options) *Server { return New(Judges{Ledger: j}, cpu, o) }

func unmeasured() float64 { return -1 }

// ask puts one question to a gate. Headers are "Name: value" lines.
func ask(s *Server, target string, lines ...string) *httptest.ResponseRecorder {
	method, path, found := strings.Cut(target, " ")
	if !found {
		method, path = http.MethodGet, target
	}
	q := httptest.NewRequest(method, path, nil)
	q.RemoteAddr = "127.0.0.1:40000"
	for _, l := range lines {
		name, value, _ := strings.Cut(l, ": ")
		q.Header.Add(name, value)
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, q)
	return w
}

// shown are the status and what the gate says in headers of its own, in one line.
func shown(w *httptest.ResponseRecorder) string {
	out := fmt.Sprint(w.Code)
	for _, name := range []string{"Ticket", "Delay", "Part", "Limit", "Code", "Reason", "Find", "Would"} {
		if v := w.Header().Get("X-Evenkeel-" + name); v != "" {
			out += " " + strings.ToLower(name) + "=" + v
		}
	}
	if v := w.Header().Get("Retry-After"); v != "" {
		out += " retry=" + v
	}
	return out
}

// What was decided is told in a status and headers.
func TestAnswers(t *testing.T) {
	const second = time.Second
	for _, c := range []struct {
		promise string
		ticket  throttle.Ticket
		v       throttle.Verdict
		target  string
		options Options
		want    string
	}{
		{"allowed", 0xabc, throttle.Verdict{Action: throttle.Allow}, "/v1/check", Options{}, "200 ticket=0000000000000abc"},
		{"any method, any path below", 1, throttle.Verdict{Action: throttle.Allow}, "DELETE /v1/check/ews/exchange.asmx?deny=429", Options{}, "200 ticket=0000000000000001"},
		{"less may be found", 1, throttle.Verdict{Action: throttle.Allow, Find: 7}, "/v1/check", Options{}, "200 ticket=0000000000000001 find=7"},
		{"delayed, by the front end", 1, throttle.Verdict{Action: throttle.Delay, Part: throttle.CAS, Wait: 1500 * time.Microsecond, Limit: 54000}, "/v1/check", Options{},
			"200 ticket=0000000000000001 delay=2 part=CAS reason=CAS (limit 54000) delays it"},
		{"denied", 0, throttle.Verdict{Part: throttle.Concurrency, Limit: 27}, "/v1/check", Options{},
			"403 part=MaxConcurrency limit=27 code=ErrorExceededConnectionCount reason=MaxConcurrency (limit 27) is used up retry=1"},
		{"denied for a time", 0, throttle.Verdict{Part: throttle.LocalTime, Limit: 300000, Wait: 299*second + 1}, "/v1/check?deny=429", Options{},
			"429 part=LocalTime limit=300000 code=ErrorServerBusy reason=LocalTime (limit 300000) is used up retry=300"},
		{"denied as configured", 0, throttle.Verdict{Part: throttle.Subscriptions, Limit: 20}, "/v1/check", Options{Deny: 429},
			"429 part=MaxSubscriptions limit=20 code=ErrorExceededSubscriptionCount reason=MaxSubscriptions (limit 20) is used up retry=1"},
		{"denied as asked, whatever is configured", 0, throttle.Verdict{Part: throttle.FindCount, Limit: 1000}, "/v1/check?deny=403", Options{Deny: 429},
			"403 part=FindCountLimit limit=1000 code=ErrorExceededFindCountLimit reason=FindCountLimit (limit 1000) is used up retry=1"},
		{"the query below is the client's", 0, throttle.Verdict{Part: throttle.AD, Limit: 1}, "/v1/check/x?deny=429", Options{},
			"403 part=AD limit=1 code=ErrorServerBusy reason=AD (limit 1) is used up retry=1"},
		{"no room to judge, and open", 0, throttle.Verdict{Part: throttle.Full}, "/v1/check", Options{FailOpen: true}, "200 reason=too many requests are open"},
		{"no room to judge, and closed", 0, throttle.Verdict{Part: throttle.Full}, "/v1/check", Options{}, "403 reason=too many requests are open retry=1"},
	} {
		if got := shown(ask(gateOf(says(c.ticket, c.v), unmeasured, c.options), c.target)); got != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", c.promise, got, c.want)
		}
	}
}

// In shadow mode all is allowed, and the answer says what would have been.
func TestShadow(t *testing.T) {
	j := judge{check: func(throttle.Caller, throttle.Ask) (throttle.Ticket, throttle.Verdict) {
		return 1, throttle.Verdict{Action: throttle.Allow, Would: throttle.Deny, Part: throttle.Concurrency, Limit: 2}
	}}
	want := "200 ticket=0000000000000001 part=MaxConcurrency reason=MaxConcurrency (limit 2) is over would=deny"
	if got := shown(ask(gateOf(j, unmeasured, Options{}), "/v1/check")); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// What a front end gets wrong is named, and nothing is asked of the judge.
func TestBadHeaders(t *testing.T) {
	j := judge{
		check: func(throttle.Caller, throttle.Ask) (throttle.Ticket, throttle.Verdict) {
			t.Error("asked all the same")
			return 0, allowed
		},
		done: func(time.Time, throttle.Ticket, throttle.Cost) bool { t.Error("done all the same"); return true },
		next: func(throttle.Ticket) throttle.Verdict { t.Error("next all the same"); return allowed },
	}
	s := gateOf(j, unmeasured, Options{FailOpen: true})
	for _, c := range []struct{ target, line, want string }{
		{"/v1/check", "X-Evenkeel-Find: many", `X-Evenkeel-Find: want a whole number up to 1000000000, got "many"`},
		{"/v1/check", "X-Evenkeel-Find: 1000000001", `X-Evenkeel-Find: want a whole number up to 1000000000, got "1000000001"`},
		{"/v1/check", "X-Evenkeel-Find: -1", `X-Evenkeel-Find: want a whole number up to 1000000000, got "-1"`},
		{"/v1/check", "X-Evenkeel-Recipients: 1.5", `X-Evenkeel-Recipients: want a whole number up to 1000000000, got "1.5"`},
		{"/v1/check", "X-Evenkeel-Paged: perhaps", `X-Evenkeel-Paged: want yes or no, got "perhaps"`},
		{"/v1/check", "X-Evenkeel-Hanging: 2", `X-Evenkeel-Hanging: want yes or no, got "2"`},
		{"/v1/check", "X-Evenkeel-Component: Mail", `X-Evenkeel-Component: want a component such as Ews, got "Mail"`},
		{"/v1/check", "X-Evenkeel-Component: unknown", `X-Evenkeel-Component: want a component such as Ews, got "unknown"`},
		{"/v1/check", "X-Evenkeel-Deny: 503", `X-Evenkeel-Deny: want hold=yes, hold=no, deny=403, deny=429, done=yes or done=none, got "deny=503"`},
		{"/v1/check?holds=yes", "", `query: want hold=yes, hold=no, deny=403, deny=429, done=yes or done=none, got "holds=yes"`},
		{"/v1/done", "X-Evenkeel-Ticket: 12", `X-Evenkeel-Ticket: want the 16 digits that /v1/check gave, got "12"`},
		{"/v1/done", "X-Evenkeel-Ticket: 000000000000000g", `X-Evenkeel-Ticket: want the 16 digits that /v1/check gave, got "000000000000000g"`},
		{"/v1/done", "X-Evenkeel-Rpc: -5", `X-Evenkeel-Rpc: want milliseconds, or seconds such as 0.120s, got "-5"`},
		{"/v1/done", "X-Evenkeel-Ad: NaN", `X-Evenkeel-Ad: want milliseconds, or seconds such as 0.120s, got "NaN"`},
		{"/v1/done", "X-Evenkeel-Ab: 1e300", `X-Evenkeel-Ab: want milliseconds, or seconds such as 0.120s, got "1e300"`},
		{"/v1/next", "", `X-Evenkeel-Ticket: want the 16 digits that /v1/check gave`},
		{"/v1/hold", "X-Evenkeel-Part: Cas", `X-Evenkeel-Part: want MaxSubscriptions, MaxDevices or MaxCmdletQueueDepth, got "Cas"`},
		{"/v1/free", "X-Evenkeel-Part: ", `X-Evenkeel-Part: want MaxSubscriptions, MaxDevices or MaxCmdletQueueDepth, got ""`},
	} {
		lines := []string{"X-Evenkeel-User: anna"}
		if c.line != "" {
			lines = append(lines, c.line)
		}
		got := ask(s, c.target, lines...)
		if body := strings.TrimSpace(got.Body.String()); got.Code != 400 || body != c.want {
			t.Errorf("%s %s:\ngot  %d %s\nwant 400 %s", c.target, c.line, got.Code, body, c.want)
		}
	}
	if n := s.Stats().Bad; n != 18 {
		t.Errorf("counted %d, want 18", n)
	}
}

// A request's end is told once, and charged.
func TestDone(t *testing.T) {
	var got string
	j := judge{done: func(_ time.Time, ticket throttle.Ticket, cost throttle.Cost) bool {
		got = fmt.Sprintf("%x %v %v %v", uint64(ticket), cost.AD, cost.AB, cost.RPC)
		return ticket != 2
	}}
	s := gateOf(j, unmeasured, Options{})
	for _, c := range []struct {
		promise string
		lines   []string
		status  int
		want    string
	}{
		{"with its costs", []string{"X-Evenkeel-Ticket: fedcba9876543210", "X-Evenkeel-AD: 12", "X-Evenkeel-AB: 0.5", "X-Evenkeel-RPC: 0.120s"}, 204, "fedcba9876543210 12ms 500µs 120ms"},
		{"without", []string{"X-Evenkeel-Ticket: 0000000000000001", "X-Evenkeel-RPC: -"}, 204, "1 0s 0s 0s"},
		{"released before", []string{"X-Evenkeel-Ticket: 0000000000000002"}, 404, "2 0s 0s 0s"},
		{"with a cost that cannot be read", []string{"X-Evenkeel-Ticket: 0000000000000001", "X-Evenkeel-AD: 5", "X-Evenkeel-RPC: 1, 2"}, 400, "1 5ms 0s 0s"},
		{"of a request that had no ticket", []string{"X-Evenkeel-Ticket: "}, 204, ""},
		{"of one that was never asked about", nil, 204, ""},
	} {
		got = ""
		if w := ask(s, "POST /v1/done", c.lines...); w.Code != c.status || got != c.want {
			t.Errorf("%s: %d %q, want %d %q", c.promise, w.Code, got, c.status, c.want)
		}
	}
	if st := s.Stats(); st.Dones != 4 || st.Unknown != 1 {
		t.Errorf("counted %+v", st)
	}
}

// Between two items of a batch the same is answered, without another ticket.
func TestNext(t *testing.T) {
	j := judge{next: func(ticket throttle.Ticket) throttle.Verdict {
		switch ticket {
		case 1:
			return throttle.Verdict{Action: throttle.Delay, Part: throttle.CPU, Wait: 250 * time.Millisecond, Would: throttle.Delay}
		case 2:
			return throttle.Verdict{Part: throttle.LocalTime, Limit: 5, Wait: time.Minute}
		case 3:
			return throttle.Verdict{}
		}
		return allowed
	}}
	s := gateOf(j, unmeasured, Options{})
	for ticket, want := range map[string]string{
		"1": "200 delay=250 part=CPU reason=CPU delays it",
		"2": "403 part=LocalTime limit=5 code=ErrorServerBusy reason=LocalTime (limit 5) is used up retry=60",
		"3": "404",
		"4": "200",
	} {
		if got := shown(ask(s, "/v1/next", "X-Evenkeel-Ticket: 000000000000000"+ticket)); got != want {
			t.Errorf("ticket %s: got %s, want %s", ticket, got, want)
		}
	}
}

// Subscriptions and devices are taken and given back, and belong to no request.
func TestHoldAndFree(t *testing.T) {
	var got string
	j := judge{
		hold: func(c throttle.Caller, p throttle.Part, n uint32) throttle.Verdict {
			got = fmt.Sprintf("hold %s %v %v %d", c.Name, c.Component, p, n)
			switch {
			case n > 1000:
				return throttle.Verdict{Part: throttle.Full, Limit: 64, Wait: time.Second}
			case n > 20:
				return throttle.Verdict{Part: p, Limit: 20}
			}
			return allowed
		},
		free: func(c throttle.Caller, p throttle.Part, n uint32) {
			got = fmt.Sprintf("free %s %v %v %d", c.Name, c.Component, p, n)
		},
	}
	s := gateOf(j, unmeasured, Options{FailOpen: true}) // which is no reason to say that what is not counted is held
	for _, c := range []struct {
		target string
		lines  []string
		status int
		want   string
	}{
		{"/v1/hold", []string{"X-Evenkeel-Part: MaxSubscriptions"}, 200, "hold anna Ews MaxSubscriptions 1"},
		{"/v1/hold", []string{"X-Evenkeel-Part: maxsubscriptions", "X-Evenkeel-Count: 21"}, 403, "hold anna Ews MaxSubscriptions 21"},
		{"/v1/hold", []string{"X-Evenkeel-Part: MaxSubscriptions", "X-Evenkeel-Count: 1001"}, 403, "hold anna Ews MaxSubscriptions 1001"},
		{"/v1/free", []string{"X-Evenkeel-Part: MaxDevices", "X-Evenkeel-Component: EAS", "X-Evenkeel-Count: 3"}, 204, "free anna Eas MaxDevices 3"},
	} {
		if w := ask(s, c.target, append(c.lines, "X-Evenkeel-User: anna")...); w.Code != c.status || got != c.want {
			t.Errorf("%s %v: %d %q, want %d %q", c.target, c.lines, w.Code, got, c.status, c.want)
		}
	}
}

func TestNoSuchPath(t *testing.T) {
	s := gateOf(judge{}, unmeasured, Options{FailOpen: true})
	for _, path := range []string{"/", "/v1", "/v1/", "/v1/checks", "/v1/done/", "/v2/check"} {
		if got := ask(s, path); got.Code != 404 || !strings.Contains(got.Body.String(), "/v1/check") {
			t.Errorf("%s: %d %s, want 404 and where to ask", path, got.Code, got.Body)
		}
	}
	if n := s.Stats().Strays; n != 6 {
		t.Errorf("counted %d strays, want 6", n)
	}
}
