package main

import (
	"bytes"
	"strconv"
	"time"

	"evenkeel/policy/throttle"
	"evenkeel/queue/maillog"
)

// A sizeRow is one request as one log has it.
type sizeRow struct {
	use       throttle.Use
	component throttle.Component
	protocol  maillog.Protocol
	source    sizeSource
	logged    bool // the log says what it was charged
	refused   bool // it was not served: what it had needed nobody knows
	maybe     bool // it took minutes, and may have waited: its kind is not logged. It is charged
	sync      bool // a Sync that took minutes, which is taken for a wait
}

// rowOf is a row's request. It waited where its kind says so. Of kinds that wait at
// times a Sync that was over a minute is taken for one, since the shortest wait that
// a phone may ask for is a minute (MS-ASCMD, HeartbeatInterval and Wait); all others
// are taken for work, so that what is charged is no less than it was.
func rowOf(r *maillog.Record, c throttle.Component, began time.Time) sizeRow {
	out := sizeRow{component: c, protocol: r.Protocol, source: sourceOf(r), refused: turnedAway(r)}
	u := throttle.Use{Start: time.Duration(began.UnixNano()), Open: max(0, r.Took-max(0, r.Delay)), Rough: r.Kind == maillog.IIS}
	if r.Waits {
		u.Hanging = saysWait(r)
		out.maybe = !u.Hanging
		out.sync = u.Hanging && bytes.EqualFold(r.Type, []byte("Sync"))
	}
	u.Charged = chargedIn(r)
	if out.logged = u.Charged >= 0; !out.logged {
		u.Charged = u.Open
	}
	u.RPC, u.AD = max(0, millisIn(r.Budget, "RpcL=", "RpcL%3d", "RpcL%3D")), max(0, millisIn(r.Budget, "LdapL=", "LdapL%3d", "LdapL%3D"))
	out.use = u
	return out
}

// saysWait: of a row that is taken for a wait, that its kind says so, and not its
// length alone.
func saysWait(r *maillog.Record) bool {
	switch r.Protocol {
	case maillog.MAPI, maillog.EAS:
		return r.Type != nil
	case maillog.EWSProtocol:
		return r.Type != nil && string(r.Type) != "GetEvents"
	case maillog.RPC, maillog.OWA:
		return true
	}
	return false
}

// turnedAway: a request that throttling, or who was too busy, turned away.
func turnedAway(r *maillog.Record) bool {
	return r.Status == 503 || r.Status == 429 || string(r.Reason) == "ErrorServerBusy" || bytes.HasPrefix(r.Reason, []byte("ErrorExceeded")) ||
		bytes.Contains(r.Errors, []byte("OverBudget"))
}

// chargedIn is what a log says that a request was charged; negative: nothing.
func chargedIn(r *maillog.Record) time.Duration {
	return millisIn(r.Budget, "BudgUse.T[]=", "BudgUse.T%5b%5d%3d", "BudgUse.T%5B%5D%3D")
}

// millisIn is the time that a budget's text has behind one of the keys, which are
// one key with different escapes; negative: none.
func millisIn(text []byte, keys ...string) time.Duration {
	if len(text) == 0 {
		return -1
	}
	for _, key := range keys {
		i := bytes.Index(text, []byte(key))
		if i < 0 {
			continue
		}
		number := text[i+len(key):]
		if end := bytes.IndexFunc(number, func(c rune) bool { return c != '.' && (c < '0' || c > '9') }); end >= 0 {
			number = number[:end]
		}
		if ms, err := strconv.ParseFloat(string(number), 64); err == nil && ms < 1e12 {
			return time.Duration(ms * float64(time.Millisecond))
		}
	}
	return -1
}
