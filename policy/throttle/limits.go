package throttle

import (
	"math"
	"math/bits"
	"slices"
	"time"
)

// Limits are what one policy, with all that it inherits, allows a caller in one
// component: compiled, so that a decision looks nothing up. The zero Limits
// allow no request, in whatever component. They are never changed once made.
type Limits struct {
	Policy string // whose they are, for reasons and logs

	Max  [gauges]uint32 // by gauge; Unlimited. Of requests at once it counts in components too that have no such part
	Rate [rates]Rate    // by rate

	Cutoff         time.Duration // how far LocalTime may go below zero before the caller is locked out; negative: never
	CPUStart       float64       // share of all CPUs from which requests are delayed, 0 to 1; negative: never
	Minute         bool          // 2010: time is limited in parts of a minute; else by burst and recharge
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
//
// What is used of an unlimited Rate is counted too, for the list of top
// spenders, and fades: of what was used a part is forgotten in each instant, so
// that n requests without a pause come to n minutes, and of LocalTime to n times
// five. Cap, Refill and Per do not matter then.
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

// one is a single thing of those that a Rate counts.
const one = int64(time.Second)

// most is the largest count that is kept of anything.
const most = math.MaxInt64 / 4

// refills: anything is ever earned.
func (r *Rate) refills() bool { return r.Per > 0 && r.Refill > 0 }

// refilled is how much is earned in d, rounded down, of a rate with a limit.
func (r *Rate) refilled(d time.Duration) int64 {
	if !r.refills() {
		return 0
	}
	return mulDiv(r.Refill, int64(d), int64(r.Per))
}

// until is how long it takes to earn n of a rate with a limit, rounded up, so
// that after it n is there. It is most where that never happens.
func (r *Rate) until(n int64) time.Duration {
	switch {
	case n <= 0:
		return 0
	case r.refills():
		return time.Duration(min(most, mulDiv(n, int64(r.Per), r.Refill)+1))
	}
	return most
}

// mulDiv is a·b/c, rounded down and at most most. None of them is negative, and
// c is not zero.
func mulDiv(a, b, c int64) int64 {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	if hi >= uint64(c) {
		return most
	}
	q, _ := bits.Div64(hi, lo, uint64(c))
	return int64(min(q, most))
}

// gauge is the slot of p in Limits.Max and Budget.Held, or -1: callers of c have
// no such part.
func (c Component) gauge(p Part) int {
	if c >= components || p == NoPart {
		return -1
	}
	return slices.Index(gaugeParts[c][:], p)
}

// rate is the slot of p in Limits.Rate and Budget.Used, or -1: callers of c have
// no such part.
func (c Component) rate(p Part) int {
	if c >= components || p == NoPart {
		return -1
	}
	return slices.Index(rateParts[c][:], p)
}

// Slots that hold the same in every component that has it.
const (
	gaugeConcurrency = 0
	gaugeHanging     = 1
	gaugeOwn         = 2 // what only this component has
	gaugeFind        = 3

	rateAD    = 0
	rateCAS   = 1
	rateAB    = 2
	rateRPC   = 3
	rateLocal = 4
)

// gaugeParts are the parts in the slots of a gauge, by component.
var gaugeParts = [components][gauges]Part{
	Anonymous:           {Concurrency, Hanging},
	EWS:                 {Concurrency, Hanging, Subscriptions, FindCount},
	EAS:                 {Concurrency, Hanging, Devices},
	OWA:                 {Concurrency, Hanging},
	POP:                 {Concurrency, Hanging},
	IMAP:                {Concurrency, Hanging},
	RCA:                 {Concurrency, Hanging},
	CPA:                 {Concurrency, Hanging},
	PowerShell:          {Concurrency, Hanging, CmdletQueue},
	OutlookService:      {Concurrency, Hanging, Subscriptions},
	OWAVoice:            {Concurrency, Hanging},
	PSWS:                {Concurrency, Hanging},
	PushNotification:    {Concurrency, Hanging},
	EncryptionSender:    {Concurrency, Hanging},
	EncryptionRecipient: {Concurrency, Hanging},
	Discovery:           {Concurrency, Hanging},
	RCAShared:           {Concurrency, Hanging},
}

// rateParts are the parts in the slots of a rate. Parts of a minute belong to
// the components of 2010, LocalTime to those that 2013 and later give a burst.
var rateParts = [components][rates]Part{
	Anonymous:           {AD, CAS, AB, RPC, LocalTime, NoPart},
	EWS:                 {AD, CAS, AB, RPC, LocalTime, NoPart},
	EAS:                 {AD, CAS, AB, RPC, LocalTime, DeviceDeletes},
	OWA:                 {AD, CAS, AB, RPC, LocalTime, NoPart},
	POP:                 {AD, CAS, AB, RPC, LocalTime, NoPart},
	IMAP:                {AD, CAS, AB, RPC, LocalTime, NoPart},
	RCA:                 {AD, CAS, AB, RPC, LocalTime, NoPart},
	CPA:                 {AD, CAS, AB, RPC, LocalTime, NoPart},
	PowerShell:          {Cmdlets, Destructive, NoPart, NoPart, LocalTime, NoPart},
	OutlookService:      {rateLocal: LocalTime},
	OWAVoice:            {rateLocal: LocalTime},
	PushNotification:    {rateLocal: LocalTime, 5: Notifications},
	EncryptionSender:    {rateLocal: LocalTime},
	EncryptionRecipient: {rateLocal: LocalTime},
	RCAShared:           {rateLocal: LocalTime},
	Submission:          {Messages, Recipients, NoPart, NoPart, NoPart, NoPart},
}
