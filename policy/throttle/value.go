package throttle

import "strconv"

// A State says what a policy does about a parameter. That it says nothing, that
// it unsets it and that it lifts the limit are three different things.
type State uint8

const (
	Inherited State = iota // the zero State: the policy says nothing, so what is behind it decides
	Unset                  // $null. In a policy of 2010 that lifts the limit; since 2013 it takes back what the policy said, so what is behind it decides
	NoLimit                // the word Unlimited
	Given                  // a number
)

// A Value is what a policy says of one parameter. The zero Value is inherited.
// Values are comparable.
type Value struct {
	State State
	N     int64 // of Given: in the parameter's unit, at least 0; else 0
}

// Number is a Value that is given.
func Number(n int64) Value { return Value{Given, n} }

// String is the Value as people read it: "inherited", "unset", "unlimited" or
// the number without its unit.
func (v Value) String() string {
	switch v.State {
	case Given:
		return strconv.FormatInt(v.N, 10)
	case NoLimit:
		return "unlimited"
	case Unset:
		return "unset"
	}
	return "inherited"
}

// settles reports whether v decides in a policy of g, so that nothing behind it
// is asked.
func (v Value) settles(g Generation) bool {
	switch v.State {
	case Given, NoLimit:
		return true
	case Unset:
		return g.leaky()
	}
	return false
}

// limit is the number, and whether there is one.
func (v Value) limit() (int64, bool) { return v.N, v.State == Given }
