package exchange

import "strings"

// decodeEntry reads what EWS of 2010 writes into the query of an IIS log. What is
// cut is read as far as it goes; [throttle.ParseEntry] wants all of it.
func decodeEntry(number int, line string) (out []Decoded) {
	var request Fields
	for field := range strings.SplitSeq(plain(entryToken(line)), ";") {
		name, budget, isBudget := strings.Cut(field, ">>")
		if !isBudget {
			requestField(&request, field)
			continue
		}
		when := "before"
		if took, ok := strings.CutPrefix(name, "End("); ok {
			when = "after"
			request.add("End", strings.TrimSuffix(took, "ms)"), "ms", "how long the request took, by a clock that may tick in 15.625 ms")
		}
		for _, w := range budgets(budget) {
			d := w.decoded(number)
			d.Form, d.When = FormEntry, when
			out = append(out, d)
		}
	}
	if len(out) > 0 {
		last := &out[len(out)-1]
		last.Fields = append(last.Fields, request...)
	}
	return out
}

// entryToken is the column that has it.
func entryToken(line string) string {
	for _, token := range strings.Fields(line) {
		if isEntry(token) {
			return token
		}
	}
	return line
}

// isEntry says that a line has a budget before or after a request.
func isEntry(line string) bool {
	for _, mark := range [...]string{"Init>>", "ms)>>", "Init%3E%3E", "Init%3e%3e"} {
		if strings.Contains(line, mark) {
			return true
		}
	}
	return false
}

// requestField adds what is told of the request itself.
func requestField(f *Fields, field string) {
	if at := strings.Index(field, "RC:"); at >= 0 {
		f.add("RC", field[at+len("RC:"):], "", "correlates lines")
		return
	}
	name, value, _ := strings.Cut(field, "=")
	switch name {
	case "SoapAction":
		f.add(name, value, "", "what was asked for")
	case "Version":
		f.add(name, value, "", "of the line's form")
	case "RpcC":
		f.add(name, value, "", "calls of the mailbox store")
	case "RpcL":
		f.add(name, value, "ms", "of all those calls")
	case "LdapC":
		f.add(name, value, "", "calls of the directory")
	case "LdapL":
		f.add(name, value, "ms", "of all those calls")
	}
}
