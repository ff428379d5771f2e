package w3c

import "evenkeel/queue/lines"

// A day is the date that was read last: rows of one day stand together, and
// counting days is most of the work of reading a time.
type day struct {
	text  [len("2006-01-02")]byte
	start int64 // Unix time of its midnight, UTC
	good  bool
}

// know reads a date, and reports whether it is one.
func (d *day) know(date []byte) bool {
	if d.good && string(date) == string(d.text[:]) {
		return true
	}
	midnight, ok := lines.ParseDate(date)
	if !ok {
		return false
	}
	*d = day{text: [10]byte(date), start: midnight.Unix(), good: true}
	return true
}
