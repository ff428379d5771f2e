package follow

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"evenkeel/queue/w3c"
)

// Whatever a state says, it is refused or what was not met by it is met; never is
// a row met that is not in the file, and the state after it is one that is accepted.
func FuzzState(f *testing.F) {
	k := w3cKind()
	dir := f.TempDir()
	var rows []string
	for i := range 3 {
		rows = append(rows, strings.TrimSpace(k.row(i+1, 0)))
	}
	whole := k.header + strings.Join(rows, "\r\n") + "\r\n"
	if err := os.WriteFile(filepath.Join(dir, "a.log"), []byte(whole), 0o644); err != nil {
		f.Fatal(err)
	}
	o := Options{Dir: dir, Patterns: []string{"*.log"}}
	d := New(o, k.format)
	f.Cleanup(d.Close)
	if _, err := d.Poll(time.Unix(0, 0), nil); err != nil {
		f.Fatal(err)
	}
	b, _ := json.Marshal(d.State())
	f.Add(b)
	f.Add([]byte(strings.ReplaceAll(string(b), `"Skip":false`, `"Skip":true`)))
	f.Add([]byte(`{"Files":[{"Name":"a.log","Offset":200,"Size":200,"Mark":{}}]}`))
	f.Add([]byte(`{"Files":[{"Name":"../a.log","Offset":9223372036854775807,"Size":1,"Mark":{"Head":4096,"Foot":512,"HeadSum":"","FootSum":""}}]}`))
	f.Add([]byte(`{"Files":[{"Name":"a.log","Offset":-1}]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		var s State[w3c.Position]
		if json.Unmarshal(b, &s) != nil {
			return
		}
		s.Dir = dir
		d := New(o, k.format)
		defer d.Close()
		if err := d.Load(s); err != nil {
			if !errors.Is(err, ErrState) {
				t.Fatal(err)
			}
			return
		}
		for range 3 {
			if _, err := d.Poll(time.Unix(0, 0), func(_ string, tail *w3c.Tail) {
				if !strings.Contains(whole, string(tail.Raw())) {
					t.Fatalf("%s: a row that is not in the file: %q", b, tail.Raw())
				}
			}); err != nil {
				t.Fatal(err)
			}
		}
		if err := New(o, k.format).Load(d.State()); err != nil {
			t.Fatalf("%s: the state after it: %v", b, err)
		}
	})
}
