package farmlog

// mapiRows writes what the logs of both nodes have of a person's request.
func (f *farm) mapiRows(r *request, p *person) {
	f.mapiRow(r, p)
	f.truth.seen(f.now, p, r.node.index)
}

func (f *farm) mapiRow(r *request, p *person) {
	id := f.id()
	p.seq++
	f.mapiIIS(r, p, id)
	f.proxyMapi(r, p, id)
	f.mapiHTTP(r, p, id)
}

// clientRequest writes the id that Outlook gives a request: R, RT, CI and CID.
// CI stays the same as long as Outlook runs.
func (l *line) clientRequest(r *request, p *person, id uint64) *line {
	session := uint64(uint32(r.who))<<32 | uint64(p.starts)
	l.s("R:").guid(session ^ 1<<63).s(":").n(p.seq).s(";RT:").s(r.op.String())
	return l.s(";CI:").guid(session).s(":1;CID:").guid(id ^ 1<<62)
}

// times are how long a request took, in milliseconds.
type times struct{ auth, back, total int64 }

func (r *request) times() times {
	t := times{total: r.end - r.started}
	if r.op == opOpen {
		t.auth = min(2*r.node.auth, t.total)
	}
	t.back = max(t.total-t.auth-3, 0)
	return t
}

func (f *farm) proxyMapi(r *request, p *person, id uint64) {
	log := r.node.proxy[pMapi]
	l := f.begin(log)
	l.s(f.stamp).ms(r.end).s("Z,").guid(id).s(",15,2,1544,4,").clientRequest(r, p, id)
	l.s(",Mapi,mail.contoso.example,/mapi/emsmdb/,,Negotiate,true,").s(p.user).s(",contoso.example,MailboxGuid~").s(p.box)
	l.s(",").s(p.agent).s(",").s(p.ip).s(",").s(r.node.name).s(",200,")
	fault := ""
	if r.cut {
		l.s(",ClientDisconnect")
		fault = "HttpException=The remote host closed the connection. The error code is 0x800704CD."
	} else {
		l.s("200,")
	}
	l.s(",POST,Proxy,").s(p.home.host).s(",15.02.1544.000,IntraForest,MailboxGuidWithDomain")
	f.proxyEnd(log, r.times(), r.end, "?"+p.query, fault, p.home)
}

// proxyEnd writes the columns from BackEndCookie on, and ends the row.
func (f *farm) proxyEnd(log *log, t times, end int64, query, fault string, home *node) {
	l := &log.line
	over := t.total - t.back
	l.s(",Database~").s(home.base).s("~~2026-04-01T01:00:04,,,").n(273 + end%400).s(",").n(295 + end%700).s(",").n(int64(home.attached / 2)).s(",,0,1,,0,,0,,0,0,,0,")
	l.n(t.total).s(",0,0,1,0,").n(t.back).s(",0,0,0,").n(t.auth).s(",0,").n(max(t.total-1, 0)).s(",1,").n(t.back).s(",2,1,").n(over).s(",").n(t.total).s(",,").s(query)
	l.s(",,BeginRequest=").stamp(f, end-t.total).s(";CorrelationID=<empty>;ProxyState-Run=None;FEAuth=BEVersion-1942063431;BeginGetResponse=").stamp(f, end-t.back)
	l.s(";OnResponseReady=").stamp(f, end).s(";EndGetResponse=").stamp(f, end).s(";ProxyState-Complete=ProxyResponseData;SharedCacheGuard=0;EndRequest=").stamp(f, end)
	l.s(";,").s(fault).s(",,|RoutingDB:").s(home.base).s(",,,CafeV1")
	f.end(log)
}

// stamp writes a time in full; at is in milliseconds from the start of the story.
func (l *line) stamp(f *farm, at int64) *line {
	if at/1000 == f.now {
		return l.s(f.stamp).ms(at).s("Z")
	}
	l.b = f.time(at/1000).AppendFormat(l.b, "2006-01-02T15:04:05.")
	return l.ms(at).s("Z")
}

func (f *farm) mapiHTTP(r *request, p *person, id uint64) {
	t := r.times()
	log := p.home.mapi
	l := f.begin(log)
	l.s(f.stamp).ms(r.end).s("Z,").guid(id^1<<61).s(",").guid(id).s(",").clientRequest(r, p, id).s(",").s(r.op.String())
	l.s(",200,0,0,0,").n(max(t.total-t.auth-2, 0)).s(",,15,2,1544,4,").s(p.mail).s(",").s(p.mail).s(",,,").s(p.box).s(",").s(p.home.base).s(",,")
	l.s(p.ip).s(",").s(r.node.host).s(",,,").guid(uint64(uint32(r.who))<<40 | uint64(p.starts)<<16 | uint64(p.opened)).s(",").n(p.seq)
	l.s(",,OUTLOOK.EXE,16.0.14334.20136,Cached,Negotiate,").n(t.auth).s(",,,,,,,,").s(p.user).s(",,,,")
	f.end(log)
}
