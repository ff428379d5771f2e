package gate

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"evenkeel/policy/throttle"
)

// A request is one question while it is answered.
type request struct {
	*Server
	w       http.ResponseWriter
	q       *http.Request
	options *Options
	now     time.Time
	unheld  bool // it was to be held, and could not be
}

// wishes are how a front end wants one question to be answered.
type wishes struct {
	hold bool // delays are waited out here
	deny int  // status of a denial
	mute bool // the front end will not say done
}

// wishes reads what the headers say, else what the query says, else what is
// configured. Below [checkPath] the query is the client's, and is not looked at.
func (r *request) wishes() (w wishes, err error) {
	w = wishes{hold: r.options.Hold, deny: r.options.Deny}
	query := ""
	if r.q.URL.Path == checkPath || !strings.HasPrefix(r.q.URL.Path, checkPath) {
		query = r.q.URL.RawQuery
	}
	for query != "" {
		var pair string
		pair, query, _ = strings.Cut(query, "&")
		name, value, _ := strings.Cut(pair, "=")
		if err := w.take(name, value); err != nil {
			return w, fmt.Errorf("query: %w", err)
		}
	}
	h := headers(r.q.Header)
	for _, header := range [...][2]string{{headHold, "hold"}, {headDeny, "deny"}, {headDone, "done"}} {
		if v := h.get(header[0]); v != "" {
			if err := w.take(header[1], v); err != nil {
				return w, fmt.Errorf("%s: %w", header[0], err)
			}
		}
	}
	return w, nil
}

func (w *wishes) take(name, value string) error {
	switch name + "=" + value {
	case "hold=yes":
		w.hold = true
	case "hold=no":
		w.hold = false
	case "deny=403", "deny=429":
		w.deny, _ = strconv.Atoi(value)
	case "done=none":
		w.mute = true
	case "done=yes":
		w.mute = false
	default:
		return fmt.Errorf("want hold=yes, hold=no, deny=403, deny=429, done=yes or done=none, got %q", cut(name+"="+value))
	}
	return nil
}

// bad says what the front end did wrong.
func (r *request) bad(err error) {
	r.counters.bad.Add(1)
	http.Error(r.w, err.Error(), http.StatusBadRequest)
}

// check begins a request.
func (r *request) check() {
	w, err := r.wishes()
	if err != nil {
		r.bad(err)
		return
	}
	ask, err := read(r.q, r.options, r.cpu())
	if err != nil {
		r.bad(err)
		return
	}
	r.counters.checks.Add(1)
	if r.options.Anonymous && ask.nameless {
		r.allow(0, throttle.Verdict{Action: throttle.Allow, Would: throttle.Allow, Find: ask.ask.Find})
		return
	}
	t, v := r.judge.Check(r.now, ask.caller, ask.ask)
	gone := w.hold && !r.wait(&v, ask.caller.Name)
	if gone || r.unheld { // he has not been served: nothing is charged, and not that he was held
		r.judge.Done(r.now, t, throttle.Cost{})
	}
	if !gone {
		r.answer(t, v, w)
	}
}

// answer tells the front end what to do.
func (r *request) answer(t throttle.Ticket, v throttle.Verdict, w wishes) {
	switch {
	case v.Action == throttle.Deny && v.Part == throttle.Full:
		r.fail("too many requests are open")
	case v.Action == throttle.Deny:
		r.deny(v, w)
	case w.mute:
		r.judge.Done(r.now, t, throttle.Cost{Time: r.options.Assume})
		r.allow(0, v)
	default:
		r.allow(t, v)
	}
}

// allow is the answer of those who are served, now or later.
func (r *request) allow(t throttle.Ticket, v throttle.Verdict) {
	h := r.w.Header()
	if t != 0 {
		h[headTicket] = []string{ticketText(t)}
	}
	if v.Wait > 0 {
		h["X-Evenkeel-Delay"] = []string{up(v.Wait, time.Millisecond)}
	}
	if v.Part != throttle.NoPart {
		h[headPart] = []string{v.Part.String()}
		h["X-Evenkeel-Reason"] = []string{reason(v)}
	}
	if v.Find > 0 {
		h[headFind] = []string{strconv.FormatUint(uint64(v.Find), 10)}
	}
	if v.Would != v.Action {
		h["X-Evenkeel-Would"] = []string{v.Would.String()}
	}
	r.w.WriteHeader(http.StatusOK)
}

// deny is the answer of those who are not served.
func (r *request) deny(v throttle.Verdict, w wishes) {
	h := r.w.Header()
	h[headPart] = []string{v.Part.String()}
	h["X-Evenkeel-Limit"] = []string{strconv.FormatInt(v.Limit, 10)}
	h["X-Evenkeel-Code"] = []string{code(v)}
	why := reason(v)
	if r.unheld {
		v.Action = throttle.Delay
		why = reason(v) + ", and it cannot be held"
	}
	h["X-Evenkeel-Reason"] = []string{why}
	h["Retry-After"] = []string{up(max(v.Wait, time.Second), time.Second)}
	http.Error(r.w, why, w.deny)
}

// fail is the answer where nothing can be judged.
func (r *request) fail(why string) {
	r.counters.failed.Add(1)
	r.w.Header()["X-Evenkeel-Reason"] = []string{why}
	if r.options.FailOpen {
		r.w.WriteHeader(http.StatusOK)
		return
	}
	r.w.Header()["Retry-After"] = []string{"1"}
	http.Error(r.w, why, r.options.Deny)
}

// newest is of no version that would be told less.
const newest = throttle.RequestVersion("Exchange2016")

// code is the word by which clients of Exchange know a denial: the ResponseCode
// of EWS.
func code(v throttle.Verdict) string { return string(v.Reply(throttle.EWS, newest).Code) }

// reason is a verdict in a sentence.
func reason(v throttle.Verdict) string {
	part := v.Part.String()
	if v.Part == throttle.Full {
		return "there is no room to count it"
	}
	if v.Limit > 0 {
		part += " (limit " + strconv.FormatInt(v.Limit, 10) + ")"
	}
	switch v.Action {
	case throttle.Delay:
		return part + " delays it"
	case throttle.Deny:
		return part + " is used up"
	}
	return part + " is over"
}

// up is d in whole units, rounded up: who obeys must not come too early.
func up(d, unit time.Duration) string {
	return strconv.FormatInt(int64((d+unit-1)/unit), 10)
}

// ticketText is a ticket in a header: 16 hexadecimal digits.
func ticketText(t throttle.Ticket) string {
	const digits = "0123456789abcdef"
	var b [16]byte
	for i := range b {
		b[i] = digits[t>>(60-4*i)&15]
	}
	return string(b[:])
}
