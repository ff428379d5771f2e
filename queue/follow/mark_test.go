package follow

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A file is known by its start and by what stands before the position, and by
// no NUL.
func TestMark(t *testing.T) {
	old := strings.Repeat("a", 3000) + "\x00" + strings.Repeat("b", 3000)
	for name, c := range map[string]struct {
		file   string
		offset int64
		want   bool
	}{
		"the same":                      {old, 6001, true},
		"longer":                        {old + "c", 6001, true},
		"shorter":                       {old[:6000], 6001, false},
		"another start":                 {"x" + old[1:], 6001, false},
		"another start behind the NUL":  {old[:3001] + "x" + old[3002:], 6001, true},
		"the NUL is filled":             {strings.ReplaceAll(old, "\x00", "f"), 6001, true},
		"another end":                   {old[:6000] + "x", 6001, false},
		"at NULs, and the same":         {old, 3001, true},
		"at NULs, filled":               {strings.ReplaceAll(old, "\x00", "f"), 3001, true},
		"at NULs, and shorter":          {old[:3000], 3001, false},
		"at NULs, with another start":   {"x" + old[1:], 3001, false},
		"nothing read, and all another": {"x", 0, true},
	} {
		var m mark
		for at := int64(0); at < c.offset; at += 700 {
			m.add(at, []byte(old[at:min(at+700, c.offset)]))
		}
		if whole, ok := markAt(strings.NewReader(old), c.offset); !ok || whole.sum() != m.sum() {
			t.Errorf("%s: in parts %+v, at once %+v", name, m.sum(), whole.sum())
		}
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "f"), []byte(c.file), 0o644); err != nil {
			t.Fatal(err)
		}
		root, err := os.OpenRoot(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer root.Close()
		h, err := open(root, "f")
		if err != nil {
			t.Fatal(err)
		}
		defer h.h.Close()
		_, loads := m.sum().load(h.h, c.offset)
		if holds, fits := m.holds(h.h, c.offset), h.fits(m.sum(), c.offset); holds != c.want || loads != c.want || fits != c.want {
			t.Errorf("%s: holds %v, loads %v, fits %v, want %v", name, holds, loads, fits, c.want)
		}
	}
}
