package exchange

import (
	"fmt"
	"strings"

	"evenkeel/policy/throttle"
)

// values complains of what p itself says. A policy that is exported with all
// that it inherits repeats what is behind it, which is said there.
func (c *checker) values(p policy, e, behind throttle.Effective) {
	for _, of := range sorted(p) {
		v := p.Value(of)
		if v.State != throttle.Given || p.Scope == throttle.Regular && repeats(of, e, behind) {
			continue
		}
		s := stated{of, v.N, &e}
		if why, fix := s.refuses(); why != "" {
			c.add(RefusesAll, p.Name, s.String()+": "+why, setPolicy(p.Name, of.String(), fix))
		} else if why, fix := s.idle(); why != "" {
			c.add(NoEffect, p.Name, s.String()+": "+why, fix.command(p.Name))
		}
	}
}

func sorted(p policy) (out []throttle.Parameter) {
	for of := range throttle.Parameters() {
		if _, said := p.Values[of]; said {
			out = append(out, of)
		}
	}
	return out
}

// repeats says that all that the parameter works together with is as it is behind
// the policy.
func repeats(of throttle.Parameter, e, behind throttle.Effective) bool {
	component, ok := of.Component()
	for _, s := range e.Settings {
		c, has := s.Parameter.Component()
		if s.Parameter != of && (!ok || !has || c != component) {
			continue
		}
		if other, _ := behind.Setting(s.Parameter); other.Value != s.Value {
			return false
		}
	}
	return of.Of(behind.Generation) == of.Of(e.Generation)
}

// A stated is a number that a policy gives, and what it works together with.
type stated struct {
	of throttle.Parameter
	n  int64
	e  *throttle.Effective
}

// String is the parameter and its value.
func (s stated) String() string {
	return strings.TrimRight(fmt.Sprintf("%s %d %s", s.of, s.n, s.of.Unit()), " ")
}

// base is the parameter's name without the end, where it has that.
func (s stated) base(end string) (string, bool) { return strings.CutSuffix(s.of.String(), end) }

// other is the effective number of a parameter; false where it is not limited or
// there is none of that name.
func (s stated) other(name string) (int64, bool) {
	of, known := throttle.ParseParameter(name)
	if !known {
		return 0, false
	}
	setting, ok := s.e.Setting(of)
	return setting.Value.N, ok && setting.Value.State == throttle.Given
}

// has says that there is a parameter of that name in the policy's generation.
func (s stated) has(name string) bool {
	of, known := throttle.ParseParameter(name)
	return known && of.Of(s.e.Generation)
}

// refuses says why nobody can do anything, and what value would let him.
func (s stated) refuses() (why, fix string) {
	if s.n != 0 || !s.of.Judged() || !s.of.Of(s.e.Generation) {
		return "", ""
	}
	fresh := s.of.Fresh(s.e.Generation).Value
	fix = "$null"
	if fresh.State == throttle.Given {
		fix = fmt.Sprint(fresh.N)
	}
	switch s.of.Part() {
	case throttle.Concurrency:
		return "every request is refused", fix
	case throttle.AD, throttle.CAS, throttle.RPC:
		return "every request is over its budget at once", fix
	case throttle.LocalTime:
		if burst, limited := s.rate(); limited && strings.HasSuffix(s.of.String(), "RechargeRate") {
			return fmt.Sprintf("what is used of the burst of %d ms never comes back", burst), fix
		}
	}
	return "", ""
}

// rate is the burst that goes with the parameter.
func (s stated) rate() (int64, bool) {
	base, _ := s.base("RechargeRate")
	return s.other(base + "MaxBurst")
}

// A change is the parameter that is to be set, and what to.
type change struct{ name, to string }

func (c change) command(policy string) string {
	if c.name == "" {
		return c.to
	}
	return setPolicy(policy, c.name, c.to)
}

// idle says why the number never comes to bear, and what to do.
func (s stated) idle() (why string, fix change) {
	unset := change{s.of.String(), "$null"}
	switch name := s.of.String(); {
	case !s.of.Of(s.e.Generation):
		return "policies of " + s.e.Generation.String() + " have no such parameter", change{to: "nothing need be done; leave it out of scripts"}
	case name == "EwsFindCountLimit" && s.e.Generation == throttle.Exchange2013:
		return "it is fixed in the product since 2013", change{to: "nothing need be done; leave it out of scripts"}
	case name == "CpuStartPercent" && s.n >= 100:
		return "load is never over 100 %, so nobody is slowed", change{name, "75"}
	}
	for _, rule := range [...]func() string{s.idleRate, s.idlePeriod, s.idlePart, s.idleTime} {
		if why := rule(); why != "" {
			return why, unset
		}
	}
	return "", change{}
}

// idleRate: burst, recharge and cutoff work together.
func (s stated) idleRate() string {
	base, burst := s.base("MaxBurst")
	if burst && s.has(base+"RechargeRate") {
		if _, ok := s.other(base + "RechargeRate"); !ok {
			return "with " + base + "RechargeRate unlimited, what is used is back at once"
		}
	}
	if base, ok := s.base("RechargeRate"); ok && s.has(base+"MaxBurst") {
		if _, ok := s.other(base + "MaxBurst"); !ok {
			return "with " + base + "MaxBurst unlimited, nothing is ever used up"
		}
	}
	base, cutoff := s.base("CutoffBalance")
	if !cutoff {
		return ""
	}
	for _, end := range [...]string{"MaxBurst", "RechargeRate"} {
		if _, ok := s.other(base + end); !ok && s.has(base+end) {
			return "with " + base + end + " unlimited, the balance is never below zero"
		}
	}
	return ""
}

// idlePeriod: cmdlets are counted over a period that another parameter gives.
func (s stated) idlePeriod() string {
	const period = "TimePeriod"
	if base, ok := s.base(period); ok {
		if _, limited := s.other(base); !limited && s.has(base) {
			return "with " + base + " not limited, nothing is counted in it"
		}
		return ""
	}
	if name := s.of.String() + period; s.has(name) {
		if n, given := s.other(name); !given || n == 0 {
			return "with no " + name + ", it is counted over no time"
		}
	}
	return ""
}

// idlePart: time in a part is time of the whole request too (2010).
func (s stated) idlePart() string {
	for _, part := range [...]string{"AD", "MailboxRPC"} {
		if base, ok := s.base("PercentTimeIn" + part); ok {
			whole := base + "PercentTimeInCAS"
			if n, given := s.other(whole); given && n > 0 && n < s.n {
				return fmt.Sprintf("%s holds that time too, and is used up at %d already", whole, n)
			}
		}
	}
	return ""
}

// idleTime: so many requests at once cannot use more than comes back. What holds
// connections is left out, since one can have many requests.
func (s stated) idleTime() string {
	c, ok := s.of.Component()
	if !ok || c == throttle.RCA || c == throttle.POP || c == throttle.IMAP || c == throttle.RCAShared {
		return ""
	}
	each := int64(0)
	switch s.of.Unit() {
	case throttle.PercentMinute:
		each = 100
	case throttle.MillisPerHour:
		each = 3600 * 1000
	default:
		return ""
	}
	most := c.String() + "MaxConcurrency"
	n, given := s.other(most)
	if !given || n == 0 || s.n/each < n {
		return ""
	}
	return fmt.Sprintf("with %s %d, no more than %d can be used", most, n, n*each)
}
