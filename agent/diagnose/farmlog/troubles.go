package farmlog

import (
	"math"
	"time"
)

// An account spends a budget.
type account struct {
	by     caller
	budget *budget
	left   float64 // milliseconds
	locked bool
	begun  int64 // the second of the lock-out
}

// spend recharges the budget by a second, and charges what was used.
func (f *farm) spend(a *account, used float64) {
	b := a.budget
	a.left = math.Min(float64(b.burst), a.left+float64(b.recharge)/3600)
	if !a.locked {
		a.left -= used
	}
	switch {
	case !a.locked && a.left < -float64(b.cutoff):
		a.locked, a.begun = true, f.now
	case a.locked && a.left >= 0:
		a.locked = false
		f.event("", a.by.user+" is locked out of "+b.kind, a.begun, f.now)
	}
}

// delayed is what throttling adds to a call, in milliseconds.
func (a *account) delayed() int64 {
	if a.left >= 0 {
		return 0
	}
	return min(int64(-a.left/600), 5000) + 20
}

// lockout: a service account reads mailboxes by EWS and a phone synchronises in a
// loop, until both are below what their policies let them owe.
func lockout(f *farm) {
	p, q := &f.people[1], &f.people[2]
	svc := &account{by: p.caller("CrmSync/4.2 (ExchangeServicesClient/15.00.0913.015)"), budget: f.global(pEws)}
	svc.by.user, svc.by.mail = `CONTOSO\svc-crm`, "svc-crm@contoso.example"
	phone := &account{by: q.caller("Apple-iPhone15C3/2201.71"), budget: f.global(pEas)}
	svc.left, phone.left = float64(svc.budget.burst), float64(phone.budget.burst)
	f.truth.Users, f.truth.Policy, f.truth.Agent = []string{svc.by.user, phone.by.user}, globalPolicy, svc.by.agent
	f.each = append(f.each, func() {
		f.crm(svc)
		f.phone(phone)
	})
}

// crm asks from 9:40 to 16:00; refused, it tries again every few seconds.
func (f *farm) crm(a *account) {
	busy := f.now >= int64(clock(9, 40)/time.Second) && f.now < int64(clock(16, 0)/time.Second)
	switch {
	case !busy:
		f.spend(a, 0)
	case a.locked:
		f.spend(a, 0)
		if f.now%6 == 0 {
			f.ask(f.any(), &call{by: a.by, proto: pEws, what: "FindItem", status: 500, took: f.about(8), fault: "ErrorServerBusy", budget: a.budget, left: int64(a.left)})
		}
	default:
		f.spend(a, 2050)
		for range f.draw(4 * math.Max(f.scale, 0.25)) {
			c := &call{by: a.by, proto: pEws, what: "FindItem", status: 200, budget: a.budget, left: int64(a.left), delay: a.delayed()}
			c.took = 500 + f.about(30) + c.delay
			f.ask(f.any(), c)
		}
	}
}

// phone synchronises without a pause from 13:00 to 13:40.
func (f *farm) phone(a *account) {
	busy := f.now >= int64(clock(13, 0)/time.Second) && f.now < int64(clock(13, 40)/time.Second)
	if !busy || a.locked {
		f.spend(a, 0)
		if busy && f.now%10 == 0 {
			f.ask(f.any(), &call{by: a.by, proto: pEas, what: "Sync", status: 503, took: f.about(5), fault: "OverBudget", budget: a.budget, left: int64(a.left)})
		}
		return
	}
	f.spend(a, 2000)
	c := &call{by: a.by, proto: pEas, what: "Sync", status: 200, budget: a.budget, left: int64(a.left), delay: a.delayed()}
	c.took = 400 + f.about(60) + c.delay
	f.ask(f.any(), c)
}

// deletedPolicy: what AD has of a deleted policy is its name with the GUID behind it.
func deletedPolicy(f *farm) {
	policy := `ServicePolicy2012\0ADEL:` + guid(4242)
	f.truth.Policy = policy
	ews, eas := *f.global(pEws), *f.global(pEas)
	ews.policy, eas.policy = policy, policy
	for i := range 3 {
		f.truth.Users = append(f.truth.Users, f.people[i].user)
	}
	f.each = append(f.each, func() {
		if f.now%97 != 0 || f.now/3600%24 < 6 {
			return
		}
		p := &f.people[f.rng.IntN(3)]
		f.ask(f.any(), &call{by: p.caller("ScanToMail/3.1"), proto: pEws, what: "CreateItem", status: 200, took: f.about(60), budget: &ews, left: ews.burst - f.rng.Int64N(500)})
		f.ask(f.any(), &call{by: p.caller("Apple-iPhone14C5/2102.93"), proto: pEas, what: "Sync", status: 200, took: f.about(90), budget: &eas, left: eas.burst - f.rng.Int64N(500)})
	})
}

