package farmlog

import "strconv"

// A call is a request of another protocol than MAPI, or of a monitor: its pools
// are never short of anything, so that its answer is known when it is asked.
type call struct {
	by     caller
	proto  protocol
	what   string // the action: "FindItem", "Ping"
	status int64  // of the front end and the back end
	sub    int64
	took   int64 // milliseconds
	legs   int   // 401s that came before
	cut    bool
	fault  string // Exchange's error code
	budget *budget
	left   int64 // of the budget, milliseconds, after the call
	delay  int64 // that throttling added, milliseconds
}

// A caller is who asks, as logs have it.
type caller struct {
	user, mail, box, ip, agent string
	home                       *node
	device                     string // of EAS
}

func (p *person) caller(agent string) caller {
	return caller{user: p.user, mail: p.mail, box: p.box, ip: p.ip, agent: agent, home: p.home, device: "DEV" + p.box[:8]}
}

// ask brings a call to a front end.
func (f *farm) ask(n *node, c *call) {
	if why := n.off[c.proto]; why != "" {
		f.callRefused(n, c, why)
		return
	}
	if c.by.ip != "::1" && f.rng.IntN(10) == 0 { // the connection is new
		c.legs = 2
		c.took += 2 * n.auth
	}
	if slow := c.by.home.slow; slow > 0 && c.status == 200 && !c.cut {
		c.took += f.about(float64(slow))
	}
	f.answerAt(request{node: n, op: opOther, end: f.within() + c.took, asked: c})
}

// everyday is what goes on whatever the story is.
func (f *farm) everyday() {
	people := float64(f.online) * f.detail
	for range f.draw(people / 4000) {
		f.anyEws()
	}
	for range f.draw(people / 6000) {
		f.anyEas()
	}
	for range f.draw(people / 5000) {
		f.someone(pOwa, "", "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/131.0.0.0", 40)
	}
	for range f.draw(people / 5000) {
		f.someone(pAuto, "", "Microsoft Office/16.0 (Windows NT 10.0; Microsoft Outlook 16.0.14334; Pro)", 15)
	}
	for range f.draw(people / 60000) {
		f.typo()
	}
	f.connections()
	f.monitors()
}

// connections are those that clients leave idle, and those that they reset.
func (f *farm) connections() {
	for _, n := range f.nodes {
		for range f.draw(float64(n.attached) / 1500) {
			if p := f.anyone(); p != nil {
				f.idleRow(n, p)
			}
		}
	}
	for range f.draw(float64(f.online) / 600_000) {
		if who := int32(f.rng.IntN(len(f.people))); f.people[who].held && f.people[who].state == works {
			f.cut(who, reset, 3)
		}
	}
}

// someone asks a front end for something that takes about so long.
func (f *farm) someone(proto protocol, what, agent string, took float64) *call {
	p := f.anyone()
	if p == nil {
		return nil
	}
	c := &call{by: p.caller(agent), proto: proto, what: what, status: 200, took: f.about(took)}
	f.ask(f.any(), c)
	return c
}

// any is a front end, in turn: what is short is spread well.
func (f *farm) any() *node {
	for range f.nodes {
		f.turn++
		if n := f.nodes[f.turn%len(f.nodes)]; n.up {
			return n
		}
	}
	return f.nodes[0]
}

func (f *farm) anyEws() {
	p := f.anyone()
	if p == nil {
		return
	}
	what := [...]string{"GetItem", "FindItem", "SyncFolderItems", "GetUserAvailability", "GetFolder"}[f.rng.IntN(5)]
	b := f.global(pEws)
	c := &call{by: p.caller("Mac OS X/10.15.7 (19H2026) CalendarAgent/954"), proto: pEws, what: what, status: 200, took: f.about(40), budget: b, left: b.burst - f.rng.Int64N(90)}
	f.ask(f.any(), c)
}

