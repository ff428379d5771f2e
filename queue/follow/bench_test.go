package follow

import (
	"fmt"
	"os"
	"testing"
	"time"

	"evenkeel/queue/w3c"
)

// A poll that finds nothing new, of as many files as seven months have hours.
func BenchmarkIdle5000Files(b *testing.B) {
	w := newWorld(b, w3cKind(), b.TempDir(), "*.log")
	defer w.end()
	for i := range 5000 {
		l := w.create(fmt.Sprintf("a%d.log", i))
		w.add(l, 20, 0)
		w.flush(l)
		l.f.Close()
	}
	w.poll()
	b.ReportAllocs()
	for b.Loop() {
		w.poll()
	}
}

// A file of 64 MiB that is new, read to its end.
func BenchmarkRead(b *testing.B) {
	k := w3cKind()
	dir := b.TempDir()
	text := []byte(k.header)
	for i := 0; len(text) < 64<<20; i++ {
		text = append(text, k.row(i, 100)...)
	}
	if err := os.WriteFile(dir+"/a.log", text, 0o644); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		d := New(Options{Dir: dir, Patterns: []string{"*.log"}, FromStart: true}, k.format)
		for more := true; more; {
			var err error
			if more, err = d.Poll(time.Unix(0, 0), func(string, *w3c.Tail) {}); err != nil {
				b.Fatal(err)
			}
		}
		d.Close()
	}
}
