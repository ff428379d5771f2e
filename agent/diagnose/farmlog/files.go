package farmlog

import (
	"fmt"
	"io"
	"time"
)

// full is how much a log keeps before it writes.
const full = 64 << 10

// A log is one log of one node: a folder of files, of which the newest is open.
type log struct {
	line
	folder string // "EX1/HTTPERR"
	kind   string // of Truth.Rows
	name   func(day time.Time, hour, n int) string
	head   func(now time.Time) string
	period int64 // in seconds: a new file every so often; 0: never
	limit  int64 // in bytes: a new file when one is as large; 0: none

	file  io.WriteCloser
	since int64 // the period that the file is of
	n     int   // its number, from 1
	size  int64 // of what was written to it, without what is kept
}

// begin makes room for a row that is written now; the row is appended to line.
func (f *farm) begin(l *log) *line {
	period := int64(0)
	if l.period > 0 {
		period = f.now / l.period
	}
	if l.file == nil || period != l.since || l.limit > 0 && l.size+int64(len(l.b)) >= l.limit {
		f.roll(l, period)
	}
	return &l.line
}

// end ends the row.
func (f *farm) end(l *log) {
	l.s("\r\n")
	l.rows++
	if len(l.b) >= full {
		f.flush(l)
	}
}

func (f *farm) flush(l *log) {
	if l.file != nil && f.err == nil {
		_, f.err = l.file.Write(l.b)
	}
	l.size += int64(len(l.b))
	f.truth.Bytes += int64(len(l.b))
	l.b = l.b[:0]
}

// roll closes a log's file and opens the next.
func (f *farm) roll(l *log, period int64) {
	f.shut(l)
	if period != l.since {
		l.n = 0
	}
	l.since, l.size, l.n = period, 0, l.n+1
	now := f.time(f.now)
	file, err := f.create(l.folder + "/" + l.name(now, now.Hour(), l.n))
	if err != nil {
		f.err = err
		file = nowhere{}
	}
	l.file = file
	f.truth.Files++
	l.s(l.head(now))
}

func (f *farm) shut(l *log) {
	f.flush(l)
	if l.file == nil {
		return
	}
	if err := l.file.Close(); f.err == nil {
		f.err = err
	}
	l.file = nil
}

// close ends all files and says what went wrong with them.
func (f *farm) close() error {
	for _, l := range f.logs {
		f.shut(l)
		f.truth.Rows[l.kind] += l.rows
	}
	return f.err
}

func (f *farm) add(node, folder, kind string, l log) *log {
	l.folder, l.kind = node+"/"+folder, kind
	l.b = make([]byte, 0, full+8<<10)
	f.logs = append(f.logs, &l)
	return &l
}

// httpErr is HTTP.sys' log, which goes on by number.
func (f *farm) httpErr(node string) *log {
	fields := fieldsHTTPErr2019
	if f.story.modern {
		fields = fieldsHTTPErr2022
	}
	return f.add(node, "HTTPERR", "HTTPERR", log{
		name:  func(_ time.Time, _, n int) string { return fmt.Sprintf("httperr%d.log", n) },
		head:  w3c("Microsoft HTTP API 2.0", fields),
		limit: 1 << 20,
	})
}

// iis is the log of a site, a file a day.
func (f *farm) iis(node, site string) *log {
	return f.add(node, site, site, log{
		name:   func(day time.Time, _, _ int) string { return "u_ex" + day.Format("060102") + ".log" },
		head:   w3c("Microsoft Internet Information Services 10.0", fieldsIIS),
		period: 86400,
	})
}

// exchange is a log of Exchange, a file an hour and further ones of 10 MB.
func (f *farm) exchange(node, folder, name, kind, fields string) *log {
	return f.add(node, folder, kind, log{
		name: func(day time.Time, hour, n int) string {
			return fmt.Sprintf("%s_%s%02d-%d.LOG", name, day.Format("20060102"), hour, n)
		},
		head:   csv(kind, fields),
		period: 3600,
		limit:  10_000_000,
	})
}

func w3c(software, fields string) func(time.Time) string {
	return func(now time.Time) string {
		return "#Software: " + software + "\r\n#Version: 1.0\r\n#Date: " + now.Format(time.DateTime) + "\r\n#Fields: " + fields + "\r\n"
	}
}

func csv(kind, fields string) func(time.Time) string {
	if kind == "Ews" {
		kind = "EWS"
	}
	return func(now time.Time) string {
		return fields + "\r\n#Software: Microsoft Exchange Server\r\n#Version: 15.02.1544.004\r\n#Log-type: " + kind + " Logs\r\n#Date: " +
			now.Format("2006-01-02T15:04:05.000Z") + "\r\n#Fields: " + fields + "\r\n"
	}
}
