package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"evenkeel/agent/gate"
	"evenkeel/policy/throttle"
)

// A Gate is what the gate and those who judge behind it have counted. No
// caller's name is in it.
type Gate struct {
	Server   gate.Stats
	Ledger   throttle.Stats
	Sessions throttle.SessionStats
}

func (s sink) gate(g gate.Stats) {
	const asked = "Questions of front ends, by what was asked."
	for _, q := range []struct {
		kind string
		n    uint64
	}{{"check", g.Checks}, {"next", g.Nexts}, {"done", g.Dones}, {"hold", g.Holds}, {"free", g.Frees}, {"rop", g.ROPs}, {"bad", g.Bad}, {"stray", g.Strays}} {
		s.counter("gate_questions_total", asked, q.n, []string{"kind"}, q.kind)
	}
	s.gauge("gate_waiting", "Requests that the gate holds now.", float64(g.Waiting), nil)
	s.counter("gate_held_total", "Requests that the gate held until their time had come.", g.Held, nil)
	s.counter("gate_left_total", "Requests whose client went away while the gate held them.", g.Left, nil)
	s.counter("gate_failed_total", "Answers by gate.fail, since nothing could be judged.", g.Failed, nil)
	s.counter("gate_unknown_tickets_total", "Tickets that were not known, or not any more.", g.Unknown, nil)
	const turned = "Turned away, by why: no place for a connection, none to be held in, none more for one caller, a delay beyond gate.wait, or not in gate.allow."
	s.counter("gate_crowded_total", turned, g.Crowded, []string{"why"}, "connections")
	s.counter("gate_crowded_total", turned, g.FullHouse, []string{"why"}, "waiters")
	s.counter("gate_crowded_total", turned, g.OverShare, []string{"why"}, "caller")
	s.counter("gate_crowded_total", turned, g.TooLong, []string{"why"}, "wait")
	s.counter("gate_crowded_total", turned, g.Foreign, []string{"why"}, "foreign")
}

func (s sink) throttle(t throttle.Stats) {
	for _, d := range t.Decisions {
		s.counter("throttle_decisions_total", "Decisions about requests, by component, what was decided, and the part that decided it.", d.N,
			[]string{"component", "action", "part"}, d.Component.String(), d.Action.String(), d.Part.String())
	}
	s.gauge("throttle_budgets", "Budgets that are kept.", float64(t.Budgets), nil)
	s.gauge("throttle_over_budget", "Budgets that were refused or delayed, and would still be.", float64(t.Over), nil)
	s.gauge("throttle_open_requests", "Requests that have begun and are not done.", float64(t.Open), nil)
	s.counter("throttle_sleeps_total", "Delays that were told, yields of no length included.", t.Sleeps, nil)
	s.seconds("throttle_sleep_seconds_total", "Time of all delays that were told.", t.Slept)
	s.counter("throttle_cpu_sleeps_total", "Those of the delays that were for the load of this machine.", t.CPUSleeps, nil)
	s.seconds("throttle_cpu_sleep_seconds_total", "Time of those.", t.CPUSlept)
	s.counter("throttle_evicted_total", "Budgets given up because nothing was owed.", t.Evicted, nil)
	s.counter("throttle_released_total", "Requests that were never done, and taken for ended.", t.Released, nil)
	s.counter("throttle_shared_total", "Decisions by a budget that is shared for want of room.", t.Full, nil)
	s.counter("throttle_crowded_total", "Requests that could not be judged, since too many are open.", t.Crowded, nil)
}

func (s sink) sessions(t throttle.SessionStats) {
	s.gauge("rpc_sessions", "MAPI sessions that are known.", float64(t.Sessions), nil)
	s.counter("rpc_backoffs_total", "ROPs that were told to come again later.", t.Backoffs(), nil)
}

func (s sink) seconds(name, help string, d time.Duration) {
	s.send(prometheus.CounterValue, name, help, d.Seconds(), nil, nil)
}
