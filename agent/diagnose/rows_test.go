package diagnose

import (
	"fmt"
	"net/netip"
	"time"

	"evenkeel/queue/maillog"
)

const hour, minute, second = time.Hour, time.Minute, time.Second

// times tells a row so often, at equal distances.
func (w *world) times(n int, node string, at, in time.Duration, r maillog.Record) {
	for i := range n {
		r.Client = client(i)
		r.User = fmt.Appendf(nil, "CONTOSO\\user%d", i%7)
		w.add(node, at+in*time.Duration(i)/time.Duration(n), r)
	}
}

// logon is a request of MAPI at the proxy; took is that of logging on.
func logon(took time.Duration) maillog.Record {
	r := proxied(1, "Execute", took+10*time.Millisecond)
	r.Authenticating = took
	return r
}

func mailbox(took time.Duration) maillog.Record {
	return maillog.Record{Kind: maillog.MapiHTTP, Protocol: maillog.MAPI, Took: took, Status: 200, Type: []byte("Execute"), Authenticating: -1, Backend: -1, Delay: -1}
}

func budgeted(status int, reason, budget string, delay time.Duration) maillog.Record {
	r := maillog.Record{Kind: maillog.EWS, Protocol: maillog.EWSProtocol, Took: delay + 30*time.Millisecond, Status: status, Delay: delay, Authenticating: -1, Backend: -1}
	if reason != "" {
		r.Reason = []byte(reason)
	}
	if budget != "" {
		r.Budget = []byte(budget)
	}
	return r
}

// by has rows of one user.
func (w *world) by(user string, n int, at, in time.Duration, r maillog.Record) {
	r.User = []byte(user)
	for i := range n {
		w.add("EX1", at+in*time.Duration(i)/time.Duration(n), r)
	}
}

func cutWait(age time.Duration, clientNo int) maillog.Record {
	return maillog.Record{Kind: maillog.IIS, Protocol: maillog.MAPI, Took: age, Status: 200, Win32: 64, Waits: true, User: []byte("CONTOSO\\anna"), Client: client(clientNo), Agent: []byte("Microsoft Office/16.0"),
		Authenticating: -1, Backend: -1, Delay: -1}
}

func probed(status int) maillog.Record {
	return maillog.Record{Kind: maillog.IIS, Protocol: maillog.MAPI, Took: 2 * time.Millisecond, Status: status, Probe: true, Path: []byte("/mapi/healthcheck.htm"), Client: netip.MustParseAddrPort("10.1.0.5:0")}
}

// flaps are probes every five seconds, which fail so often in a row each time.
func (w *world) flaps(n int, every time.Duration, fails int) {
	for i := range n {
		for j := range 12 {
			status := 200
			if j < fails {
				status = 503
			}
			w.add("EX1", 9*hour+time.Duration(i)*every+time.Duration(j)*5*second, probed(status))
		}
	}
}

// fail has so many probes of a node fail.
func (w *world) fail(node string, at time.Duration, n int) {
	for i := range n {
		w.add(node, at+time.Duration(i)*5*second, probed(503))
	}
}

// cuts are waits that were cut: so many at one age, and others at any, of so many
// clients.
func (w *world) cuts(n, others, clients int, age time.Duration) {
	for i := range n {
		w.add("EX1", 9*hour+time.Duration(i)*second, cutWait(age, i%clients))
	}
	for i := range others {
		w.add("EX1", 9*hour+time.Duration(i)*second, cutWait(time.Duration(20+i*7)*second, i%clients))
	}
}

// behind are requests of users who come from so many addresses.
func (w *world) behind(n, users, addrs int) {
	for i := range n {
		w.add("EX1", 9*hour+time.Duration(i)*2*second, maillog.Record{Kind: maillog.IIS, Protocol: maillog.OWA, Took: 10 * time.Millisecond, Status: 200,
			User: fmt.Appendf(nil, "CONTOSO\\u%d", i%users), Client: client(i % addrs * 77)})
	}
}

// with is a row with something else in it.
func with(r maillog.Record, change func(*maillog.Record)) maillog.Record {
	change(&r)
	return r
}
