package sim

import "time"

// A server is a Node while the play goes on.
type server struct {
	Node
	gone  bool // nothing answers: crashed, unplugged, restarting
	mute  bool // and nobody says no
	drain bool // the operator asked for no new work

	sessions int
	queue    float64 // requests that wait
	arrived  uint64  // connections that came so far
	refused  float64 // requests turned away so far
	cut      int     // sessions that were ended from outside so far

	born    instant // when the service last started
	open    instant // since when it takes new work: its start, or the end of a drain
	died    instant // when it last went away
	stalled instant // until when
	rest    instant // before which no stall comes by itself
	rate    float64 // share of Service that is left while stalled
}

func (n *server) connections() int { return perSession * n.sessions }

// full says that a request more is answered with 503.
func (n *server) full() bool { return n.queue >= float64(n.Queue) }

// fill is connections/limit.
func (n *server) fill() float64 { return float64(n.connections()) / float64(n.Limit) }

// admit lets a client in, or not: its authentication waits like every request.
func (n *server) admit(legs int) bool {
	if n.queue+float64(legs) > float64(n.Queue) {
		n.refused += float64(legs)
		return false
	}
	n.queue += float64(legs)
	n.sessions++
	n.arrived += perSession
	return true
}

// flow lets one tick of requests through. A session that waits asks for no
// more, so at most one request of each is in the queue.
func (n *server) flow(now instant, rate float64) {
	if n.gone {
		return
	}
	n.pause(now)
	dt := tick.Seconds()
	n.queue += rate * dt * max(0, float64(n.sessions)-n.queue)
	n.queue = max(0, n.queue-n.speed(now)*dt)
	if over := n.queue - float64(n.Queue); over > 0 {
		n.refused += over
		n.queue = float64(n.Queue)
	}
}

// pause starts the stall that comes of too many connections.
func (n *server) pause(now instant) {
	if n.Stall.At > 0 && n.connections() >= n.Stall.At && now >= n.rest {
		n.rest = now + at(n.Stall.Every)
		n.hold(now + at(n.Stall.For))
	}
}

// hold lets the service stall until then, or longer if it does so already.
func (n *server) hold(until instant) {
	n.stalled, n.rate = max(n.stalled, until), n.Stall.Rate
}

// speed is the requests a second that are served now.
func (n *server) speed(now instant) float64 {
	s := n.Service
	if now < n.stalled {
		s *= n.rate
	}
	if warm := at(n.Warm); now-n.born < warm {
		s *= (1 + 2*float64(now-n.born)/float64(warm)) / 3
	}
	return s
}

// wait is how long a request that comes now will wait.
func (n *server) wait(now instant) time.Duration {
	s := n.speed(now)
	if s*60 <= n.queue {
		return time.Minute // or more: nobody waits so long for a probe
	}
	return time.Duration(n.queue / s * float64(time.Second))
}

// An instant counts ticks from the start.
type instant int32

// tick is the grain of time. What happens within one happens in a fixed order.
const tick = 100 * time.Millisecond

// at is the instant that is d after the start, or the ticks that d lasts.
func at(d time.Duration) instant { return instant((d + tick/2) / tick) }

// since is the time from the start to i.
func (i instant) since() time.Duration { return time.Duration(i) * tick }
