package exchange

import (
	"strconv"
	"strings"

	"evenkeel/policy/throttle"
)

// The events of throttling in the Application log, of the source MSExchange ADAccess.
const (
	eventNoDefault       = 2901
	eventSeveralDefaults = 2902
	eventNoCounters      = 2903
	eventDeletedPolicy   = 2914
	eventUserOver        = 2915
	eventManyOver        = 2916
	eventLongCharge      = 2917
	eventLockedOut       = 4023
)

// eventOf is the number of the event that a line is the text of; 0: of none. The
// text decides where there is one, since a number alone may be anything.
func eventOf(line string) int {
	folded := throttle.Fold(line)
	has := func(words ...string) bool {
		for _, w := range words {
			if !strings.Contains(folded, w) {
				return false
			}
		}
		return true
	}
	switch {
	case has("budget charge", "exceeded"):
		return eventLongCharge
	case has("deleted throttling policy"):
		return eventDeletedPolicy
	case has("default throttling polic", "more than one"), has("default throttling polic", "multiple"):
		return eventSeveralDefaults
	case has("default throttling policy", "missing"), has("default throttling policy", "not found"), has("default throttling policy", "not be found"), has("no default throttling policy"):
		return eventNoDefault
	case has("throttling", "performance counters"):
		return eventNoCounters
	case has("users", "over budget"), has("over budget", "unique budgets"):
		return eventManyOver
	case has("over budget", "times"):
		return eventUserOver
	case has("locked", "until", "cutoff"), has("locked out", "until", "pid="):
		return eventLockedOut
	}
	return numberedEvent(folded)
}

// numberedEvent reads "Event 2915" and "Event ID: 2915".
func numberedEvent(folded string) int {
	_, rest, found := strings.Cut(folded, "event")
	if !found {
		return 0
	}
	rest = strings.TrimLeft(rest, " :=")
	rest = strings.TrimLeft(strings.TrimPrefix(rest, "id"), " :=\t")
	end := 0
	for end < len(rest) && '0' <= rest[end] && rest[end] <= '9' {
		end++
	}
	n, _ := strconv.Atoi(rest[:end])
	switch n {
	case eventNoDefault, eventSeveralDefaults, eventNoCounters, eventDeletedPolicy, eventUserOver, eventManyOver, eventLongCharge, eventLockedOut:
		return n
	}
	return 0
}

// decodeEvent explains one.
func decodeEvent(number int, text string) []Decoded {
	first, _, _ := strings.Cut(text, "\n")
	d := Decoded{Form: FormEvent, Line: number, Event: eventOf(first), Fields: eventFields(text)}
	if d.Event == eventDeletedPolicy {
		if id, ok := d.Fields.find("Id"); ok {
			link := id.Value
			if _, after, ok := strings.Cut(link, "Id: "); ok {
				link = after // behind "Org: …, "
			}
			if name, ok := deletedLink(link); ok {
				d.Fields.add("policy", name, "", "the name it had")
			}
		}
	}
	d.Means, d.Advice = eventWords(d.Event)
	return []Decoded{d}
}

// eventFields are the quoted values, under the words before them, and the process.
func eventFields(text string) (f Fields) {
	f = Fields{}
	if at := strings.Index(text, "PID="); at >= 0 {
		end := at + len("PID=")
		for end < len(text) && '0' <= text[end] && text[end] <= '9' {
			end++
		}
		f.add("PID", text[at+len("PID="):end], "", "the process that says so")
	}
	for {
		before, rest, ok := strings.Cut(text, "'")
		if !ok {
			return f
		}
		value, after, closed := strings.Cut(rest, "'")
		if bare, next, ok := strings.Cut(value, ", "); ok && closed && strings.HasSuffix(next, ": ") { // a quote that is not closed, as event 2917 has one
			value, after = bare, rest[len(bare)+len(", "):]
		}
		if name := called(before); name != "" {
			unit, means := eventUnit(name)
			f.add(name, strings.TrimRight(value, "\r\n"), unit, means)
		}
		text = after
	}
}

// called is the name of a quoted value: the words before a colon, at most three, or
// the last word of a sentence that goes on.
func called(before string) string {
	if at := strings.LastIndexAny(before, ".,;\n)"); at >= 0 {
		before = before[at+1:]
	}
	before = strings.TrimRight(before, " ")
	label, isLabel := strings.CutSuffix(before, ":")
	words := strings.Fields(label)
	if isLabel {
		return strings.Join(words[max(0, len(words)-3):], " ")
	}
	if n := len(words); n > 0 && (words[n-1] == "of" || words[n-1] == "is") {
		words = words[:n-1]
	}
	switch n := len(words); {
	case n == 0:
		return ""
	case words[n-1] == "budget": // "has gone over budget '21' times"
		return "times over budget"
	default:
		return words[n-1]
	}
}

// eventUnit are the units of what events print.
func eventUnit(name string) (unit, means string) {
	folded := strings.ReplaceAll(throttle.Fold(name), " ", "")
	switch {
	case strings.HasSuffix(folded, "maxburst"):
		return "ms", "the highest balance"
	case strings.HasSuffix(folded, "rechargerate"):
		return "ms/hour", "what comes back"
	case strings.HasSuffix(folded, "cutoffbalance"):
		return "ms", "the balance at which the owner is locked out"
	case strings.HasSuffix(folded, "threshold"), strings.HasSuffix(folded, "thresholdvalue"):
		return "times a minute", "who is over more often is logged; it is no limit of a policy"
	case strings.HasSuffix(folded, "limit"):
		return "min", "how long the charge was open when it was found; it is no limit"
	case strings.HasSuffix(folded, "info"):
		return "", "the policy, and how often which part was over"
	}
	return "", ""
}
