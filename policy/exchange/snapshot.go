package exchange

import (
	"slices"
	"strconv"
	"strings"

	"evenkeel/policy/throttle"
)

// A written is a budget as it was found in a text.
type written struct {
	label string // what stands before it: A or D in brackets (EAS)
	items []item // in the text's order
	throttle.Snapshot
}

// An item is "word:value".
type item struct {
	word, value string
	known       bool // the Snapshot has it
}

// value is that of an item; empty where it is not there.
func (w written) value(word string) string {
	for _, i := range w.items {
		if i.word == word {
			return i.value
		}
	}
	return ""
}

// fieldEnd ends a value: of phones' logs the underscore, where names have it escaped.
const fieldEnd = '\x1F'

// plain undoes the escapes of a query, %XX, in the part of a line without blanks.
// Where underscores are escaped, those that are not stand between fields.
func plain(text string) string {
	if !strings.Contains(text, "%") {
		return text
	}
	if strings.Contains(throttle.Fold(text), "%5f") {
		text = strings.ReplaceAll(text, "_", string(fieldEnd))
	}
	return unescapePercent(text)
}

// unescapePercent undoes %XX, and leaves what is none.
func unescapePercent(text string) string {
	var out strings.Builder
	for {
		at := strings.IndexByte(text, '%')
		if at < 0 || at+3 > len(text) {
			return out.String() + text
		}
		out.WriteString(text[:at])
		c, err := strconv.ParseUint(text[at+1:at+3], 16, 8)
		if err != nil {
			out.WriteByte('%')
			text = text[at+1:]
			continue
		}
		out.WriteByte(byte(c))
		text = text[at+3:]
	}
}

// budgets finds every budget in a line.
func budgets(line string) (found []written) {
	if !strings.Contains(line, "Conn") {
		return nil
	}
	for _, token := range tokens(line) {
		text := plain(token)
		last := len(text) - strings.LastIndex(text, ",Conn:") // from the end, which stays where it is
		for at := beginning(text, len(text)-last); at >= 0; at = beginning(text, len(text)-last) {
			label := ""
			if at >= 3 && text[at-3] == '(' && text[at-1] == ')' {
				label = text[at-2 : at-1]
			}
			w, rest := readBudget(text[at:])
			w.label = label
			if len(w.items) > 1 {
				found = append(found, w)
			}
			text = rest
		}
	}
	return found
}

// tokens are the parts of a log line that may be escaped; a text that is not has
// blanks in its names.
func tokens(line string) []string {
	if strings.Contains(throttle.Fold(line), "conn%3a") {
		return strings.Fields(line)
	}
	return []string{line}
}

// beginning is where a budget begins: with its owner, whose connections are told
// of behind him, or else with its connections.
func beginning(text string, behind int) int {
	for at := 0; at < len(text); at++ {
		if at > 0 && isWord(text[at-1]) && text[at-1] != '_' {
			continue
		}
		rest := text[at:]
		if strings.HasPrefix(rest, "Conn:") || strings.HasPrefix(rest, "Owner:") && at < behind {
			return at
		}
	}
	return -1
}

func isWord(c byte) bool { return c == '_' || wordLen(string(c)) == 1 }

// wordLen is how many letters and digits text begins with.
func wordLen(text string) int {
	for i := range len(text) {
		if c := text[i]; (c|0x20 < 'a' || c|0x20 > 'z') && (c < '0' || c > '9') {
			return i
		}
	}
	return len(text)
}

// mostItems of one budget: Exchange writes about a dozen.
const mostItems = 64

// readBudget reads items until something else stands there. A last one may have
// no value, such as Norm.
func readBudget(text string) (w written, rest string) {
	var texts []string
	for rest = text; len(w.items) < mostItems; {
		n := wordLen(rest)
		if n == 0 || !strings.HasPrefix(rest[n:], ":") {
			if n > 0 {
				w.items = append(w.items, item{word: rest[:n]})
			}
			return w.finish(texts), rest[n:]
		}
		word := rest[:n]
		if w.has(word) {
			break
		}
		i, more := readItem(word, rest[n+1:])
		if i.known {
			texts = append(texts, strict(word, i.value))
		}
		w.items = append(w.items, i)
		var next bool
		if rest, next = strings.CutPrefix(more, ","); !next {
			break
		}
	}
	return w.finish(texts), rest
}

func (w written) has(word string) bool {
	return slices.ContainsFunc(w.items, func(i item) bool { return i.word == word })
}

// readItem reads the value of a word.
func readItem(word, text string) (i item, rest string) {
	value, rest := cutValue(word, text)
	return item{word, value, strict(word, value) != ""}, rest
}

// cutValue is the value of a word, and what is behind it.
func cutValue(word, text string) (value, rest string) {
	end := 0
	switch word {
	case "Owner":
		end = strings.Index(text, ",Conn:")
	case "Policy":
		if end = strings.IndexAny(text, ",;&\"'"+string(fieldEnd)); end < 0 {
			end = len(text)
		}
		if at := nextField(text[:end]); at >= 0 { // and not beyond, or each budget of a line would read all of it
			end = at
		}
	default:
		end = strings.IndexAny(text, ",;&_ \t\"'"+string(fieldEnd))
	}
	if end < 0 {
		end = len(text)
	}
	return strings.Clone(text[:end]), text[end:]
}

// nextField is where a policy's name ends and "_Name:" begins; -1: nowhere.
func nextField(text string) int {
	for at := range len(text) {
		if text[at] != '_' {
			continue
		}
		if n := wordLen(text[at+1:]); n > 0 && strings.HasPrefix(text[at+1+n:], ":") {
			return at
		}
	}
	return -1
}

// strict is the item as [throttle.ParseSnapshot] reads it; empty where it does not.
func strict(word, value string) string {
	if word == "Owner" || word == "Policy" {
		return ""
	}
	if word == "IsServiceAccount" {
		value = strings.ToUpper(value[:min(1, len(value))]) + strings.ToLower(value[min(1, len(value)):])
	}
	text := word + ":" + value
	if _, err := throttle.ParseSnapshot(text); err != nil {
		return ""
	}
	return text
}

// finish makes the Snapshot of the items that were understood.
func (w *written) finish(texts []string) written {
	out := *w
	s, err := throttle.ParseSnapshot(strings.Join(texts, ","))
	if out.Snapshot = s; err != nil { // items of 2010 and of 2013 in one
		for i := range out.items {
			out.items[i].known = false
		}
	}
	out.Owner, out.Policy = out.value("Owner"), out.value("Policy")
	out.Tokens = out.Tokens || slices.ContainsFunc(out.items, func(i item) bool { return i.word == "MaxBurst" || i.word == "Balance" })
	return out
}
