package health

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"
)

var failing = Report{Node: "mx200", FQDN: "mx200.mail.test", State: Failing, Load: 2, Reason: "queue-200"}

// serving runs serve on a socket of its own until the test ends, and is its
// address.
func serving(t testing.TB, serve func(context.Context, net.Listener) error) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- serve(ctx, l) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("serving, after cancel: %v, want nil", err)
		}
	})
	return l.Addr().String()
}

func dial(t testing.TB, addr string) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	c.SetDeadline(time.Now().Add(10 * time.Second)) // a test that hangs should say where
	return c
}

// say sends bytes and nothing after them, and is all that comes back.
func say(t testing.TB, addr, bytes string) string {
	t.Helper()
	c := dial(t, addr)
	defer c.Close()
	if _, err := io.WriteString(c, bytes); err != nil {
		t.Fatal(err)
	}
	c.(*net.TCPConn).CloseWrite()
	got, err := io.ReadAll(c)
	if err != nil {
		t.Fatalf("%q: after %q: %v", bytes, got, err)
	}
	return string(got)
}

// has is whether the reply holds all of the words.
func has(reply string, words ...string) bool {
	for _, w := range words {
		if !strings.Contains(reply, w) {
			return false
		}
	}
	return true
}

// A script that asks with HEAD and greps the headers for 200 must see up when
// up, and nothing of the kind when not: not in the node's name, not in a load
// of 200 percent.
func TestGrepOfHeaders(t *testing.T) {
	var s Server
	addr := serving(t, s.Serve)
	for _, dir := range []string{"OWA", "EWS", "OAB", "mapi", "RPC", "ActiveSync"} {
		probe := "HEAD /" + dir + "/HealthCheck.htm HTTP/1.1\r\nHost: owa.mail.test\r\nUser-Agent: curl/7.61.1\r\nAccept: */*\r\n\r\n"
		s.Publish(ex01)
		if got := say(t, addr, probe); !has(got, "HTTP/1.1 200 OK\r\n", "\r\nContent-Length: 25\r\n", "\r\nX-FEServer: ex01\r\n") || !strings.HasSuffix(got, "\r\n\r\n") {
			t.Errorf("/%s/ up: %q", dir, got)
		}
		s.Publish(failing)
		if got := say(t, addr, probe); !strings.HasPrefix(got, "HTTP/1.1 503 ") || has(got, "200") {
			t.Errorf("/%s/ failing: %q", dir, got)
		}
	}
}

// HEAD is answered as GET is, but for the body.
func TestHeadIsGetWithoutBody(t *testing.T) {
	var s Server
	addr := serving(t, s.Serve)
	for _, r := range []Report{ex01, failing} {
		s.Publish(r)
		ask := func(method string) string {
			reply := say(t, addr, method+" /ecp/healthcheck.htm HTTP/1.1\r\nHost: a\r\n\r\n")
			at := strings.Index(reply, "Date: ")
			if at < 0 {
				return reply
			}
			return reply[:at] + reply[at+len("Date: Mon, 02 Jan 2006 15:04:05 GMT\r\n"):]
		}
		head, body, _ := strings.Cut(ask("GET"), "\r\n\r\n")
		if got := ask("HEAD"); got != head+"\r\n\r\n" || body == "" {
			t.Errorf("HEAD %q, but GET %q and %q", got, head, body)
		}
	}
}

// F5's templates search the reply for "200 OK"; they close, or speak HTTP/1.0.
func TestReceiveString(t *testing.T) {
	var s Server
	addr := serving(t, s.Serve)
	for _, probe := range []string{
		"GET /Microsoft-Server-Activesync/healthcheck.htm HTTP/1.1\r\nHost: mail.test\r\nConnection: Close\r\n\r\n",
		"GET /HealthCheck.htm HTTP/1.0\r\nAccept: */*\r\nUser-Agent: F5 Monitor\r\n\r\n",
	} {
		s.Publish(ex01)
		c := dial(t, addr)
		io.WriteString(c, probe) // and the write side stays open
		up, err := io.ReadAll(c) // so this ends only if the server closes
		if err != nil || !has(string(up), "200 OK<br/>ex01.mail.test") {
			t.Errorf("%q up: %q, %v", probe, up, err)
		}
		s.Publish(failing)
		if got := say(t, addr, probe); has(got, "200") {
			t.Errorf("%q failing: %q", probe, got)
		}
	}
}

