package maillog

import (
	"bytes"
	"time"
)

// fromHTTPProxy makes the record of a row of a front end.
func fromHTTPProxy(r *Record, c *cells, n *near) {
	r.Took = millis(c[exTotal])
	r.Client = addrPort(n.client.addr(c[exClient]), nil)
	r.Node, r.BackEnd = c[exNode], said(c[exTarget])
	r.User, r.Agent = said(c[exUser]), c[exAgent]
	r.Method, r.Path = c[exMethod], c[exStem]
	r.Query = bytes.TrimPrefix(c[exQuery], []byte{'?'})
	r.Status = number(c[exStatus], 0)
	r.Reason, r.Errors = fault(c[exError]), c[exErrors]
	r.Backend = millis(c[exBackend])
	r.Authenticating = authenticating(c)
	if r.Protocol = ofFolder(c[exProtocol]); r.Protocol == NoProtocol {
		r.Protocol = ofPath(r.Path)
	}
	if r.Session = nil; r.Protocol == MAPI {
		r.Type, r.Session = ofRequestID(c[exRequestID])
	} else if r.Type = said(c[exAction]); r.Type == nil {
		r.Type = systemType(r.Protocol, r.Query)
	}
	r.Waits = waits(r)
	r.Probe = probe(r)
}

// authenticating is what a front end needed to say who asks: the module's time,
// where it is a number, and that of the ticket for the back end.
func authenticating(c *cells) time.Duration {
	module, ticket := millis(c[exAuthContext]), millis(c[exAuthHeader])
	switch {
	case module < 0:
		return ticket
	case ticket < 0:
		return module
	}
	return module + ticket
}

// ofRequestID takes the type and the context off the identifier that a front end
// logs of a request of MAPI: "R:{…}:7;RT:Execute;CI:{…}:1;CID:{…}".
func ofRequestID(id []byte) (kind, context []byte) {
	for len(id) > 0 {
		item, rest, _ := bytes.Cut(id, []byte{';'})
		switch {
		case len(item) > 3 && item[0] == 'R' && item[1] == 'T' && item[2] == ':':
			kind = said(item[3:])
		case len(item) > 3 && item[0] == 'C' && item[1] == 'I' && item[2] == ':':
			context = said(item[3:])
		}
		id = rest
	}
	return kind, context
}

// fromMapiHTTP makes the record of a row of MAPI at the mailbox.
func fromMapiHTTP(r *Record, c *cells, n *near) {
	r.Protocol, r.Behind = MAPI, true
	r.Took = millis(c[exMapiTotal])
	r.Authenticating = millis(c[exAuthModule])
	r.Client = addrPort(n.client.addr(c[exMapiClient]), nil)
	r.FrontEnd = said(c[exCafe])
	r.User, r.Agent = first(c[exUser], c[exMail], c[exUPN]), c[exSoftware]
	r.Status = number(c[exMapiStatus], 0)
	r.Type, r.Session = said(c[exType]), said(c[exSession])
	if r.Reason = fault(c[exResponseCode]); r.Reason == nil {
		r.Reason = fault(c[exStatusCode])
	}
	r.Errors = c[exErrors]
	r.Waits = waits(r)
	r.Probe = probe(r)
}

// fromEWS makes the record of a row of EWS at the mailbox.
func fromEWS(r *Record, c *cells, n *near) {
	r.Protocol = EWSProtocol
	r.Took = millis(c[exTotal])
	r.Authenticating = millis(c[exAuthModule])
	r.Delay = millis(c[exDelay])
	r.Client = addrPort(n.client.addr(c[exClient]), nil)
	r.Node, r.FrontEnd = c[exNode], said(c[exFrontEnd])
	r.Behind = r.FrontEnd != nil
	r.User, r.Agent = said(c[exUser]), c[exAgent]
	r.Status = number(c[exStatus], 0)
	r.Type, r.Policy = said(c[exSoap]), said(c[exPolicy])
	r.Reason, r.Errors = fault(c[exError]), c[exErrors]
	r.Budget = nil
	if info := c[exInfo]; bytes.Contains(info, []byte("BudgetMetadata.")) || bytes.Contains(info, []byte("WLM.Bal=")) {
		r.Budget = info
	}
	r.Waits = waits(r)
	r.Probe = probe(r)
}

// fromRPCAccess makes the record of a row of a client access log.
func fromRPCAccess(r *Record, c *cells, n *near) {
	r.Protocol = ofTransport(c[exProtocol])
	r.Took = span(c[exRPCTime])
	r.Client, r.Server = addrPort(n.client.addr(c[exRPCClient]), nil), addrPort(n.server.addr(c[exRPCServer]), nil)
	r.User, r.Agent = said(c[exRPCUser]), c[exRPCAgent]
	r.Type, r.Session = said(c[exOperation]), said(c[exRPCSession])
	r.Errors = c[exFailures]
	if r.Reason = said(c[exRPCStatus]); zero(r.Reason) {
		r.Reason = nil
	}
	r.Waits = waits(r)
	r.Probe = probe(r)
}

// ofTransport is the protocol by what carries RPC: "ncacn_http", "MapiHttp".
func ofTransport(name []byte) Protocol {
	switch {
	case bytes.EqualFold(name, []byte("MapiHttp")):
		return MAPI
	case bytes.HasPrefix(name, []byte("ncacn_")), len(name) == 0:
		return RPC
	}
	return NoProtocol
}

// zero reports that a status is 0 or none, written "0", "0x0" or "0 (0x00000000)".
func zero(status []byte) bool {
	number, _, _ := bytes.Cut(status, []byte{' '})
	return len(bytes.Trim(bytes.TrimPrefix(number, []byte("0x")), "0")) == 0
}

// first is the first of the values that there is.
func first(values ...[]byte) []byte {
	for _, v := range values {
		if v = said(v); v != nil {
			return v
		}
	}
	return nil
}
