package gate

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"evenkeel/policy/throttle"
)

// A question is what a front end asks about one request of a client.
type question struct {
	caller   throttle.Caller
	ask      throttle.Ask
	nameless bool // nobody is named, not even in a way that cannot be read
}

// The headers of a front end, as net/http spells them.
const (
	headUser      = "X-Evenkeel-User"
	headComponent = "X-Evenkeel-Component"
	headHanging   = "X-Evenkeel-Hanging"
	headFind      = "X-Evenkeel-Find"
	headPaged     = "X-Evenkeel-Paged"
	headTicket    = "X-Evenkeel-Ticket"
	headPart      = "X-Evenkeel-Part"
	headCount     = "X-Evenkeel-Count"
	headDeny      = "X-Evenkeel-Deny"
	headHold      = "X-Evenkeel-Hold"
	headDone      = "X-Evenkeel-Done"
	headAD        = "X-Evenkeel-Ad"
	headAB        = "X-Evenkeel-Ab"
	headRPC       = "X-Evenkeel-Rpc"
)

// maxName is the most bytes that are looked at of a name: of an account (see
// [throttle.Account]), or of a session.
const maxName = 256

// most is the largest count that a header may hold.
const most = 1_000_000_000

// read makes a question of a request. What the client wrote, and the front end
// passed on, never makes an error: a name that cannot be one is no name. An
// error names a header of the front end's own.
func read(q *http.Request, o *Options, cpu float64) (out question, err error) {
	h := headers(q.Header)
	uri := h.uri(q)
	out.ask.CPU = cpu
	service, err := h.service(uri)
	if err != nil {
		return out, err
	}
	out.caller, out.nameless = h.caller(q, o, service)
	if out.ask.Hanging, err = h.yes(headHanging); err != nil {
		return out, err
	}
	if !out.ask.Hanging {
		out.ask.Hanging = waits(service, uri, h.get("X-Requesttype"))
	}
	if out.ask.Find, err = h.count(headFind, 0); err != nil {
		return out, err
	}
	if out.ask.Paged, err = h.yes(headPaged); err != nil {
		return out, err
	}
	out.ask.Spend, err = h.spend()
	return out, err
}

// headers are those of a request. Of a header that comes twice the first counts.
type headers http.Header

// get is the value of a header under the name that net/http gives it.
func (h headers) get(name string) string {
	if v := h[name]; len(v) > 0 {
		return v[0]
	}
	return ""
}

// uri is what the client asked the front end for: as nginx was told to pass it,
// as Caddy and Traefik do, or as Envoy appends it to ours.
func (h headers) uri(q *http.Request) string {
	for _, name := range [...]string{"X-Original-Uri", "X-Forwarded-Uri"} {
		if v := h.get(name); v != "" {
			return v
		}
	}
	return strings.TrimPrefix(q.URL.EscapedPath(), checkPath) + "?" + q.URL.RawQuery
}

// service is the component that serves uri, or that the front end names.
func (h headers) service(uri string) (throttle.Component, error) {
	v := h.get(headComponent)
	if v == "" {
		return component(uri), nil
	}
	c, ok := throttle.ParseComponent(v)
	if !ok {
		return c, fmt.Errorf("%s: want a component such as Ews, got %q", headComponent, cut(v))
	}
	return c, nil
}

// caller is whose budget it is. Who has no name is known by his address; he is
// nameless if nothing was there that could have been one.
func (h headers) caller(q *http.Request, o *Options, service throttle.Component) (c throttle.Caller, nameless bool) {
	name, claimed := h.user(o.Domains)
	if name == "" {
		return throttle.Caller{Name: h.address(q), Component: throttle.Anonymous}, !claimed
	}
	return throttle.Caller{Name: name, Component: service}, false
}

// user is the account that the front end names, or the client in Authorization.
// claimed: there is something that says who it is, whether it can be read or not.
// Of the other schemes (Negotiate, NTLM, Bearer) none says it in clear.
func (h headers) user(domains []throttle.Domain) (name string, claimed bool) {
	for _, header := range [...]string{headUser, "X-Forwarded-User", "Remote-User"} {
		v := h.get(header)
		claimed = claimed || v != ""
		if a := throttle.Account(v, domains); a != "" {
			return a, true
		}
	}
	v := h.get("Authorization")
	claimed = claimed || len(v) >= len("Basic") && strings.EqualFold(v[:len("Basic")], "Basic")
	return throttle.Account(basicUser(v), domains), claimed
}

