package diagnose

import (
	"fmt"
	"testing"
	"time"

	"evenkeel/queue/maillog"
)

// rowsOf are a few hundred rows as a busy front end writes them, with lines of
// the usual length.
func rowsOf(kind maillog.Kind) (recs []maillog.Record, raws [][]byte) {
	for i := range 512 {
		r := proxied(i%300, []string{"Execute", "Execute", "NotificationWait"}[i%3], 15*time.Millisecond)
		r.Kind = kind
		raw := fmt.Sprintf("2026-03-02 08:00:00 10.1.0.11 POST /mapi/emsmdb/ MailboxId=0ee5aba0-4ba4-4b87-9ba9-%012d@contoso.example&CorrelationID=<empty>;&cafeReqId=4c1d4d2e-3b41-4b7b-9f5e-5d1f3c0a8b11; 443 %s 10.1.2.3 Microsoft+Office/16.0+(Windows+NT+10.0;+Microsoft+Outlook+16.0.14334;+Pro) - 200 0 0 15", i, r.User)
		if kind == maillog.HTTPErr {
			r = maillog.Record{Kind: kind, Reason: []byte([]string{"Timer_ConnectionIdle", "Client_Reset", "QueueFull"}[i%3]), Pool: []byte(mapiPool), Took: -1, Substatus: -1, Client: client(i)}
			if i%3 == 2 {
				r.Status = 503
			}
			raw = fmt.Sprintf("2026-03-02 08:00:00 10.1.2.3 51514 10.1.0.11 443 HTTP/1.1 POST /mapi/emsmdb/?MailboxId=%d - 503 1 %s %s", i, r.Reason, r.Pool)
		}
		recs, raws = append(recs, r), append(raws, []byte(raw))
	}
	return recs, raws
}

// BenchmarkAdd is what a row costs beside reading it.
func BenchmarkAdd(b *testing.B) {
	for _, kind := range []maillog.Kind{maillog.IIS, maillog.HTTPProxy, maillog.HTTPErr} {
		b.Run(fmt.Sprintf("kind=%d", kind), func(b *testing.B) {
			recs, raws := rowsOf(kind)
			l := New(Options{}).Log("EX1")
			l.File("u_ex260302.log")
			size, i := 0, 0
			b.ReportAllocs()
			from := cpu()
			for b.Loop() {
				r := &recs[i%len(recs)]
				r.At = day0.Add(time.Duration(i) * time.Millisecond * 5)
				l.Add(r, int64(i), raws[i%len(raws)])
				size += len(raws[i%len(raws)])
				i++
			}
			b.SetBytes(int64(size / i))
			if spent := cpu() - from; spent > 0 { // the machine may be shared
				b.ReportMetric(float64(size)/1e6/spent.Seconds(), "MB/cpu-s")
				b.ReportMetric(float64(spent)/float64(i), "cpu-ns/row")
			}
		})
	}
}
