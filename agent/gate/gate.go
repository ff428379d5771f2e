// Package gate lets a front end on the node ask, before it serves a request,
// whether the client may, and say afterwards what the request cost. It speaks
// HTTP, as nginx (auth_request), Caddy and Traefik (forward auth) and Envoy
// (ext_authz) ask already.
//
// Start with [Server]; what is asked and answered stands in DESIGN.md.
package gate

import (
	"net/http"
	"sync/atomic"
	"time"

	"evenkeel/policy/throttle"
)

// A Judge decides and keeps the accounts: a throttle.Ledger. It is called by
// any number of goroutines at once.
type Judge interface {
	Check(now time.Time, c throttle.Caller, a throttle.Ask) (throttle.Ticket, throttle.Verdict)
	Next(now time.Time, t throttle.Ticket, cpu float64) throttle.Verdict
	Done(now time.Time, t throttle.Ticket, cost throttle.Cost) bool
	Hold(now time.Time, c throttle.Caller, p throttle.Part, n uint32) throttle.Verdict
	Free(now time.Time, c throttle.Caller, p throttle.Part, n uint32)
}

// Sessions judge the ROPs of MAPI sessions: throttle.Sessions. They are called
// by any number of goroutines at once.
type Sessions interface {
	ROPs(now time.Time, id string, n int, latency time.Duration, v throttle.ClientVersion) throttle.Answer
	Took(now time.Time, d time.Duration)
	Latency(now time.Time) time.Duration
}

// Judges are who a [Server] asks.
type Judges struct {
	Ledger   Judge
	Sessions Sessions // nil: /v1/rop is not answered
}

// Options are what an operator may change while the gate is open.
type Options struct {
	FailOpen  bool              // what cannot be judged is allowed; else it is denied
	Hold      bool              // delays are waited out here, before the answer, and not by the front end
	Deny      int               // status of a denial, 403 or 429; 0 is 403
	Assume    time.Duration     // what a request is charged at once when the front end says that it will not say done
	Wait      time.Duration     // the longest that a request is held, a minute at most; what is to be delayed for longer is denied
	Waiters   int               // most requests that are held at once, by no more than all connections but one; what finds no place is denied
	Anonymous bool              // who names nobody is allowed, and not judged by his address
	Domains   []throttle.Domain // by which accounts are known under one name; see [throttle.Account]
}

// A Server is a gate. [New] makes it; any number of Serve may run at once. It
// must not be copied.
type Server struct {
	judge    Judge
	sessions Sessions
	cpu      func() float64
	options  atomic.Pointer[Options]
	counters counters
	hall     hall
}

// New makes a gate that asks by. cpu is the share of all CPUs in use as a mean
// over 10 s, 0 to 1, negative where it is not known; it is called with every
// question and must not wait.
func New(by Judges, cpu func() float64, o Options) *Server {
	s := &Server{judge: by.Ledger, sessions: by.Sessions, cpu: cpu}
	s.Configure(o)
	return s
}

// Configure makes o hold from the next request on.
func (s *Server) Configure(o Options) {
	if o.Deny != http.StatusTooManyRequests {
		o.Deny = http.StatusForbidden
	}
	s.options.Store(&o)
}

// ServeHTTP answers one question. The body is not read.
func (s *Server) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	r := request{Server: s, w: w, q: q, options: s.options.Load(), now: time.Now()}
	if g := guestOf(q.Context()); g != nil && g.crowded {
		s.counters.crowded.Add(1)
		w.Header()["Connection"] = []string{"close"}
		if !counts(q.URL.Path) {
			r.fail("the gate has no room for another connection")
			return
		}
	}
	if act := actions(q.URL.Path); act != nil && (s.sessions != nil || q.URL.Path != ropPath) {
		act(&r)
		return
	}
	s.counters.strays.Add(1)
	http.Error(w, "not found: ask /v1/check, /v1/next, /v1/done, /v1/hold, /v1/free or /v1/rop", http.StatusNotFound)
}

// checkPath is where a request is asked about. Whatever is below it is the
// path that the client asked for: Envoy appends it.
const checkPath = "/v1/check"

// counts says that a front end gives back there, or takes what it will give back,
// and never waits: if it were not done somebody would be charged for ever, or
// hold what nobody has counted.
func counts(path string) bool { return path == donePath || path == freePath || path == holdPath }

// ropPath is where a front end asks about ROPs.
const ropPath = "/v1/rop"

// Where a front end says that something is over, or that it is there.
const (
	donePath = "/v1/done"
	freePath = "/v1/free"
	holdPath = "/v1/hold"
)

// actions is what is done for a path; nil where there is nothing.
func actions(path string) func(*request) {
	switch path {
	case checkPath:
		return (*request).check
	case donePath:
		return (*request).done
	case "/v1/next":
		return (*request).next
	case holdPath:
		return (*request).hold
	case freePath:
		return (*request).free
	case ropPath:
		return (*request).rop
	}
	if len(path) > len(checkPath) && path[:len(checkPath)+1] == checkPath+"/" {
		return (*request).check
	}
	return nil
}
