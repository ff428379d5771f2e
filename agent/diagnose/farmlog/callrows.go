package farmlog

import "strings"

// path is the path of a call, at the front end or behind it.
func (c *call) path(back bool) string {
	switch c.proto {
	case pEws:
		return "/EWS/Exchange.asmx"
	case pEas:
		if back {
			return "/Microsoft-Server-ActiveSync/Proxy/default.eas"
		}
		return "/Microsoft-Server-ActiveSync/default.eas"
	case pOwa:
		return "/owa/service.svc"
	case pAuto:
		return "/autodiscover/autodiscover.xml"
	}
	return "/mapi/emsmdb/"
}

// query is the query of a call.
func (c *call) query(n *node, back bool) string {
	switch c.proto {
	case pEas:
		return "Cmd=" + c.what + "&User=" + c.by.mail + "&DeviceId=" + c.by.device + "&DeviceType=iPhone"
	case pOwa:
		return "action=GetItem&EP=1"
	case pMapi:
		return "MailboxId=" + c.by.box + "@contoso.example"
	}
	return ""
}

// callRows writes what all logs have of a call.
func (f *farm) callRows(r *request, c *call) {
	id, n := f.id(), r.node
	f.legs(n, c.path(false), dash(c.query(n, false)), c.by.ip, c.by.agent, c.legs, n.auth)
	h := hit{method: "POST", path: c.path(false), query: c.query(n, false), user: c.by.user, ip: c.by.ip, agent: c.by.agent,
		port: 443, status: c.status, sub: c.sub, win32: wrote(c.cut), took: c.took}
	if c.status == 401 {
		h.win32 = 2148074252 // the password is wrong: nothing goes further
		f.iisRow(n.front, n.addr, &h)
		return
	}
	f.iisRow(n.front, n.addr, &h)
	f.proxyCall(r, c, id)
	f.backRow(n, c, h)
	if c.proto == pEws {
		f.ewsRow(r, c, id)
	}
	if c.cut {
		f.kernelRow(n, c.by.ip, "POST", c.path(false), questioned(c.query(n, false)), 0, "Connection_Dropped", c.proto.pool())
	}
}

func dash(query string) string {
	if query == "" {
		return "-"
	}
	return query
}

func questioned(query string) string {
	if query == "" {
		return ""
	}
	return "?" + query
}

func (f *farm) proxyCall(r *request, c *call, id uint64) {
	log := r.node.proxy[c.proto]
	l := f.begin(log)
	kind := "Negotiate"
	if c.proto == pEas {
		kind = "Basic"
	}
	l.s(f.stamp).ms(r.end).s("Z,").guid(id).s(",15,2,1544,4,,").s(c.proto.folder()).s(",mail.contoso.example,").s(c.path(false)).s(",").s(c.action())
	l.s(",").s(kind).s(",true,").s(c.by.user).s(",contoso.example,SMTP~").s(c.by.mail).s(",").s(comma(c.by.agent)).s(",").s(c.by.ip).s(",").s(r.node.name)
	l.s(",").n(c.status).s(",").n(c.status).s(",").s(c.fault).s(",POST,Proxy,").s(c.by.home.host).s(",15.02.1544.000,IntraForest,WindowsIdentity")
	t := times{total: c.took, back: max(c.took-3, 0)}
	if c.legs > 0 {
		t.auth = min(2*r.node.auth, t.total)
		t.back = max(t.total-t.auth-3, 0)
	}
	f.proxyEnd(log, t, r.end, questioned(c.query(r.node, false)), "", c.by.home)
}

// action is HttpProxy's ProtocolAction.
func (c *call) action() string {
	if c.proto == pEas || c.proto == pEws {
		return c.what
	}
	return ""
}

// comma quotes what a comma would tear.
func comma(v string) string {
	if strings.ContainsRune(v, ',') {
		return `"` + v + `"`
	}
	return v
}

// backRow is the row of the site behind the front end. EAS tells its budget there.
func (f *farm) backRow(n *node, c *call, h hit) {
	home := c.by.home
	h.path, h.port, h.ip, h.took = c.path(true), 444, n.addr, max(c.took-2, 0)
	l := f.iisQuery(home.back, home.addr, h.method, h.path)
	l.s(dash(h.query))
	if c.proto == pEas && c.budget != nil {
		l.s("&Log=V161_HH:mail.contoso.example_Mbx:").s(home.host).s("_Dc:dc1.contoso.example_Throttle:").n(c.delay).s("_Budget:")
		l.easBudget("(A)", c, c.left+c.took/10).s("%3b")
		l.easBudget("(D)", c, c.left)
		l.s("_ActivityContextData:S%3aWLM.Cl%3dCustomerExpectation%3bS%3aWLM.Bal%3d").n(c.left).s("%3bS%3aWLM.BT%3dEas_")
	}
	f.iisTail(home.back, &h)
}

