package throttle

import (
	"reflect"
	"strings"
	"testing"
	"time"
)

func deniedFor(p Part, limit int64, wait time.Duration) Verdict {
	return Verdict{Action: Deny, Part: p, Limit: limit, Wait: wait}
}

// Document 000: a search over the limit is ErrorExceededFindCountLimit with
// its PolicyLimit for Exchange2010, ErrorServerBusy for older versions.
func TestReplyFindCount(t *testing.T) {
	for version, want := range map[RequestVersion]Reply{
		"Exchange2010":     {Code: "ErrorExceededFindCountLimit", Values: []Pair{{"PolicyLimit", "1000"}}, Status: 200},
		"Exchange2013_SP1": {Code: "ErrorExceededFindCountLimit", Values: []Pair{{"PolicyLimit", "1000"}}, Status: 200},
		"Exchange2007_SP1": {Code: "ErrorServerBusy", Values: []Pair{{"BackOffMilliseconds", "0"}}, Status: 200},
		"Exchange2007":     {Code: "ErrorServerBusy", Values: []Pair{{"BackOffMilliseconds", "0"}}, Status: 200},
		"":                 {Code: "ErrorServerBusy", Values: []Pair{{"BackOffMilliseconds", "0"}}, Status: 200},
	} {
		want.Text = "over FindCountLimit of 1000, come again when a request of yours ends"
		if got := deniedFor(FindCount, 1000, 0).Reply(EWS, version); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v\nwant %+v", version, got, want)
		}
	}
}

// Which words each component has for a refusal.
func TestReply(t *testing.T) {
	const v2010 RequestVersion = "Exchange2010_SP2"
	cas := deniedFor(CAS, 54000, 297749*time.Millisecond)
	conns := deniedFor(Concurrency, 27, 0)
	for _, tt := range []struct {
		name string
		v    Verdict
		c    Component
		ver  RequestVersion
		want Reply
	}{
		{"EWS, a time part", cas, EWS, v2010, Reply{Code: ErrorServerBusy, Values: []Pair{{"BackOffMilliseconds", "297749"}}, Fault: true, Status: 500,
			Text: "over CAS of 54s, come again in 4m57.749s"}},
		{"EWS, locked out", deniedFor(LocalTime, 300000, 5*time.Minute-1), EWS, v2010, Reply{Code: ErrorServerBusy, Values: []Pair{{"BackOffMilliseconds", "300000"}}, Fault: true, Status: 500,
			Text: "over LocalTime of 5m0s, come again in 5m0s"}},
		{"EWS, connections", conns, EWS, v2010, Reply{Code: ErrorExceededConnectionCount, Values: []Pair{{"Policy", "MaxConcurrency"}, {"MaxConcurrencyLimit", "27"}}, Fault: true, Status: 500,
			Text: "over MaxConcurrency of 27, come again when a request of yours ends"}},
		{"EWS, connections, old client", conns, EWS, "Exchange2007_SP1", Reply{Code: ErrorServerBusy, Values: []Pair{{"BackOffMilliseconds", "0"}}, Fault: true, Status: 500,
			Text: "over MaxConcurrency of 27, come again when a request of yours ends"}},
		{"EWS, streams", deniedFor(Hanging, 10, 0), EWS, v2010, Reply{Code: ErrorExceededConnectionCount, Values: []Pair{{"Policy", "HangingConnectionLimit"}, {"MaxConcurrencyLimit", "10"}}, Fault: true, Status: 500,
			Text: "over HangingConnectionLimit of 10, come again when a request of yours ends"}},
		{"EWS, subscriptions", deniedFor(Subscriptions, 20, 0), EWS, v2010, Reply{Code: ErrorExceededSubscriptionCount, Status: 200,
			Text: "over MaxSubscriptions of 20, come again when a request of yours ends"}},
		{"EAS", deniedFor(CAS, 60000, 4200*time.Millisecond), EAS, "", Reply{Status: 503, Headers: []Pair{{"Retry-After", "5"}},
			Text: "over CAS of 1m0s, come again in 4.2s"}},
		{"EAS, 5 s sharp", deniedFor(CAS, 60000, 5*time.Second), EAS, "", Reply{Status: 503, Headers: []Pair{{"Retry-After", "5"}},
			Text: "over CAS of 1m0s, come again in 5s"}},
		{"EAS, connections", deniedFor(Concurrency, 10, 0), EAS, "", Reply{Status: 503,
			Text: "over MaxConcurrency of 10, come again when a request of yours ends"}},
		{"OWA", deniedFor(Concurrency, 5, 0), OWA, "", Reply{Status: 503, Headers: []Pair{{"X-OWA-Error", "Microsoft.Exchange.Data.Directory.SystemConfiguration.OverBudgetException"}},
			Text: "over MaxConcurrency of 5, come again when a request of yours ends"}},
		{"Outlook", deniedFor(Concurrency, 20, 0), RCA, "", Reply{Status: 200, Headers: []Pair{{"X-ResponseCode", "0"}}, MAPI: 0x6BB,
			Text: "over MaxConcurrency of 20, come again when a request of yours ends"}},
		{"IMAP", deniedFor(CAS, 60000, 2001*time.Microsecond), IMAP, "", Reply{Line: "BAD Request is throttled. Suggested Backoff Time: 3 milliseconds",
			Text: "over CAS of 1m0s, come again in 3ms"}},
		{"POP", deniedFor(Concurrency, 20, 0), POP, "", Reply{Line: "-ERR [SYS/TEMP] over MaxConcurrency of 20, come again when a request of yours ends",
			Text: "over MaxConcurrency of 20, come again when a request of yours ends"}},
		{"PowerShell", deniedFor(Cmdlets, 400, time.Second), PowerShell, "", Reply{Status: 503, Headers: []Pair{{"Retry-After", "1"}},
			Text: "over MaxCmdlets of 400, come again in 1s"}},
		{"no room", deniedFor(Full, 0, time.Second), EAS, "", Reply{Status: 503, Headers: []Pair{{"Retry-After", "1"}},
			Text: "refused for full, come again in 1s"}},
		{"allowed", Verdict{Action: Allow}, EWS, v2010, Reply{}},
		{"delayed", Verdict{Action: Delay, Part: CAS, Wait: time.Second}, EWS, v2010, Reply{}},
	} {
		if got := tt.v.Reply(tt.c, tt.ver); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s: %+v\nwant %+v", tt.name, got, tt.want)
		}
	}
}

