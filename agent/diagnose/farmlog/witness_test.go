//go:build !race

package farmlog

import (
	"bytes"
	"hash/fnv"
	"io"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// A witness reads what a story writes, in the plainest way: a line is split, a
// column is found by its name.
type witness struct {
	t       *testing.T
	sum     map[string]uint64 // of the files' bytes, by path
	last    map[string]string // the time of the last row, by log
	rows    map[string]int64  // by kind
	codes   map[string]int    // "W3SVC1 503", "HTTPERR QueueFull"
	bytes   int64
	refused map[string][]int64 // seconds of refused requests of clients, by node
	probes  int64
	seen    []sight
	front   map[string]int // rows of a MAPI request of a person, by log's kind
	each    func(node, kind string, r row)
}

// A sight is a row of a session at a front end.
type sight struct {
	at            int64 // milliseconds, Unix
	node, session string
}

func newWitness(t *testing.T) *witness {
	return &witness{t: t, sum: map[string]uint64{}, last: map[string]string{}, rows: map[string]int64{}, codes: map[string]int{}, refused: map[string][]int64{}, front: map[string]int{}}
}

func (w *witness) create(path string) (io.WriteCloser, error) {
	if _, ok := w.sum[path]; ok {
		w.t.Errorf("%s is created twice", path)
	}
	w.sum[path] = 0
	return &reading{w: w, path: path}, nil
}

// A reading is a file that is written.
type reading struct {
	w       *witness
	path    string
	rest    []byte
	columns []string
	places  map[string]int // of the columns
	row     row
	at      string // the time of the row before, and what it is
	when    time.Time
	closed  bool
}

// A row is one of a file.
type row struct {
	places map[string]int
	values []string
}

// get is the value of a column; "": there is none.
func (r row) get(column string) string {
	if i, ok := r.places[column]; ok {
		return r.values[i]
	}
	return ""
}

func (r row) number(column string) int {
	n, _ := strconv.Atoi(r.get(column))
	return n
}

func (r *reading) Write(b []byte) (int, error) {
	h := fnv.New64a()
	h.Write(strconv.AppendUint(nil, r.w.sum[r.path], 16))
	h.Write(b)
	r.w.sum[r.path] = h.Sum64()
	r.w.bytes += int64(len(b))
	r.rest = append(r.rest, b...)
	for {
		line, rest, ok := bytes.Cut(r.rest, []byte("\r\n"))
		if !ok {
			r.rest = append([]byte(nil), r.rest...)
			return len(b), nil
		}
		r.line(string(line))
		r.rest = rest
	}
}

func (r *reading) Close() error {
	if r.closed || len(r.rest) > 0 {
		r.w.t.Errorf("%s: closed twice, or with half a row %q", r.path, r.rest)
	}
	r.closed = true
	return nil
}

func (r *reading) line(text string) {
	sep := " "
	if strings.HasSuffix(r.path, ".LOG") {
		sep = ","
	}
	fields, isFields := strings.CutPrefix(text, "#Fields: ")
	switch {
	case isFields:
		r.columns = strings.Split(fields, sep)
		r.places = map[string]int{}
		for i, c := range r.columns {
			r.places[c] = i
		}
	case strings.HasPrefix(text, "#"), strings.HasPrefix(text, "DateTime,"):
	default:
		r.see(text, sep)
	}
}

func (r *reading) see(text, sep string) {
	r.row = row{r.places, split(r.row.values[:0], text, sep)}
	if len(r.row.values) != len(r.columns) {
		r.w.t.Fatalf("%s: %d values, %d columns: %s", r.path, len(r.row.values), len(r.columns), text)
	}
	at := r.row.get("DateTime")
	if at == "" {
		at = r.row.get("date") + "T" + r.row.get("time") + "Z"
	}
	if at != r.at {
		r.later(at)
	}
	path := strings.Split(r.path, "/")
	r.w.see(path[0], path[1], r.row, r.when)
	if r.w.each != nil {
		r.w.each(path[0], path[1], r.row)
	}
}

// later is told of a time that differs from that of the row before.
func (r *reading) later(at string) {
	when, err := time.Parse(time.RFC3339, at)
	if err != nil {
		r.w.t.Fatal(err)
	}
	log := r.path[:strings.LastIndexByte(r.path, '/')]
	if r.w.last[log] > at {
		r.w.t.Fatalf("%s: a row of %s behind one of %s", r.path, at, r.w.last[log])
	}
	r.at, r.when, r.w.last[log] = at, when, at
}

// split cuts a row; a comma in quotes cuts nothing.
func split(out []string, text, sep string) []string {
	for {
		value, rest, more := strings.Cut(text, sep)
		if sep == "," && strings.HasPrefix(text, `"`) {
			value, rest, _ = strings.Cut(text[1:], `"`)
			rest, more = strings.CutPrefix(rest, ",")
		}
		out = append(out, value)
		if !more {
			return out
		}
		text = rest
	}
}

func (w *witness) see(node, kind string, r row, at time.Time) {
	w.rows[kind]++
	switch kind {
	case "HTTPERR":
		w.kernel(node, r, at)
	case "W3SVC1", "W3SVC2":
		w.codes[kind+" "+r.get("sc-status")]++
		if r.get("cs-uri-stem") == "/mapi/emsmdb/" && r.get("sc-status") == "200" && !strings.Contains(r.get("cs-username"), "HealthMailbox") {
			w.front[kind]++
		}
	case "MapiHttp":
		if !strings.HasPrefix(r.get("AuthenticatedUserEmail"), "HealthMailbox") {
			w.front[kind]++
		}
	case "HttpProxy":
		w.codes[kind+" "+r.get("HttpStatus")]++
		if r.get("Protocol") == "Mapi" && !strings.Contains(r.get("AuthenticatedUser"), "HealthMailbox") {
			w.front[kind]++
			_, ci, _ := strings.Cut(r.get("ClientRequestId"), ";CI:")
			ci, _, _ = strings.Cut(ci, ";")
			w.seen = append(w.seen, sight{at.UnixMilli(), node, strings.Clone(ci)})
		}
	}
}

func (w *witness) kernel(node string, r row, at time.Time) {
	w.codes["HTTPERR "+r.get("s-reason")]++
	switch {
	case r.get("sc-status") != "503":
	case r.get("c-ip") == balancer || r.get("c-ip") == "::1":
		w.probes++
	default:
		w.refused[node] = append(w.refused[node], at.Unix())
	}
}

// runs are the outages of a node: seconds from and to.
func (w *witness) runs(node string) (out []run) {
	var r run
	for _, s := range append(slices.Clone(w.refused[node]), 1<<40) {
		if r.n > 0 && s-r.to > 60 {
			if r.n >= 10 {
				out = append(out, r)
			}
			r = run{}
		}
		if r.n == 0 {
			r.from = s
		}
		r.to, r.n = s, r.n+1
	}
	return out
}

// outage is in how many seconds some node refuses, second by second.
func (w *witness) outage() (seconds int64) {
	down := map[int64]bool{}
	for node := range w.refused {
		for _, r := range w.runs(node) {
			for s := r.from; s < r.to; s++ {
				down[s] = true
			}
		}
	}
	return int64(len(down))
}

// skew and the most sessions, by windows of 5 minutes.
func (w *witness) skew() (float64, int) {
	windows := map[int64]map[string]map[string]bool{}
	for _, s := range w.seen {
		at := s.at / 300_000
		for _, node := range []string{s.node, "all"} {
			if windows[at] == nil {
				windows[at] = map[string]map[string]bool{}
			}
			if windows[at][node] == nil {
				windows[at][node] = map[string]bool{}
			}
			windows[at][node][s.session] = true
		}
	}
	most := 0
	for _, nodes := range windows {
		most = max(most, len(nodes["all"]))
	}
	var shares []float64
	for _, nodes := range windows {
		if 10*len(nodes["all"]) < most {
			continue
		}
		sum, top := 0, 0
		for name, sessions := range nodes {
			if name != "all" {
				sum, top = sum+len(sessions), max(top, len(sessions))
			}
		}
		shares = append(shares, float64(top)/float64(sum))
	}
	slices.Sort(shares)
	return shares[len(shares)/2], most
}
