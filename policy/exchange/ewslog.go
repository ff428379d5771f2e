package exchange

import (
	"encoding/csv"
	"strings"

	"evenkeel/policy/throttle"
)

// isHeader notes the columns of a log of EWS.
func (d *decoder) isHeader(line string) bool {
	names, ok := strings.CutPrefix(line, "#Fields:")
	if !ok && !strings.HasPrefix(line, "DateTime,") {
		return false
	}
	if !ok {
		names = line
	}
	d.header = strings.Split(strings.TrimSpace(names), ",")
	return true
}

// decodeEWS reads a row: what BudgetMetadata says, and the columns around it where
// their names are known.
func (d *decoder) decodeEWS(number int, line string) []Decoded {
	row := cells(line)
	info := genericInfo(row)
	w, ends := metadata(info)
	out := Decoded{Form: FormEWS, Line: number, Fields: ends}
	if len(row) == len(d.header) {
		d.columns(&out.Fields, row)
	}
	for _, p := range info {
		switch p.word {
		case "WLM.BT":
			out.Fields.add("WLM.BT", p.value, "", "the type of the budget")
		case "WLM.Bal":
			out.Fields.add("WLM.Bal", p.value, "ms", "the balance as the request began")
		case "BudgUse.T[]":
			out.Fields.add("BudgUse.T[]", p.value, "ms", "what the request was charged")
		}
	}
	if len(out.Fields) == 0 {
		return decodeError(number, line)
	}
	out.Means = "only a balance is in the line: its limits are not logged, which is not to say that there are none"
	if len(w.items) > 0 {
		out.Means, out.Advice = w.judge()
	}
	return append([]Decoded{out}, decodeError(number, line)...)
}

// cells are the fields of a row; the line itself where it is no CSV.
func cells(line string) []string {
	r := csv.NewReader(strings.NewReader(line))
	r.LazyQuotes, r.FieldsPerRecord = true, -1
	row, err := r.Read()
	if err != nil {
		return []string{line}
	}
	return row
}

// columns adds those that tell of the budget. An empty one was not logged.
func (d *decoder) columns(f *Fields, row []string) {
	for i, name := range d.header {
		unit, means := "", ""
		switch name {
		case "AuthenticatedUser":
			means = "who was charged"
		case "ThrottlingPolicy":
			means = "the policy that sets the limits"
		case "ThrottlingDelay":
			means = "how long the request was delayed; its unit is not published"
		case "BeginBudgetConnections", "EndBudgetConnections":
			means = "requests at that moment, of all that the owner had"
		case "BeginBudgetHangingConnections", "EndBudgetHangingConnections":
			means = "requests that wait for something to happen"
		case "BeginBudgetSubscriptions", "EndBudgetSubscriptions":
			means = "subscriptions in use"
		default:
			continue
		}
		if row[i] != "" {
			f.add(name, row[i], unit, means)
		}
	}
}

// genericInfo are the pairs of the column that has them: NAME=VALUE, with a type
// such as S: in front, semicolons between them, and maybe a value in single
// quotes, in which semicolons stand for themselves.
func genericInfo(row []string) (pairs []item) {
	for _, cell := range row {
		if !strings.Contains(cell, "BudgetMetadata.") && !strings.Contains(cell, "WLM.Bal=") {
			continue
		}
		for cell != "" {
			name, rest, found := strings.Cut(cell, "=")
			if !found {
				break
			}
			end := infoEnd(rest)
			name = name[strings.LastIndexByte(name, ';')+1:]
			name = name[strings.LastIndexByte(name, ':')+1:]
			pairs = append(pairs, item{word: name, value: rest[:end]})
			cell = strings.TrimPrefix(rest[end:], ";")
		}
	}
	return pairs
}

// infoEnd is where the value ends that text begins with.
func infoEnd(text string) int {
	if strings.HasPrefix(text, "'") {
		if quote := strings.IndexByte(text[1:], '\''); quote >= 0 {
			return quote + 2
		}
	}
	if end := strings.IndexByte(text, ';'); end >= 0 {
		return end
	}
	return len(text)
}

// metadata is the budget that BudgetMetadata tells of, as the request ended.
func metadata(info []item) (w written, f Fields) {
	var texts []string
	for _, p := range info {
		word, ok := strings.CutPrefix(p.word, "BudgetMetadata.")
		if !ok {
			continue
		}
		unit, means := tokenWords(word)
		f.add(word, p.value, unit, means)
		switch word {
		case "EndBalance":
			word = "Balance"
		case "IsServiceAct":
			word = "IsServiceAccount"
		case "BeginBalance":
			continue
		}
		if text := strict(word, p.value); text != "" && w.value(word) == "" {
			texts = append(texts, text)
			w.items = append(w.items, item{word: word, value: p.value, known: true})
		}
	}
	return w.finish(texts), f
}

// isOverBudget says that a line is an error's text about throttling.
func isOverBudget(line string) bool {
	_, ok := throttle.ParseOverBudget(line)
	return ok
}

// decodeError explains the text of an error; nothing where it is none.
func decodeError(number int, line string) []Decoded {
	o, ok := throttle.ParseOverBudget(line)
	if !ok {
		return nil
	}
	return []Decoded{overBudget(number, o)}
}