// KEMP takes 301, 302 and 401 for up, HAProxy and AWS all of 3xx. Nothing that
// is asked of a failing node may be answered with any of them, not even what
// net/http answers before we are called.
func TestNothingOfAFailingNodeLooksGood(t *testing.T) {
	var s Server
	s.Publish(failing)
	addr := serving(t, s.Serve)
	for probe, want := range map[string]string{
		"HEAD /owa/healthcheck.htm HTTP/1.1\r\nHost: a":                                     "503",
		"HEAD /owa/healthcheck.htm/ HTTP/1.1\r\nHost: a":                                    "404",
		"HEAD //owa/healthcheck.htm HTTP/1.1\r\nHost: a":                                    "404",
		"HEAD /owa//healthcheck.htm HTTP/1.1\r\nHost: a":                                    "404",
		"GET /owa/./healthcheck.htm HTTP/1.1\r\nHost: a":                                    "404",
		"GET /owa HTTP/1.1\r\nHost: a":                                                      "404",
		"GET / HTTP/1.1\r\nHost: a":                                                         "404",
		"GET /200 HTTP/1.1\r\nHost: 200":                                                    "404",
		"GET /owa/healthcheck.htm?max=200 HTTP/1.1\r\nHost: a":                              "503",
		"GET http://other/owa/healthcheck.htm HTTP/1.1\r\nHost: a":                          "503",
		"GET /%6fwa/healthcheck.htm HTTP/1.1\r\nHost: a":                                    "503",
		"OPTIONS * HTTP/1.1\r\nHost: a":                                                     "404",
		"OPTIONS /owa/healthcheck.htm HTTP/1.1\r\nHost: a":                                  "405",
		"POST /owa/healthcheck.htm HTTP/1.1\r\nHost: a\r\nContent-Length: 0":                "405",
		"CONNECT a:200 HTTP/1.1\r\nHost: a:200":                                             "404",
		"HEAD /owa/healthcheck.htm HTTP/1.1":                                                "400",
		"GET /owa/healthcheck.htm HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: x200":           "501",
		"GET /owa/healthcheck.htm HTTP/3.0\r\nHost: a":                                      "505",
		"GET /owa/healthcheck.htm HTTP/1.1\r\nHost: a\r\nX: " + strings.Repeat("2", 9<<10):  "503", // room enough
		"GET /owa/healthcheck.htm HTTP/1.1\r\nHost: a\r\nX: " + strings.Repeat("2", 20<<10): "431",
		"GET /owa/healthcheck.htm":                                                          "400",
	} {
		got := say(t, addr, probe+"\r\n\r\n")
		if len(got) < 12 || got[9:12] != want || has(got, "200") {
			t.Errorf("%.60q: %q, want %s and no 200", probe, got, want)
		}
	}
}

// The rule of the raw bytes, for any name, reason, load and path, as they are
// on the wire.
func TestRawBytes(t *testing.T) {
	var s Server
	addr := serving(t, s.Serve)
	rapid.Check(t, func(rt *rapid.T) {
		r := awkward().Draw(rt, "report")
		s.Publish(r)
		path := rapid.StringMatching(`/(owa/|health/imap/|)healthcheck.htm(\?max=[0-9]{1,3})?|/[02a-z/.]{0,9}`).Draw(rt, "path")
		got := say(t, addr, rapid.SampledFrom([]string{"GET", "HEAD", "PUT"}).Draw(rt, "method")+" "+path+" HTTP/1.0\r\n\r\n")
		if in := strings.HasPrefix(got, "HTTP/1.0 200 OK\r\n"); in != has(got, "200") || in && !r.inService() {
			rt.Fatalf("%+v: %s: %q", r, path, got)
		}
	})
}

