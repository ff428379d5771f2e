package gate

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"evenkeel/policy/throttle"
)

// The headers about ROPs.
const (
	headSession = "X-Evenkeel-Session"
	headClient  = "X-Evenkeel-Client"
	headROPs    = "X-Evenkeel-Rops"
	headLatency = "X-Evenkeel-Latency"
	headTook    = "X-Evenkeel-Took"
)

// maxROPs is the most ROPs of one request: its buffer has no place for more.
const maxROPs = 1000

// An operation is the ROPs of one request of a MAPI session.
type operation struct {
	session string
	client  throttle.ClientVersion
	rops    int
	latency time.Duration // of the node, of all clients; negative: not known here
	took    time.Duration // of the last request, for those who know nothing better; 0: not told
}

// rop asks whether the ROPs of a session are to be run: 200, with X-Evenkeel-Delay
// where they are to be held, unless they were held here; or the status of a
// denial, with when to come again in X-Evenkeel-Backoff and how the client is
// told in X-Evenkeel-Code. In shadow mode X-Evenkeel-Would has what it would be.
func (r *request) rop() {
	w, err := r.wishes()
	var o operation
	if err == nil {
		o, err = headers(r.q.Header).operation()
	}
	if err != nil {
		r.bad(err)
		return
	}
	r.counters.rops.Add(1)
	a := r.judgeROPs(o)
	if a.Action == throttle.Deny {
		r.backOff(a, w)
		return
	}
	v := throttle.Verdict{Action: a.Action, Would: a.Would, Wait: a.Wait}
	switch {
	case w.hold && !r.wait(&v, o.session): // who asked has gone
	case r.unheld:
		a.TooBusy = true // only clients without another word are told to wait
		r.backOff(a, w)
	default:
		r.allow(0, v)
	}
}

// judgeROPs judges all of them at once: a front end runs a request whole or not
// at all.
func (r *request) judgeROPs(o operation) throttle.Answer {
	if o.took > 0 {
		r.sessions.Took(r.now, o.took)
	}
	if o.latency < 0 {
		o.latency = r.sessions.Latency(r.now)
	}
	return r.sessions.ROPs(r.now, o.session, o.rops, o.latency, o.client)
}

// operation reads what is asked.
func (h headers) operation() (o operation, err error) {
	if o.session = h.get(headSession); o.session == "" || len(o.session) > maxName {
		return o, fmt.Errorf("%s: want the name of a session, up to %d bytes", headSession, maxName)
	}
	if v := h.get(headClient); v != "" {
		if o.client, err = throttle.ParseClientVersion(v); err != nil {
			return o, fmt.Errorf("%s: %w", headClient, err)
		}
	}
	n, err := h.count(headROPs, 1)
	if err == nil && (n < 1 || n > maxROPs) {
		err = errors.New(headROPs + ": want a whole number from 1 to " + strconv.Itoa(maxROPs))
	}
	if err != nil {
		return o, err
	}
	o.rops, o.latency = int(n), -1
	if h.get(headLatency) != "" {
		if o.latency, err = h.millis(headLatency); err != nil {
			return o, err
		}
	}
	o.took, err = h.millis(headTook)
	return o, err
}

// backOff is the answer of those who are to come again.
func (r *request) backOff(a throttle.Answer, w wishes) {
	word := "RopBackoff"
	if a.TooBusy {
		word = "RPC_S_SERVER_TOO_BUSY"
	}
	h := r.w.Header()
	h["X-Evenkeel-Backoff"] = []string{up(a.Wait, time.Millisecond)}
	h["X-Evenkeel-Code"] = []string{word}
	http.Error(r.w, word+" for "+a.Wait.String(), w.deny)
}
