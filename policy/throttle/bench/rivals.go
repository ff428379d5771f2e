package main

import (
	"context"
	"hash/maphash"
	"io"
	"runtime"
	"strings"
	"sync"
	"time"

	"evenkeel/policy/throttle"

	"github.com/gubernator-io/gubernator/v2"
	"github.com/sethvargo/go-limiter/memorystore"
	"github.com/sirupsen/logrus"
	"golang.org/x/time/rate"
)

// What all are told: 300 s at once and 900 s an hour, or as many requests.
const (
	burst    = 300
	recharge = 900
)

// rivals are all who take part, ours first, each with every caller seen once.
func rivals(keys int) (out []rival, err error) {
	for _, make := range []func(int) (rival, error){ours, oneMap, sharded, goLimiter, gubernatorPool} {
		before := heap()
		r, err := make(keys)
		if err != nil {
			return nil, err
		}
		now := time.Now()
		name := newCaller()
		for i := range keys {
			r.decide(now, strings.Clone(name.number(uint64(i)))) // some keep it
		}
		r.bytes = float64(heap()-before) / float64(keys)
		out = append(out, r)
	}
	return out, nil
}

func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// ours begins a request and ends it, which is two steps where others have one.
func ours(keys int) (rival, error) {
	policy := &throttle.Limits{Cutoff: 3000 * time.Second, CPUStart: 0.75, MaxDelay: time.Minute, Multiplier: 5}
	for i := range policy.Max {
		policy.Max[i] = throttle.Unlimited
	}
	for i := range policy.Rate {
		policy.Rate[i] = throttle.Rate{Cap: burst * 1e9, Refill: recharge * 1e9, Per: time.Hour}
	}
	policy.Max[0] = 27
	l := throttle.NewLedger(throttle.Options{Budgets: keys, Seed: maphash.MakeSeed()}, func(time.Time, throttle.Caller) *throttle.Limits { return policy })
	return rival{name: "evenkeel, Check and Done", decide: func(now time.Time, name string) bool {
		t, v := l.Check(now, throttle.Caller{Name: name, Component: throttle.EWS}, throttle.Ask{CPU: 0.1})
		return l.Done(now, t, throttle.Cost{}) && v.Action != throttle.Deny
	}}, nil
}

// limiters are x/time/rate's in a map under a lock, as most programs have them.
type limiters struct {
	mu sync.Mutex
	m  map[string]*rate.Limiter
	_  [48]byte
}

func (l *limiters) allow(now time.Time, name string) bool {
	l.mu.Lock()
	x := l.m[name]
	if x == nil {
		x = rate.NewLimiter(recharge/3600.0, burst)
		l.m[name] = x
	}
	l.mu.Unlock()
	return x.AllowN(now, 1)
}

func oneMap(int) (rival, error) {
	l := &limiters{m: map[string]*rate.Limiter{}}
	return rival{name: "x/time/rate in a map with a lock", decide: l.allow}, nil
}

func sharded(int) (rival, error) {
	const n = 64
	all := make([]limiters, n)
	for i := range all {
		all[i].m = map[string]*rate.Limiter{}
	}
	seed := maphash.MakeSeed()
	return rival{name: "x/time/rate in 64 maps with locks", decide: func(now time.Time, name string) bool {
		return all[maphash.String(seed, name)%n].allow(now, name)
	}}, nil
}

func goLimiter(int) (rival, error) {
	store, err := memorystore.New(&memorystore.Config{Tokens: burst, Interval: time.Hour, SweepInterval: 24 * time.Hour, SweepMinTTL: 24 * time.Hour})
	ctx := context.Background()
	return rival{name: "go-limiter, memorystore", decide: func(_ time.Time, name string) bool {
		_, _, _, ok, err := store.Take(ctx, name)
		return ok && err == nil
	}}, err
}

// gubernatorPool is gubernator without its daemon: what it does for a request that
// it has not to send to another node.
func gubernatorPool(keys int) (rival, error) {
	quiet := logrus.New()
	quiet.SetOutput(io.Discard)
	conf := gubernator.Config{CacheSize: 2 * keys, Logger: quiet}
	if err := conf.SetDefaults(); err != nil {
		return rival{}, err
	}
	pool := gubernator.NewWorkerPool(&conf)
	ctx := context.Background()
	return rival{name: "gubernator, its WorkerPool", decide: func(now time.Time, name string) bool {
		at := now.UnixMilli()
		resp, err := pool.GetRateLimit(ctx, &gubernator.RateLimitReq{
			Name: "EWS", UniqueKey: name, Hits: 1, Limit: burst, Duration: 3600_000,
			Algorithm: gubernator.Algorithm_LEAKY_BUCKET, CreatedAt: &at,
		}, gubernator.RateLimitReqState{IsOwner: true})
		return err == nil && resp.Status == gubernator.Status_UNDER_LIMIT
	}}, nil
}
