package probe

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
)

// Ask asks the service at a URL how it is, and returns nil when it is well.
//
//	http, https   GET is answered 200; a redirect is not followed, and not 200
//	tcp, tls      HOST:PORT accepts, and greets with a first line that is no
//	              error: SMTP's 4xx and 5xx, IMAP's BYE and POP3's -ERR are
//
// Who says nothing until ctx is done is not well: the system accepts
// connections for a server that hangs, so that silence is all that tells it from
// one that works. A protocol in which the client speaks first cannot be asked by
// tcp or tls.
//
// On loopback a certificate is not verified, since it is made for the name that
// clients use and not for this address, and nobody can stand between. Elsewhere
// it must be good for the host of the URL. No proxy is used.
func Ask(ctx context.Context, where string) error {
	u, err := url.Parse(where)
	if err != nil {
		return err
	}
	switch u.Scheme {
	case "http", "https":
		return askPage(ctx, u)
	case "tcp":
		return askGreeting(ctx, u.Host, new(net.Dialer).DialContext)
	case "tls":
		d := &tls.Dialer{Config: trust(u.Hostname())}
		return askGreeting(ctx, u.Host, d.DialContext)
	}
	return fmt.Errorf("scheme %q: want http, https, tcp or tls", u.Scheme)
}

func askPage(ctx context.Context, u *url.URL) error {
	transport := &http.Transport{DisableKeepAlives: true, TLSClientConfig: trust(u.Hostname())} // each time the way of a new client
	c := http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return err
	}
	r.Header.Set("User-Agent", "evenkeel")
	resp, err := c.Do(r)
	if err != nil {
		return inner(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("answered %d", resp.StatusCode)
	}
	return nil
}

// inner is err without the URL, which who asked knows.
func inner(err error) error {
	var e *url.Error
	if errors.As(err, &e) {
		return e.Err
	}
	return err
}

// trust is how far the service at host must prove who it is.
func trust(host string) *tls.Config {
	a, err := netip.ParseAddr(host)
	here := strings.EqualFold(host, "localhost") || err == nil && a.IsLoopback()
	return &tls.Config{ServerName: host, InsecureSkipVerify: here}
}

const maxLine = 1000 // bytes of a greeting that are looked at; SMTP's has 512 at most (RFC 5321, 4.5.3.1.5)

func askGreeting(ctx context.Context, addr string, dial func(context.Context, string, string) (net.Conn, error)) error {
	conn, err := dial(ctx, "tcp", addr)
	if err != nil {
		return err
	}
	defer conn.Close()
	if until, ok := ctx.Deadline(); ok {
		conn.SetDeadline(until)
	}
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	defer stop()

	line, err := bufio.NewReader(io.LimitReader(conn, maxLine)).ReadString('\n')
	switch {
	case ctx.Err() != nil || isTimeout(err):
		return errors.New("connected, and no greeting")
	case line == "":
		return errors.New("closed without a greeting")
	}
	if err := judge(line); err != nil {
		return err
	}
	io.WriteString(conn, goodbye(line)) // so that its log has no lost connection every time
	return nil
}

func isTimeout(err error) bool {
	var n net.Error
	return errors.As(err, &n) && n.Timeout()
}

// judge says what is wrong with who greets so; nil where it is nothing, or no
// protocol that is known here.
func judge(line string) error {
	word, rest, _ := strings.Cut(strings.ToUpper(strings.TrimSpace(line)), " ")
	refuses := word == "-ERR" || // POP3 (RFC 1939, 3)
		word == "*" && strings.HasPrefix(rest, "BYE") || // IMAP (RFC 9051, 7.1.5)
		isReply(word) && (word[0] == '4' || word[0] == '5') // SMTP (RFC 5321, 3.1)
	if !refuses {
		return nil
	}
	shown := []rune(strings.TrimSpace(line))
	return fmt.Errorf("greets with %q", string(shown[:min(len(shown), 80)]))
}

// isReply says that a word begins as a reply of SMTP does, which may be the
// first of several lines.
func isReply(word string) bool {
	return len(word) >= 3 && strings.Trim(word[:3], "0123456789") == "" && (len(word) == 3 || word[3] == '-')
}

// goodbye is how the protocol of a greeting is left.
func goodbye(line string) string {
	switch word, _, _ := strings.Cut(strings.TrimSpace(line), " "); {
	case word == "*":
		return "a LOGOUT\r\n"
	case word == "+OK" || isReply(word):
		return "QUIT\r\n"
	}
	return ""
}
