package exchange

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// csv reads what Export-Csv writes: RFC 4180, with line feeds in quoted fields,
// commas, or what the culture has for them.
func (f *feed) csv(in *bufio.Reader) {
	skipped := 0
	if head, _ := in.Peek(5); string(head) == "#TYPE" { // without -NoTypeInformation
		f.ration.fill()
		if _, err := in.ReadString('\n'); err != nil {
			return
		}
		skipped++
	}
	r := csv.NewReader(in)
	r.Comma, r.FieldsPerRecord = separator(in), -1
	f.ration.fill()
	header, err := r.Read()
	if err != nil {
		f.endCSV(skipped, err)
		return
	}
	header = slices.Clone(header)
	r.ReuseRecord = true
	for f.row(r, header, skipped) {
	}
}

// row reads one object; false behind the last.
func (f *feed) row(r *csv.Reader, header []string, skipped int) bool {
	f.ration.fill()
	fields, err := r.Read()
	if err != nil {
		return f.endCSV(skipped, err)
	}
	line, _ := r.FieldPos(0)
	if len(fields) != len(header) {
		f.spoilt(line+skipped, "", fmt.Sprintf("want %d fields as in the header, found %d", len(header), len(fields)))
		return true
	}
	o := object{line: line + skipped}
	for i, value := range fields {
		at, _ := r.FieldPos(i)
		o.props = append(o.props, property{name: header[i], value: strings.TrimSpace(value), line: at + skipped})
	}
	f.object(&o)
	return true
}

// endCSV complains, and says whether it goes on behind the mistake.
func (f *feed) endCSV(skipped int, err error) bool {
	var wrong *csv.ParseError
	switch {
	case errors.Is(err, io.EOF):
		return false
	case errors.As(err, &wrong):
		f.spoilt(wrong.Line+skipped, "", "not CSV: "+wrong.Err.Error())
		return true
	}
	f.end(0, err)
	return false
}

// separator is what stands between the names in the first line.
func separator(in *bufio.Reader) rune {
	head, _ := in.Peek(4096)
	first, _, _ := strings.Cut(string(head), "\n")
	best := ','
	for _, c := range []rune{';', '\t'} {
		if strings.Count(first, string(c)) > strings.Count(first, string(best)) {
			best = c
		}
	}
	return best
}
