package diagnose

import (
	"fmt"
	"net/netip"
	"slices"
	"testing"
	"time"

	"evenkeel/queue/maillog"
)

// day0 is a Monday at midnight.
var day0 = time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)

const mapiPool = "MSExchangeMapiFrontEndAppPool"

// A told is a row, and when it was written.
type toldRow struct {
	at  time.Duration // since day0
	rec maillog.Record
	raw string
}

// A book is the rows of one stream in the making.
type book struct {
	node, file string
	rows       []toldRow
}

func (b *book) row(at time.Duration, r maillog.Record) {
	r.At = day0.Add(at)
	b.rows = append(b.rows, toldRow{at, r, fmt.Sprintf("%s %s %d %s %s", r.At.Format(time.DateTime), b.file, r.Status, r.Reason, r.Path)})
}

// A world is the logs of a farm in the making.
type world struct{ books map[string]*book }

func (w *world) book(node, file string) *book {
	if w.books == nil {
		w.books = map[string]*book{}
	}
	key := node + "/" + file
	if w.books[key] == nil {
		w.books[key] = &book{node: node, file: key}
	}
	return w.books[key]
}

// errs are n rows of HTTP.sys in so many seconds.
func (w *world) errs(node, reason, pool string, status int, at, in time.Duration, n int) {
	b := w.book(node, "httperr1.log")
	for i := range n {
		b.row(at+in*time.Duration(i)/time.Duration(max(1, n-1)), maillog.Record{Kind: maillog.HTTPErr, Protocol: maillog.MAPI, Took: -1, Authenticating: -1, Backend: -1, Delay: -1,
			Status: status, Substatus: -1, Reason: []byte(reason), Pool: []byte(pool), Path: []byte("/mapi/emsmdb/"), Client: client(i)})
	}
}

func client(i int) netip.AddrPort {
	return netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, byte(i >> 16), byte(i >> 8), byte(i)}), uint16(1024+i%60000))
}

// proxied is a row of MAPI at the proxy.
func proxied(session int, typ string, took time.Duration) maillog.Record {
	return maillog.Record{Kind: maillog.HTTPProxy, Protocol: maillog.MAPI, Took: took, Authenticating: time.Millisecond, Backend: min(took, 20*time.Millisecond), Delay: -1,
		Status: 200, Substatus: -1, Type: []byte(typ), Session: fmt.Appendf(nil, "{%08d}:1", session), User: fmt.Appendf(nil, "CONTOSO\\user%d", session),
		Agent: []byte("Microsoft Office/16.0"), Client: client(session), BackEnd: []byte("mbx1.contoso.example"), Waits: typ == "NotificationWait", Path: []byte("/mapi/emsmdb/")}
}

// hold has the sessions of these numbers at a node: each waits, and waits again,
// for four minutes; each works a little.
func (w *world) hold(node string, first, n int, from, to time.Duration) {
	b := w.book(node, "HttpProxy_1.LOG")
	for i := range n {
		off := time.Duration(i) * 4 * time.Minute / time.Duration(n)
		b.row(from+time.Duration(i)*time.Second/time.Duration(max(1, n/50)), proxied(first+i, "Connect", 10*time.Millisecond))
		for at := from + off + 5*time.Second; at < to; at += 4 * time.Minute {
			b.row(at, proxied(first+i, "NotificationWait", 4*time.Minute))
			b.row(at, proxied(first+i, "Execute", 12*time.Millisecond))
		}
	}
}

// add puts a row into a book of a kind of log, and fills in what is not logged.
func (w *world) add(node string, at time.Duration, r maillog.Record) {
	if r.Kind != maillog.IIS {
		r.Substatus = -1
	}
	w.book(node, fmt.Sprintf("log%d.log", r.Kind)).row(at, r)
}

// ask are n requests of a user in so many seconds at a site, each of so long.
func (w *world) ask(node, user string, n int, at, in, took time.Duration) {
	for i := range n {
		w.add(node, at+in*time.Duration(i)/time.Duration(n), maillog.Record{Kind: maillog.IIS, Protocol: maillog.EWSProtocol, Took: took, Delay: -1, Authenticating: -1, Backend: -1,
			Status: 200, User: []byte(user), Client: client(int(hash(0, []byte(user)) % 5000)), Path: []byte("/EWS/Exchange.asmx"), Agent: []byte("AddIn/1.0")})
	}
}

// crowd are others who ask now and then, so that shares say something.
func (w *world) crowd(node string, users, each int, at, in time.Duration) {
	for i := range users {
		w.ask(node, fmt.Sprintf("CONTOSO\\crowd%d", i), each, at, in, 20*time.Millisecond)
	}
}

// report tells all to a case, each book on its own.
func (w *world) report(t testing.TB) Report { return w.reportOf(t, Options{}) }

// farm is what a report would judge.
func (w *world) farm() *farm {
	c := New(Options{})
	for _, key := range sortedKeys(w.books) {
		w.books[key].tell(c.Log(w.books[key].node))
	}
	return newFarm(c.streams)
}

func (w *world) reportOf(t testing.TB, o Options) Report {
	c := New(o)
	for _, key := range sortedKeys(w.books) {
		w.books[key].tell(c.Log(w.books[key].node))
	}
	return c.Report()
}

func (b *book) tell(l *Log) {
	slices.SortStableFunc(b.rows, func(x, y toldRow) int { return int(x.at - y.at) })
	l.File(b.file)
	for i := range b.rows {
		l.Add(&b.rows[i].rec, int64(i+1), []byte(b.rows[i].raw))
	}
	l.End()
}

// kindsFound are the kinds of findings, in their order.
func kindsFound(r Report) (out []Kind) {
	for _, x := range r.Findings {
		out = append(out, x.Kind)
	}
	return out
}

func show(t testing.TB, r Report) {
	for _, x := range r.Findings {
		t.Logf("%s (%.2f) %s..%s %v %.1f min: %s", x.Kind, x.Confidence, x.From.Format("15:04:05"), x.To.Format("15:04:05"), x.Nodes, x.Minutes, x.Title)
		for _, d := range x.Details {
			t.Log("    ", d)
		}
		for _, e := range x.Evidence {
			t.Log("    ", e.File, e.Line, e.Text)
		}
	}
	t.Log("clear:", r.Clear)
	t.Log("blind:", r.Blind)
}
