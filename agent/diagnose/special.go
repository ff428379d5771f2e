package diagnose

import (
	"bytes"
	"strconv"
	"time"

	"evenkeel/queue/maillog"
)

func appendInt(b []byte, i int) []byte { return strconv.AppendInt(b, int64(i), 10) }

// probe notes whether a balancer's probe was answered well. Monitors of the
// server itself are none.
func (l *Log) probe(r *maillog.Record, failed bool) {
	const page = "/healthcheck.htm"
	addr := r.Client.Addr()
	n := len(r.Path) - len(page)
	if n < 0 || !bytes.EqualFold(r.Path[n:], []byte(page)) || !addr.IsValid() || addr.IsLoopback() || r.Status == 401 {
		return
	}
	l.s.probes++
	l.scratch = append(append(l.address(r), ' '), r.Path...)
	if failed {
		l.s.ledger.add(missed, l.scratch, &l.here, 0, true)
		return
	}
	l.s.ledger.close(missed, l.scratch)
}

// waited looks at a request that waited for news: was it cut, and how old was it?
func (l *Log) waited(r *maillog.Record) {
	if r.Took < 0 || !broken(r) {
		return
	}
	addr := r.Client.Addr()
	if !addr.IsValid() || addr.IsLoopback() {
		return
	}
	s, p, who := l.s, &l.here, hashAddr(addr)
	l.scratch = network(l.scratch[:0], addr)
	s.networks.add(l.scratch, who, r.Took, p)
	if agent := product(r.Agent); len(agent) > 0 {
		s.agents.add(agent, who^hash(2, r.User), r.Took, p)
	}
}

// broken says whether the connection of a request was cut: by the code of
// Windows that IIS notes, or by the words of the proxy.
func broken(r *maillog.Record) bool {
	switch r.Win32 {
	case 64, 121, 995, 1229, 1236: // name no longer available, semaphore timeout, aborted, no such connection, connection aborted
		return true
	}
	for _, word := range []string{"ClientDisconnect", "ConnectionReset", "connection was closed", "forcibly closed", "0x80070040"} {
		if bytes.Contains(r.Reason, []byte(word)) || bytes.Contains(r.Errors, []byte(word)) {
			return true
		}
	}
	return false
}

// product is the software without its version.
func product(agent []byte) []byte {
	if i := bytes.IndexAny(agent, "/ ("); i > 0 {
		return agent[:i]
	}
	return agent
}

// policy looks for a policy that is deleted.
func (l *Log) policy(r *maillog.Record) {
	if name, ok := deletedPolicy(l.here.raw); ok {
		l.s.ledger.add(deleted, name, &l.here, 0, r.Probe)
	}
}

// felt is from when on a delay is noted: throttling adds less to most requests,
// by design.
const felt = 100 * time.Millisecond

// throttle looks at what throttling did to a request.
func (l *Log) throttle(r *maillog.Record) {
	word := budgetWord(r)
	balance, cutoff, over := 0.0, 0.0, false
	if len(r.Budget) > 0 {
		balance, cutoff, over = debt(r.Budget)
	}
	if r.Status == 503 && over && word == "" { // else a service was missing, and no budget
		word = "503"
	}
	if word == "" && r.Delay < felt && !over {
		return
	}
	refused := word == "ErrorServerBusy" || word == "OverBudget" || word == "503"
	lockedOut := over && cutoff > 0 && (balance <= -cutoff || refused) || word == "ErrorServerBusy" && !over
	switch name := l.budgeted(r); {
	case len(name) == 0: // nobody to speak of
	case lockedOut && r.Waits && word == "":
	case lockedOut:
		l.s.ledger.add(locked, name, &l.here, -balance, false)
	case word != "" || r.Delay >= felt:
		l.s.ledger.add(delayed, name, &l.here, ms(r.Delay), false)
	}
}

// budgeted is whose budget a row is of: the user, and what for.
func (l *Log) budgeted(r *maillog.Record) []byte {
	if len(r.User) == 0 {
		return nil
	}
	l.scratch = append(append(l.scratch[:0], r.User...), '\x00')
	l.scratch = append(l.scratch, protocolName(r.Protocol, r.Kind)...)
	return l.scratch
}

func protocolName(p maillog.Protocol, k maillog.Kind) string {
	switch {
	case p == maillog.EWSProtocol, k == maillog.EWS:
		return "EWS"
	case p == maillog.EAS:
		return "ActiveSync"
	case p == maillog.OWA:
		return "OWA"
	case p == maillog.MAPI, p == maillog.RPC, k == maillog.MapiHTTP, k == maillog.RPCAccess:
		return "MAPI"
	case p == maillog.PowerShell:
		return "PowerShell"
	}
	return "Exchange"
}

// budgetWord is the word by which a row says that a budget refused it.
func budgetWord(r *maillog.Record) string {
	switch r.Status {
	case 429:
		return "429"
	case 456:
		return "456"
	}
	if len(r.Reason) == 0 && len(r.Errors) == 0 {
		return ""
	}
	for _, word := range []string{"ErrorServerBusy", "ErrorExceededConnectionCount", "ErrorExceededSubscriptionCount", "ErrorExceededFindCountLimit", "OverBudget"} {
		if bytes.Contains(r.Reason, []byte(word)) || bytes.Contains(r.Errors, []byte(word)) {
			return word
		}
	}
	return ""
}
