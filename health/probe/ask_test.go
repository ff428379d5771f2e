package probe

import (
	"bufio"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
	"unicode"
)

func ctx(t *testing.T) context.Context {
	c, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	t.Cleanup(cancel)
	return c
}

func says(t *testing.T, name string, err error, want string) {
	t.Helper()
	if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
		t.Errorf("%s: got %v, want %q", name, err, want)
	}
}

// A page is well at 200 alone. The certificate of the test's server is nobody's.
func TestPages(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("/well", func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet {
			w.WriteHeader(http.StatusTeapot)
		}
		io.WriteString(w, "200 OK")
	})
	mux.Handle("/moved", http.RedirectHandler("/well", http.StatusFound))
	mux.HandleFunc("/busy", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) })
	mux.HandleFunc("/empty", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	plain, secret := httptest.NewServer(mux), httptest.NewTLSServer(mux)
	defer plain.Close()
	defer secret.Close()
	t.Setenv("HTTP_PROXY", "http://192.0.2.1:1") // which Go leaves out on loopback, and we everywhere
	for _, base := range []string{plain.URL, secret.URL} {
		says(t, base, Ask(ctx(t), base+"/well"), "")
		says(t, base, Ask(ctx(t), base+"/moved"), "answered 302")
		says(t, base, Ask(ctx(t), base+"/busy"), "answered 503")
		says(t, base, Ask(ctx(t), base+"/empty"), "answered 204")
		says(t, base, Ask(ctx(t), base+"/none"), "answered 404")
	}
	says(t, "the name of another", Ask(ctx(t), strings.Replace(plain.URL, "http:", "https:", 1)), "HTTP response to HTTPS")
	says(t, "no URL of ours", Ask(ctx(t), "ftp://127.0.0.1/"), "want http")
}

// Beyond loopback a certificate must be good.
func TestTrust(t *testing.T) {
	for host, any := range map[string]bool{"127.0.0.1": true, "::1": true, "localhost": true, "LOCALHOST": true, "192.0.2.1": false, "mail.example": false, "localhost.example": false} {
		if got := trust(host).InsecureSkipVerify; got != any {
			t.Errorf("%s: any certificate is good: %v, want %v", host, got, any)
		}
	}
}

// greeter accepts one connection, sends what it is to say, and returns what it
// heard. An empty text is silence.
func greeter(t *testing.T, l net.Listener, text string) <-chan string {
	heard := make(chan string, 1)
	go func() {
		defer close(heard)
		conn, err := l.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		if text == "close" {
			return
		}
		io.WriteString(conn, text)
		line, _ := bufio.NewReader(conn).ReadString('\n')
		heard <- line
	}()
	return heard
}

func listen(t *testing.T) net.Listener {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

func TestGreetings(t *testing.T) {
	for _, tt := range []struct{ text, want, goodbye string }{
		{"220 mail.example ESMTP\r\n", "", "QUIT\r\n"},
		{"220-mail.example ESMTP\r\n220 ready\r\n", "", "QUIT\r\n"},
		{"* OK IMAP4rev1 ready\r\n", "", "a LOGOUT\r\n"},
		{"* PREAUTH as ex01\r\n", "", "a LOGOUT\r\n"},
		{"+OK POP3\r\n", "", "QUIT\r\n"},
		{"SSH-2.0-x\r\n", "", ""},
		{"421 too busy\r\n", `greets with "421 too busy"`, ""},
		{"554-no\r\n", "greets with", ""},
		{"* BYE overloaded\r\n", "greets with", ""},
		{"-ERR in use\r\n", "greets with", ""},
		{"4210 is no reply\r\n", "", ""},
		{"close", "closed without a greeting", ""},
	} {
		l := listen(t)
		heard := greeter(t, l, tt.text)
		says(t, tt.text, Ask(ctx(t), "tcp://"+l.Addr().String()), tt.want)
		if got := <-heard; got != tt.goodbye {
			t.Errorf("%q is left with %q, want %q", tt.text, got, tt.goodbye)
		}
	}
}

// A server that hangs has its connections accepted by the system all the same.
func TestSilence(t *testing.T) {
	l := listen(t) // nobody accepts
	c, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	says(t, "silence", Ask(c, "tcp://"+l.Addr().String()), "no greeting")
	l.Close()
	says(t, "nobody", Ask(ctx(t), "tcp://"+l.Addr().String()), "refused")
}

func TestGreetingOverTLS(t *testing.T) {
	s := httptest.NewTLSServer(nil)
	pair := s.TLS.Certificates[0]
	s.Close()
	l := tls.NewListener(listen(t), &tls.Config{Certificates: []tls.Certificate{pair}})
	greeter(t, l, "* OK ready\r\n")
	says(t, "imaps", Ask(ctx(t), "tls://"+l.Addr().String()), "")
	plain := listen(t)
	greeter(t, plain, "* OK ready\r\n")
	says(t, "imap", Ask(ctx(t), "tls://"+plain.Addr().String()), "tls:")
}

// Whatever a server says, it is one line that a terminal can show.
func FuzzJudge(f *testing.F) {
	for _, s := range []string{"220 a", "421 \x1b[2J", "* BYE \u202e", "-ERR \xff", "", "5", "55", "555"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, line string) {
		if err := judge(line); err != nil && (strings.ContainsFunc(err.Error(), func(r rune) bool { return !unicode.IsPrint(r) }) || len(err.Error()) > 1000) {
			t.Errorf("%q is told as %q", line, err)
		}
		if g := goodbye(line); g != "" && !strings.HasSuffix(g, "\r\n") {
			t.Errorf("%q", fmt.Sprint(g))
		}
	})
}
