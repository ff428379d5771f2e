package throttle

import "time"

// Limits are what one policy, with all that it inherits, allows a caller in one
// component: compiled, so that a decision looks nothing up. The zero Limits
// allow nothing. They are never changed once made.
type Limits struct {
	Policy string // whose they are, for reasons and logs

	Max  [gauges]uint32 // by gauge; Unlimited
	Rate [rates]Rate    // by rate

	Cutoff         time.Duration // how far LocalTime may go below zero before the caller is locked out; negative: never
	CPUStart       float64       // share of all CPUs from which requests are delayed, 0 to 1; negative: never
	Reject         bool          // 2010 as first shipped: who is over a minute's time is refused; else he is delayed (SP1)
	MaxDelay       time.Duration // the longest Delay for LocalTime
	Multiplier     float64       // a delay for LocalTime is at most this times what the last request cost
	ServiceAccount bool          // slowed when the node is loaded, whatever CPUStart says
}

// Unlimited is the Max of a gauge without a limit.
const Unlimited = 1<<32 - 1

// A Rate is how much may be used over time: Cap at once, and Refill more in
// each Per, evenly. Time is counted in nanoseconds, and a count in units of
// 1e9, so that both refill without steps. The zero Rate allows nothing.
type Rate struct {
	Cap, Refill int64
	Per         time.Duration
	Unlimited   bool
}

// Slots of a budget: what each holds depends on the component, since no
// component has all parts. See Component.gauge and Component.rate.
const (
	gauges = 4
	rates  = 6
)
