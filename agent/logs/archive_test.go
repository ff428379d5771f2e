package logs

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"evenkeel/queue/maillog"
)

// A deaf taker keeps nothing.
type deaf struct{}

func (deaf) File(string)                        {}
func (deaf) Add(*maillog.Record, int64, []byte) {}
func (deaf) End()                               {}

func TestGzipOfSeveralMembers(t *testing.T) {
	text := httpErr("10.0.0.11", 0, 100)
	top := t.TempDir()
	write(t, filepath.Join(top, "access.log.2.gz"), gzipped(text[:3000])+gzipped(text[3000:]))
	if _, r := readAll(t, search(t, top)); r.Rows != 100 || r.Rejected != 0 || len(r.Faults) != 0 {
		t.Errorf("got %+v, want 100 rows", r)
	}
}

// What came before the damage counts, and the damage is said.
func TestDamagedArchives(t *testing.T) {
	long, other := httpErr("10.0.0.11", 0, 5000), httpErr("10.0.0.11", 1000*time.Hour, 40)
	gz, archive := gzipped(long), zipped(t, map[string]string{"EX01/httperr1.log": long})
	flip := func(s string, at int) string { return s[:at] + string([]byte{s[at] ^ 0x55}) + s[at+1:] }
	for _, tt := range []struct {
		promise, name, content string
		least, most            int64 // rows of the log
	}{
		{"gzip, cut", "h.gz", gz[:len(gz)/2], 1000, 4000},
		{"gzip, its checksum wrong", "h.gz", flip(gz, len(gz)-6), 5000, 5000},
		{"gzip, something behind it", "h.gz", gz + "rest", 5000, 5000},
		{"zip, cut: its list is lost", "h.zip", archive[:len(archive)/2], 1000, 4000},
		{"zip, only its list is lost", "h.zip", archive[:len(archive)-60], 5000, 5000},
		{"zip, a byte changed", "h.zip", flip(archive, len(archive)/2), 1000, 5000},
	} {
		top := put(t, map[string]string{"EX01/httperr7.log": other})
		write(t, filepath.Join(top, "EX01", tt.name), tt.content)
		f := search(t, top)
		_, r := readAll(t, f)
		if n := r.Rows - 40; n < tt.least || n > tt.most || len(f.Faults)+len(r.Faults) == 0 {
			t.Errorf("%s: %d rows, faults %v and %v; want %d to %d rows and a fault", tt.promise, n, f.Faults, r.Faults, tt.least, tt.most)
		}
		for _, fault := range append(f.Faults, r.Faults...) {
			if !strings.Contains(fault.Name, tt.name) {
				t.Errorf("%s: the fault is of %s", tt.promise, fault.Name)
			}
		}
	}
}

// An archive without its list has all entries that are there whole.
func TestSalvage(t *testing.T) {
	entries := map[string]string{}
	for i := range 5 {
		entries[fmt.Sprintf("EX0%d/httperr1.log", i)] = httpErr(fmt.Sprintf("10.0.0.1%d", i), 0, 300)
	}
	archive := zipped(t, entries)
	top := t.TempDir()
	write(t, filepath.Join(top, "a.zip"), archive[:strings.Index(archive, "PK\x01\x02")])
	f := search(t, top)
	if rows, r := readAll(t, f); len(rows) != 5 || r.Rows != 1500 || len(r.Faults) != 0 || len(f.Faults) != 1 {
		t.Errorf("%d rows of %d nodes, faults %v and %v", r.Rows, len(rows), f.Faults, r.Faults)
	}
}

func TestTarIsSaid(t *testing.T) {
	top := t.TempDir()
	write(t, filepath.Join(top, "a.tar.gz"), gzipped(strings.Repeat("\x00", 257)+"ustar\x0000"+httpErr("10.0.0.11", 0, 3)))
	f := search(t, top)
	if f.Logs() != 0 || len(f.Faults) != 1 || !errors.Is(f.Faults[0].Err, errTar) {
		t.Errorf("got %+v", f)
	}
}

// Logs may be in archives that are not opened: they are not passed over in silence.
func TestUnopenedIsSaid(t *testing.T) {
	inner := zipped(t, map[string]string{"HTTPERR/httperr1.log": httpErr("10.0.0.11", 0, 6)})
	for _, tt := range []struct {
		files map[string]string
		want  error
	}{
		{map[string]string{"all.zip/EX01.zip.": inner, "all.zip/EX02/httperr1.log": httpErr("10.0.0.12", 0, 6)}, errZip},
		{map[string]string{"a.zip.gz": inner}, errZip},
		{map[string]string{"a.7z": "7z\xbc\xaf\x27\x1c\x00\x04"}, errArchive},
		{map[string]string{"a.rar": "Rar!\x1a\x07\x01\x00"}, errArchive},
		{map[string]string{"a.cab": "MSCF\x00\x00\x00\x00\x10"}, errArchive},
		{map[string]string{"a.xz": "\xfd7zXZ\x00\x00"}, errArchive},
		{map[string]string{"a.zip/logs.xz": "\xfd7zXZ\x00\x00"}, errArchive},
	} {
		f := search(t, put(t, tt.files))
		if len(f.Faults) != 1 || !errors.Is(f.Faults[0].Err, tt.want) || f.Passed != 0 {
			t.Errorf("%v: faults %v, %d passed over; want %q", slices.Collect(maps.Keys(tt.files)), f.Faults, f.Passed, tt.want)
		}
	}
}

func TestUnreadable(t *testing.T) {
	top := put(t, map[string]string{"EX01/httperr1.log": httpErr("10.0.0.11", 0, 3), "EX02/httperr1.log": httpErr("10.0.0.12", 0, 3)})
	os.Symlink("nowhere", filepath.Join(top, "dangling"))
	f := search(t, top)
	os.Remove(filepath.Join(top, "EX02", "httperr1.log")) // since it was found
	_, r := readAll(t, f)
	if r.Rows != 3 || len(r.Faults) != 1 || len(f.Faults) != 1 || !errors.Is(f.Faults[0].Err, os.ErrNotExist) {
		t.Errorf("%d rows, faults %v and %v", r.Rows, f.Faults, r.Faults)
	}
}

// Whatever a file holds, it is found to be something, and read without harm.
func FuzzFile(f *testing.F) {
	long := httpErr("10.0.0.11", 0, 30)
	archive := zipped(f, map[string]string{`EX01\httperr1.log`: long, "b/../x.log": proxy("EX01", 0, 2)})
	f.Add([]byte(long))
	f.Add([]byte(gzipped(long)))
	f.Add([]byte(archive))
	f.Add([]byte(archive[:len(archive)-70]))
	name := filepath.Join(f.TempDir(), "file")
	f.Fuzz(func(t *testing.T, b []byte) {
		if err := os.WriteFile(name, b, 0o600); err != nil {
			t.Fatal(err)
		}
		found, err := Find(t.Context(), []string{filepath.Dir(name)}, "")
		if err != nil {
			t.Fatal(err)
		}
		readAll(t, found)
		for _, node := range found.Nodes {
			if node == "" || len(node) > longest {
				t.Errorf("a node is called %q", node)
			}
		}
	})
}
