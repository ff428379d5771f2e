package main

import (
	"errors"
	"log/slog"
	"syscall"
	"time"

	"evenkeel/agent/dashboard"
	"evenkeel/agent/metrics"
	"evenkeel/policy/throttle"
)

const (
	mostThrottled = 100                // callers who are looked at, and shown
	mostTold      = 10 * mostThrottled // of whom it is remembered that the log was told
	mostSpenders  = 3                  // who are shown of each part
	mostLines     = 10                 // of the log at once
)

// A said is what the log was told of throttled callers: it is told changes.
type said struct {
	log    *slog.Logger
	budget func(throttle.Caller) string // how he stands, in Exchange's words
	last   map[throttle.Caller]plight
}

// A plight is what happens to a caller, and by which part.
type plight struct {
	part   throttle.Part
	action throttle.Action
}

func newSaid(log *slog.Logger, budget func(throttle.Caller) string) *said {
	return &said{log, budget, map[throttle.Caller]plight{}}
}

// throttled tells who is refused or delayed in another way than before, and who
// is not any more: so many at once, and how many more. all is the first
// mostThrottled of them: of who is not in a full list nothing is known, and
// whether he still is is told when there is room.
func (s *said) throttled(all []throttle.Spender, shadow bool) {
	words := "throttled"
	if shadow {
		words = "would be throttled"
	}
	now, full := map[throttle.Caller]plight{}, len(all) >= mostThrottled
	var began, ended lines
	for _, p := range all {
		now[p.Caller] = plight{p.Part, p.Action}
		if s.last[p.Caller] != now[p.Caller] && began.one() {
			s.log.Info(words, "user", dashboard.Plain(p.Caller.Name), "component", p.Caller.Component.String(), "part", p.Part.String(),
				"action", p.Action.String(), "for", p.Wait.Round(time.Millisecond).String(), "budget", dashboard.Plain(s.budget(p.Caller)))
		}
	}
	for c, p := range s.last {
		_, still := now[c]
		switch {
		case still:
		case full && len(now) < mostTold:
			now[c] = p
		case !full && ended.one():
			s.log.Info("not "+words+" any more", "user", dashboard.Plain(c.Name), "component", c.Component.String(), "part", p.part.String())
		}
	}
	began.rest(s.log, words)
	ended.rest(s.log, "not "+words+" any more")
	s.last = now
}

// swept tells of requests that run far longer than expected. Something is slow,
// which is not their owner's fault (event 2917).
func (s *said) swept(found throttle.Swept) {
	var all lines
	const words = "with a request that takes longer than expected"
	for _, l := range found.Long {
		if all.one() {
			s.log.Info("a request takes longer than expected, which is not its client's fault", "user", dashboard.Plain(l.Caller.Name), "component", l.Caller.Component.String(), "so_far", l.For.Round(time.Second).String())
		}
	}
	all.rest(s.log, words)
}

// lines bound what is said at once.
type lines int

// one says whether there is room for one more.
func (n *lines) one() bool {
	*n++
	return *n <= mostLines
}

func (n lines) rest(log *slog.Logger, words string) {
	if n > mostLines {
		log.Info("and more callers "+words, "callers", int(n)-mostLines)
	}
}

// shown is the gate in the words of the API; nil where there is none.
func (k *gatekeeper) shown(now time.Time) *dashboard.Throttle {
	if k == nil {
		return nil
	}
	s := k.ledger.Stats()
	out := &dashboard.Throttle{
		Shadow: k.shadow, Budgets: s.Budgets, OverBudget: s.Over, Waiting: k.server.Stats().Waiting,
		Top: []dashboard.Spender{}, Throttled: []dashboard.Spender{},
	}
	for _, one := range k.ledger.Top(now, mostSpenders, spent()...) {
		out.Top = append(out.Top, spenderOf(one))
	}
	for _, one := range k.ledger.Throttled(now, mostThrottled) {
		out.Throttled = append(out.Throttled, spenderOf(one))
	}
	return out
}

// spent are the parts that a caller uses up or holds.
func spent() (all []throttle.Part) {
	for p := throttle.Concurrency; p < throttle.CPU; p++ {
		all = append(all, p)
	}
	return all
}

func spenderOf(s throttle.Spender) dashboard.Spender {
	out := dashboard.Spender{
		User: s.Caller.Name, Component: s.Caller.Component.String(), Part: s.Part.String(), Used: s.Used,
		Action: s.Action.String(), ForSeconds: s.Wait.Seconds(),
	}
	if s.Limit >= 0 {
		out.Limit = &s.Limit
	}
	return out
}

// policies is what the API tells and changes of policies. Without a gate
// nothing judges by them, and there is nothing to tell.
func (a *agent) policies() dashboard.Policies {
	k := a.gate
	if k == nil {
		return dashboard.Policies{}
	}
	return dashboard.Policies{
		Explain: func(user string) (any, error) {
			name := throttle.Account(user, a.current().Gate.Domains)
			if name == "" {
				return nil, errors.New("user: want the name of an account, such as anna@contoso.example")
			}
			return k.cache.Explain(time.Now(), name), nil
		},
		Reload: func() {
			k.forget.Store(true)
			select {
			case a.hup <- syscall.SIGHUP:
			default: // it is about to be read
			}
		},
	}
}

// stats are what the gate has counted; nil where there is none.
func (k *gatekeeper) stats() *metrics.Gate {
	if k == nil {
		return nil
	}
	return &metrics.Gate{Server: k.server.Stats(), Ledger: k.ledger.Stats(), Sessions: k.rops.Stats()}
}