func TestHostIsNeverAsked(t *testing.T) {
	var s Server
	s.Publish(ex01)
	addr := serving(t, s.Serve)
	for _, probe := range []string{
		"GET /ews/healthcheck.htm HTTP/1.1\r\nHost: 10.0.0.4:443\r\nUser-Agent: Load Balancer Agent\r\nConnection: Close\r\n\r\n",
		"GET /mapi/healthcheck.htm HTTP/1.0\r\n\r\n",
		"GET /mapi/healthcheck.htm HTTP/1.1\r\nHost:\r\nConnection: close\r\n\r\n",
		"GET /mapi/healthcheck.htm HTTP/1.1\r\nHost: another.farm\r\n\r\n",
	} {
		if got := say(t, addr, probe); !has(got, " 200 OK\r\n", "200 OK<br/>") {
			t.Errorf("%q: %q", probe, got)
		}
	}
	if got := s.Stats(); got.NoHost != 0 || got.Rejected != 0 {
		t.Errorf("counted as refused: %+v", got)
	}
}

// A node that has not measured anything yet gets no work, and says why.
func TestBeforeTheFirstReport(t *testing.T) {
	var s Server
	addr := serving(t, s.Serve)
	got := say(t, addr, "GET /owa/healthcheck.htm HTTP/1.0\r\n\r\n")
	if !strings.HasPrefix(got, "HTTP/1.0 503 ") || !has(got, "X-Evenkeel-State: unknown\r\n", "X-Evenkeel-Reason: starting\r\n") || has(got, "Evenkeel-Load") {
		t.Errorf("%q", got)
	}
}

// One connection may carry many probes, and each is answered by the Report of
// its moment.
func TestKeptConnection(t *testing.T) {
	var s Server
	c := dial(t, serving(t, s.Serve))
	in := bufio.NewReader(c)
	for i, r := range []Report{ex01, failing, ex01} {
		s.Publish(r)
		io.WriteString(c, "GET /rpc/healthcheck.htm HTTP/1.1\r\nHost: a\r\n\r\n")
		reply, err := http.ReadResponse(in, nil)
		if err != nil {
			t.Fatal(err)
		}
		io.Copy(io.Discard, reply.Body)
		if want := r.Page(get("/rpc/healthcheck.htm")).Status; reply.StatusCode != want {
			t.Errorf("probe %d: %d, want %d", i+1, reply.StatusCode, want)
		}
	}
}

// Reports may change under a storm of probes; each probe sees one of them whole.
func TestPublishUnderProbes(t *testing.T) {
	var s Server
	s.Publish(ex01)
	addr := serving(t, s.Serve)
	ex02 := but(ex01, func(r *Report) { r.Node, r.FQDN = "ex02", "ex02.mail.test" })
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
				s.Publish([]Report{ex01, ex02}[i%2])
			}
		}
	})
	defer wg.Wait()
	defer close(stop)
	for range 40 {
		got := say(t, addr, "GET /healthcheck.htm HTTP/1.0\r\n\r\n")
		if !has(got, "X-FEServer: ex01", "<br/>ex01.") && !has(got, "X-FEServer: ex02", "<br/>ex02.") {
			t.Errorf("a mixture: %q", got)
		}
	}
}

func TestServeOnABrokenListener(t *testing.T) {
	var s Server
	for name, serve := range map[string]func(context.Context, net.Listener) error{"page": s.Serve, "agent": s.ServeAgentCheck} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		l.Close()
		if err := serve(t.Context(), l); err == nil || !strings.Contains(err.Error(), l.Addr().String()) {
			t.Errorf("%s: %v, want an error that names the address", name, err)
		}
	}
}