// deviceAge is when the device cuts a connection, in milliseconds.
const deviceAge = 300_000

// idleTimeout: what people behind the device wait for never comes after 5 minutes.
func idleTimeout(f *farm) {
	f.truth.Network, f.truth.Age = "10.30.0.0/16", deviceAge*time.Millisecond
	f.each = append(f.each, func() {
		for i := range f.people {
			p := &f.people[i]
			if p.far && p.held && p.waits && p.waiting/1000+deviceAge/1000 == f.now {
				f.cutOld(int32(i))
			}
		}
	})
}

// cutOld cuts a session whose wait is as old as the device lets it be.
func (f *farm) cutOld(who int32) {
	p := &f.people[who]
	n := f.nodes[p.on]
	f.answerAt(request{arrived: p.waiting, started: p.waiting, end: p.waiting + deviceAge + f.rng.Int64N(1000-p.waiting%1000), who: who, node: n, op: opWait, cut: true})
	f.httpErrRow(n, p, pMapi, 0, "Connection_Dropped")
	f.detach(p)
	p.gen++
	f.actIn(1+f.rng.Int64N(3), who, opOpen)
}

// runaway: one user's add-in asks for more than all others of the node.
func runaway(f *farm) {
	p := &f.people[3]
	by := p.caller("Contoso.CrmAddin/1.9 (ExchangeServicesClient/15.00.0913.015)")
	f.truth.Users, f.truth.Agent = []string{p.user}, by.agent
	b := &budget{"CrmUnlimited", 100, 3_000_000, 30_000_000, 90_000_000, "Ews"}
	from, to := int64(clock(8, 20)/time.Second), int64(clock(16, 40)/time.Second)
	f.event("EX1", "an add-in asks without end", from, to)
	f.each = append(f.each, func() {
		if f.now < from || f.now >= to {
			return
		}
		for range f.draw(2 * f.load()) {
			f.ask(f.nodes[0], &call{by: by, proto: pEws, what: "FindItem", status: 200, took: f.about(45), budget: b, left: b.burst - 900})
		}
	})
}

// probeFlap: from 9 to 12 the health check fails for half a minute every few.
func probeFlap(f *farm) {
	for t := clock(9, 2); t < clock(12, 0); t += time.Duration(150+f.rng.IntN(120)) * time.Second {
		f.at(t, func() { f.nodes[1].ill = true })
		f.at(t+25*time.Second, func() { f.nodes[1].ill = false })
	}
	f.event("EX2", "the health check fails and comes back", int64(clock(9, 2)/time.Second), int64(clock(12, 0)/time.Second))
}

// poolDisabled: an administrator forgets a pool.
func poolDisabled(f *farm) {
	f.truth.Pool = pEws.pool()
	f.at(clock(10, 5), func() {
		f.nodes[1].off[pEws] = "Disabled"
		f.event("EX2", "a pool is disabled", f.now, f.now+25*60)
	})
	f.at(clock(10, 30), func() { f.nodes[1].off[pEws] = "" })
	f.each = append(f.each, func() { // a calendar server asks regularly, and of the node that it always asks
		if f.now%5 == 0 {
			b := f.global(pEws)
			f.ask(f.nodes[1], &call{by: f.people[4].caller("RoomDisplay/2.0"), proto: pEws, what: "GetUserAvailability", status: 200, took: f.about(30), budget: b, left: b.burst - 40})
		}
	})
}

// slowBackend: the disks of a node are slow from 10 to 11:30.
func slowBackend(f *farm) {
	f.truth.Slow = "EX2"
	f.event("EX2", "mailboxes are slow", int64(clock(10, 0)/time.Second), int64(clock(11, 30)/time.Second))
	f.at(clock(10, 0), func() { f.nodes[1].slow = 9000 })
	f.at(clock(11, 30), func() { f.nodes[1].slow = 0 })
}
