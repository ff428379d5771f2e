package diagnose

import (
	"bytes"
	"slices"
	"time"

	"evenkeel/queue/maillog"
)

// slow is from when on logging on, or a mailbox server, is felt by a person.
const slow = time.Second

// httpErr looks at a row of HTTP.sys: what it refused or broke. Timers of idle
// connections and slow clients are everyday noise and pass by.
func (l *Log) httpErr(r *maillog.Record) {
	p, led := &l.here, &l.s.ledger
	switch reason := r.Reason; {
	case bytes.HasSuffix(reason, []byte(connectionsRefused)):
		l.unserved(r)
	case r.Status == 503:
		l.refuse(r)
	case string(reason) == "Timer_ReqQueue":
		led.add(stalled, r.Pool, p, 0, l.monitor)
	case bytes.HasPrefix(reason, []byte("Connection_Abandoned_By_")):
		led.add(abandoned, r.Pool, p, 0, l.monitor)
		l.s.cut.add(p.at, 1)
	case string(reason) == "Client_Reset", bytes.HasPrefix(reason, []byte("Connection_Dropped")):
		led.add(cut, nil, p, 0, l.monitor)
		l.s.cut.add(p.at, 1)
	}
}

// refuse looks at a request that HTTP.sys answered with 503.
func (l *Log) refuse(r *maillog.Record) {
	p, led := &l.here, &l.s.ledger
	if !l.monitor { // monitors are never counted as clients
		led.add(refused, nil, p, 0, false).of(r.Client.Addr())
		l.s.refused.add(p.at, 1)
	}
	switch string(r.Reason) {
	case "QueueFull":
		led.add(full, r.Pool, p, 0, l.monitor)
	case "AppOffline", "Disabled", "AppShutdown":
		led.add(down, l.pair(r.Pool, r.Reason), p, 0, l.monitor).of(r.Client.Addr())
	default:
		led.add(other, l.pair(r.Reason, r.Pool), p, 0, l.monitor)
	}
	if bytes.Contains(p.raw, []byte("0x80070008")) {
		led.add(coded, []byte("0x80070008"), p, 0, l.monitor)
	}
	if l.monitor {
		l.probe(r, true)
	}
}

// connectionsRefused is how HTTP.sys ends the reason of connections that it did not
// take for want of kernel memory.
const connectionsRefused = "Connections_Refused"

// unserved looks at "N_Connections_Refused": so many connections, of which HTTP.sys
// knows nothing else, were refused since the last such row (KB 934878).
func (l *Log) unserved(r *maillog.Record) {
	n := int64(0)
	for _, c := range r.Reason[:len(r.Reason)-len(connectionsRefused)] {
		if c >= '0' && c <= '9' && n < 1e5 { // of millions, the first digits are enough
			n = 10*n + int64(c-'0')
		}
	}
	n = max(n, 1)
	p, led := &l.here, &l.s.ledger
	led.add(refused, nil, p, 0, false).more(n - 1)
	led.add(other, l.pair([]byte(connectionsRefused), r.Pool), p, 0, false).more(n - 1)
	l.s.refused.add(p.at, count(n))
}

// pair is two names as one, with a blank that names of pools and reasons do not
// begin with.
func (l *Log) pair(a, b []byte) []byte {
	l.scratch = append(append(append(l.scratch[:0], a...), '\x00'), b...)
	return l.scratch
}

// iis looks at a row of a site.
func (l *Log) iis(r *maillog.Record) {
	l.policy(r)
	switch {
	case r.Probe:
		l.countMonitor(r)
		l.probe(r, r.Status != 200)
	case l.monitor && !r.Behind: // a front end asks its own back end over loopback
		l.countMonitor(r)
	case r.Behind: // how long it took says nothing: IIS tells neither a wait from work nor what throttling added
		l.throttle(r)
	default:
		l.client(r)
		l.code(r)
	}
}

// httpProxy looks at a row of Exchange's front end.
func (l *Log) httpProxy(r *maillog.Record) {
	l.policy(r)
	if l.monitor {
		l.countMonitor(r)
		return
	}
	l.client(r)
	if r.Authenticating > 0 { // else the connection was logged on before
		l.authenticated(r)
	}
	if len(r.BackEnd) > 0 && (r.Protocol == maillog.MAPI || r.Protocol == maillog.RPC) { // as above
		l.answered(r.BackEnd, r, r.Backend)
	}
}

// mapiHTTP looks at a row of MAPI at the mailbox server, which names the front
// end that it came by.
func (l *Log) mapiHTTP(r *maillog.Record) {
	l.policy(r)
	if l.monitor {
		return
	}
	if len(r.Session) > 0 && len(r.FrontEnd) > 0 {
		l.session(l.s.at(r.FrontEnd), r, hash(1, r.Session))
	}
	l.answered(nil, r, r.Took)
	l.throttle(r)
}

