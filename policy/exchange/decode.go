package exchange

import (
	"strings"
)

// A Form is which kind of text was decoded. Its text is a promise to scripts.
type Form string

// The forms of what [Decode] knows.
const (
	FormEntry   Form = "iis-2010"    // RC, Init>> and End>> of EWS in an IIS log of 2010
	FormMinute  Form = "budget-2010" // time in parts of a minute: phones' lines of 2010 SP1, or alone
	FormTokens  Form = "budget-2013" // a balance, as 2013 and later print it, with its owner or without
	FormEWS     Form = "ews-log"     // BudgetMetadata in the log of EWS
	FormWarning Form = "powershell"  // the warning of a micro delay
	FormError   Form = "error"       // a text of an error
	FormEvent   Form = "event"       // of the Application log
)

// A Decoded is one budget, error or event, explained. Its names in JSON are a
// promise to scripts.
type Decoded struct {
	Form   Form   `json:"form"`
	Line   int    `json:"line"` // where it begins
	When   string `json:"when"` // of a budget: "before" or "after" the request; empty where that is not said
	Event  int    `json:"event,omitempty"`
	Fields Fields `json:"fields"`
	Means  string `json:"means"`  // what it says, in words
	Advice string `json:"advice"` // what to do; empty: nothing
}

// Decode finds the budgets, errors and events in a text, which may be a line, a
// few, or a log. What it does not know it passes over, and what is behind the
// first 256 KiB of a line.
func Decode(text string) []Decoded {
	d := decoder{}
	n := 0
	for line := range strings.SplitSeq(text, "\n") {
		n++
		line = line[:min(len(line), mostLine)]
		d.line(n, strings.TrimRight(strings.TrimPrefix(line, "\uFEFF"), "\r"))
	}
	d.finish()
	return d.found
}

// A decoder collects what goes over several lines.
type decoder struct {
	found  []Decoded
	open   func(number int, text string) []Decoded // of what is being collected; nil: nothing is
	lines  []string
	begins int
	header []string // of the log that the lines are of
}

// line takes one. Those behind an event or a warning belong to it, until an
// empty one or something else that is known.
func (d *decoder) line(number int, line string) {
	many, one := d.known(line)
	switch {
	case many != nil:
		d.finish()
		d.open, d.begins, d.lines = many, number, append(d.lines[:0], line)
	case one != nil:
		d.finish()
		d.found = append(d.found, one(number, line)...)
	case strings.TrimSpace(line) == "":
		d.finish()
	case d.open != nil && len(d.lines) < mostLines:
		d.lines = append(d.lines, line)
	}
}

// Bounds of one line, and of the lines of one event or warning.
const (
	mostLine  = 256 << 10
	mostLines = 64
)

func (d *decoder) finish() {
	if d.open != nil {
		d.found = append(d.found, d.open(d.begins, strings.Join(d.lines, "\n"))...)
	}
	d.open = nil
}

// known says what reads the line: something of many lines, or of one.
func (d *decoder) known(line string) (many, one func(int, string) []Decoded) {
	if d.isHeader(line) {
		return nil, func(int, string) []Decoded { return nil }
	}
	switch {
	case eventOf(line) != 0:
		return decodeEvent, nil
	case isWarning(line) && d.open == nil:
		return decodeWarning, nil
	case isEntry(line):
		return nil, decodeEntry
	case len(budgets(line)) > 0:
		return nil, decodeBudgets
	case strings.Contains(line, "BudgetMetadata.") || strings.Contains(line, "WLM.Bal="):
		return nil, d.decodeEWS
	case isOverBudget(line):
		return nil, decodeError
	}
	return nil, nil
}

// decodeBudgets are those of a line, and its error if it has one.
func decodeBudgets(number int, line string) (out []Decoded) {
	for _, w := range budgets(line) {
		out = append(out, w.decoded(number))
	}
	return append(out, decodeError(number, line)...)
}

func (w written) decoded(number int) Decoded {
	form := FormMinute
	if w.Tokens {
		form = FormTokens
	}
	d := Decoded{Form: form, Line: number, Fields: w.fields()}
	switch w.label { // as observed: A comes first, D at the end
	case "A":
		d.When = "before"
	case "D":
		d.When = "after"
	}
	d.Means, d.Advice = w.judge()
	return d
}
