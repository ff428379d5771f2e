package throttle

import (
	"iter"
	"strings"
)

// A Generation is how a version of Exchange throttles.
type Generation uint8

const (
	Exchange2013    Generation = iota // 2013 and later: time by burst, recharge and cutoff; values are inherited one by one
	Exchange2010                      // 2010 SP1 and later: shares of each minute; who is over is delayed
	Exchange2010RTM                   // 2010 as first shipped: who is over is refused

	generations // how many there are
)

// generationNames are the words of the enumeration.
var generationNames = [generations]string{Exchange2013: "2013", Exchange2010: "2010", Exchange2010RTM: "2010-rtm"}

// String is the word of policy files: "2013", "2010" or "2010-rtm".
func (g Generation) String() string {
	if g < generations {
		return generationNames[g]
	}
	return "unknown"
}

// Generations are all of them.
func Generations() []Generation { return []Generation{Exchange2013, Exchange2010, Exchange2010RTM} }

// leaky says that the policies of g measure shares of a minute.
func (g Generation) leaky() bool { return g != Exchange2013 }

// A Unit is what the number of a [Parameter] counts.
type Unit uint8

const (
	Count         Unit = iota // things at once
	PercentMinute             // percent of each minute: 1 is 600 ms (Exchange 2013 help, message throttling)
	Millis                    // milliseconds
	MillisPerHour             // milliseconds an hour
	Seconds                   // whole ones, and so are
	Minutes                   // these
	Days                      // and these
	PercentCPU                // percent of all CPUs, 0 to 100
	PerMinute                 // things a minute
	PerDay                    // things in 24 hours
	PerMonth                  // things in 30 days
	PerPeriod                 // things in the period that another parameter gives
	Switch                    // 0 is false, 1 is true

	units // how many there are
)

// unitNames are the words of the enumeration.
var unitNames = [units]string{
	Count: "", PercentMinute: "% of a minute", Millis: "ms", MillisPerHour: "ms/hour", Seconds: "s", Minutes: "min", Days: "days",
	PercentCPU: "% of all CPUs", PerMinute: "a minute", PerDay: "in 24 hours", PerMonth: "a month", PerPeriod: "a period", Switch: "",
}

// String is the unit as it stands behind a number; empty where the number alone
// says it.
func (u Unit) String() string {
	if u < units {
		return unitNames[u]
	}
	return "unknown"
}

// A Parameter is one setting of a throttling policy (Set-ThrottlingPolicy).
type Parameter uint8

// Parameters are all of them, those of a component together.
func Parameters() iter.Seq[Parameter] {
	return func(yield func(Parameter) bool) {
		for i := range parameters {
			if !yield(Parameter(i)) {
				return
			}
		}
	}
}

// ParseParameter finds a parameter by its name, in any letter case: 2010 writes
// EWSMaxConcurrency where later versions write EwsMaxConcurrency.
func ParseParameter(name string) (Parameter, bool) {
	for i := range parameters {
		if strings.EqualFold(parameters[i].name, name) {
			return Parameter(i), true
		}
	}
	return 0, false
}

// String is the parameter's name, as 2013 and later spell it.
func (p Parameter) String() string { return parameters[p].name }

// Component is what the parameter limits callers of; false where it is of none
// alone (CpuStartPercent, IsServiceAccount).
func (p Parameter) Component() (Component, bool) {
	c := parameters[p].component
	return c, c < components
}

// Part is what the parameter limits, or is one of several numbers of; [NoPart]
// where nothing is decided by it.
func (p Parameter) Part() Part { return parameters[p].part }

// Unit is what its number counts.
func (p Parameter) Unit() Unit { return parameters[p].unit }

// Most is the greatest number that it takes; the least is 0.
func (p Parameter) Most() int64 {
	switch parameters[p].unit {
	case PercentCPU:
		return 100
	case Switch:
		return 1
	case Millis, MillisPerHour:
		return Unlimited - 1 // Unlimited<UInt32>
	}
	if parameters[p].component == RCA && parameters[p].part == Concurrency {
		return 1<<32 - 1 // Set-ThrottlingPolicy of RcaMaxConcurrency alone: "0 through 4294967295"; the greatest is taken as one less
	}
	return 1<<31 - 1 // Set-ThrottlingPolicy: "0 through 2147483647"
}

// Of reports whether policies of g have the parameter.
func (p Parameter) Of(g Generation) bool {
	switch parameters[p].in {
	case since2013:
		return !g.leaky()
	case only2010:
		return g.leaky()
	}
	return true
}

// Judged reports whether a decision depends on it. What is not judged by this
// version is kept and shown.
func (p Parameter) Judged() bool { return parameters[p].does != unjudged }

// A parameterRow is a Parameter in the table.
type parameterRow struct {
	name      string
	component Component
	part      Part
	does      role
	unit      Unit
	in        era
}

// A role is which number of its part a parameter is.
type role uint8

const (
	unjudged   role = iota // none: no decision depends on it
	asLimit                // the limit: of a gauge, or of what may be used in a period and comes back in one
	asBurst                // of a rate: what may be used at once
	asRefill               // of a rate: what comes back in a period
	asPeriod               // of a rate: how long that is
	asCutoff               // of the policy: how far below zero
	asCPUStart             // of the policy
	asService              // of the policy: its callers are service accounts
)

// An era is which generations have a parameter.
type era uint8

const (
	always era = iota
	since2013
	only2010
)
