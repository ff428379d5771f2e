package farmlog

// plus writes text as W3C logs have it: a blank is a plus.
func (l *line) plus(v string) *line {
	for i := range len(v) {
		if v[i] == ' ' {
			l.b = append(l.b, '+')
		} else {
			l.b = append(l.b, v[i])
		}
	}
	return l
}

// httpErrRow says that a client's request, or its connection, ended in HTTP.sys.
// status 0: no answer was sent.
func (f *farm) httpErrRow(n *node, p *person, proto protocol, status int64, reason string) {
	f.kernelRow(n, p.ip, "POST", "/mapi/emsmdb/?", p.query, status, reason, proto.pool())
}

// kernelRow is a row of HTTPERR.
func (f *farm) kernelRow(n *node, ip, method, path, query string, status int64, reason, pool string) {
	l := f.begin(n.http)
	l.s(f.clock).s(" ").s(ip).s(" ").n(49152 + int64(mix(f.id())%16000)).s(" ").s(n.addr).s(" 443 HTTP/1.1 ").s(method).s(" ").s(path).s(query)
	l.s(" -")
	if f.story.modern {
		l.s(" -")
	}
	if status == 0 {
		l.s(" -")
	} else {
		l.s(" ").n(status)
	}
	l.s(" 1 ").s(reason).s(" ").s(pool)
	if f.story.modern {
		l.s(" TCP")
	}
	f.end(n.http)
}

// idleRow says that a connection on which nothing was asked was closed.
func (f *farm) idleRow(n *node, p *person) {
	l := f.begin(n.http)
	l.s(f.clock).s(" ").s(p.ip).s(" ").n(49152 + int64(mix(f.id())%16000)).s(" ").s(n.addr).s(" 443 - - - -")
	if f.story.modern {
		l.s(" -")
	}
	l.s(" - - Timer_ConnectionIdle -")
	if f.story.modern {
		l.s(" TCP")
	}
	f.end(n.http)
}

// probeRefused: HTTP.sys answered the balancer itself.
func (f *farm) probeRefused(n *node, reason string) {
	f.truth.RefusedProbes++
	f.kernelRow(n, balancer, "GET", "/mapi/healthcheck.htm", "", 503, reason, pMapi.pool())
}

// probeReset: the balancer would not wait longer.
func (f *farm) probeReset(n *node) {
	f.kernelRow(n, balancer, "GET", "/mapi/healthcheck.htm", "", 0, "Client_Reset", pMapi.pool())
}

// callRefused: HTTP.sys answered a call itself.
func (f *farm) callRefused(n *node, c *call, reason string) {
	if c.by.ip == "::1" {
		f.truth.RefusedProbes++
	} else {
		f.truth.refused(f.now, n.index)
	}
	f.kernelRow(n, c.by.ip, "POST", c.path(false), c.query(n, false), 503, reason, c.proto.pool())
}

// A hit is a row of a site's log.
type hit struct {
	method, path, query, user, ip, agent string
	port, status, sub, win32, took       int64
}

// iisRow writes a hit of a site at a node's address.
func (f *farm) iisRow(log *log, addr string, h *hit) {
	l := f.begin(log)
	l.s(f.clock).s(" ").s(addr).s(" ").s(h.method).s(" ").s(h.path).s(" ")
	if h.query == "" {
		l.s("-")
	} else {
		l.s(h.query)
	}
	f.iisTail(log, h)
}

// iisTail ends a row whose query was written.
func (f *farm) iisTail(log *log, h *hit) {
	l := &log.line
	l.s(" ").n(h.port).s(" ").s(h.user).s(" ").s(h.ip).s(" ").plus(h.agent).s(" - ")
	l.n(h.status).s(" ").n(h.sub).s(" ").n(h.win32).s(" ").n(h.took)
	f.end(log)
}

// iisQuery begins a row and leaves the query to the caller.
func (f *farm) iisQuery(log *log, addr, method, path string) *line {
	l := f.begin(log)
	return l.s(f.clock).s(" ").s(addr).s(" ").s(method).s(" ").s(path).s(" ")
}

func (f *farm) probeRow(r *request) {
	h := hit{method: "GET", path: "/mapi/healthcheck.htm", user: "-", ip: balancer, agent: "-", port: 443, status: r.asked.status, took: r.asked.took}
	f.iisRow(r.node.front, r.node.addr, &h)
}

// legs writes the 401s of logging on: first without a name, then the challenge.
func (f *farm) legs(n *node, path, query, ip, agent string, count int, took int64) {
	h := hit{method: "POST", path: path, query: query, user: "-", ip: ip, agent: agent, port: 443, status: 401, sub: 2, win32: 5, took: 1}
	for i := range count {
		if i == 1 {
			h.sub, h.win32, h.took = 1, 2148074254, took
		}
		f.iisRow(n.front, n.addr, &h)
	}
}

// wrote is sc-win32-status: 64 where the connection was gone.
func wrote(cut bool) int64 {
	if cut {
		return 64
	}
	return 0
}

// mapiIIS writes the rows of a request of MAPI in the logs of both sites.
func (f *farm) mapiIIS(r *request, p *person, id uint64) {
	n := r.node
	if r.op == opOpen {
		f.legs(n, "/mapi/emsmdb/", p.query, p.ip, p.agent, 2, n.auth)
	}
	h := hit{user: p.user, ip: p.ip, agent: p.agent, port: 443, status: 200, win32: wrote(r.cut), took: r.end - r.arrived}
	f.iisQuery(n.front, n.addr, "POST", "/mapi/emsmdb/").s(p.query).s("&CorrelationID=<empty>;&cafeReqId=").guid(id).s(";")
	f.iisTail(n.front, &h)

	h.port, h.ip, h.took = 444, n.addr, max(r.end-r.started-2, 0)
	f.iisQuery(p.home.back, p.home.addr, "POST", "/mapi/emsmdb/").s(p.query).s("&CorrelationID=<empty>;&cafeReqId=").guid(id).s(";")
	f.iisTail(p.home.back, &h)
}
