package follow

import (
	"cmp"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A sight is a file as the folder lists it.
type sight struct {
	name, key string      // as it is, and without regard to case
	info      fs.FileInfo // its size may be old on NTFS
	newest    bool        // it is open as long as it is
	turn      bool        // it is opened though the folder shows no change, which on NTFS may come late
}

// list is what matches, as the folder has it. Links are left out: they are other
// names of what is followed, or lead out of the folder.
func (d *Folder[T, P]) list(root *os.Root) ([]sight, error) {
	dir, err := root.Open(".")
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	entries, err := dir.ReadDir(-1)
	if err != nil {
		return nil, err
	}
	d.arrange()
	d.seen = slices.Grow(d.seen[:0], len(entries))
	for _, e := range entries {
		key, ok := d.key(e.Name())
		if !ok || !e.Type().IsRegular() {
			continue
		}
		if info, err := e.Info(); err == nil { // else it is gone already
			d.seen = append(d.seen, sight{name: e.Name(), key: key, info: info})
		}
	}
	d.turn++
	if n := len(d.seen); n > 0 {
		d.seen[d.turn%n].turn = true
	}
	markNewest(d.seen)
	return d.seen, nil
}

// key is a name without regard to case, and whether it matches. Both are known
// of files that were met by it.
func (d *Folder[T, P]) key(name string) (key string, ok bool) {
	for _, f := range d.named[name] {
		if f.key != "" {
			return f.key, true
		}
	}
	key = strings.ToLower(name)
	return key, slices.ContainsFunc(d.o.Patterns, func(p string) bool {
		ok, _ := filepath.Match(p, key)
		return ok
	})
}

// markNewest marks the last by name.
func markNewest(seen []sight) {
	var last []int // places, in the order of their names
	for i := range seen {
		if len(last) == newest && compareSights(seen[i], seen[last[0]]) < 0 {
			continue
		}
		at, _ := slices.BinarySearchFunc(last, i, func(a, b int) int { return compareSights(seen[a], seen[b]) })
		last = slices.Insert(last, at, i)
		last = last[max(0, len(last)-newest):]
	}
	for _, i := range last {
		seen[i].newest = true
	}
}

func compareSights(a, b sight) int {
	return cmp.Or(compareNames(a.key, b.key), strings.Compare(a.name, b.name))
}

// arrange puts the files in the order of their names, and finds them by those.
func (d *Folder[T, P]) arrange() {
	if !d.mixed {
		return
	}
	slices.SortStableFunc(d.files, func(a, b *file[T, P]) int {
		x, y := strings.ToLower(a.saved.Name), strings.ToLower(b.saved.Name)
		return cmp.Or(compareNames(x, y), strings.Compare(a.saved.Name, b.saved.Name))
	})
	d.named, d.mixed = map[string][]*file[T, P]{}, false
	for _, f := range d.files {
		d.named[f.saved.Name] = append(d.named[f.saved.Name], f)
	}
}
