package dashboard

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"evenkeel/queue"
)

// logged is everything that logs can say: a pool of which all is the case, one
// that was off and is back, and one of yesterday.
func logged(at time.Time) *queue.Logs {
	ago := func(d time.Duration) time.Time { return at.Add(-d).Truncate(time.Second) }
	return &queue.Logs{
		Pools: []queue.Pool{
			{Name: "MSExchangeMapiFrontEndAppPool", Refused: []queue.Refused{{Reason: "Disabled", N: 31}, {Reason: "QueueFull", N: 1204}}, Full: ago(time.Minute),
				Off: ago(5 * time.Minute), Seen: ago(time.Second), Stalled: queue.Count{N: 12, Last: ago(2 * time.Minute)}, Abandoned: queue.Count{N: 3, Last: ago(3 * time.Minute)}},
			{Name: "back\x1b[2J", Refused: []queue.Refused{{Reason: "AppOffline", N: 2}}, Off: ago(10 * time.Minute), Seen: ago(9 * time.Minute)},
			{Name: "yesterday", Refused: []queue.Refused{{Reason: "QueueFull", N: 5}}, Full: ago(24 * time.Hour), Stalled: queue.Count{N: 1, Last: ago(24 * time.Hour)}},
		},
		Sessions:  &queue.Sessions{Log: "httpproxy", N: 41216, Estimated: true, Seen: 90 * time.Second},
		Requests:  []queue.Requests{{Log: "httpproxy", Protocol: "Mapi", Type: "Execute", N: 99}, {Log: "httpproxy", Protocol: "Mapi", Type: "NotificationWait", Waits: true, N: 7}},
		FrontEnds: []queue.Passed{{Server: "EX3", N: 4}}, BackEnds: []queue.Passed{{Server: "ex2.contoso.example", N: 5}},
		Legs: []queue.Legs{{Log: "iis", Legs: 8, Failed: 9}}, Throttled: []queue.Throttled{{Log: "ews", Delayed: 1, Delay: 1500 * time.Millisecond, Refused: 2}},
		Over: []queue.Over{{User: "anna@contoso.example", At: at}, {User: "emil", At: at}}, Probes: 17,
		Files: []queue.LogFiles{{Source: "httperr", Rows: 1254, Rejected: 1, Behind: 48 << 20}, {Source: "exchange_logs", Behind: 100}},
		Hints: []string{"source iis: clients are logged by the address 198.51.100.9"},
	}
}

// What logs never said has empty lists; only what is not known is null.
func TestNoListOfLogsIsNull(t *testing.T) {
	b, err := json.Marshal(logsOf(time.Time{}, &queue.Logs{Pools: []queue.Pool{{Name: "a"}}}))
	if err != nil {
		t.Fatal(err)
	}
	rest := string(b)
	for _, known := range []string{`"sessions":null`, `"full_at":null`, `"off_since":null`, `"off_seen_at":null`, `"stalled_at":null`, `"abandoned_at":null`} {
		rest = strings.Replace(rest, known, "", 1)
	}
	if strings.Contains(rest, "null") {
		t.Errorf("%s", b)
	}
}
