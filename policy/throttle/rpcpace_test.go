package throttle

import (
	"fmt"
	"testing"
	"time"
)

// outlooks are clients that are told in each of the two ways.
func outlooks() map[string]ClientVersion {
	return map[string]ClientVersion{"Outlook 2007": outlook2007, "Outlook 2003": outlook2003}
}

// busySession has sent 50 ROPs a second for the minute that ends at rpc0.
func busySession() Session { return Session{rops: lastMinute{}.add(rpc0, 3000)} }

// Document 003: at 100 ms a client gets 10 ROPs a second served, of either
// generation, though it sends 50 and heeds nothing. An old one may be a second ahead,
// and nothing is held for over a minute.
func TestBackoffPaceOfFloods(t *testing.T) {
	const length = time.Minute
	for name, v := range outlooks() {
		for _, latency := range []time.Duration{100 * time.Millisecond, 500 * time.Millisecond, 2 * time.Second} {
			_, n, served := sendROPs(DefaultBackoff(), busySession(), rpc0, length, time.Second/50, latency, v)
			low, high := int(length/latency), int((length+oldRetry)/latency)+1
			if served < low || served > high || n.Backoffs()+n.Delays+uint64(served) < n.ROPs {
				t.Errorf("%s, 50 ROPs a second at %s for %s: %d served, want %d to %d; %+v", name, latency, length, served, low, high, n)
			}
		}
	}
}

// A mailClient has calls in flight, and sends the next one of each when it
// has an answer to the last and has waited as it was told.
type mailClient struct {
	v    ClientVersion
	rops int         // of a call
	next []time.Time // when each call is made, or made again

	served, errors int   // calls
	inARow, most   []int // errors of each call since it was last served; the most
}

// live makes calls for so long, each served one taking a millisecond.
func (c *mailClient) live(b Backoff, s Session, length, latency time.Duration) {
	c.inARow, c.most = make([]int, len(c.next)), make([]int, len(c.next))
	for {
		i := c.first()
		at := c.next[i]
		if at.Sub(rpc0) >= length {
			return
		}
		var a Answer
		s, a = b.Judge(s, at, c.rops, latency, c.v)
		c.take(i, at, a)
	}
}

func (c *mailClient) first() (first int) {
	for i, at := range c.next {
		if at.Before(c.next[first]) {
			first = i
		}
	}
	return first
}

func (c *mailClient) take(i int, at time.Time, a Answer) {
	c.next[i] = at.Add(a.Wait)
	if a.Action != Deny {
		c.served++
		c.next[i] = c.next[i].Add(time.Millisecond)
		c.inARow[i] = 0
		return
	}
	c.errors++
	c.inARow[i]++
	c.most[i] = max(c.most[i], c.inARow[i])
}

// Whoever waits as he is told is served at the same pace, of either generation and
// with any number of calls in flight. An old client gets one error a second at most, and
// no call of it gets two in a row: so none gives up, as it would after a
// minute of nothing else (document 003).
func TestBackoffPaceOfClients(t *testing.T) {
	const length = 2 * time.Minute
	for name, v := range outlooks() {
		for _, latency := range []time.Duration{100 * time.Millisecond, 500 * time.Millisecond, 2 * time.Second, 10 * time.Second} {
			for _, calls := range []int{1, 2, 5, 25} {
				c := mailClient{v: v, rops: 1, next: make([]time.Time, calls)}
				for i := range c.next {
					c.next[i] = rpc0
				}
				c.live(DefaultBackoff(), busySession(), length, latency)
				if complaint := c.lives(length, min(latency, 2*time.Second)); complaint != "" {
					t.Errorf("%s with %d calls in flight at %s: %s", name, calls, latency, complaint)
				}
			}
		}
	}
}

// lives says what is wrong with how the client was served.
func (c *mailClient) lives(length, period time.Duration) string {
	low, high := int(length/(period+2*time.Millisecond)), int((length+oldRetry)/period)+1+len(c.next)
	switch {
	case c.served < low || c.served > high:
		return fmt.Sprintf("%d served in %s, want %d to %d", c.served, length, low, high)
	case c.v.TakesRopBackoff():
		return ""
	case c.errors == 0 || c.errors > int(length/oldRetry):
		return fmt.Sprintf("%d errors in %s, want some, one a second at most", c.errors, length)
	}
	for i, n := range c.most {
		if n > 1 {
			return fmt.Sprintf("call %d got %d errors in a row", i, n)
		}
	}
	return ""
}

// A request is run whole or not at all: whatever the number of its ROPs, who waits
// as he is told has as many ROPs served as one who sends them one by one, and an old
// client that asks for as much as a minute at once is not told errors until it gives up.
func TestBackoffPaceOfManyInOne(t *testing.T) {
	const length = 10 * time.Minute
	for name, v := range outlooks() {
		for _, latency := range []time.Duration{150 * time.Millisecond, 500 * time.Millisecond, 2 * time.Second} {
			for _, rops := range []int{1, 2, 7, 30} {
				c := mailClient{v: v, rops: rops, next: []time.Time{rpc0}}
				c.live(DefaultBackoff(), busySession(), length, latency)
				want := int(length / latency)
				if served := c.served * rops; served < want*95/100 || served > want+2*rops+int(oldRetry/latency) { // one under way at the end, and one that is held
					t.Errorf("%s, %d ROPs a request at %s: %d served, want %d", name, rops, latency, served, want)
				}
				if !v.TakesRopBackoff() && c.most[0] > 1 {
					t.Errorf("%s, %d ROPs a request at %s: %d errors in a row", name, rops, latency, c.most[0])
				}
			}
		}
	}
}

// Nobody who says a number beyond all reason upsets the arithmetic.
func TestBackoffOfAnyNumber(t *testing.T) {
	b := Backoff{Factor: MaxFactor, Cap: maxCap}
	for _, n := range []int{-1 << 62, -1, 0, 1, mostROPs, 1<<63 - 1} {
		for _, v := range outlooks() {
			s, a := b.Judge(busySession(), rpc0, n, time.Hour, v)
			want := time.Duration(max(1, min(n, mostROPs))) * time.Hour
			if a.Action != Allow || s.Left(rpc0) != want {
				t.Errorf("%d ROPs: %+v, held back for %s, want %s", n, a, s.Left(rpc0), want)
			}
			if _, a := b.Judge(s, rpc0, n, time.Hour, outlook2007); a != answer(Deny, want) {
				t.Errorf("%d ROPs, and again: %+v, want a denial for %s", n, a, want)
			}
		}
	}
}
