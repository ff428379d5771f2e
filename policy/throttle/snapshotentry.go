package throttle

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// An Entry is what Exchange writes of one request to its web services, in the
// query of the log line (document 000): the budget before and after. Both
// tell of all requests that the owner had at the time, and not of this one alone.
type Entry struct {
	RC          string // correlates this line with others: a GUID
	Init, End   Snapshot
	SoapAction  string
	Version     uint32        // of the line's format: 1
	RPCs, LDAPs uint32        // calls of the mailbox store, and of the directory
	RPCLatency  time.Duration // of all those calls; in whole milliseconds
	LDAPLatency time.Duration // as above
	Took        time.Duration // by the server's clock, which may tick in 15.625 ms
}

// AppendText appends e as one line without an end: it has no blanks, and a
// semicolon in front, behind, and between its fields.
func (e Entry) AppendText(dst []byte) []byte {
	dst = appendName(append(dst, ";RC:"...), e.RC)
	dst = e.Init.AppendText(append(dst, ";Init>>"...))
	dst = appendName(append(dst, ";SoapAction="...), e.SoapAction)
	dst = appendCount(append(dst, ";Version="...), e.Version)
	dst = appendCount(append(dst, ";RpcC="...), e.RPCs)
	dst = appendMillis(append(dst, ";RpcL="...), e.RPCLatency.Truncate(time.Millisecond))
	dst = appendCount(append(dst, ";LdapC="...), e.LDAPs)
	dst = appendMillis(append(dst, ";LdapL="...), e.LDAPLatency.Truncate(time.Millisecond))
	dst = appendMillis(append(dst, ";End("...), e.Took)
	dst = e.End.AppendText(append(dst, "ms)>>"...))
	return append(dst, ';')
}

// String is the text of [Entry.AppendText].
func (e Entry) String() string { return string(e.AppendText(nil)) }

// ParseEntry reads what [Entry.AppendText] writes. All fields must be there,
// in order.
func ParseEntry(text string) (Entry, error) {
	r := entryReader{rest: text}
	e := Entry{RC: parseName(r.field(";RC:", "")), Init: r.snapshot(";Init>>")}
	e.SoapAction = parseName(r.field(";SoapAction=", ""))
	e.Version = r.count(";Version=")
	e.RPCs, e.RPCLatency = r.count(";RpcC="), r.millis(";RpcL=", "")
	e.LDAPs, e.LDAPLatency = r.count(";LdapC="), r.millis(";LdapL=", "")
	e.Took = r.millis(";End(", "ms)")
	e.End = r.snapshot(">>")
	if r.err == nil && r.rest != ";" {
		r.fail("end of line", r.rest)
	}
	if r.err != nil {
		return Entry{}, r.err
	}
	return e, nil
}

// An entryReader takes fields off the front of rest, until one is not there.
type entryReader struct {
	rest string
	err  error
}

// field takes what stands between the name and the end: where that is empty,
// the next semicolon, which stays.
func (r *entryReader) field(name, end string) string {
	value, found := strings.CutPrefix(r.rest, name)
	at := strings.IndexByte(value, ';')
	if end != "" {
		at = strings.Index(value, end)
	}
	if !found || at < 0 || r.err != nil {
		r.fail(name, r.rest)
		return ""
	}
	r.rest = value[at+len(end):]
	return value[:at]
}

func (r *entryReader) count(name string) uint32 {
	value := r.field(name, "")
	n, err := strconv.ParseUint(value, 10, 32)
	if err != nil {
		r.fail(name, value)
	}
	return uint32(n)
}

func (r *entryReader) millis(name, end string) time.Duration {
	value := r.field(name, end)
	d, ok := parseMillis(value)
	if !ok || d < 0 {
		r.fail(name, value)
	}
	return d
}

func (r *entryReader) snapshot(name string) Snapshot {
	s, err := ParseSnapshot(r.field(name, ""))
	if err != nil && r.err == nil {
		r.err = fmt.Errorf("budget entry: field %q: %w", name, err)
	}
	return s
}

func (r *entryReader) fail(name, at string) {
	if r.err == nil {
		r.err = fmt.Errorf("budget entry: %q is not at %.40q", name, at)
	}
}
