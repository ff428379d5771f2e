package sim

import (
	"math"
	"time"
)

// Chance is a hash: of the seed, of who draws, how often he has, and what for.
// So a client's third session is as long under every rule, and rules are
// compared on the same arrivals.

// What is drawn.
const (
	ofCome = iota
	ofLeave
	ofSession
	ofPause
	ofAgain
	ofKind
	ofResolver
	ofAgent
	ofAnswer
	ofGossip
	ofDetect
	ofProbe
	ofSkew
)

// golden is 2^64 divided by the golden ratio; steps of it leave the smallest gaps.
const golden = 0x9e3779b97f4a7c15

// mix is the finisher of SplitMix64.
func mix(x uint64) uint64 {
	x += golden
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// draw is a number that all of its arguments decide.
func draw(seed, what, who, count uint64) uint64 {
	return mix(mix(seed^what<<56^who) ^ count)
}

// unit turns r into a number of [0, 1).
func unit(r uint64) float64 { return float64(r>>11) / (1 << 53) }

// lasting turns r into a time without memory, of the given mean, and cut at
// ten times of it.
func lasting(mean time.Duration, r uint64) time.Duration {
	return time.Duration(min(10, -math.Log(1-unit(r))) * float64(mean))
}

// humped turns r into a number of [0, 1) around the middle: the mean of two.
func humped(r uint64) float64 { return (unit(r) + unit(mix(r))) / 2 }
