package gate

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"evenkeel/policy/throttle"
)

// ticket reads the ticket that a front end was given; 0 is none: front ends
// send an empty header for a request that had none.
func (h headers) ticket() (throttle.Ticket, error) {
	v := h.get(headTicket)
	if v == "" {
		return 0, nil
	}
	t, err := strconv.ParseUint(v, 16, 64)
	if err != nil || len(v) != 16 {
		return 0, fmt.Errorf("%s: want the 16 digits that /v1/check gave, got %q", headTicket, cut(v))
	}
	return throttle.Ticket(t), nil
}

// done ends a request and charges what it cost: 204, whether there was a ticket
// or not; 404 where it is not known, or not any more. Costs that cannot be read
// are 400, and the request has ended all the same: nobody would say so again.
func (r *request) done() {
	h := headers(r.q.Header)
	t, err := h.ticket()
	if err != nil {
		r.bad(err)
		return
	}
	cost, err := h.cost()
	known := t == 0 || r.judge.Done(r.now, t, cost)
	switch {
	case err != nil:
		r.bad(err)
	case !known:
		r.unknown()
	default:
		r.counters.dones.Add(1)
		r.w.WriteHeader(http.StatusNoContent)
	}
}

// cost is what the request cost beyond its own time.
func (h headers) cost() (c throttle.Cost, err error) {
	var wrong [3]error
	c.AD, wrong[0] = h.millis(headAD)
	c.AB, wrong[1] = h.millis(headAB)
	c.RPC, wrong[2] = h.millis(headRPC)
	return c, cmp.Or(wrong[0], wrong[1], wrong[2])
}

func (r *request) unknown() {
	r.counters.unknown.Add(1)
	http.Error(r.w, headTicket+": not known, or released", http.StatusNotFound)
}

// next asks between two items of a batch.
func (r *request) next() {
	w, err := r.wishes()
	var t throttle.Ticket
	if err == nil {
		t, err = headers(r.q.Header).ticket()
	}
	if err == nil && t == 0 {
		err = errors.New(headTicket + ": want the 16 digits that /v1/check gave")
	}
	if err != nil {
		r.bad(err)
		return
	}
	r.counters.nexts.Add(1)
	v := r.judge.Next(r.now, t, r.cpu())
	switch {
	case v.Action == throttle.Deny && v.Part == throttle.NoPart:
		r.unknown()
		return
	case w.hold && !r.wait(&v, r.asker()):
		r.judge.Done(r.now, t, throttle.Cost{})
		return
	}
	w.mute = false
	r.answer(0, v, w)
}

// asker is for whom a question without a caller is asked, where places are
// shared out: who is not named shares his with all that are not.
func (r *request) asker() string {
	h := headers(r.q.Header)
	if name, _ := h.user(r.options.Domains); name != "" {
		return name
	}
	return h.address(r.q)
}

// hold takes places that outlive a request: subscriptions, devices, cmdlets in
// the queue. Who can have no budget is denied, whatever Options.FailOpen says: to
// be told that he holds what nobody has counted would be untrue for a day.
func (r *request) hold() {
	c, p, n, err := r.places()
	w, wrong := r.wishes()
	if err = errors.Join(err, wrong); err != nil {
		r.bad(err)
		return
	}
	r.counters.holds.Add(1)
	v := r.judge.Hold(r.now, c, p, n)
	if v.Action == throttle.Deny {
		r.deny(v, w)
		return
	}
	r.answer(0, v, w)
}

// free gives them back.
func (r *request) free() {
	c, p, n, err := r.places()
	if err != nil {
		r.bad(err)
		return
	}
	r.counters.frees.Add(1)
	r.judge.Free(r.now, c, p, n)
	r.w.WriteHeader(http.StatusNoContent)
}

// places are whose and how many.
func (r *request) places() (c throttle.Caller, p throttle.Part, n uint32, err error) {
	h := headers(r.q.Header)
	p, ok := kept(h.get(headPart))
	if !ok {
		return c, p, 0, fmt.Errorf("%s: want MaxSubscriptions, MaxDevices or MaxCmdletQueueDepth, got %q", headPart, cut(h.get(headPart)))
	}
	service, err := h.service(h.uri(r.q))
	if err != nil {
		return c, p, 0, err
	}
	c, _ = h.caller(r.q, r.options, service)
	n, err = h.count(headCount, 1)
	return c, p, n, err
}

// kept is the part of that name, if its places outlive a request.
func kept(name string) (throttle.Part, bool) {
	for _, p := range [...]throttle.Part{throttle.Subscriptions, throttle.Devices, throttle.CmdletQueue} {
		if strings.EqualFold(p.String(), name) {
			return p, true
		}
	}
	return throttle.NoPart, false
}
