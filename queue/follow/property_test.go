package follow

import (
	"fmt"
	"io"
	"os"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// Whatever is done to the files, and whenever the follower looks or starts anew,
// every row is met once, in the order of its file. With a state that is too old,
// what was met since is met again, and nothing else.
func TestNothingLostNothingTwice(t *testing.T) {
	t.Run("w3c", func(t *testing.T) { rapid.Check(t, func(t *rapid.T) { play(t, w3cKind()) }) })
	t.Run("exlog", func(t *testing.T) { rapid.Check(t, func(t *rapid.T) { play(t, exlogKind()) }) })
	t.Run("maillog of HTTP.sys", func(t *testing.T) { rapid.Check(t, func(t *rapid.T) { play(t, maillogKind(w3cKind())) }) })
	t.Run("maillog of Exchange", func(t *testing.T) { rapid.Check(t, func(t *rapid.T) { play(t, maillogKind(exlogKind())) }) })
}

func play[T Tail[P], P any](t *rapid.T, k kind[T, P]) {
	dir, err := os.MkdirTemp("", "follow")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	w := newWorld(t, k, dir, "A*.LOG", "b.log*")
	defer w.end()
	w.poll() // all from now on is news
	w.keep()
	s := &story[T, P]{w, t, []*log{w.create("a1.log"), w.create("b.log")}, 1, 0}
	acts := map[string]func(*rapid.T){
		"write": s.write, "write more": s.write, "ahead": s.ahead, "trim": s.trim, "poll": s.poll, "poll again": s.poll,
		"number": s.number, "rename": s.rename, "copytruncate": s.copytruncate, "remove": s.remove, "keep": s.keep, "crash": s.crash, "restart": s.restart,
	}
	t.Repeat(acts)
	s.drain()
	w.judge()
}

// A story is what writers do to two logs: one begins files with a new number,
// the other has one name, and a program that turns it.
type story[T Tail[P], P any] struct {
	*world[T, P]
	r       *rapid.T
	open    []*log
	numbers int // of a
	turned  int // of b
}

func (s *story[T, P]) pick(t *rapid.T) *log {
	return s.open[rapid.IntRange(0, len(s.open)-1).Draw(t, "log")]
}

// b is the file that has the one name now.
func (s *story[T, P]) b() *log {
	for _, l := range s.open {
		if l.name == "b.log" {
			return l
		}
	}
	panic("there is always one")
}

func (s *story[T, P]) write(t *rapid.T) {
	l := s.pick(t)
	s.add(l, rapid.IntRange(0, 3).Draw(t, "rows"), rapid.SampledFrom([]int{0, 0, 10, 700, 5000}).Draw(t, "pad"))
	s.world.write(l, rapid.OneOf(rapid.IntRange(0, 200), rapid.Just(1<<20)).Draw(t, "bytes"))
}

func (s *story[T, P]) ahead(t *rapid.T) {
	s.world.ahead(s.pick(t), int64(rapid.SampledFrom([]int{1, 100, 65536}).Draw(t, "nuls")))
}

func (s *story[T, P]) trim(t *rapid.T) { s.world.ahead(s.pick(t), 0) }

func (s *story[T, P]) poll(t *rapid.T) {
	s.now = s.now.Add(rapid.SampledFrom([]time.Duration{0, time.Second, time.Second, 2 * time.Minute, 10 * time.Minute}).Draw(t, "later"))
	s.world.poll()
}

// number begins the next file of a; the one before may be written for a while yet.
func (s *story[T, P]) number(*rapid.T) {
	s.numbers++
	s.open = append(s.open, s.create(fmt.Sprintf("a%d.log", s.numbers)))
}

// rename turns b as a program does whose writer goes on in the file that it has.
func (s *story[T, P]) rename(t *rapid.T) {
	for i := range s.logs { // the names .1, .2 … go on by one
		for _, l := range s.logs {
			if l.name == fmt.Sprintf("b.log.%d", len(s.logs)-i) {
				s.world.rename(l, fmt.Sprintf("b.log.%d", len(s.logs)-i+1))
			}
		}
	}
	s.world.rename(s.b(), "b.log.1")
	s.open = append(s.open, s.create("b.log"))
}

// copytruncate turns b with what was read, while the follower may look.
func (s *story[T, P]) copytruncate(t *rapid.T) {
	s.drain()
	s.world.keep() // what is lost with the state would be lost
	l := s.b()
	s.turned++
	c, err := os.Create(s.path(fmt.Sprintf("b.log-%d", s.turned)))
	s.must(err)
	defer c.Close()
	src := io.NewSectionReader(l.f, 0, l.size)
	half := rapid.Int64Range(0, l.size).Draw(t, "half")
	for _, n := range []int64{half, l.size - half} {
		_, err := io.CopyN(c, src, n)
		s.must(err)
		s.looks(t)
	}
	s.world.ahead(l, -l.size)
	l.size = 0
	s.looks(t)
	l.pending = s.k.header
}

// looks: the follower may, or may be started anew.
func (s *story[T, P]) looks(t *rapid.T) {
	switch rapid.IntRange(0, 3).Draw(t, "looks") {
	case 0:
		s.poll(t)
	case 1:
		s.restart(t)
		s.poll(t)
	}
}

// remove removes a file that is read and not written to.
func (s *story[T, P]) remove(t *rapid.T) {
	l := s.pick(t)
	if l.name == "b.log" || len(s.open) < 3 {
		return
	}
	s.drain()
	s.world.keep()
	s.must(os.Remove(s.path(l.name)))
	for i := range s.open {
		if s.open[i] == l {
			s.open = append(s.open[:i], s.open[i+1:]...)
			break
		}
	}
	l.name = "removed"
}

func (s *story[T, P]) keep(*rapid.T)    { s.world.keep() }
func (s *story[T, P]) crash(*rapid.T)   { s.start() }
func (s *story[T, P]) restart(*rapid.T) { s.world.keep(); s.start() }

// drain writes and reads all.
func (s *story[T, P]) drain() {
	for _, l := range s.open {
		s.flush(l)
		s.world.ahead(l, 0)
	}
	for range 3 {
		s.world.poll()
	}
}
