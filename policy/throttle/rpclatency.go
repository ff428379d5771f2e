package throttle

import "time"

// A lastMinute counts what happened in the last 60 seconds, in three samples
// of 20 s as document 003 has them, beside the one that is filling. It is a
// value; the zero lastMinute has seen nothing.
type lastMinute struct {
	began time.Time // when the newest sample began
	n     [4]int64  // newest first
}

// sampleTime is a third of the minute.
const sampleTime = 20 * time.Second

// add counts n more.
func (m lastMinute) add(now time.Time, n int64) lastMinute {
	m = m.at(now)
	m.n[0] += n
	return m
}

// at brings m up to now. A clock that went back ends no sample. Where nothing
// is left to remember, m is as if it had never been used.
func (m lastMinute) at(now time.Time) lastMinute {
	k := max(0, now.Sub(m.began)/sampleTime)
	var n [4]int64
	if k < time.Duration(len(n)) {
		copy(n[k:], m.n[:])
	}
	if n == [4]int64{} {
		return lastMinute{began: now}
	}
	return lastMinute{m.began.Add(k * sampleTime), n}
}

// sum is how much there was in the 60 s up to now: of the oldest sample the
// share that they still reach.
func (m lastMinute) sum(now time.Time) float64 {
	m = m.at(now)
	gone := max(0, now.Sub(m.began).Seconds()/sampleTime.Seconds())
	return float64(m.n[0]+m.n[1]+m.n[2]) + float64(m.n[3])*(1-gone)
}

// rest says whether m remembers nothing at the instant now.
func (m lastMinute) rest(now time.Time) bool { return m.at(now).n == [4]int64{} }

// A Latency is the mean of how long RPC requests took in the last minute. It
// is a value; the zero Latency has seen none.
//
// Exchange's counter "RPC Averaged Latency" is the mean of the last 1024
// packets, which is a moment on a busy server and hours on an idle one. What
// clients are judged by is the last minute (document 003), so that is what is kept.
type Latency struct{ packets, took lastMinute }

// See returns l after one more packet, which took d: at least 0 and at most
// an hour, whatever is said.
func (l Latency) See(now time.Time, d time.Duration) Latency {
	d = max(0, min(d, time.Hour)) // sums must not overflow
	return Latency{l.packets.add(now, 1), l.took.add(now, int64(d))}
}

// Mean is the average at the instant now, and 0 where there were no packets:
// a server that does nothing holds nobody back.
func (l Latency) Mean(now time.Time) time.Duration {
	n := l.packets.sum(now)
	if n <= 0 {
		return 0
	}
	return time.Duration(l.took.sum(now) / n)
}
