package queue

import (
	"fmt"
	"net/netip"
	"reflect"
	"strings"
	"testing"
	"time"

	"evenkeel/queue/maillog"
)

var eight = time.Date(2025, 3, 14, 8, 0, 0, 0, time.UTC)

// client is a row of a request that is well.
func client(kind maillog.Kind, at time.Time, change func(*maillog.Record)) *maillog.Record {
	r := &maillog.Record{
		Kind: kind, Protocol: maillog.MAPI, At: at, Status: 200, Delay: -1, User: []byte(`CONTOSO\anna`),
		Client: netip.MustParseAddrPort("192.0.2.31:0"), Behind: kind == maillog.MapiHTTP,
	}
	if change != nil {
		change(r)
	}
	return r
}

func tallied(rows ...*maillog.Record) *Logs {
	t, now := newLogTally(), eight.Add(5*time.Minute)
	t.since = eight
	for _, r := range rows {
		t.add(now, r)
	}
	return t.logs(now)
}

// Waits are told from work, monitors are no clients, and a row of a log that is
// not understood is no request.
func TestRequestsByType(t *testing.T) {
	of := func(typ string, waits bool) func(*maillog.Record) {
		return func(r *maillog.Record) { r.Type, r.Waits = []byte(typ), waits }
	}
	got := tallied(
		client(maillog.HTTPProxy, eight, of("Execute", false)), client(maillog.HTTPProxy, eight, of("Execute", false)),
		client(maillog.HTTPProxy, eight, of("NotificationWait", true)),
		client(maillog.IIS, eight, nil), client(maillog.IIS, eight, func(r *maillog.Record) { r.Waits = true }),
		client(maillog.HTTPProxy, eight, func(r *maillog.Record) { r.Probe = true }),
		client(maillog.Other, eight, nil),
	)
	want := []Requests{{"httpproxy", "Mapi", "Execute", false, 2}, {"httpproxy", "Mapi", "NotificationWait", true, 1}, {"iis", "Mapi", "", false, 1}, {"iis", "Mapi", "", true, 1}}
	if !reflect.DeepEqual(got.Requests, want) || got.Probes != 1 {
		t.Errorf("got  %+v, %d probes\nwant %+v", got.Requests, got.Probes, want)
	}
}

// What clients may name as they like takes bounded room, and one that was
// refused has named nothing.
func TestNamesAreBounded(t *testing.T) {
	tl := newLogTally()
	tl.add(eight, client(maillog.EWS, eight, func(r *maillog.Record) { r.Type, r.Status = []byte("Nonsense"), 500 }))
	for i := range 1000 {
		name := []byte(fmt.Sprint("Name", i))
		tl.add(eight, client(maillog.EWS, eight, func(r *maillog.Record) { r.Type, r.FrontEnd, r.BackEnd = name, name, name }))
		tl.add(eight, &maillog.Record{Kind: maillog.HTTPErr, Status: 503, Reason: name, Pool: name})
	}
	tl.add(eight, client(maillog.EWS, eight, func(r *maillog.Record) { r.FrontEnd = []byte(strings.Repeat("x", 5000)) }))
	got := tl.logs(eight)
	sum := uint64(0)
	for _, r := range got.Requests {
		if sum += r.N; r.Type == "Nonsense" {
			t.Error("a type of a request that failed")
		}
	}
	if len(got.Requests) > mostNames+1 || sum != 1002 {
		t.Errorf("%d types, %d requests", len(got.Requests), sum)
	}
	for what, passed := range map[string][]Passed{"front ends": got.FrontEnds, "back ends": got.BackEnds} {
		sum := uint64(0)
		for _, p := range passed {
			sum += p.N
		}
		if len(passed) != mostNames+1 || sum < 1000 {
			t.Errorf("%s: %d of %d requests", what, len(passed), sum)
		}
	}
	if len(got.Pools) != mostNames+1 || !reflect.DeepEqual(got.Pools[0].Refused, []Refused{{"other", 1}}) {
		t.Errorf("%d pools, the first %+v", len(got.Pools), got.Pools[0])
	}
}