// easBudget is a snapshot of a budget in the form of 2013 and later.
func (l *line) easBudget(which string, c *call, left int64) *line {
	b := c.budget
	l.s(which).s("Owner%3aSid%7e").s(strings.Replace(c.by.user, `\`, "%5c", 1)).s("%7eEas%7efalse%2cConn%3a1%2cMaxConn%3a").n(b.connections)
	l.s("%2cMaxBurst%3a").n(b.burst).s("%2cBalance%3a").n(min(left, b.burst)).s("%2cCutoff%3a").n(b.cutoff).s("%2cRechargeRate%3a").n(b.recharge)
	l.s("%2cPolicy%3a")
	for _, r := range []byte(b.policy) {
		switch r {
		case '_':
			l.s("%5F")
		case '\\':
			l.s("%5c")
		case ':':
			l.s("%3a")
		case ' ':
			l.s("+")
		default:
			l.b = append(l.b, r)
		}
	}
	return l.s("%2cIsServiceAccount%3aFalse%2cLiveTime%3a00%3a00%3a00.").n(3000000 + c.took)
}

// ewsRow is the row of EWS itself.
func (f *farm) ewsRow(r *request, c *call, id uint64) {
	log := c.by.home.ews
	l := f.begin(log)
	l.s(f.stamp).ms(r.end).s("Z,").guid(id).s(",15,2,1544,4,")
	if !f.story.old {
		l.s("Unknown,")
	}
	l.guid(id ^ 1<<60).s(",Negotiate,true,").s(c.by.mail).s(",contoso.example,").s(comma(c.by.agent)).s(",Target=None;Req=Exchange2013/Exchange2013;,")
	l.s(c.by.ip).s(",").s(c.by.home.name).s(",").s(r.node.host).s(",").s(c.what).s(",").n(c.status).s(",960,2048,").s(c.fault)
	l.s(",,,,").guid(id ^ 1<<59).s(",").guid(id ^ 1<<58).s(",PrimaryServer,LocalTask,0,1,0,1,0")
	f.ewsBudget(l, c)
	l.s(",[C],0,0,1,").n(min(c.took, 5)).s(",2,,1,1,,0,3,").n(max(c.took-c.delay-4, 0)).s(",").n(c.took).s(",,,")
	f.ewsGeneric(l, c)
	l.s(",,,")
	if !f.story.old {
		l.s(",,4711,0,,,,,,,,,,,,,,,,")
	}
	f.end(log)
}

// ewsBudget writes the columns from BeginBudgetConnections to ThrottlingDelay.
func (f *farm) ewsBudget(l *line, c *call) {
	if c.budget == nil {
		l.s(",,,,,,,,,,,,,,,,,,,")
		return
	}
	l.s(",0,1,0,0,,,,,,,,,0 Max,0 Max,,,,").s(comma(c.budget.policy)).s(",")
	if c.delay > 0 {
		l.n(c.delay)
		return
	}
	l.s("0.0385")
}

// ewsGeneric writes the column GenericInfo.
func (f *farm) ewsGeneric(l *line, c *call) {
	l.s("BackEndAuthenticator=WindowsAuthenticator;TotalBERehydrationModuleLatency=0;S:ServiceTaskMetadata.ADCount=0;S:WLM.Type=Ews;S:WLM.Int=True;S:WLM.SvcA=False")
	if b := c.budget; b != nil {
		l.s(";S:WLM.Bal=").n(c.left).s(";S:WLM.BT=Ews;S:BudgetMetadata.MaxConn=").n(b.connections).s(";S:BudgetMetadata.MaxBurst=").n(b.burst)
		l.s(";S:BudgetMetadata.BeginBalance=").n(min(c.left+c.took/10, b.burst)).s(";S:BudgetMetadata.Cutoff=").n(b.cutoff).s(";S:BudgetMetadata.RechargeRate=").n(b.recharge)
		l.s(";S:BudgetMetadata.IsServiceAct=False;S:BudgetMetadata.LiveTime=00:34:09.5718618;S:BudgetMetadata.EndBalance=").n(c.left)
	}
	l.s(";Dbl:WLM.TS=").n(c.took).s(";Dbl:BudgUse.T[]=").n(c.took).s(";Dbl:CCpu.T[CMD]=0")
}
