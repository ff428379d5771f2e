package throttle

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// A ResponseCode is a word of Exchange's web services for what went wrong.
type ResponseCode string

// The response codes of throttling. All but the first came with Exchange 2010,
// so who asks for an older version of the services gets the first.
const (
	ErrorServerBusy                ResponseCode = "ErrorServerBusy"
	ErrorExceededConnectionCount   ResponseCode = "ErrorExceededConnectionCount"
	ErrorExceededSubscriptionCount ResponseCode = "ErrorExceededSubscriptionCount"
	ErrorExceededFindCountLimit    ResponseCode = "ErrorExceededFindCountLimit"
)

// A RequestVersion is what a client of Exchange's web services wrote into
// RequestServerVersion, such as "Exchange2010_SP2". The empty one is a client
// that wrote none, and is taken for an old one.
type RequestVersion string

// Before2010 says whether the version knows nothing of throttling.
func (v RequestVersion) Before2010() bool {
	return v == "" || strings.HasPrefix(string(v), "Exchange2007")
}

// A Pair is a name and its value: of a header, or of a Value in MessageXml.
type Pair struct{ Name, Value string }

// A Reply is a refusal in the words of the server in whose place it is given.
// What a protocol does not have is empty. Where no source tells how Exchange
// itself refuses, the field says "assumed".
type Reply struct {
	Code   ResponseCode // of EWS
	Values []Pair       // of EWS, in MessageXml, in this order
	Fault  bool         // of EWS: a SOAP fault; else a response message of ResponseClass Error

	Status  int    // of HTTP; 0 where the protocol is another
	Headers []Pair // of HTTP
	MAPI    uint32 // of RCA: the StatusCode of an ExecuteFailure, or the RPC fault
	Line    string // of IMAP behind the tag, and of POP; without an end

	Text string // for people, in our own words: which part, how much, when to come again
}

// Reply is what to tell the client of a component that is denied by v. The
// version matters to EWS alone. It is the zero Reply where v denies nothing.
func (v Verdict) Reply(c Component, version RequestVersion) Reply {
	if v.Action != Deny {
		return Reply{}
	}
	r := v.reply(c, version)
	r.Text = v.text()
	return r
}

// overBudget is what the header X-OWA-Error names.
const overBudget = "Microsoft.Exchange.Data.Directory.SystemConfiguration.OverBudgetException"

func (v Verdict) reply(c Component, version RequestVersion) Reply {
	switch c {
	case EWS, OutlookService:
		return v.replyEWS(version) // of EWS; that OutlookService refuses so too is assumed
	case RCA, RCAShared:
		return Reply{Status: 200, Headers: []Pair{{"X-ResponseCode", "0"}}, MAPI: ServerTooBusy} // MS-OXCROPS 3.2.4.2 of back-off; for budgets assumed
	case OWA, OWAVoice:
		return Reply{Status: 503, Headers: v.retryAfter(Pair{"X-OWA-Error", overBudget})} // the status is assumed
	case IMAP:
		return Reply{Line: "BAD Request is throttled. Suggested Backoff Time: " + millisText(v.Wait) + " milliseconds"}
	case POP:
		return Reply{Line: "-ERR [SYS/TEMP] " + v.text()} // RFC 3206; assumed
	}
	return Reply{Status: 503, Headers: v.retryAfter()} // MS-ASHTTP 2.2.2.1.2.13 for EAS; for the others assumed
}

// replyEWS follows tables 3 and 4 of Exchange's description of EWS throttling.
func (v Verdict) replyEWS(version RequestVersion) Reply {
	limit := strconv.FormatInt(v.Limit, 10)
	switch {
	case version.Before2010():
	case v.Part == Concurrency, v.Part == Hanging:
		return Reply{Code: ErrorExceededConnectionCount, Values: []Pair{{"Policy", v.Part.String()}, {"MaxConcurrencyLimit", limit}}, Fault: true, Status: 500}
	case v.Part == Subscriptions:
		return Reply{Code: ErrorExceededSubscriptionCount, Status: 200}
	case v.Part == FindCount:
		return Reply{Code: ErrorExceededFindCountLimit, Values: []Pair{{"PolicyLimit", limit}}, Status: 200}
	}
	busy := Reply{Code: ErrorServerBusy, Values: []Pair{{"BackOffMilliseconds", millisText(v.Wait)}}, Fault: true, Status: 500}
	if v.Part == Subscriptions || v.Part == FindCount {
		busy.Fault, busy.Status = false, 200 // of the one message, as the newer codes are; the others of a batch may be well
	}
	return busy
}

// retryAfter adds the header where it is known when to come again.
func (v Verdict) retryAfter(headers ...Pair) []Pair {
	if v.Wait <= 0 {
		return headers
	}
	seconds := (v.Wait-1)/time.Second + 1 // rounded up: who obeys must not come too early
	return append(headers, Pair{"Retry-After", strconv.FormatInt(int64(seconds), 10)})
}

func millisText(d time.Duration) string {
	return strconv.FormatInt(int64(wholeMillis(max(0, d))/time.Millisecond), 10)
}

func (v Verdict) text() string {
	when := "when a request of yours ends"
	if v.Wait > 0 {
		when = "in " + wholeMillis(v.Wait).String()
	}
	switch v.Part {
	case NoPart, CPU, Full: // have no limit
		return fmt.Sprintf("refused for %s, come again %s", v.Part, when)
	}
	return fmt.Sprintf("over %s of %s, come again %s", v.Part, v.limit(), when)
}

// limit is the limit in the unit that people know.
func (v Verdict) limit() string {
	if v.Part.timed() {
		return (time.Duration(v.Limit) * time.Millisecond).String()
	}
	return strconv.FormatInt(v.Limit, 10)
}
