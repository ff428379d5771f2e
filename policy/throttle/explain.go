package throttle

import "time"

// An Explanation is what a caller may, parameter by parameter, and why. Its
// names in JSON are a promise to scripts.
type Explanation struct {
	User       string      `json:"user"` // the account's one name, see [Account]; as asked where that is none
	Policy     string      `json:"policy"`
	Generation string      `json:"generation"`
	Why        string      `json:"why"` // how the caller comes to the policy, in words
	Falls      []Fall      `json:"falls"`
	Loaded     bool        `json:"loaded"`         // the policy is in the cache; else the values are those of the next use
	Age        *float64    `json:"age_seconds"`    // since it was loaded; null: it is not
	Reload     *float64    `json:"reload_seconds"` // until it is loaded again, at the latest; null: it is not loaded
	Unused     *float64    `json:"unused_seconds"` // until then if nobody uses it from now on; null: it is not loaded
	Changed    bool        `json:"changed"`        // it says something else by now, which counts from then on
	Parts      []Explained `json:"parts"`
}

// An Explained is the value of one parameter.
type Explained struct {
	Component string   `json:"component"` // empty: no one alone
	Part      string   `json:"part"`      // the word of [Part], "-" where nothing is decided by the parameter
	Parameter string   `json:"parameter"` // by Exchange's name
	Value     string   `json:"value"`     // "unlimited", "unset" (which is no limit either) or a number
	Unit      string   `json:"unit"`
	From      string   `json:"from"`           // the policy that says it, or [BuiltIn]
	Status    string   `json:"status"`         // of a built-in value: confirmed, assumed or disputed; else stated
	Source    string   `json:"source"`         // of a built-in value; else empty
	Judged    bool     `json:"judged"`         // a decision depends on it in this version
	Age       *float64 `json:"age_seconds"`    // of the policy, in each part for whoever reads only those
	Reload    *float64 `json:"reload_seconds"` // likewise
}

// Explain says what a caller has by this Book, as if nothing were loaded.
func (b *Book) Explain(caller string) Explanation {
	i, why := b.standing(caller)
	return explain(b.called(caller), &b.standings[i], b.words(i, why))
}

// Explain says what a caller has at now. It is no use of the policy: looking
// keeps nothing from being loaded again.
func (c *Cache) Explain(now time.Time, caller string) Explanation {
	s := c.now.Load()
	i, why := s.book.standing(caller)
	l := s.loaded[i].Load()
	if l == nil || !l.fresh(now, *c.ages.Load()) {
		return s.book.Explain(caller)
	}
	e := explain(s.book.called(caller), l.Effective, s.book.words(i, why))
	unused, used := l.left(now, *c.ages.Load())
	age := max(0, now.Sub(l.at))
	e.Loaded, e.Changed = true, !l.same(&s.book.standings[i])
	e.Age, e.Reload, e.Unused = inSeconds(age), inSeconds(used), inSeconds(unused)
	for i := range e.Parts {
		e.Parts[i].Age, e.Parts[i].Reload = e.Age, e.Reload
	}
	return e
}

// called is how a caller is named to people.
func (b *Book) called(caller string) string {
	if name := account(caller, b.domains); name != "" {
		return name
	}
	return caller
}

func inSeconds(d time.Duration) *float64 {
	s := d.Round(time.Millisecond).Seconds()
	return &s
}

// same says that two policies come to the same values.
func (e *Effective) same(other *Effective) bool {
	if e == other {
		return true
	}
	if e.Policy != other.Policy || e.Generation != other.Generation || len(e.Settings) != len(other.Settings) {
		return false
	}
	for i, s := range e.Settings {
		if s.Value != other.Settings[i].Value {
			return false
		}
	}
	return true
}

func explain(caller string, e *Effective, why string) Explanation {
	x := Explanation{User: caller, Policy: e.Policy, Generation: e.Generation.String(), Why: why, Falls: e.Falls}
	if x.Falls == nil {
		x.Falls = []Fall{} // an empty list in JSON
	}
	for _, s := range e.Settings {
		x.Parts = append(x.Parts, s.explain())
	}
	return x
}

func (s Setting) explain() Explained {
	component := ""
	if c, of := s.Parameter.Component(); of {
		component = c.String()
	}
	return Explained{
		Component: component, Part: s.Parameter.Part().String(), Parameter: s.Parameter.String(),
		Value: s.Shown(), Unit: s.Parameter.Unit().String(), From: s.From, Status: s.Status.String(), Source: s.Source, Judged: s.Parameter.Judged(),
	}
}

// Shown is the value without its unit, as people read it.
func (s Setting) Shown() string { return s.Parameter.Show(s.Value) }

// Show is a value of p without its unit, as people read it.
func (p Parameter) Show(v Value) string {
	if v.State == Given && p.Unit() == Switch {
		if v.N == 0 {
			return "false"
		}
		return "true"
	}
	return v.String()
}

// words say how a caller comes to a standing.
func (b *Book) words(standing int, why reason) string {
	switch {
	case why == assigned:
		return "assigned to " + b.standings[standing].Asked
	case why == computer:
		return "a computer account, which is outside the organization and assigned to no policy"
	case why == outsider:
		return "outside the organization, and assigned to no policy"
	case standing == 0:
		return "assigned to no policy, and there is no default one"
	}
	return "assigned to no policy, so to the default: " + b.standings[standing].Asked
}
