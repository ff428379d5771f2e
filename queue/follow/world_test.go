package follow

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"evenkeel/queue/exlog"
	"evenkeel/queue/maillog"
	"evenkeel/queue/w3c"

	"pgregory.net/rapid"
)

// A kind is a format as the tests write and read it.
type kind[T Tail[P], P any] struct {
	format Format[T, P]
	header string
	row    func(id, pad int) string
	raw    func(T) []byte
}

func w3cKind() kind[*w3c.Tail, w3c.Position] {
	return kind[*w3c.Tail, w3c.Position]{
		Format[*w3c.Tail, w3c.Position]{
			func(at w3c.Position) *w3c.Tail { return w3c.NewTail(at, "s-reason") },
			func(at w3c.Position) int64 { return at.Offset },
		},
		"#Software: Microsoft HTTP API 2.0\r\n#Version: 1.0\r\n#Date: 2025-03-14 08:00:00\r\n#Fields: date time c-port cs-uri s-reason\r\n",
		func(id, pad int) string {
			return fmt.Sprintf("2025-03-14 08:00:00 %d /id=%d;%s QueueFull\r\n", id%60000, id, strings.Repeat("x", pad))
		},
		func(t *w3c.Tail) []byte { return t.Raw() },
	}
}

func exlogKind() kind[*exlog.Tail, exlog.Position] {
	return kind[*exlog.Tail, exlog.Position]{
		Format[*exlog.Tail, exlog.Position]{
			func(at exlog.Position) *exlog.Tail { return exlog.NewTail(at, "Protocol") },
			func(at exlog.Position) int64 { return at.Offset },
		},
		"\ufeff#Software: Microsoft Exchange Server\r\n#Version: 15.02.1544.004\r\n#Log-type: HttpProxy Logs\r\n#Date: 2025-03-14T08:00:00.124Z\r\n#Fields: DateTime,Protocol,GenericInfo\r\nDateTime,Protocol,GenericInfo\r\n",
		func(id, pad int) string {
			return fmt.Sprintf("2025-03-14T08:00:00.124Z,Mapi,\"id=%d;\r\n%s\"\r\n", id, strings.Repeat("y", pad))
		},
		func(t *exlog.Tail) []byte { return t.Raw() },
	}
}

// maillogKind is a kind read by what finds out the format by itself.
func maillogKind[T Tail[P], P any](of kind[T, P]) kind[*maillog.Tail, maillog.Position] {
	return kind[*maillog.Tail, maillog.Position]{
		Format[*maillog.Tail, maillog.Position]{maillog.NewTail, func(at maillog.Position) int64 { return at.Offset }},
		of.header, of.row,
		func(t *maillog.Tail) []byte { return t.Raw() },
	}
}

// A log is one file as its writer has it open, whatever its name is.
type log struct {
	f       *os.File
	name    string
	size    int64  // of what is written; behind it there may be NULs
	pending string // what the writer has to write yet
	rows    []int  // all of the above
}

// A world is a folder, those who write there, and who follows them.
type world[T Tail[P], P any] struct {
	t    rapid.TB
	k    kind[T, P]
	dir  string
	now  time.Time
	d    *Folder[T, P]
	o    Options
	logs []*log
	ids  int

	order []int            // of rows, as they were met
	met   map[int]int      // rows, and how often
	where map[int][]string // and in which files
	may   map[int]int      // and how often more than once, for a state was too old
	kept  []byte           // a state
	since []int            // rows met since
}

func newWorld[T Tail[P], P any](t rapid.TB, k kind[T, P], dir string, patterns ...string) *world[T, P] {
	w := &world[T, P]{
		t: t, k: k, dir: dir, now: time.Unix(1_741_939_200, 0), met: map[int]int{}, where: map[int][]string{}, may: map[int]int{},
		o: Options{Dir: dir, Patterns: patterns},
	}
	w.d = New(w.o, k.format)
	return w
}

// must ends the test if something that is not tested went wrong.
func (w *world[T, P]) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world[T, P]) path(name string) string { return filepath.Join(w.dir, name) }

// create begins a file, of which nothing is written yet.
func (w *world[T, P]) create(name string) *log {
	f, err := os.OpenFile(w.path(name), os.O_CREATE|os.O_RDWR|os.O_EXCL, 0o644)
	w.must(err)
	l := &log{f: f, name: name, pending: w.k.header}
	w.logs = append(w.logs, l)
	return l
}

// add gives the writer rows to write.
func (w *world[T, P]) add(l *log, n, pad int) {
	for range n {
		w.ids++
		l.rows = append(l.rows, w.ids)
		l.pending += w.k.row(w.ids, pad)
	}
}

// write writes n bytes of what is pending, over NULs if there are some.
func (w *world[T, P]) write(l *log, n int) {
	n = min(n, len(l.pending))
	_, err := l.f.WriteAt([]byte(l.pending[:n]), l.size)
	w.must(err)
	l.size, l.pending = l.size+int64(n), l.pending[n:]
}

func (w *world[T, P]) flush(l *log) { w.write(l, len(l.pending)) }

// ahead makes the file longer by NULs, or takes them away.
func (w *world[T, P]) ahead(l *log, n int64) { w.must(l.f.Truncate(l.size + n)) }

func (w *world[T, P]) rename(l *log, name string) {
	w.must(os.Rename(w.path(l.name), w.path(name)))
	l.name = name
}

var idOf = regexp.MustCompile(`id=(\d+);`)

// poll meets all that is new.
func (w *world[T, P]) poll() {
	w.t.Helper()
	for more := true; more; {
		var err error
		more, err = w.d.Poll(w.now, func(file string, t T) {
			raw := w.k.raw(t)
			m := idOf.FindSubmatch(raw)
			if m == nil {
				w.t.Fatalf("a row that nobody wrote: %q", raw)
			}
			id, _ := strconv.Atoi(string(m[1]))
			w.order, w.since = append(w.order, id), append(w.since, id)
			w.met[id]++
			w.where[id] = append(w.where[id], file)
		})
		w.must(err)
	}
}

// keep writes the state down.
func (w *world[T, P]) keep() {
	b, err := json.Marshal(w.d.State())
	w.must(err)
	w.kept, w.since = b, nil
}

// start begins anew with the state that was written down, which may be too old.
func (w *world[T, P]) start() {
	w.d.Close()
	for _, id := range w.since {
		w.may[id]++
	}
	w.since = nil
	w.d = New(w.o, w.k.format)
	if w.kept != nil {
		var s State[P]
		w.must(json.Unmarshal(w.kept, &s))
		w.must(w.d.Load(s))
	}
}

// end stops the writers and the follower.
func (w *world[T, P]) end() {
	w.d.Close()
	for _, l := range w.logs {
		l.f.Close()
	}
}

// judge says what was lost, what was met too often, and what out of turn.
func (w *world[T, P]) judge() {
	w.t.Helper()
	place := map[int]int{} // of rows, when they were met first
	for i, id := range w.order {
		if _, ok := place[id]; !ok {
			place[id] = i
		}
	}
	for _, l := range w.logs {
		for i, id := range l.rows {
			switch {
			case w.met[id] == 0:
				w.t.Fatalf("row %d of %s is lost, of %v; met %v", id, l.name, l.rows, w.order)
			case w.met[id] > 1+w.may[id]:
				w.t.Fatalf("row %d of %s was met %d times, and %d at most are right: in %q", id, l.name, w.met[id], 1+w.may[id], w.where[id])
			case i > 0 && place[id] < place[l.rows[i-1]]:
				w.t.Fatalf("row %d of %s was met before the one in front of it", id, l.name)
			}
		}
	}
}
