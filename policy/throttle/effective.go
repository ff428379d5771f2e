package throttle

import "slices"

// An Effective is what a caller has: every parameter's value after all that is
// inherited and all that is fallen back to. It is never changed.
type Effective struct {
	Asked      string     // the policy that was assigned, or is the default; empty: none is
	Policy     string     // the first that could be used, and so whose generation this is; [BuiltIn] where none could
	Generation Generation // its
	Falls      []Fall     // why those before it, or parts of what it inherits, were not used, in the order they were tried
	Settings   []Setting  // of every parameter of the generation, in the order of [Parameters]

	limits [components]Limits
}

// BuiltIn is the name that the fallback policy goes by.
const BuiltIn = "built-in fallback"

// A Fall is a policy that was passed over, and why.
type Fall struct {
	Policy string `json:"policy"` // its name, or the link to it where that is all there is
	Why    string `json:"why"`    // in words
}

// A Setting is the effective value of one parameter.
type Setting struct {
	Parameter Parameter
	Value     Value  // never inherited
	From      string // the policy that says it, or [BuiltIn]
	Status    Status // how sure a built-in value is; else Stated
	Source    string // where a built-in value is from; else empty
}

// Limits are what a caller may in a component; one that does not exist is
// [Anonymous]. The Limits are not to be written to.
func (e *Effective) Limits(c Component) *Limits {
	if c >= components {
		c = Anonymous
	}
	return &e.limits[c]
}

// Setting is that of a parameter; false where its generation has no such.
func (e *Effective) Setting(of Parameter) (Setting, bool) {
	i := slices.IndexFunc(e.Settings, func(s Setting) bool { return s.Parameter == of })
	if i < 0 {
		return Setting{}, false
	}
	return e.Settings[i], true
}

// effective follows a link to a policy along the fallback path (document 000):
// the policy, the organization's default, and at last what is built in. Since
// 2013 the global policy stands before the last. Who is outside the
// organization, and whose policy nobody can have, has what is built in, as if he
// had none.
func (b *Book) effective(link string, outside bool) Effective {
	e := Effective{Asked: b.asked(link)}
	var chain []*Policy
	if link != "" {
		chain = b.chain(link, &e)
	}
	e.Policy, e.Generation = BuiltIn, b.generation
	if outside {
		chain, e.Falls = nil, e.Falls[:1]
	}
	if len(chain) > 0 {
		e.Policy, e.Generation = chain[0].Name, chain[0].Generation
	}
	for p := range Parameters() {
		if p.Of(e.Generation) {
			e.Settings = append(e.Settings, settle(p, e.Generation, chain))
		}
	}
	e.compile()
	return e
}

// asked is the name of the policy that a link means, whether it is there or not.
func (b *Book) asked(link string) string {
	if p := b.policy(Fold(link)); p != nil {
		return p.Name
	}
	if name, deleted := DeletedLink(link); deleted {
		return name
	}
	return link
}

// chain is the policies that decide, one after the other, and notes in e why
// others do not.
func (b *Book) chain(link string, e *Effective) (chain []*Policy) {
	var tried []*Policy // compared as such: one that was deleted and made anew has the same name
	for _, p := range []*Policy{b.linked(link, e), b.policy(b.initial), b.scoped(Organization), b.scoped(Global)} {
		switch {
		case p == nil || slices.Contains(tried, p):
			continue
		case len(chain) > 0 && p.Scope < chain[len(chain)-1].Scope: // nobody inherits from a narrower scope
		case p.unusable() != "":
			e.Falls = append(e.Falls, Fall{p.Name, p.unusable()})
		case len(chain) > 0 && p.Generation.leaky() != chain[0].Generation.leaky():
			e.Falls = append(e.Falls, Fall{p.Name, "it is of generation " + p.Generation.String() + ": a policy of " + chain[0].Generation.String() + " inherits nothing from it"})
		default:
			chain = append(chain, p)
		}
		tried = append(tried, p)
	}
	return chain
}

// linked is the policy that a link means; nil with a Fall where there is none.
func (b *Book) linked(link string, e *Effective) *Policy {
	if p := b.policy(Fold(link)); p != nil {
		return p
	}
	if name, deleted := DeletedLink(link); deleted {
		e.Falls = append(e.Falls, Fall{name, Policy{Deleted: true}.unusable()})
		return nil
	}
	e.Falls = append(e.Falls, Fall{link, "there is no policy of that name"})
	return nil
}

// settle asks the policies in turn, and then what is built in.
func settle(p Parameter, g Generation, chain []*Policy) Setting {
	for _, policy := range chain {
		if v := policy.Values[p]; v.settles(g) {
			return Setting{Parameter: p, Value: v, From: policy.Name}
		}
	}
	f := p.Fresh(g)
	return Setting{p, f.Value, BuiltIn, f.Status, f.Source}
}