// Every component has words for every refusal, and only those of its protocol.
func TestReplyComplete(t *testing.T) {
	for c := range components {
		for p := range parts {
			r := deniedFor(p, 1, time.Second).Reply(c, "Exchange2010")
			if (r.Status == 0) == (r.Line == "") || r.Text == "" || strings.ContainsAny(r.Line, "\r\n") {
				t.Errorf("%s over %s: %+v; want a status or a line, and a text", c, p, r)
			}
		}
	}
}

// The texts that clients and logs show for throttled accounts: each says what
// it says, and "0 ms" is a wait that is known.
func TestParseOverBudget(t *testing.T) {
	for text, want := range map[string]OverBudget{
		"... over its budget for policy part 'MaxConcurrency', policy value '27',  Budget type: 'Ews'.  Suggested backoff time 0 ms.":        {Part: Concurrency, Word: "MaxConcurrency", Type: "Ews", Value: 27, Valued: true, WaitSet: true},
		"... over its budget for policy part 'ConcurrentSyncCalls', policy value '5',  Budget type: 'Ews'.  Suggested backoff time 5000 ms.": {Word: "ConcurrentSyncCalls", Type: "Ews", Value: 5, Valued: true, Wait: 5 * time.Second, WaitSet: true},
		"... for policy part 'LocalTime', policy value '6000000',  Budget type: 'PowerShell'.  Suggested backoff time 299912 ms.":            {Part: LocalTime, Word: "LocalTime", Type: "PowerShell", Value: 6000000, Valued: true, Wait: 299912 * time.Millisecond, WaitSet: true},
		"... no more of the available concurrent connections ...":                                                                            {Part: Concurrency},
		"... no more of the available subscriptions ...":                                                                                     {Part: Subscriptions},
		"... the maximum number of objects that can be returned ...":                                                                         {Part: FindCount},
		"... cannot service this request right now ...":                                                                                      {},
		"A1 BAD Request is throttled. Suggested Backoff Time: 297749 milliseconds":                                                           {Wait: 297749 * time.Millisecond, WaitSet: true},
		"policy part 'y', policy value '10000000000000000000'":                                                                               {Word: "y"},
		"policy part 'x', policy value 'Unlimited'":                                                                                          {Word: "x"},
		"policy part 'CAS', suggested backoff time soon":                                                                                     {Part: CAS, Word: "CAS"},
		"policy part 'CAS', suggested backoff time 7 minutes":                                                                                {Part: CAS, Word: "CAS"},
	} {
		if got, ok := ParseOverBudget(text); !ok || got != want {
			t.Errorf("%s\n%v %+v\nwant %+v", text, ok, got, want)
		}
	}
	for _, text := range []string{"", "The mailbox is full.", "policy part 'open", "backoff time", "backoff time 5"} {
		if got, ok := ParseOverBudget(text); ok {
			t.Errorf("%q: %+v, want none", text, got)
		}
	}
}

// What we write for IMAP is what is read.
func TestReplyReadBack(t *testing.T) {
	line := deniedFor(CAS, 1, 12345*time.Millisecond).Reply(IMAP, "").Line
	if got, ok := ParseOverBudget(line); !ok || got != (OverBudget{Wait: 12345 * time.Millisecond, WaitSet: true}) {
		t.Errorf("%s: %+v, %v", line, got, ok)
	}
}

func FuzzParseOverBudget(f *testing.F) {
	f.Add("policy part 'MaxConcurrency', policy value '27',  Budget type: 'Ews'.  Suggested backoff time 0 ms.")
	f.Add("Backoff Time: 9223372036854775807 ms")
	f.Add("POLICY PART '\xff\u212a'")
	f.Fuzz(func(t *testing.T, text string) {
		o, ok := ParseOverBudget(text)
		switch {
		case !ok && (o.Word != "" || o.WaitSet || o.Part != NoPart):
			t.Errorf("%q: none, yet %+v", text, o)
		case o.Wait < 0 || !o.WaitSet && o.Wait != 0 || !o.Valued && o.Value != 0:
			t.Errorf("%q: %+v", text, o)
		case !strings.Contains(text, o.Word) || !strings.Contains(text, o.Type):
			t.Errorf("%q: %+v is not in it", text, o)
		}
	})
}
