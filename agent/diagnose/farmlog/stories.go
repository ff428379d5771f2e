package farmlog

import (
	"math"
	"time"
)

const day = 24 * time.Hour

// Stories lists all stories, the incident first and the one in which nothing is
// wrong last. What they cause is in words of findings; in all of them there are
// probes and monitors, idle connections, resets by clients, wrong passwords and
// a pool that is recycled at night when nobody is hurt.
func Stories() []Story {
	two := []string{"EX1", "EX2"}
	return []Story{
		{"incident", "A balancer gives 99 % of the sessions to one of two nodes, whose pool stops when it has about 4,000; all go over to the other, which drowns.",
			"skew", []string{"cascade", "queue-full", "reconnect-storm", "stall"}, two, 2 * day, 4200, shape{share: 0.975, play: incident}},
		{"recycle", "A pool is recycled twice in working hours; its clients come back at once and fill its queue.",
			"recycle", []string{"reconnect-storm", "queue-full", "stall"}, two, day, 3000, shape{fails: 1000, play: recycle}},
		{"slow-netlogon", "Logging on takes seconds, twice for some twenty minutes, and queues fill behind it.",
			"slow-authentication", []string{"queue-full", "reconnect-storm", "stall"}, two, day, 3000, shape{fails: 1000, calm: 8, modern: true, play: slowNetlogon}},
		{"lockout", "An account of a service and a phone use up their budgets and are locked out.",
			"locked-out", []string{"throttled", "monopoly", "unavailable"}, two, day, 600, shape{old: true, play: lockout}},
		{"deleted-policy", "Mailboxes refer to a throttling policy that is deleted.",
			"deleted-policy", nil, two, day, 600, shape{old: true, play: deletedPolicy}},
		{"idle-timeout", "A device cuts the connections of the clients behind it after 5 minutes.",
			"idle-timeout", nil, two, day, 600, shape{modern: true, play: idleTimeout}},
		{"runaway", "The add-in of one user asks all day long.",
			"monopoly", nil, two, day, 600, shape{play: runaway}},
		{"probe-flap", "The health check of a node fails and comes back all morning, though its pool is well.",
			"probe-flap", []string{"skew", "reconnect-storm", "cascade"}, append(two, "EX3"), day, 800, shape{play: probeFlap}},
		{"pool-disabled", "The pool of Exchange Web Services is disabled on one node for 25 minutes.",
			"pool-down", nil, two, day, 600, shape{modern: true, play: poolDisabled}},
		{"slow-backend", "The mailbox server of one node needs seconds for what took milliseconds.",
			"slow-backend", nil, two, day, 600, shape{play: slowBackend}},
		{"healthy", "Nothing is wrong.", "", nil, two, day, 600, shape{}},
	}
}

// clock is a time of the day, of the story's first day.
func clock(hour, minute int) time.Duration {
	return time.Duration(hour)*time.Hour + time.Duration(minute)*time.Minute
}

// night recycles a pool at 2:17, when few are connected and all find a place.
func (f *farm) night() {
	for d := time.Duration(0); d < f.story.Length; d += day {
		f.at(d+clock(2, 17), func() {
			f.event(f.nodes[0].name, "a pool is recycled and nobody is hurt", f.now, f.now)
			f.lose(f.nodes[0], died, 40)
		})
	}
}

// load is how many requests of MAPI as many sessions as in the busiest hour ask in a second.
func (f *farm) load() float64 { return f.peak() * f.asks() }

// incident: when the node with most sessions has about 4,000, its pool stops.
func incident(f *farm) {
	f.truth.Pool = pMapi.pool()
	next := int64(0) // the second from which on a pool may stop
	f.each = append(f.each, func() {
		for _, n := range f.nodes {
			if f.now >= next && n.up && float64(n.attached) >= 0.95*f.peak() {
				length := 240 + f.rng.Int64N(1500) // seconds that users are off
				next = f.now + length + 2400 + f.rng.Int64N(3600)
				f.drown(n, length)
			}
		}
	})
}

// drown stops a node's pool; the node that gets its sessions can take up few, and
// is itself again after so many seconds.
func (f *farm) drown(n *node, length int64) {
	f.event(n.name, "the pool stands still", f.now, f.now+length)
	other := f.nodes[(n.index+1)%len(f.nodes)]
	sessions := float64(n.attached)
	n.pool.rate = 0.1 * f.scale
	f.burst(n)
	other.pool.rate = 0.03*sessions + 2
	over := f.now + length
	f.each = append(f.each, func() {
		switch {
		case f.now == over:
			other.pool.rate = math.Inf(1)
		case f.now == over+120:
			n.pool.rate = math.Inf(1)
		case f.now < over && float64(other.attached) > 0.65*sessions:
			other.pool.rate = 0.4 * f.load()
		}
	})
}

// burst makes most sessions of a node ask something in the next seconds, as a
// mail to everybody does.
func (f *farm) burst(n *node) {
	for i := range f.people {
		if p := &f.people[i]; p.held && p.on == n.index && f.rng.IntN(3) > 0 {
			f.actIn(1+f.rng.Int64N(20), int32(i), opExecute)
		}
	}
}

// recycle: a worker ends in working hours, and the next begins cold.
func recycle(f *farm) {
	f.truth.Pool = pMapi.pool()
	for _, when := range []time.Duration{clock(10, 30), clock(14, 5)} {
		f.at(when, func() {
			n := f.nodes[1]
			f.event(n.name, "the pool is recycled", f.now, f.now)
			f.lose(n, died, 6)
			n.pool.rate = 0
		})
		f.at(when+8*time.Second, func() { f.nodes[1].pool.rate = 0.6 * f.load() })
		f.at(when+220*time.Second, func() { f.nodes[1].pool.rate = math.Inf(1) })
	}
}

// slowNetlogon: every leg takes seconds, and the threads that wait are missing.
func slowNetlogon(f *farm) {
	f.truth.Pool = pMapi.pool()
	for _, when := range []time.Duration{clock(8, 10), clock(13, 20)} {
		length := 22 * time.Minute
		f.at(when, func() {
			f.event("", "logging on is slow", f.now, f.now+int64(length/time.Second))
			for _, n := range f.nodes {
				n.auth = 4000
				n.pool.rate = 0.8 * float64(n.attached) * f.asks()
			}
		})
		f.at(when+length, func() {
			for _, n := range f.nodes {
				n.auth = 3
				n.pool.rate = math.Inf(1)
			}
		})
	}
}
