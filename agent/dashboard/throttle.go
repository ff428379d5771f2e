package dashboard

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"
)

// A Throttle is what the gate judges of clients. Its names are a promise, as
// those of a [Status].
type Throttle struct {
	Shadow     bool      `json:"shadow"` // decided and counted, and all are allowed
	Budgets    int       `json:"budgets"`
	OverBudget int       `json:"over_budget"`
	Waiting    int       `json:"waiting"`   // requests that the gate holds now
	Top        []Spender `json:"top"`       // who uses most of each part, part by part
	Throttled  []Spender `json:"throttled"` // who is refused or delayed now
}

// A Spender is a caller and what he uses of a part.
type Spender struct {
	User       string  `json:"user"`
	Component  string  `json:"component"`
	Part       string  `json:"part"`
	Used       int64   `json:"used"`        // milliseconds of time, else a number
	Limit      *int64  `json:"limit"`       // in the same unit; null: none
	Action     string  `json:"action"`      // allow, delay or deny: what his next request gets
	ForSeconds float64 `json:"for_seconds"` // how long a delay is, or until a refusal ends, as far as that is known
}

// Policies answer for throttling policies. The zero Policies are those of an
// agent without a gate, and answer 404.
type Policies struct {
	Explain func(user string) (any, error) // every part of a user's policy, as JSON; the error is what is wrong with the name
	Reload  func()                         // has the policies read again now
}

const noGate = "no policy is in use here: listen.gate turns the gate on"

// explain answers GET /api/v1/policy/explain?user=.
func (p Policies) explain(w http.ResponseWriter, q *http.Request) {
	if p.Explain == nil {
		http.Error(w, noGate, http.StatusNotFound)
		return
	}
	out, err := p.Explain(q.URL.Query().Get("user"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.Encode(out)
}

// reload answers POST /api/v1/policy/reload, which is called JSON as orders are.
func (p Policies) reload(w http.ResponseWriter, q *http.Request) {
	switch {
	case !calledJSON(w, q):
	case p.Reload == nil:
		http.Error(w, noGate, http.StatusNotFound)
	default:
		p.Reload()
		w.WriteHeader(http.StatusAccepted)
	}
}

// notes tells people who is throttled, and who may be soon.
func (t *Throttle) notes(note func(format string, args ...any)) {
	if t == nil {
		return
	}
	mode := ""
	if t.Shadow {
		mode = ", in shadow: all are allowed"
	}
	note("throttle: %d budgets, %d over, %d requests held%s", t.Budgets, t.OverBudget, t.Waiting, mode)
	for _, s := range t.Throttled {
		note("throttled: %s%s", s, s.until())
	}
	for _, s := range t.Top {
		if s.near() {
			note("near a limit: %s", s)
		}
	}
}

// near says that he has used more than half of what he may, and may still.
func (s Spender) near() bool {
	return s.Limit != nil && s.Action == "allow" && s.Used > *s.Limit/2
}

// String is who uses how much of what.
func (s Spender) String() string {
	if s.Limit == nil {
		return fmt.Sprintf("%s in %s, %s %d", s.User, s.Component, s.Part, s.Used)
	}
	return fmt.Sprintf("%s in %s, %s %d of %d", s.User, s.Component, s.Part, s.Used, *s.Limit)
}

// until is what happens to him and for how long.
func (s Spender) until() string {
	if s.ForSeconds <= 0 {
		return ": " + s.Action
	}
	return fmt.Sprintf(": %s for %s", s.Action, time.Duration(s.ForSeconds*float64(time.Second)).Round(100*time.Millisecond))
}
