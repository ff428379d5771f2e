package health

import (
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"
)

// A Server answers probes from the last published Report, whatever the rest of
// the agent does meanwhile. Its zero value is ready; any number of Serve and
// ServeAgentCheck may run at once. It must not be copied.
type Server struct {
	current  atomic.Pointer[replies]
	asked    asked
	counters counters
}

// Publish makes r the answer to all probes from now on. It never blocks. Before
// the first Publish the page refuses as "unknown", reason "starting", and the
// agent check says nothing, which HAProxy takes for no news.
func (s *Server) Publish(r Report) { s.current.Store(compile(r)) }

// Asked is the lowest max=N that a probe asked for within a minute, and when it
// was last asked for; 0 if none did. Anyone who may probe may ask.
func (s *Server) Asked() (max int, at time.Time) { return s.asked.lowest(time.Now()) }

// replies are all that a Report can say, written out when it is published so
// that a probe costs no more than finding the right one.
type replies struct {
	report Report
	pages  [verdicts]reply
	line   []byte // of the agent check
}

// A reply is a Page as net/http wants it.
type reply struct {
	status int
	header []field
	body   []byte
}

type field struct {
	name  string // exact: net/http's own spelling is X-Feserver
	value []string
}

func compile(r Report) *replies {
	all := &replies{report: r, line: []byte(r.AgentCheck())}
	for v := range verdicts {
		all.pages[v] = newReply(r.draw(v))
	}
	return all
}

func newReply(p Page) reply {
	out := reply{status: p.Status, body: []byte(p.Body)}
	for _, h := range p.Header {
		out.header = append(out.header, field{h[0], []string{h[1]}})
	}
	out.header = append(out.header, field{"Content-Length", []string{strconv.Itoa(len(p.Body))}})
	if p.Status != http.StatusOK {
		// A clock that woke up in 2000 would say 200. RFC 9110 section 6.6.1
		// leaves Date to us in a 503; a 404 from here is no document either.
		out.header = append(out.header, field{"Date", nil})
	}
	return out
}

func (p *reply) write(w http.ResponseWriter) {
	h := w.Header()
	for _, f := range p.header {
		h[f.name] = f.value
	}
	w.WriteHeader(p.status)
	w.Write(p.body) // an error is a prober that left; net/http drops the body of a HEAD
}

// ServeHTTP answers one probe. It neither waits nor reads the body.
func (s *Server) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	all := s.current.Load()
	if all == nil {
		all = compile(Report{Load: -1, Reason: "starting"})
	}
	want := read(Request{q.Method, q.URL.Path, q.URL.RawQuery})
	if want.found && want.max > 0 {
		s.asked.note(time.Now(), want.max)
	}
	v := all.report.judge(want)
	s.counters.page(v, all.report.State)
	all.pages[v].write(w)
}

// What a prober may take. Balancers give up after 2 to 16 s themselves.
const (
	patience   = 5 * time.Second  // to send a request, and to take the reply
	idle       = 75 * time.Second // between two requests: twice the slowest usual probe, and some
	goodbye    = time.Second      // for replies under way when Serve ends
	maxRequest = 8 << 10          // bytes of request line and headers; net/http adds 4 KiB
)

// Serve answers probes of healthcheck.htm on l until ctx is done, and closes l;
// then it returns nil. For TLS, l is a tls.NewListener. An error means that l
// broke.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	srv := &http.Server{
		Handler:           s,
		ReadHeaderTimeout: patience,
		ReadTimeout:       patience,
		WriteTimeout:      patience,
		IdleTimeout:       idle,
		MaxHeaderBytes:    maxRequest,
		ErrorLog:          log.New(io.Discard, "", 0), // Stats tells
		// Or else "OPTIONS *" is answered with 200, whatever the state.
		DisableGeneralOptionsHandler: true,
	}
	stopped := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(stopped)
		shutdown(srv)
	})
	err := srv.Serve(&door{Listener: l, counters: &s.counters, room: maxOpen})
	if stop() {
		srv.Close()
		return fmt.Errorf("healthcheck on %v: %w", l.Addr(), err)
	}
	<-stopped
	return nil
}

// shutdown lets replies finish, but does not wait for those who take their time.
func shutdown(srv *http.Server) {
	late, cancel := context.WithTimeout(context.Background(), goodbye)
	defer cancel()
	if srv.Shutdown(late) != nil {
		srv.Close()
	}
}
