package throttle

import (
	"strconv"
	"strings"
	"time"
)

// An OverBudget is what a text of Exchange says about a client that it
// throttled. It tells of that client and not of the server: the server is well.
type OverBudget struct {
	Part    Part   // NoPart where the text names none, or one that is not ours
	Word    string // of the part, as it stands there, such as "ConcurrentSyncCalls"; empty where none
	Type    string // of the budget, such as "Ews"; empty where none
	Value   int64  // what the policy allows, in Exchange's unit: counts, or milliseconds
	Wait    time.Duration
	Valued  bool // the text has a Value
	WaitSet bool // the text has a Wait, and 0 is "when a call of yours ends"
}

// ParseOverBudget reads the text of an error or a log line. It is false where
// the text is about something else.
func ParseOverBudget(text string) (o OverBudget, ok bool) {
	o.Word, ok = quotedAfter(text, "policy part '")
	o.Part = limitingPart(o.Word)
	if !ok {
		o.Part, ok = plainPart(text)
	}
	o.Type, _ = quotedAfter(text, "budget type: '")
	if value, found := quotedAfter(text, "policy value '"); found {
		if n, err := strconv.ParseInt(value, 10, 64); err == nil {
			o.Value, o.Valued = n, true
		}
	}
	o.Wait, o.WaitSet = waitIn(text)
	return o, ok || o.WaitSet
}

// limitingPart is the part of the word in Exchange's texts.
func limitingPart(word string) Part {
	for p := NoPart + 1; p < CPU; p++ {
		if strings.EqualFold(word, p.String()) {
			return p
		}
	}
	return NoPart
}

// plainPart reads the texts for people, which name no part.
func plainPart(text string) (p Part, ok bool) {
	for _, plain := range [...]struct {
		words string
		part  Part
	}{
		{"available concurrent connections", Concurrency},
		{"available subscriptions", Subscriptions},
		{"maximum number of objects that can be returned", FindCount},
		{"cannot service this request right now", NoPart},
	} {
		if _, found := textAfter(text, plain.words); found {
			return plain.part, true
		}
	}
	return NoPart, false
}

// waitIn reads "backoff time 5000 ms" and "Backoff Time: 5000 milliseconds".
func waitIn(text string) (time.Duration, bool) {
	rest, found := textAfter(text, "backoff time")
	if !found {
		return 0, false
	}
	rest = strings.TrimLeft(rest, ": ")
	end := 0
	for end < len(rest) && rest[end] >= '0' && rest[end] <= '9' {
		end++
	}
	wait, ok := parseMillis(rest[:end])
	unit := strings.TrimLeft(rest[end:], " ")
	if !ok || !startsWith(unit, "ms") && !startsWith(unit, "milliseconds") {
		return 0, false
	}
	return wait, true
}

// quotedAfter is what stands between the words, which end in a quote, and the next quote.
func quotedAfter(text, words string) (string, bool) {
	rest, found := textAfter(text, words)
	value, _, closed := strings.Cut(rest, "'")
	if !found || !closed {
		return "", false
	}
	return strings.Clone(value), true
}

// textAfter is what stands behind the words, in whatever case.
func textAfter(text, words string) (string, bool) {
	for i := range len(text) {
		if startsWith(text[i:], words) {
			return text[i+len(words):], true
		}
	}
	return "", false
}

func startsWith(text, words string) bool {
	return len(text) >= len(words) && strings.EqualFold(text[:len(words)], words)
}