// basicUser is the name in Basic credentials (RFC 7617, 2). The password is not
// looked at, and of long credentials no more is decoded than a name can take.
// What is no UTF-8 is ISO-8859-1, in which older clients write (RFC 7617, B.3).
func basicUser(credentials string) string {
	const scheme = "Basic "
	if len(credentials) < len(scheme) || !strings.EqualFold(credentials[:len(scheme)], scheme) {
		return ""
	}
	var b [(maxName + 2) / 3 * 3]byte
	text := strings.TrimSpace(credentials[len(scheme):])
	text = text[:min(len(text), base64.StdEncoding.EncodedLen(len(b)))]
	n, err := base64.StdEncoding.Decode(b[:], []byte(text))
	name, _, found := strings.Cut(string(b[:n]), ":")
	switch {
	case err != nil || !found:
		return ""
	case !utf8.ValidString(name):
		return latin1(name)
	}
	return name
}

// latin1 reads ISO-8859-1, each byte of which is the code point of that number.
func latin1(s string) string {
	out := make([]rune, 0, len(s))
	for i := range len(s) {
		out = append(out, rune(s[i]))
	}
	return string(out)
}

// address is where the client is: the last hop of X-Forwarded-For, which is the
// one that the front end wrote itself, else X-Real-IP, else who asks. An IPv6
// client is known by his network, since he has all of its addresses.
func (h headers) address(q *http.Request) string {
	hops := h["X-Forwarded-For"]
	last := ""
	if len(hops) > 0 {
		last = hops[len(hops)-1]
		last = last[strings.LastIndexByte(last, ',')+1:]
	}
	for _, text := range [...]string{last, h.get("X-Real-Ip"), q.RemoteAddr} {
		if a, ok := addressIn(text); ok {
			return a
		}
	}
	return "unknown"
}

func addressIn(text string) (string, bool) {
	text = strings.TrimSpace(text)
	a, err := netip.ParseAddr(text)
	if err != nil {
		ap, err := netip.ParseAddrPort(text)
		if err != nil {
			return "", false
		}
		a = ap.Addr()
	}
	if a = a.Unmap().WithZone(""); a.Is4() {
		return a.String(), true
	}
	p, _ := a.Prefix(64) // of an IPv6 address there is one
	return p.String(), true
}

// count is a whole number, none where the header is not there.
func (h headers) count(name string, none uint32) (uint32, error) {
	v := h.get(name)
	if v == "" {
		return none, nil
	}
	n, err := strconv.ParseUint(v, 10, 32)
	if err != nil || n > most {
		return 0, fmt.Errorf("%s: want a whole number up to %d, got %q", name, most, cut(v))
	}
	return uint32(n), nil
}

// yes is a header that says yes or no; no where it is not there.
func (h headers) yes(name string) (bool, error) {
	switch v := h.get(name); {
	case v == "" || v == "0" || strings.EqualFold(v, "no") || strings.EqualFold(v, "false"):
		return false, nil
	case v == "1" || strings.EqualFold(v, "yes") || strings.EqualFold(v, "true"):
		return true, nil
	default:
		return false, fmt.Errorf("%s: want yes or no, got %q", name, cut(v))
	}
}

// millis is a length of time in milliseconds, up to a day; nginx writes seconds
// with three digits behind a point, which is a number of milliseconds too when
// it ends in "s".
func (h headers) millis(name string) (time.Duration, error) {
	v := h.get(name)
	if v == "" || v == "-" {
		return 0, nil
	}
	unit, digits := time.Millisecond, v
	if s, ok := strings.CutSuffix(v, "s"); ok {
		unit, digits = time.Second, s
	}
	f, err := strconv.ParseFloat(digits, 64)
	if d := time.Duration(f * float64(unit)); err == nil && f >= 0 && d <= 24*time.Hour && f <= 86_400_000 {
		return d, nil
	}
	return 0, fmt.Errorf("%s: want milliseconds, or seconds such as 0.120s, got %q", name, cut(v))
}

// spend is what the request uses up by being made.
func (h headers) spend() (s throttle.Spend, err error) {
	for _, f := range [...]struct {
		name string
		into *uint32
	}{
		{"X-Evenkeel-Messages", &s.Messages}, {"X-Evenkeel-Recipients", &s.Recipients},
		{"X-Evenkeel-Cmdlets", &s.Cmdlets}, {"X-Evenkeel-Destructive", &s.Destructive},
		{"X-Evenkeel-Device-Deletes", &s.DeviceDeletes}, {"X-Evenkeel-Notifications", &s.Notifications},
	} {
		if *f.into, err = h.count(f.name, 0); err != nil {
			return s, err
		}
	}
	return s, nil
}

// cut is a foreign word for an answer: not long.
func cut(s string) string { return s[:min(len(s), 40)] }
