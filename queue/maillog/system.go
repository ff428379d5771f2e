package maillog

import (
	"bytes"

	"evenkeel/queue/lines"
)

// The ports of the site that front ends ask, and its number where Exchange has
// set it up.
const (
	behindTLS   = 444
	behindPlain = 81
	behindSite  = 2
)

// fromHTTPErr makes the record of a row of HTTPERR: every one is of a request or
// a connection that failed, or that nobody needed any more.
func fromHTTPErr(r *Record, c *cells, n *near) {
	r.Client = addrPort(n.client.addr(c[sysClient]), c[sysClientPort])
	r.Server = addrPort(n.server.addr(c[sysServer]), c[sysServerPort])
	r.Method = c[sysMethod]
	r.Path, r.Query = uri(c[sysURI])
	r.Status = number(c[sysStatus], 0)
	r.Site = number(c[sysSite], 0)
	r.Reason = c[sysReason]
	r.Pool = c[sysPool]
	r.Behind = behind(r, c)
	r.Protocol, r.Session, r.Waits = NoProtocol, nil, false
	if r.Probe = balancer(r.Client.Addr()); len(r.Path) == 0 { // half of the rows are of idle connections
		return
	}
	r.Protocol = ofPath(r.Path)
	r.Session = mailbox(r.Protocol, r.Query)
	r.Waits = waits(r)
	r.Probe = probe(r)
}

// fromIIS makes the record of a row of a site.
func fromIIS(r *Record, c *cells, n *near) {
	r.Took = millis(c[sysTook])
	r.Node = c[sysNode]
	r.Client = addrPort(n.client.addr(c[sysClient]), c[sysClientPort])
	r.Server = addrPort(n.server.addr(c[sysServer]), c[sysServerPort])
	r.Method = c[sysMethod]
	r.Path, r.Query = c[sysStem], c[sysQuery]
	r.User, r.Agent = c[sysUser], c[sysAgent]
	r.Status = number(c[sysStatus], 0)
	r.Substatus = number(c[sysSubstatus], -1)
	r.Win32, _ = lines.ParseUint(c[sysWin32])
	r.Site = site(c[sysSiteName])
	r.Forwarded = first(c[sysForwarded : sysForwarded+forwardedNames]...)
	r.Protocol = ofPath(r.Path)
	r.Type = systemType(r.Protocol, r.Query)
	r.Session = mailbox(r.Protocol, r.Query)
	r.Behind = behind(r, c)
	if r.Budget = nil; r.Protocol != MAPI && r.Protocol != RPC && budgeted(r.Query) {
		r.Budget = r.Query
	}
	r.Waits = waits(r)
	r.Probe = probe(r)
}

// uri parts a path from its query.
func uri(v []byte) (path, query []byte) {
	n := bytes.IndexByte(v, '?')
	if n < 0 {
		return v, nil
	}
	return v[:n], v[n+1:]
}

// site is the number in the name of a site's log: 2 of "W3SVC2".
func site(name []byte) int {
	digits, ok := bytes.CutPrefix(name, []byte("W3SVC"))
	if !ok {
		return 0
	}
	return number(digits, 0)
}

// behind reports that a front end asked, by the port; where it is not logged, by
// that of the host that was asked for, or else by the site.
func behind(r *Record, c *cells) bool {
	if port := r.Server.Port(); port != 0 {
		return port == behindTLS || port == behindPlain
	}
	if port := number(c[sysServerPort], -1); port >= 0 { // without an address
		return port == behindTLS || port == behindPlain
	}
	host := c[sysHost]
	if n := bytes.LastIndexByte(host, ':'); n >= 0 {
		if port := number(host[n+1:], -1); port >= 0 {
			return port == behindTLS || port == behindPlain
		}
	}
	return r.Site == behindSite
}

// systemType is the request's type where a query tells it: the command of a
// phone, the action of EWS of 2010.
func systemType(p Protocol, query []byte) []byte {
	switch p {
	case EAS:
		return value(query, "Cmd=")
	case EWSProtocol:
		action := value(query, "SoapAction=")
		if n := bytes.IndexByte(action, ':'); n >= 0 {
			action = action[n+1:]
		}
		return said(action)
	}
	return nil
}

// mailbox tells sessions apart where the query names the mailbox: of MAPI
// "MailboxId=GUID@contoso.example", of RPC "GUID@contoso.example:6001".
func mailbox(p Protocol, query []byte) []byte {
	switch p {
	case MAPI:
		return value(query, "MailboxId=")
	case RPC:
		if n := bytes.IndexByte(query, ':'); n > 0 && bytes.IndexByte(query[:n], '@') > 0 {
			return query[:n]
		}
	}
	return nil
}

// value is what follows a name in a query, its "=" included, up to the next "&"
// or ";"; nil if it is not there or empty. A name begins the query or stands
// behind one of the two. The letters' case is of no meaning.
func value(query []byte, name string) []byte {
	for len(query) >= len(name) {
		n := bytes.IndexByte(query, '&')
		if n < 0 {
			n = len(query)
		}
		if semicolon := bytes.IndexByte(query[:n], ';'); semicolon >= 0 {
			n = semicolon
		}
		if n >= len(name) && begins(query, name) {
			return said(query[len(name):n])
		}
		query = query[min(n+1, len(query)):]
	}
	return nil
}

// budgeted reports that a query has what throttling left in it, in any of the
// forms of the versions.
func budgeted(query []byte) bool {
	if len(query) < len("Budget:") {
		return false
	}
	if bytes.Contains(query, []byte(">>")) || bytes.Contains(query, []byte("Init%3")) {
		return true
	}
	for {
		n := bytes.Index(query, []byte("Budget"))
		if n < 0 {
			return false
		}
		query = query[n+len("Budget"):]
		if begins(query, ":") || begins(query, "%3a") {
			return true
		}
	}
}