func (f *farm) anyEas() {
	p := f.anyone()
	if p == nil {
		return
	}
	b := f.global(pEas)
	c := &call{by: p.caller("Apple-iPhone14C5/2102.93"), proto: pEas, what: "Sync", status: 200, took: f.about(90), budget: b, left: b.burst - f.rng.Int64N(200)}
	if f.rng.IntN(3) == 0 {
		c.what, c.took = "Ping", 1000*[...]int64{480, 600, 900}[f.rng.IntN(3)]+f.rng.Int64N(400)
		if f.rng.IntN(2) == 0 {
			c.took = f.rng.Int64N(c.took) // there was news
		}
		if p.far && f.story.Name == "idle-timeout" && c.took > deviceAge {
			c.took, c.cut = deviceAge+f.rng.Int64N(40), true
		}
	}
	f.ask(f.any(), c)
}

// typo is a wrong password.
func (f *farm) typo() {
	if c := f.someone(pOwa, "", "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/131.0.0.0", 9); c != nil {
		c.status, c.sub = 401, 1
	}
}

// monitors are what the servers ask themselves, and Outlook never sees.
func (f *farm) monitors() {
	for i, n := range f.nodes {
		if (f.now+int64(7*i))%240 != 0 {
			continue
		}
		at := strconv.Itoa(i)
		by := caller{user: `CONTOSO\HealthMailbox7c0de` + at, mail: "HealthMailbox7c0de" + at + "@contoso.example", box: guid(uint64(i) + 77), ip: "::1", home: n}
		f.monitorMapi(n, by)
		by.agent = "AMProbe/Local/ClientAccess"
		f.ask(n, &call{by: by, proto: pOwa, status: 200, took: f.about(20)})
		by.agent = "Ews_AM_Probe/Local (ExchangeServicesClient/15.02.1544.004)"
		f.ask(n, &call{by: by, proto: pEws, what: "GetFolder", status: 200, took: f.about(20)})
	}
}

// monitorMapi opens a session of a monitor at the node's own front end.
func (f *farm) monitorMapi(n *node, by caller) {
	by.agent = "MapiHttpClient"
	why := n.off[pMapi]
	if n.pool.waiting() >= n.pool.limit {
		why = "QueueFull"
	}
	switch {
	case why != "":
		f.callRefused(n, &call{by: by, proto: pMapi}, why)
	case n.pool.waiting() == 0 && n.pool.rate >= 1:
		f.answerAt(request{node: n, op: opMonitor, end: f.within(), asked: &call{by: by, proto: pMapi, status: 200, took: f.about(9)}})
	}
}

// answerCall is called when a call ends.
func (f *farm) answerCall(r *request) {
	switch r.op {
	case opProbe:
		f.probeRow(r)
	case opMonitor:
		f.monitorRows(r)
	default:
		f.callRows(r, r.asked)
	}
}

// monitorRows are of a session that is opened, used and closed at once.
func (f *farm) monitorRows(r *request) {
	by := r.asked.by
	p := &person{user: by.user, mail: by.mail, box: by.box, query: "MailboxId=" + by.box + "@contoso.example", ip: by.ip, agent: by.agent, home: by.home, starts: uint32(f.now), opened: 1}
	for _, o := range []op{opOpen, opExecute, opClose} {
		q := request{op: o, node: r.node, arrived: r.end - r.asked.took, started: r.end - r.asked.took, end: r.end, who: int32(f.now)}
		f.mapiRow(&q, p)
	}
}

// A budget is what a user may spend under a policy, as 2013 and later have it.
type budget struct {
	policy                  string
	connections             int64
	burst, cutoff, recharge int64 // milliseconds; recharge: an hour
	kind                    string
}

const globalPolicy = "GlobalThrottlingPolicy_5c9d3d31-7f05-4e14-b8f8-05780608b52f"

// global is the budget of everybody who has no other policy.
func (f *farm) global(proto protocol) *budget {
	if proto == pEas {
		return &budget{globalPolicy, 10, 480_000, 600_000, 1_800_000, "Eas"}
	}
	return &budget{globalPolicy, 27, 300_000, 3_000_000, 900_000, "Ews"}
}
