package health

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
)

// nowhere is a reply that nobody reads.
type nowhere struct{ header http.Header }

func (n nowhere) Header() http.Header         { return n.header }
func (n nowhere) Write(b []byte) (int, error) { return len(b), nil }
func (n nowhere) WriteHeader(int)             {}

// A probe's own part makes no garbage: what may be asked often must cost little
// on a node that is short of everything.
func TestProbesDoNotAllocate(t *testing.T) {
	var s Server
	w := nowhere{http.Header{}}
	for _, r := range []Report{ex01, failing} {
		s.Publish(r)
		for _, target := range []string{"/health/mapi/HealthCheck.htm?x=1&max=80", "/nosuch"} {
			q := httptest.NewRequest("GET", target, nil)
			if n := testing.AllocsPerRun(100, func() { s.ServeHTTP(w, q) }); n != 0 {
				t.Errorf("%v, %s: %v allocations, want none", r.State, target, n)
			}
		}
	}
}

func BenchmarkServeHTTP(b *testing.B) {
	for _, target := range []string{"/mapi/healthcheck.htm", "/health/pop/healthcheck.htm?max=80", "/nosuch"} {
		b.Run("target="+target, func(b *testing.B) {
			var s Server
			s.Publish(ex01)
			w, q := nowhere{http.Header{}}, httptest.NewRequest("GET", target, nil)
			b.ReportAllocs()
			for b.Loop() {
				s.ServeHTTP(w, q)
			}
		})
	}
}

func BenchmarkPage(b *testing.B) {
	q := get("/mapi/healthcheck.htm")
	b.ReportAllocs()
	for b.Loop() {
		ex01.Page(q)
	}
}

func BenchmarkPublish(b *testing.B) {
	var s Server
	b.ReportAllocs()
	for b.Loop() {
		s.Publish(ex01)
	}
}

// BenchmarkProbe is a whole probe over loopback, both ends of it: connect, ask,
// read to the end, close.
func BenchmarkProbe(b *testing.B) {
	var s Server
	s.Publish(ex01)
	for _, p := range []struct{ dialect, addr, ask string }{
		{"healthcheck", serving(b, s.Serve), "GET /mapi/healthcheck.htm HTTP/1.0\r\n\r\n"},
		{"agent_check", serving(b, s.ServeAgentCheck), "\n"},
	} {
		b.Run("dialect="+p.dialect, func(b *testing.B) {
			for b.Loop() {
				probe(b, p.addr, p.ask)
			}
		})
	}
}

func probe(b *testing.B, addr, ask string) {
	c, err := net.Dial("tcp", addr)
	if err != nil {
		b.Fatal(err)
	}
	defer c.Close()
	io.WriteString(c, ask)
	if got, err := io.ReadAll(c); len(got) == 0 || err != nil {
		b.Fatalf("%q, %v", got, err)
	}
}
