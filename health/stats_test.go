package health

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"
)

// HTTP/1.1 without any Host is refused below us (RFC 9112 section 3.2 demands
// it). The administrator, who sees a node that is down, must be told who asked.
func TestRefusedForNoHost(t *testing.T) {
	var s Server
	s.Publish(ex01)
	addr := serving(t, s.Serve)
	if got := s.Stats().LastNoHost; got != (Rejection{}) {
		t.Errorf("before any: %v", got)
	}
	before := time.Now()
	if got := say(t, addr, "HEAD /mapi/healthcheck.htm HTTP/1.1\r\nConnection: keep-alive\r\n\r\n"); !strings.HasPrefix(got, "HTTP/1.1 400 ") {
		t.Fatalf("net/http now answers %q", got)
	}
	say(t, addr, "GET /mapi/healthcheck.htm HTTP/1.1\r\nHost: a b\r\n\r\n")
	say(t, addr, "GET /\r\n\r\n")
	say(t, addr, "GET /healthcheck.htm HTTP/1.1\r\nHost: a\r\nExpect: mercy\r\n\r\n")
	say(t, addr, "GET /healthcheck.htm HTTP/1.1\r\nHost: a\r\n\r\n")

	got := s.Stats()
	if got.NoHost != 1 || got.Rejected != 3 {
		t.Errorf("no host %d, rejected %d; want 1, 3", got.NoHost, got.Rejected)
	}
	if last := got.LastNoHost; last.From != netip.MustParseAddr("127.0.0.1") || last.At.Before(before) {
		t.Errorf("last without host: %v", last)
	}
}

func TestStatsOfThePage(t *testing.T) {
	var s Server
	addr := serving(t, s.Serve)
	ask := func(r Report, path string) {
		s.Publish(r)
		say(t, addr, "GET "+path+" HTTP/1.0\r\n\r\n")
	}
	ask(ex01, "/healthcheck.htm")
	ask(ex01, "/owa/healthcheck.htm?max=90")
	ask(but(ex01, func(r *Report) { r.Out = OWA }), "/owa/healthcheck.htm")
	ask(but(ex01, func(r *Report) { r.Load, r.Leave = 0.95, true }), "/owa/healthcheck.htm?max=80")
	ask(but(ex01, func(r *Report) { r.State = 99 }), "/healthcheck.htm")
	ask(failing, "/healthcheck.htm")
	ask(failing, "/nosuch?max=70")

	got := s.Stats()
	text := fmt.Sprint(got.Probes, got.Strays, got.OverMax)
	want := "[{healthcheck unknown 1} {healthcheck up 3} {healthcheck degraded 0} {healthcheck draining 0} {healthcheck failing 2} " +
		"{agent_check unknown 0} {agent_check up 0} {agent_check degraded 0} {agent_check draining 0} {agent_check failing 0}] 1 1"
	if text != want {
		t.Errorf("got  %s\nwant %s", text, want)
	}
	if n, at := s.Asked(); n != 80 || at.IsZero() {
		t.Errorf("asked for %d at %v, want 80: the 70 was for no page of ours", n, at)
	}
}
