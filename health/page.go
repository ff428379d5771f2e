package health

import (
	"html"
	"net/http"
	"strconv"
	"strings"
)

// A Request is all of a probe that its answer may depend on. The host it asks
// for is not: balancers name an address, a farm, another node or nothing.
type Request struct {
	Method   string
	Path     string // decoded, without the query
	RawQuery string // without the question mark
}

// A Page is a reply to a probe. Its headers are in the order they were decided,
// spelled as Exchange and Envoy spell them, and hold no control character. A HEAD
// gets the same Page; leaving out the body is the server's part.
type Page struct {
	Status int // 200, 404, 405 or 503; never a redirect
	Header [][2]string
	Body   string
}

// Page is the answer to a probe of healthcheck.htm. It depends on nothing but r
// and q.
//
// In service it is what Exchange answers: status 200 and "200 OK<br/>" with the
// node's FQDN. Otherwise it is 503, for an unknown path 404, for a method other
// than GET and HEAD 405; and then the digits 200 stand nowhere in status,
// headers and body, since there are probes that search the whole reply for them.
// Headers that would break this are left out.
//
// With max=N (1 to 1000) in the query it is also 503 while the load is over N
// percent and r.Leave allows it. Any other max is ignored and X-Evenkeel-Note
// says so: a 400 would be counted as a node that is down.
func (r Report) Page(q Request) Page { return r.draw(r.judge(read(q))) }

// A wish is what a Request asks, read but not yet judged.
type wish struct {
	found  bool
	of     Protocols // whose page; the empty set is the node's
	method bool      // GET or HEAD
	max    int       // 1..1000; 0 is none
	badMax bool
}

func read(q Request) wish {
	w := wish{method: q.Method == http.MethodGet || q.Method == http.MethodHead}
	w.of, w.found = pageOf(q.Path)
	if text, ok := parameter(q.RawQuery, "max"); ok {
		w.max, w.badMax = readMax(text)
	}
	return w
}

// highestMax is the end of max's range, ten times the limit. A ladder's rungs
// are far below.
const highestMax = 1000

func readMax(text string) (n int, bad bool) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > highestMax {
		return 0, true
	}
	return n, false
}

// parameter is the first value of a query's name. It does not unescape: what we
// look for are digits, and net/url would allocate on every probe.
func parameter(query, name string) (value string, found bool) {
	for query != "" {
		var pair string
		pair, query, _ = strings.Cut(query, "&")
		if key, value, _ := strings.Cut(pair, "="); key == name {
			return value, true
		}
	}
	return "", false
}

// A verdict is one of the few replies that a Report has.
type verdict uint8

const (
	missing  verdict = iota // no such page
	unasked                 // a method we do not answer
	refused                 // the node is out of service
	broken                  // this protocol is
	overMax                 // more load than the probe allows, and leave to go
	spared                  // more load than the probe allows, but no leave
	ignored                 // in service, and its max made no sense
	served                  // in service
	verdicts                // how many there are
)

// judge is the rule book of the page.
func (r Report) judge(w wish) verdict {
	switch {
	case !w.found:
		return missing
	case !w.method:
		return unasked
	case !r.inService():
		return refused
	case r.Out&w.of != 0:
		return broken
	case w.badMax:
		return ignored
	case w.max == 0 || r.loadPercent() <= w.max:
		return served
	case !r.Leave:
		return spared
	}
	return overMax
}

// draw makes the Page of a verdict.
func (r Report) draw(v verdict) Page {
	switch v {
	case missing:
		return r.refusal(http.StatusNotFound, "no such page")
	case unasked:
		p := r.refusal(http.StatusMethodNotAllowed, "GET or HEAD only")
		p.add("Allow", "GET, HEAD")
		return p
	case broken:
		r.State, r.Reason = Failing, "service"
	case overMax:
		r.Reason = "max"
	case refused:
	default:
		return r.welcome(v)
	}
	return r.refusal(http.StatusServiceUnavailable, "out of service")
}

// welcome is the page of a node in service.
func (r Report) welcome(v verdict) Page {
	p := Page{Status: http.StatusOK, Header: r.header(), Body: "200 OK<br/>" + html.EscapeString(clean(r.FQDN))}
	if r.State == Degraded {
		p.add("x-envoy-degraded", "true") // Envoy asks only whether it is there
	}
	switch v {
	case ignored:
		p.add("X-Evenkeel-Note", "max ignored, it takes a number from 1 to 1000")
	case spared:
		p.add("X-Evenkeel-Note", "over max, but the farm cannot spare this node")
	}
	return p
}

// refusal is a page without the digits of success. Its body is one of ours, and
// so is its length; what others may have named goes through the filter.
func (r Report) refusal(status int, body string) Page {
	p := Page{Status: status, Body: body}
	for _, h := range r.header() {
		if !strings.Contains(h[1], success) {
			p.Header = append(p.Header, h)
		}
	}
	return p
}

// success is what simple probes search for in a whole reply.
const success = "200"

// header is what every page says of the node.
func (r Report) header() [][2]string {
	p := Page{Header: make([][2]string, 0, 8)}
	p.add("Content-Type", "text/html")
	p.add("Cache-Control", "no-store")
	if node := clean(r.Node); node != "" {
		p.add("X-FEServer", node)
	}
	p.add("X-Evenkeel-State", r.State.String())
	if load := r.loadPercent(); load >= 0 {
		p.add("X-Evenkeel-Load", strconv.Itoa(load))
	}
	p.add("X-Evenkeel-Reason", word(r.Reason))
	return p.Header
}

func (p *Page) add(name, value string) { p.Header = append(p.Header, [2]string{name, value}) }

// word is a reason as it is shown.
func word(reason string) string {
	if reason = clean(reason); reason == "" {
		return "-"
	}
	return reason
}

// maxText is the most bytes of a name or reason that are shown. A DNS name has
// at most 253 (RFC 1035 section 2.3.4).
const maxText = 253

// clean makes a text fit for a header and for a line: printable ASCII, no space
// around it, not long.
func clean(text string) string {
	text = text[:min(len(text), maxText)]
	return strings.TrimSpace(strings.Map(func(c rune) rune {
		if c < ' ' || c > '~' {
			return ' '
		}
		return c
	}, text))
}
