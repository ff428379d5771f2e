package metrics

import "evenkeel/queue"

// logs shows what logs say. Nobody's name is in it: what clients can name (types
// of requests) is bounded where it is counted, and users are not shown at all.
func (s sink) logs(l *queue.Logs) {
	if l == nil {
		return
	}
	for _, f := range l.Files {
		source := []string{"source"}
		s.counter("log_rows_total", "Rows of logs that were read since the agent started.", f.Rows, source, f.Source)
		s.counter("log_rejected_total", "Lines of logs that are no rows.", f.Rejected, source, f.Source)
		s.gauge("log_behind_bytes", "What was written to logs and is to be read yet.", float64(f.Behind), source, f.Source)
	}
	s.pools(l.Pools)
	for _, r := range l.Requests {
		s.counter("log_requests_total", "Requests of clients in logs, a log each; those that wait are answered when something happens, the others are work.", r.N,
			[]string{"log", "protocol", "type", "waits"}, r.Log, r.Protocol, r.Type, boolean(r.Waits))
	}
	for _, p := range l.FrontEnds {
		s.counter("log_frontend_requests_total", "Requests that a front end passed on to this node.", p.N, []string{"server"}, p.Server)
	}
	for _, p := range l.BackEnds {
		s.counter("log_backend_requests_total", "Requests that this node passed on to a back end.", p.N, []string{"server"}, p.Server)
	}
	s.perLog(l)
	s.counter("log_probes_total", "Requests of monitors and balancers in logs.", l.Probes, nil)
	if m := l.Sessions; m != nil {
		s.gauge("mapi_sessions", "MAPI sessions of clients with a row in the last five minutes, by the log that tells best.", float64(m.N), []string{"log"}, m.Log)
	}
}

func (s sink) perLog(l *queue.Logs) {
	for _, g := range l.Legs {
		const help = "Requests that had to be asked again to authenticate (401), by whether the client came through."
		s.counter("log_auth_legs_total", help, g.Legs, []string{"log", "through"}, g.Log, "true")
		s.counter("log_auth_legs_total", help, g.Failed, []string{"log", "through"}, g.Log, "false")
	}
	for _, t := range l.Throttled {
		const help = "Requests that throttling delayed or refused."
		s.counter("log_throttled_total", help, t.Delayed, []string{"log", "action"}, t.Log, "delay")
		s.counter("log_throttled_total", help, t.Refused, []string{"log", "action"}, t.Log, "refuse")
	}
}

func (s sink) pools(all []queue.Pool) {
	for _, p := range all {
		for _, r := range p.Refused {
			s.counter("log_refused_total", "Requests that HTTP.sys turned away, by application pool and its reason.", r.N, []string{"pool", "reason"}, p.Name, r.Reason)
		}
		s.counter("log_stalled_total", "Requests that waited in the queue of an application pool until their time was over.", p.Stalled.N, []string{"pool"}, p.Name)
		s.counter("log_abandoned_total", "Requests that were lost with a worker process, or that it gave up.", p.Abandoned.N, []string{"pool"}, p.Name)
	}
}

func boolean(b bool) string {
	if b {
		return "true"
	}
	return "false"
}
