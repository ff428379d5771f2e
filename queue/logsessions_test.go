package queue

import (
	"math/rand/v2"
	"net/netip"
	"slices"
	"testing"
	"time"

	"evenkeel/queue/maillog"
)

// A session is one however many rows it has, for five minutes; of the logs the
// front end's tell who is here.
func TestSessions(t *testing.T) {
	tl := newLogTally()
	tl.since = eight
	add := func(kind maillog.Kind, at time.Duration, session, user, from string) {
		tl.add(eight.Add(at), client(kind, eight.Add(at), func(r *maillog.Record) {
			r.Session, r.User, r.Client = []byte(session), []byte(user), netip.AddrPortFrom(netip.MustParseAddr(from), 0)
		}))
	}
	look := func(at time.Duration) Sessions {
		s := tl.logs(eight.Add(at)).Sessions
		if s == nil {
			return Sessions{}
		}
		return *s
	}
	if got := look(0); got != (Sessions{}) {
		t.Errorf("before any row: %+v", got)
	}
	for _, c := range []struct {
		kind                maillog.Kind
		at                  time.Duration
		session, user, from string
		want                Sessions
	}{
		{maillog.MapiHTTP, time.Second, "cookie1", "anna", "192.0.2.1", Sessions{"mapihttp", 1, false, time.Second}},
		{maillog.MapiHTTP, time.Second, "cookie2", "anna", "192.0.2.1", Sessions{"mapihttp", 2, false, time.Second}},
		{maillog.IIS, time.Minute, "anna@contoso", "anna", "192.0.2.1", Sessions{"iis", 1, false, time.Minute}},
		{maillog.IIS, time.Minute, "anna@contoso", "emil", "192.0.2.1", Sessions{"iis", 2, false, time.Minute}},
		{maillog.IIS, time.Minute, "anna@contoso", "emil", "192.0.2.2", Sessions{"iis", 3, false, time.Minute}},
		{maillog.HTTPProxy, 2 * time.Minute, "{A}:1", "anna", "192.0.2.1", Sessions{"httpproxy", 1, false, 2 * time.Minute}},
		{maillog.HTTPProxy, 3 * time.Minute, "{A}:1", "anna", "192.0.2.9", Sessions{"httpproxy", 1, false, 3 * time.Minute}},
		{maillog.HTTPProxy, 4 * time.Minute, "{B}:1", "anna", "192.0.2.1", Sessions{"httpproxy", 2, false, 4 * time.Minute}},
		{maillog.HTTPProxy, 9 * time.Minute, "{B}:1", "anna", "192.0.2.1", Sessions{"httpproxy", 1, false, 5 * time.Minute}},
	} {
		if add(c.kind, c.at, c.session, c.user, c.from); look(c.at) != c.want {
			t.Errorf("%+v: got %+v", c, look(c.at))
		}
	}
	if got := look(15 * time.Minute); got != (Sessions{"httpproxy", 0, false, 5 * time.Minute}) {
		t.Errorf("all gone: %+v", got)
	}
}

// Few are exact; many are right within some percent, in bounded room; when they
// are few again, it is exact again, and at no time between far from right.
func TestDistinctIsRight(t *testing.T) {
	const most = 4096
	d := newDistinct(most)
	hash := rand.New(rand.NewPCG(1, 2))
	keys := make([]uint64, 100_000)
	for i := range keys {
		keys[i] = hash.Uint64()
	}
	phases := slices.Concat([]int{100, 4000, 4000, 50_000, 100_000, 100_000}, slices.Repeat([]int{20_000}, 16), slices.Repeat([]int{300}, 42))
	for minute, n := range phases {
		now := eight.Add(6 * time.Minute * time.Duration(minute)) // those of before are forgotten
		for i := range n {
			d.see(keys[i], now)
			d.see(keys[i], now)
		}
		got, estimated := d.count(now)
		if estimated && (got < n*90/100 || got > n*110/100) && n > 2000 || !estimated && got != n {
			t.Errorf("%d: got %d, estimated %v", n, got, estimated)
		}
		if len(d.last) > most || n > most && !estimated {
			t.Errorf("%d: keeps %d, estimated %v", n, len(d.last), estimated)
		}
	}
	if got, estimated := d.count(eight.Add(64 * 6 * time.Minute)); estimated {
		t.Errorf("300 again: got %d, estimated", got)
	}
}

// When many have gone, those who are left are told right at all times, though
// each is seen every four minutes only: the finer sample is used once it is whole.
func TestDistinctWhileItGetsFiner(t *testing.T) {
	d := newDistinct(4096)
	hash := rand.New(rand.NewPCG(3, 4))
	for range 40_000 {
		d.see(hash.Uint64(), eight)
	}
	keys := make([]uint64, 2000)
	for i := range keys {
		keys[i] = hash.Uint64()
	}
	for second := range 3600 {
		now := eight.Add(time.Duration(second) * time.Second)
		for i := second % 240; i < len(keys); i += 240 {
			d.see(keys[i], now)
		}
		if got, estimated := d.count(now); second > 300 && (got < 1500 || got > 2500 || second == 3599 && estimated) {
			t.Fatalf("%d s: got %d of 2000, estimated %v", second, got, estimated)
		}
	}
}