// A row of 401 is no request, and a leg once its client comes through.
func TestLegs(t *testing.T) {
	leg := func(from string, at time.Duration, status int) *maillog.Record {
		return client(maillog.IIS, eight.Add(at), func(r *maillog.Record) {
			r.Status, r.Client = status, netip.AddrPortFrom(netip.MustParseAddr(from), 0)
			if status == 401 {
				r.User = nil
			}
		})
	}
	got := tallied(
		leg("192.0.2.1", 0, 401), leg("192.0.2.1", 0, 401), leg("192.0.2.1", time.Second, 200), // NTLM
		leg("192.0.2.1", 2*time.Second, 200),                           // and goes on
		leg("192.0.2.2", 0, 401), leg("192.0.2.2", 2*time.Minute, 200), // never answered, and came later
		leg("192.0.2.3", 0, 401), leg("192.0.2.4", 3*time.Minute, 200), // never came
	)
	if want := []Legs{{"iis", 2, 2}}; !reflect.DeepEqual(got.Legs, want) {
		t.Errorf("got %+v, want %+v", got.Legs, want)
	}
	if want := []Requests{{"iis", "Mapi", "", false, 4}}; !reflect.DeepEqual(got.Requests, want) {
		t.Errorf("got %+v, want %+v", got.Requests, want)
	}
}

// Throttling is about users: they are counted and named, the latest first, and
// no queue of the node has refused anybody.
func TestThrottledUsers(t *testing.T) {
	tl := newLogTally()
	for i := range 20 {
		tl.add(eight, client(maillog.EWS, eight, func(r *maillog.Record) {
			r.Protocol, r.Status, r.Reason, r.User = maillog.EWSProtocol, 500, []byte("ErrorServerBusy"), fmt.Append(nil, "user", i%10)
		}))
	}
	tl.add(eight, client(maillog.EWS, eight, func(r *maillog.Record) { r.Delay = 3 * time.Second }))
	tl.add(eight, client(maillog.EWS, eight, func(r *maillog.Record) { r.Delay = 0 }))
	tl.add(eight, client(maillog.IIS, eight, func(r *maillog.Record) {
		r.Protocol, r.Status, r.Budget, r.User = maillog.EAS, 503, []byte("Budget:(A)"), []byte("emil")
	}))
	tl.add(eight, client(maillog.IIS, eight.Add(-overFor-1), func(r *maillog.Record) { r.Reason, r.User = []byte("OverBudget"), []byte("old") }))
	got := tl.logs(eight)
	if want := []Throttled{{"iis", 0, 0, 2}, {"ews", 1, 3 * time.Second, 20}}; !reflect.DeepEqual(got.Throttled, want) {
		t.Errorf("got %+v, want %+v", got.Throttled, want)
	}
	if want := []string{"emil", "user9", "user8", "user7", "user6", "user5", "user4", "user3"}; !reflect.DeepEqual(users(got), want) {
		t.Errorf("got %q, want %q", users(got), want)
	}
	if q := tl.queues(eight); len(q) > 0 {
		t.Errorf("queues refuse: %+v", q)
	}
	if got := tl.logs(eight.Add(overFor + 1)); len(got.Over) > 0 {
		t.Errorf("a quarter of an hour later: %v", got.Over)
	}
}

func users(l *Logs) (out []string) {
	for _, u := range l.Over {
		out = append(out, u.User)
	}
	return out
}

// Many users at one address are behind a balancer, unless it says whom it asks
// for; at once where it also probes.
func TestBalancersAddress(t *testing.T) {
	balancer, desk := netip.MustParseAddrPort("198.51.100.9:0"), netip.MustParseAddrPort("192.0.2.1:0")
	for _, c := range []struct {
		promise string
		users   int
		from    netip.AddrPort
		probes  bool
		forward string
		minutes int
		want    bool
	}{
		{"a probe and users of one address", 6, balancer, true, "", 0, true},
		{"a probe and an administrator", 1, balancer, true, "", 15, false},
		{"forty users of one address, not yet", 40, balancer, false, "", 0, false},
		{"forty users of one address, after a while", 40, balancer, false, "", 15, true},
		{"a household", 4, desk, false, "", 15, false},
		{"it says whom it asks for", 40, balancer, true, "192.0.2.77", 15, false},
	} {
		tl := newLogTally()
		for m := range c.minutes + 1 {
			now := eight.Add(time.Duration(m) * time.Minute)
			if c.probes {
				tl.add(now, client(maillog.IIS, now, func(r *maillog.Record) { r.Probe, r.User, r.Client = true, nil, c.from }))
			}
			for u := range c.users {
				tl.add(now, client(maillog.IIS, now, func(r *maillog.Record) {
					r.User, r.Client, r.Forwarded = fmt.Append(nil, u), c.from, []byte(c.forward)
				}))
			}
		}
		if got := tl.peers.found; got.IsValid() != c.want {
			t.Errorf("%s: found %v", c.promise, got)
		}
	}
}
