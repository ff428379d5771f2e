package main

import (
	"bytes"
	"strconv"
	"strings"
	"sync"
	"time"

	"evenkeel/policy/throttle"
	"evenkeel/queue/maillog"
)

// A sizeReading is what the logs tell of one account. Streams are read at once.
type sizeReading struct {
	account   string
	component string // the only one that is wanted; empty: all
	domains   []throttle.Domain
	from, to  time.Time
	nodes     []string

	mu     sync.Mutex // guards the three below
	pools  map[throttle.Component]*sizePool
	names  map[string]bool // under which the account was found
	others map[string]bool // accounts that are not it, some thousands
}

// A sizePool is the requests in one component, from one kind of log: each
// request is in several, and counts once.
type sizePool struct {
	source sizeSource
	uses   []throttle.Use
	logged int // of which the log says what they were charged
}

// A sizeSource is a kind of log; the one nearest to where budgets are kept is the greatest.
type sizeSource uint8

const (
	noSource   sizeSource = iota
	frontIIS              // IIS of a front end
	frontProxy            // HttpProxy
	backIIS               // IIS behind it
	backClient            // RPC Client Access
	backMAPI              // MapiHttp
	backEWS               // EWS
)

// String is the source in words.
func (s sizeSource) String() string {
	switch s {
	case frontIIS:
		return "IIS"
	case frontProxy:
		return "HttpProxy"
	case backIIS:
		return "IIS of the back end"
	case backClient:
		return "client access"
	case backMAPI:
		return "MapiHttp"
	case backEWS:
		return "EWS"
	}
	return "none"
}

func sourceOf(r *maillog.Record) sizeSource {
	switch r.Kind {
	case maillog.IIS:
		if r.Behind {
			return backIIS
		}
		return frontIIS
	case maillog.HTTPProxy:
		return frontProxy
	case maillog.RPCAccess:
		return backClient
	case maillog.MapiHTTP:
		return backMAPI
	case maillog.EWS:
		return backEWS
	}
	return noSource
}

// componentOf is whose budget a protocol's requests count in.
func componentOf(p maillog.Protocol) (throttle.Component, bool) {
	switch p {
	case maillog.EWSProtocol:
		return throttle.EWS, true
	case maillog.EAS:
		return throttle.EAS, true
	case maillog.OWA, maillog.ECP:
		return throttle.OWA, true
	case maillog.MAPI, maillog.RPC:
		return throttle.RCA, true
	case maillog.PowerShell:
		return throttle.PowerShell, true
	case maillog.REST:
		return throttle.OutlookService, true
	}
	return 0, false
}

// mostKnown names are kept in a stream; all are looked at again beyond.
const mostKnown = 1 << 14

// A sizeTaker reads one stream.
type sizeTaker struct {
	in    *sizeReading
	node  int
	known map[string]bool // a name as the log has it: it is the account
}

// File, Add and End are told by [logs.Found].
func (t *sizeTaker) File(string) {}

func (t *sizeTaker) End() {}

func (t *sizeTaker) Add(r *maillog.Record, _ int64, _ []byte) {
	if len(r.User) == 0 || !t.is(r.User) {
		return
	}
	if u, c, ok := t.in.use(r); ok {
		u.Node = t.node
		t.in.add(c, sourceOf(r), u, chargedIn(r) >= 0)
	}
}

// is: the name is the account's.
func (t *sizeTaker) is(user []byte) bool {
	if is, ok := t.known[string(user)]; ok {
		return is
	}
	if len(t.known) >= mostKnown {
		clear(t.known)
	}
	name := throttle.Account(string(user), t.in.domains)
	is := sameAccount(name, t.in.account)
	t.known[string(user)] = is
	t.in.heard(name, is)
	return is
}

func (s *sizeReading) heard(name string, is bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case is:
		s.names[name] = true
	case name != "" && len(s.others) < mostKnown:
		s.others[name] = true
	}
}

// sameAccount compares accounts as [throttle.Account] writes them. Where the
// domains are not known CONTOSO is taken for contoso.example, and a name without
// one for that of any.
func sameAccount(a, b string) bool {
	if a == b {
		return a != ""
	}
	userA, domainA, _ := strings.Cut(a, "@")
	userB, domainB, _ := strings.Cut(b, "@")
	if userA != userB || a == "" || b == "" {
		return false
	}
	return domainA == "" || domainB == "" || strings.HasPrefix(domainA, domainB+".") && !strings.Contains(domainB, ".") ||
		strings.HasPrefix(domainB, domainA+".") && !strings.Contains(domainA, ".")
}

// use is a row's request; false: it counts in no budget, or is not wanted.
func (s *sizeReading) use(r *maillog.Record) (u throttle.Use, c throttle.Component, ok bool) {
	c, ok = componentOf(r.Protocol)
	if !ok || r.Probe || r.At.IsZero() || sourceOf(r) == noSource || s.component != "" && !strings.EqualFold(s.component, c.String()) {
		return u, c, false
	}
	began := r.At.Add(-max(0, r.Took))
	if !s.from.IsZero() && began.Before(s.from) || !s.to.IsZero() && !began.Before(s.to) {
		return u, c, false
	}
	u = throttle.Use{Start: time.Duration(began.UnixNano()), Open: max(0, r.Took-max(0, r.Delay)), Hanging: r.Waits}
	if u.Charged = chargedIn(r); u.Charged < 0 {
		u.Charged = u.Open
	}
	u.RPC, u.AD = max(0, millisIn(r.Budget, "RpcL=", "RpcL%3d", "RpcL%3D")), max(0, millisIn(r.Budget, "LdapL=", "LdapL%3d", "LdapL%3D"))
	return u, c, true
}

// add keeps a request, unless a better log tells of it.
func (s *sizeReading) add(c throttle.Component, from sizeSource, u throttle.Use, logged bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.pools[c]
	if p == nil {
		p = &sizePool{}
		s.pools[c] = p
	}
	switch {
	case from < p.source:
		return
	case from > p.source:
		*p = sizePool{source: from}
	}
	p.uses = append(p.uses, u)
	if logged {
		p.logged++
	}
}

// chargedIn is what a log says that a request was charged; negative: nothing.
func chargedIn(r *maillog.Record) time.Duration {
	return millisIn(r.Budget, "BudgUse.T[]=", "BudgUse.T%5b%5d%3d", "BudgUse.T%5B%5D%3D")
}

// millisIn is the time that a budget's text has behind one of the keys, which are
// one key with different escapes; negative: none.
func millisIn(text []byte, keys ...string) time.Duration {
	if len(text) == 0 {
		return -1
	}
	for _, key := range keys {
		i := bytes.Index(text, []byte(key))
		if i < 0 {
			continue
		}
		number := text[i+len(key):]
		if end := bytes.IndexFunc(number, func(c rune) bool { return c != '.' && (c < '0' || c > '9') }); end >= 0 {
			number = number[:end]
		}
		if ms, err := strconv.ParseFloat(string(number), 64); err == nil && ms < 1e12 {
			return time.Duration(ms * float64(time.Millisecond))
		}
	}
	return -1
}