// ews looks at a row of web services at the mailbox server.
func (l *Log) ews(r *maillog.Record) {
	l.policy(r)
	if l.monitor {
		return
	}
	took := r.Took
	if r.Delay > 0 { // throttling is no slowness of the server
		took = max(0, took-r.Delay)
	}
	l.answered(nil, r, took)
	l.throttle(r)
}

// client looks at a request of a client at the node that it came to.
func (l *Log) client(r *maillog.Record) {
	p, s := &l.here, l.s
	user := l.user(r)
	peer := hashAddr(r.Client.Addr())
	if r.Protocol == maillog.MAPI || r.Protocol == maillog.RPC {
		l.clientSession(r, user^peer)
	}
	switch {
	case r.Status == 401: // a leg of logging on
		return
	case r.Status == 503:
		l.refusedAbove(r)
	}
	l.throttle(r)
	if r.Client.IsValid() {
		took := ms(r.Took)
		if r.Waits {
			took = 0
		}
		s.peers.add(peer, nil, r.Client.Addr(), took, p)
		s.users.add(user)
		if len(r.Forwarded) > 0 {
			s.forwarded++
		}
	}
	if r.Waits {
		l.waited(r)
		return
	}
	s.requests.add(p.at, 1)
	l.countAgent(r)
	if len(r.User) > 0 {
		s.hit(user, r.User, r.Client.Addr(), ms(r.Took), p)
	}
}

func (l *Log) user(r *maillog.Record) uint64 { return hash(2, r.User) }

func (l *Log) address(r *maillog.Record) []byte {
	l.scratch = r.Client.Addr().AppendTo(l.scratch[:0])
	return l.scratch
}

// ms is a duration in milliseconds; of one that is not logged, none.
func ms(d time.Duration) float64 { return max(0, d.Seconds()*1000) }

// clientSession counts the session of a row at the front: of the proxy by its
// own number, of IIS by mailbox, user and client.
func (l *Log) clientSession(r *maillog.Record, who uint64) {
	switch {
	case len(r.Session) == 0:
	case r.Kind != maillog.IIS:
		l.session(l.s.at(nil), r, hash(1, r.Session))
	case len(r.User) > 0:
		l.session(l.s.at(nil), r, hash(who, r.Session))
	}
}

func (l *Log) session(at *sessions, r *maillog.Record, key uint64) {
	if at != nil {
		at.see(&l.here, key, string(r.Type) == "Connect")
	}
}

// refusedAbove looks at a 503 that IIS or Exchange gave; one for a budget is
// not for want of a service.
func (l *Log) refusedAbove(r *maillog.Record) {
	if _, _, over := debt(r.Budget); over || budgetWord(r) != "" {
		return
	}
	l.s.refused.add(l.here.at, 1)
	name := r.Reason
	if r.Kind == maillog.IIS && r.Substatus >= 0 {
		l.scratch = appendInt(append(l.scratch[:0], "503."...), r.Substatus)
		name = l.scratch
	}
	if r.Protocol == maillog.EAS { // of phones, budgets are told in another log
		name = l.pair(slices.Clone(name), []byte(protocolName(r.Protocol, r.Kind)))
	}
	l.s.ledger.add(answered, name, &l.here, 0, false)
}

// authenticated notes how long logging on took.
func (l *Log) authenticated(r *maillog.Record) {
	x := pace{n: 1, ms: ms(r.Authenticating)}
	if r.Authenticating >= slow {
		x.slow = 1
		l.s.ledger.add(slowAuth, nil, &l.here, x.ms, false).by(l.user(r))
	}
	l.s.auth.add(l.here.at, x)
}

// answered notes how long a mailbox server took; its name is empty where it is
// the node itself. Waits say nothing of it, and what logs on says it of domain
// controllers too: they are asked at both ends.
func (l *Log) answered(server []byte, r *maillog.Record, took time.Duration) {
	if r.Waits || took < 0 || r.Status == 401 || r.Authenticating >= slow || string(r.Type) == "Connect" {
		return
	}
	x := pace{n: 1, ms: ms(took)}
	if took >= slow {
		x.slow = 1
		l.s.ledger.add(slowBack, server, &l.here, x.ms, false).by(l.user(r))
	}
	l.s.paced(server, &l.here, x)
}

// code looks for codes that people look up and often read wrongly.
func (l *Log) code(r *maillog.Record) {
	var code string
	switch {
	case r.Status == 400 && r.Substatus == 2:
		code = "400.2"
	case r.Status == 503 && r.Substatus == 2:
		code = "503.2"
	case r.Status == 503 && r.Substatus == 3:
		code = "503.3"
	case r.Win32 == 0x80070008:
		code = "0x80070008"
	default:
		return
	}
	l.s.ledger.add(coded, []byte(code), &l.here, 0, false)
}
