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

// An operation is ROPs of one request of a MAPI session.
type operation struct {
	session string
	client  throttle.ClientVersion
	rops    int
	latency time.Duration // of the node, of all clients; negative: not known here
	took    time.Duration // of the last request, for those who know nothing better; 0: not told
}

// rop asks whether the ROPs of a session are to be run: 200, with X-Evenkeel-Delay
// where they are to be held; or the status of a denial, with the rest of the
// period in X-Evenkeel-Backoff and how the client is told in X-Evenkeel-Code.
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
	switch a.Action {
	case throttle.Deny:
		r.backOff(a, w)
	default:
		r.allow(0, throttle.Verdict{Action: a.Action, Would: a.Action, Wait: a.Wait})
	}
}

// judgeROPs is the first answer that does not simply let a ROP be run: those
// behind it are not run either (MS-OXCROPS 3.2.4.2).
func (r *request) judgeROPs(o operation) (a throttle.Answer) {
	if o.took > 0 {
		r.sessions.Took(r.now, o.took)
	}
	if o.latency < 0 {
		o.latency = r.sessions.Latency(r.now)
	}
	for range o.rops {
		if a = r.sessions.ROP(r.now, o.session, o.latency, o.client); a.Action != throttle.Allow {
			break
		}
	}
	return a
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
	h["X-Evenkeel-Backoff"] = []string{strconv.FormatInt(millisUp(a.Wait), 10)}
	h["X-Evenkeel-Code"] = []string{word}
	if a.GivesUp {
		h["X-Evenkeel-Gives-Up"] = []string{"yes"} // such a client ends its session now
	}
	http.Error(r.w, word+" for "+a.Wait.String(), w.deny)
}
