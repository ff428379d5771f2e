package diagnose

import (
	"fmt"
	"net/netip"
	"testing"
	"time"

	"evenkeel/queue/maillog"
)

// TestStories has every threshold from both sides.
func TestStories(t *testing.T) {
	full := func(w *world, n int, in time.Duration) { w.errs("EX1", "QueueFull", mapiPool, 503, 9*hour, in, n) }
	for _, c := range []struct {
		promise string
		tell    func(w *world)
		want    string // the kinds that are found
	}{
		{"nothing is told of what is normal", func(w *world) {
			w.errs("EX1", "Timer_ConnectionIdle", "", 0, 8*hour, 2*hour, 5000)
			w.errs("EX2", "Connection_Abandoned_By_ReqQueue", mapiPool, 0, 8*hour+30*minute, 2*second, 300)
			w.errs("EX1", "Client_Reset", "", 0, 9*hour, hour, 200)
			w.crowd("EX1", 40, 20, 8*hour, 2*hour)
			w.times(500, "EX1", 8*hour, 2*hour, maillog.Record{Kind: maillog.IIS, Status: 401, Substatus: 1, Took: 2 * second, Protocol: maillog.MAPI})
		}, "[]"},
		{"nine refusals are none", func(w *world) { full(w, 9, 20*second) }, "[]"},
		{"ten are an outage", func(w *world) { full(w, 10, 20*second) }, "[queue-full]"},
		{"ten that are further apart are none", func(w *world) { full(w, 10, 9*61*second) }, "[]"},
		{"ten that are a minute apart are one", func(w *world) { full(w, 10, 9*60*second) }, "[queue-full]"},
		{"monitors are no clients", func(w *world) {
			b := w.book("EX1", "httperr1.log")
			for i := range 100 {
				b.row(9*hour+time.Duration(i)*second, maillog.Record{Kind: maillog.HTTPErr, Status: 503, Reason: []byte("QueueFull"), Pool: []byte(mapiPool), Client: netip.MustParseAddrPort("[::1]:55")})
			}
		}, "[]"},

		{"a recycle before a full queue is its cause", func(w *world) {
			w.errs("EX1", "Connection_Abandoned_By_ReqQueue", mapiPool, 0, 9*hour-5*minute, second, 100)
			full(w, 100, 20*second)
		}, "[recycle queue-full]"},
		{"one long before is not", func(w *world) {
			w.errs("EX1", "Connection_Abandoned_By_ReqQueue", mapiPool, 0, 9*hour-6*minute, second, 100)
			full(w, 100, 20*second)
		}, "[queue-full]"},
		{"one of a few connections is not", func(w *world) {
			w.errs("EX1", "Connection_Abandoned_By_ReqQueue", mapiPool, 0, 9*hour-minute, second, 9)
			full(w, 100, 20*second)
		}, "[queue-full]"},
		{"one after it is not", func(w *world) {
			full(w, 100, 20*second)
			w.errs("EX1", "Connection_Abandoned_By_ReqQueue", mapiPool, 0, 9*hour+10*second, second, 100)
		}, "[queue-full]"},
		{"one of another pool is not", func(w *world) {
			w.errs("EX1", "Connection_Abandoned_By_ReqQueue", "MSExchangeOWAAppPool", 0, 9*hour-minute, second, 100)
			full(w, 100, 20*second)
		}, "[queue-full]"},

		{"a pool that is off is not a full queue", func(w *world) {
			w.errs("EX1", "Disabled", "MSExchangeECPAppPool", 503, 9*hour, 10*minute, 50)
		}, "[pool-down]"},
		{"nor is one that is off and seldom asked for", func(w *world) {
			w.errs("EX1", "Disabled", "MSExchangeECPAppPool", 503, 9*hour, 9*10*minute, 10)
		}, "[pool-down]"},
		{"nine say little", func(w *world) {
			w.errs("EX1", "Disabled", "MSExchangeECPAppPool", 503, 9*hour, 8*10*minute, 9)
		}, "[]"},
		{"a connection limit is neither", func(w *world) { w.errs("EX1", "ConnLimit", "", 503, 9*hour, minute, 50) }, "[unavailable]"},
		{"nor is a service that is not there", func(w *world) { w.errs("EX1", "N/A", "", 503, 9*hour, minute, 50) }, "[unavailable]"},
		{"nor are connections that the kernel has no memory for", func(w *world) { w.errs("EX1", "10_Connections_Refused", "", 0, 9*hour, minute, 1) }, "[unavailable]"},
		{"nine are not many", func(w *world) { w.errs("EX1", "3_Connections_Refused", "", 0, 9*hour, minute, 3) }, "[]"},

		{"requests that wait to the end of their time are a stall", func(w *world) { w.errs("EX1", "Timer_ReqQueue", mapiPool, 0, 9*hour, 30*second, 10) }, "[stall]"},
		{"nine are not", func(w *world) { w.errs("EX1", "Timer_ReqQueue", mapiPool, 0, 9*hour, 30*second, 9) }, "[]"},
		{"a stall that fills the queue is the cause", func(w *world) {
			full(w, 100, 3*minute)
			w.errs("EX1", "Timer_ReqQueue", mapiPool, 0, 9*hour+2*minute, minute, 100)
		}, "[stall queue-full]"},

		{"three minutes of slow logons", func(w *world) { w.times(15, "EX1", 9*hour, 3*minute, logon(2*second)) }, "[slow-authentication]"},
		{"two are not told", func(w *world) { w.times(10, "EX1", 9*hour, 2*minute, logon(2*second)) }, "[]"},
		{"of four a minute it takes longer", func(w *world) { w.times(12, "EX1", 9*hour, 3*minute, logon(2*second)) }, "[]"},
		{"but not for ever", func(w *world) { w.times(20, "EX1", 9*hour, 5*minute, logon(2*second)) }, "[slow-authentication]"},
		{"four in ten minutes say nothing", func(w *world) { w.times(12, "EX1", 9*hour, 30*minute, logon(2*second)) }, "[]"},
		{"five do, and the minutes between them count", func(w *world) { w.times(15, "EX1", 9*hour, 30*minute, logon(2*second)) }, "[slow-authentication]"},
		{"few logons of a node are judged with those of the farm", func(w *world) {
			w.times(8, "EX1", 9*hour, 8*minute, logon(2*second))
			w.times(8, "EX2", 9*hour, 8*minute, logon(2*second))
		}, "[slow-authentication]"},
		{"which is well", func(w *world) {
			w.times(4, "EX1", 9*hour, 4*minute, logon(2*second))
			w.times(40, "EX2", 8*hour+50*minute, 20*minute, logon(5*time.Millisecond))
		}, "[]"},
		{"few slow logons before a full queue are its cause", func(w *world) {
			w.times(6, "EX1", 9*hour-6*minute, 6*minute, logon(2*second))
			full(w, 100, 20*second)
		}, "[slow-authentication queue-full]"},
		{"less than a second is not slow", func(w *world) { w.times(60, "EX1", 9*hour, 3*minute, logon(999*time.Millisecond)) }, "[]"},
		{"half of the logons are enough", func(w *world) {
			w.times(30, "EX1", 9*hour, 3*minute, logon(2*second))
			w.times(30, "EX1", 9*hour, 3*minute, logon(5*time.Millisecond))
		}, "[slow-authentication]"},
		{"a third is not", func(w *world) {
			w.times(30, "EX1", 9*hour, 3*minute, logon(2*second))
			w.times(60, "EX1", 9*hour, 3*minute, logon(5*time.Millisecond))
		}, "[]"},
		{"slow logons before a full queue are its cause", func(w *world) {
			w.times(60, "EX1", 9*hour-5*minute, 6*minute, logon(2*second))
			full(w, 100, 20*second)
		}, "[slow-authentication queue-full]"},
		{"those that begin with it are not", func(w *world) {
			full(w, 100, 4*minute)
			w.times(60, "EX1", 9*hour, 4*minute, logon(2*second))
		}, "[queue-full slow-authentication]"},

		{"three minutes of a slow mailbox server", func(w *world) { w.times(60, "MBX1", 9*hour, 3*minute, mailbox(2*second)) }, "[slow-backend]"},
		{"of nineteen requests a minute it takes longer", func(w *world) { w.times(57, "MBX1", 9*hour, 3*minute, mailbox(2*second)) }, "[]"},
		{"but not for ever", func(w *world) { w.times(76, "MBX1", 9*hour, 4*minute, mailbox(2*second)) }, "[slow-backend]"},
		{"nineteen in five minutes say nothing", func(w *world) { w.times(76, "MBX1", 9*hour, 20*minute, mailbox(2*second)) }, "[]"},
		{"less than three in ten are large requests", func(w *world) {
			w.times(60, "MBX1", 9*hour, 3*minute, mailbox(2*second))
			w.times(150, "MBX1", 9*hour, 3*minute, mailbox(20*time.Millisecond))
		}, "[]"},
		{"one user's are his own", func(w *world) { w.by("CONTOSO\\anna", 200, 9*hour, 5*minute, mailbox(2*second)) }, "[]"},
		{"slow Connects are logons", func(w *world) {
			w.times(60, "MBX1", 9*hour, 3*minute, with(mailbox(2*second), func(r *maillog.Record) { r.Type = []byte("Connect") }))
		}, "[]"},
		{"what logs on slowly is", func(w *world) {
			w.times(60, "MBX1", 9*hour, 3*minute, with(mailbox(2*second), func(r *maillog.Record) { r.Authenticating = second }))
		}, "[]"},
		{"behind a front end IIS cannot tell work from waits", func(w *world) {
			w.times(600, "EX1", 9*hour, 10*minute, maillog.Record{Kind: maillog.IIS, Protocol: maillog.MAPI, Status: 200, Took: 38 * second, Behind: true, Authenticating: -1, Backend: -1, Delay: -1})
		}, "[]"},
		{"a slow mailbox server before a full queue is its cause", func(w *world) {
			w.times(200, "MBX1", 9*hour-5*minute, 6*minute, mailbox(2*second))
			full(w, 100, 20*second)
		}, "[slow-backend queue-full]"},

		{"three refusals by a budget are a lock-out", func(w *world) { w.by("svc", 3, 9*hour, minute, budgeted(500, "ErrorServerBusy", "", 0)) }, "[locked-out]"},
		{"two are not told", func(w *world) { w.by("svc", 2, 9*hour, minute, budgeted(500, "ErrorServerBusy", "", 0)) }, "[]"},
		{"a balance at the cutoff is one too", func(w *world) {
			w.by("svc", 3, 9*hour, minute, budgeted(200, "", "S:BudgetMetadata.Cutoff=3000;S:BudgetMetadata.EndBalance=-3000;S:BudgetMetadata.Cutoff=3000", 0))
		}, "[locked-out]"},
		{"one above it is not", func(w *world) {
			w.by("svc", 30, 9*hour, minute, budgeted(200, "", "S:BudgetMetadata.EndBalance=-2999;S:BudgetMetadata.Cutoff=3000", 0))
		}, "[]"},
		{"an unlimited cutoff locks nobody out", func(w *world) {
			w.by("svc", 30, 9*hour, minute, budgeted(200, "", "Balance:-99999999,Cutoff:Unlimited", 0))
		}, "[]"},
		{"twenty requests, a minute of delay: throttled", func(w *world) { w.by("svc", 20, 9*hour, minute, budgeted(200, "", "", 3*second)) }, "[throttled]"},
		{"nineteen are not", func(w *world) { w.by("svc", 19, 9*hour, minute, budgeted(200, "", "", 4*second)) }, "[]"},
		{"less than a minute in all is not felt", func(w *world) { w.by("svc", 20, 9*hour, minute, budgeted(200, "", "", 2900*time.Millisecond)) }, "[]"},
		{"micro delays are by design", func(w *world) { w.by("svc", 5000, 9*hour, hour, budgeted(200, "", "", 99*time.Millisecond)) }, "[]"},
		{"too many connections: throttled", func(w *world) { w.by("svc", 20, 9*hour, minute, budgeted(500, "ErrorExceededConnectionCount", "", 0)) }, "[throttled]"},

		{"30 waits cut at one age", func(w *world) { w.cuts(30, 0, 3, 300*second) }, "[idle-timeout]"},
		{"29 are not told", func(w *world) { w.cuts(29, 0, 3, 300*second) }, "[]"},
		{"two clients' are their own", func(w *world) { w.cuts(30, 0, 2, 300*second) }, "[]"},
		{"six in ten are enough", func(w *world) { w.cuts(61, 39, 9, 300*second) }, "[idle-timeout]"},
		{"fewer are chance", func(w *world) { w.cuts(58, 42, 9, 300*second) }, "[]"},
		{"cut young is cut for other reasons", func(w *world) { w.cuts(100, 0, 9, 10*second) }, "[]"},
		{"an age that is not round is one as well", func(w *world) { w.cuts(100, 0, 9, 350*second) }, "[idle-timeout]"},

		{"five a second and a third of all", func(w *world) {
			w.crowd("EX1", 50, 120, 9*hour, 10*minute)
			w.ask("EX1", "svc", 3000, 9*hour, 10*minute, 10*time.Millisecond)
		}, "[monopoly]"},
		{"half of all for half an hour, at one a second", func(w *world) {
			w.crowd("EX1", 25, 70, 9*hour, 30*minute)
			w.ask("EX1", "svc", 1900, 9*hour, 30*minute, 10*time.Millisecond)
		}, "[monopoly]"},
		{"for twenty minutes is a mailbox that is synchronised", func(w *world) {
			w.crowd("EX1", 25, 70, 9*hour, 20*minute)
			w.ask("EX1", "svc", 1900, 9*hour, 20*minute, 10*time.Millisecond)
		}, "[]"},
		{"at less than one a second is no burden", func(w *world) {
			w.crowd("EX1", 25, 60, 9*hour, 30*minute)
			w.ask("EX1", "svc", 1700, 9*hour, 30*minute, 10*time.Millisecond)
		}, "[]"},
		{"less than half must be more", func(w *world) {
			w.crowd("EX1", 25, 120, 9*hour, 30*minute)
			w.ask("EX1", "svc", 2000, 9*hour, 30*minute, 10*time.Millisecond)
		}, "[]"},
		{"four in ten are enough at three a second", func(w *world) {
			w.crowd("EX1", 25, 330, 9*hour, 30*minute)
			w.ask("EX1", "svc", 5600, 9*hour, 30*minute, 10*time.Millisecond)
		}, "[monopoly]"},
		{"four a second is not much", func(w *world) {
			w.crowd("EX1", 50, 40, 9*hour, 10*minute)
			w.ask("EX1", "svc", 2400, 9*hour, 10*minute, 10*time.Millisecond)
		}, "[]"},
		{"one a second is, where it is nearly all", func(w *world) {
			w.crowd("EX1", 25, 10, 9*hour, 10*minute)
			w.ask("EX1", "svc", 620, 9*hour, 10*minute, 10*time.Millisecond)
		}, "[monopoly]"},
		{"less is not", func(w *world) {
			w.crowd("EX1", 25, 8, 9*hour, 10*minute)
			w.ask("EX1", "svc", 580, 9*hour, 10*minute, 10*time.Millisecond)
		}, "[]"},
		{"nor where there is more else", func(w *world) {
			w.crowd("EX1", 25, 14, 9*hour, 10*minute)
			w.ask("EX1", "svc", 700, 9*hour, 10*minute, 10*time.Millisecond)
		}, "[]"},
		{"nor at night", func(w *world) {
			w.crowd("EX1", 15, 10, 9*hour, 10*minute)
			w.ask("EX1", "svc", 1000, 9*hour, 10*minute, 10*time.Millisecond)
		}, "[]"},
		{"a fifth of all is not all", func(w *world) {
			w.crowd("EX1", 50, 240, 9*hour, 10*minute)
			w.ask("EX1", "svc", 3000, 9*hour, 10*minute, 10*time.Millisecond)
		}, "[]"},
		{"long ones count by their time", func(w *world) {
			w.crowd("EX1", 50, 20, 9*hour, 10*minute)
			w.ask("EX1", "svc", 130, 9*hour, 10*minute, 5*second)
		}, "[monopoly]"},
		{"alone one always has all", func(w *world) {
			w.crowd("EX1", 4, 20, 9*hour, 10*minute)
			w.ask("EX1", "svc", 3000, 9*hour, 10*minute, 10*time.Millisecond)
		}, "[]"},
		{"a full queue in that time is of it", func(w *world) {
			w.crowd("EX1", 50, 20, 8*hour+50*minute, 15*minute)
			w.ask("EX1", "svc", 6000, 8*hour+50*minute, 15*minute, 10*time.Millisecond)
			w.errs("EX1", "QueueFull", "MSExchangeServicesAppPool", 503, 9*hour, minute, 100)
		}, "[monopoly queue-full]"},
		{"that of another pool is not", func(w *world) {
			w.crowd("EX1", 50, 20, 8*hour+50*minute, 15*minute)
			w.ask("EX1", "svc", 6000, 8*hour+50*minute, 15*minute, 10*time.Millisecond)
			full(w, 100, minute)
		}, "[queue-full monopoly]"},
		{"at night a backup is all there is", func(w *world) {
			w.crowd("EX1", 60, 60, 0, 8*hour)
			w.ask("EX1", "svc", 8*3600, 0, 8*hour, 30*time.Millisecond)
			w.crowd("EX1", 60, 400, 8*hour, hour)
		}, "[]"},
		{"however long, it weighs less than an outage", func(w *world) {
			w.crowd("EX1", 30, 100, 0, 3*hour)
			w.ask("EX1", "svc", 3*3600*3, 0, 3*hour, 20*time.Millisecond)
			w.errs("EX1", "Disabled", "MSExchangeServicesAppPool", 503, 4*hour, minute, 300)
		}, "[pool-down monopoly]"},
		{"a few slow downloads are not", func(w *world) {
			w.crowd("EX1", 50, 10, 9*hour, 10*minute)
			w.ask("EX1", "vpn", 9, 9*hour, 10*minute, 200*second)
		}, "[]"},
		{"ten are", func(w *world) {
			w.crowd("EX1", 50, 10, 9*hour, 10*minute)
			w.ask("EX1", "vpn", 10, 9*hour, 10*minute, 200*second)
		}, "[monopoly]"},

		{"four flaps within an hour", func(w *world) { w.flaps(4, 15*minute, 3) }, "[probe-flap]"},
		{"three are restarts", func(w *world) { w.flaps(3, 15*minute, 3) }, "[]"},
		{"four in a night are too", func(w *world) { w.flaps(4, 2*hour, 3) }, "[]"},
		{"eight within a day", func(w *world) { w.flaps(8, 2*hour, 3) }, "[probe-flap]"},
		{"single failures move nobody", func(w *world) { w.flaps(50, 2*minute, 1) }, "[]"},
		{"a probe that never comes back does not flap", func(w *world) {
			for i := range 60 {
				w.add("EX1", 9*hour+time.Duration(i/2)*90*second+time.Duration(i%2)*second, probed(404))
			}
		}, "[]"},
		{"of one that HTTP.sys refuses, its log cannot tell", func(w *world) {
			b := w.book("EX1", "httperr1.log")
			for i := range 12 {
				r := probed(503)
				r.Kind, r.Reason, r.Pool = maillog.HTTPErr, []byte("QueueFull"), []byte(mapiPool)
				b.row(9*hour+time.Duration(i/3)*10*minute+time.Duration(i%3)*5*second, r)
			}
		}, "[probe-flap]"},

		{"a code that people look up", func(w *world) {
			w.times(10, "EX1", 9*hour, hour, maillog.Record{Kind: maillog.IIS, Status: 400, Substatus: 2, Took: 1})
		}, "[code]"},
		{"a few of it are a scanner", func(w *world) {
			w.times(9, "EX1", 9*hour, hour, maillog.Record{Kind: maillog.IIS, Status: 400, Substatus: 2, Took: 1})
		}, "[]"},
		{"IIS' own 503", func(w *world) {
			w.times(20, "EX1", 9*hour, minute, maillog.Record{Kind: maillog.IIS, Status: 503, Substatus: 0, Took: 1, Protocol: maillog.OWA})
		}, "[unavailable]"},
		{"a 503 of phones is no want of a service where their budgets are used up", func(w *world) {
			r := budgeted(503, "", "Balance:-5,Cutoff:3", 0)
			r.Kind, r.Protocol, r.Behind = maillog.IIS, maillog.EAS, true
			w.by("anna", 20, 9*hour, 3*minute, r)
			r.Behind, r.Budget = false, nil
			w.by("anna", 20, 9*hour, 3*minute, r)
		}, "[locked-out]"},
		{"else it is", func(w *world) {
			r := budgeted(503, "", "Balance:480000,Cutoff:600000", 0)
			r.Kind, r.Protocol = maillog.IIS, maillog.EAS
			w.by("anna", 20, 9*hour, 3*minute, r)
		}, "[unavailable]"},
		{"a service that its budget has stopped is not told as a hog first", func(w *world) {
			w.crowd("EX1", 50, 20, 9*hour, 10*minute)
			w.ask("EX1", "CONTOSO\\svc", 3000, 9*hour, 10*minute, 10*time.Millisecond)
			w.by("svc@contoso.example", 50, 9*hour+10*minute, 5*minute, budgeted(500, "ErrorServerBusy", "", 0))
		}, "[locked-out monopoly]"},
		{"that of another is its own matter", func(w *world) {
			w.crowd("EX1", 50, 20, 9*hour, 10*minute)
			w.ask("EX1", "CONTOSO\\hog", 3000, 9*hour, 10*minute, 10*time.Millisecond)
			w.by("svc@contoso.example", 5, 9*hour+10*minute, minute, budgeted(500, "ErrorServerBusy", "", 0))
		}, "[monopoly locked-out]"},
		{"many users behind one address", func(w *world) { w.behind(1200, 40, 2) }, "[hidden-clients]"},
		{"each user at his own", func(w *world) { w.behind(1200, 40, 40) }, "[]"},
	} {
		var w world
		c.tell(&w)
		r := w.report(t)
		if got := fmt.Sprint(kindsFound(r)); got != c.want {
			t.Errorf("%s: found %s, want %s", c.promise, got, c.want)
			show(t, r)
		}
	}
}
