package exchange

import (
	"maps"
	"strconv"
	"strings"

	"evenkeel/policy/throttle"
)

// A policy is one of Get-ThrottlingPolicy.
type policy struct {
	throttle.Policy
	file   string
	line   int
	legacy bool // left over from a migration
}

// policy adds a policy.
func (r *reading) policy(o *object) {
	name, ok := r.name(o)
	if !ok {
		return
	}
	p := policy{file: r.file, line: o.line, legacy: strings.EqualFold(o.text("IsLegacyDefault"), "true")}
	p.Name, p.Values = name, map[throttle.Parameter]throttle.Value{}
	p.Generation = generationOf(o)
	p.Scope = r.scope(o)
	if before, deleted := deletedLink(name); deleted && before != "" {
		p.Name, p.Deleted = before, true
	}
	for _, prop := range o.props {
		if of, known := throttle.ParseParameter(prop.name); known {
			r.parameter(&p, of, prop)
		}
	}
	r.keep(p, o)
}

// name is the policy's.
func (r *reading) name(o *object) (string, bool) {
	name := o.text("Name")
	if name == "" {
		name = linkName(o.text("Identity"))
	}
	if name == "" || len(name) > mostName {
		r.spoilt(o.line, "Name", "want the name of the policy")
		return "", false
	}
	return strings.Clone(name), true
}

// parameter reads one value. In 2010 nothing is no limit, since 2013 it is
// what is behind the policy: throttle knows both as unset.
func (r *reading) parameter(p *policy, of throttle.Parameter, prop property) {
	v, err := valueOf(of, prop)
	_, twice := p.Values[of]
	switch {
	case prop.lost:
		r.spoilt(prop.line, prop.name, "refers to an object that was not kept: export in another form")
	case twice:
		r.spoilt(prop.line, prop.name, "given twice; names are the same in any letter case")
	case err != "":
		r.spoilt(prop.line, prop.name, err)
	default:
		p.Values[of] = v
	}
}

func valueOf(of throttle.Parameter, prop property) (v throttle.Value, wrong string) {
	text := prop.value
	n, err := strconv.ParseInt(text, 10, 64)
	switch {
	case prop.nothing() || strings.EqualFold(text, "null"):
		return throttle.Value{State: throttle.Unset}, ""
	case of.Unit() == throttle.Switch && strings.EqualFold(text, "True"):
		return throttle.Number(1), ""
	case of.Unit() == throttle.Switch && strings.EqualFold(text, "False"):
		return throttle.Number(0), ""
	case of.Unit() == throttle.Switch:
		return v, "want True or False, found " + strconv.Quote(shown(text))
	case strings.EqualFold(text, "Unlimited") || err == nil && n == throttle.Unlimited: // the greatest UInt32 stands for it
		return throttle.Value{State: throttle.NoLimit}, ""
	case err != nil || n < 0 || n > of.Most():
		return v, "want 0 to " + strconv.FormatInt(of.Most(), 10) + ", Unlimited or nothing, found " + strconv.Quote(shown(text))
	}
	return throttle.Number(n), ""
}

// scope is whom it is for: in 2010 IsDefault is all there is.
func (r *reading) scope(o *object) throttle.Scope {
	word, ok := o.find("ThrottlingPolicyScope")
	if ok && !word.nothing() {
		r.defaults = true
		for _, s := range throttle.Scopes() {
			if strings.EqualFold(word.value, s.String()) {
				return s
			}
		}
		r.spoilt(word.line, word.name, "want Regular, Organization or Global, found "+strconv.Quote(shown(word.value)))
		return throttle.Regular
	}
	if word, ok := o.find("IsDefault"); ok && !word.nothing() {
		r.defaults = true
		switch {
		case strings.EqualFold(word.value, "True"):
			return throttle.Organization
		case !strings.EqualFold(word.value, "False"):
			r.spoilt(word.line, word.name, "want True or False, found "+strconv.Quote(shown(word.value)))
		}
	}
	return throttle.Regular
}

// generationOf tells by the parameters, whose numbers mean what their names say,
// and then by ExchangeVersion: "0.10 (14.0.100.0)" is 2010, "0.20 (15.0.0.0)"
// 2013 and later. A whole policy of 2010 without what SP1 added is of before it.
func generationOf(o *object) throttle.Generation {
	of2010, of2013, all, added := 0, 0, 0, 0
	for _, p := range o.props {
		of, known := throttle.ParseParameter(p.name)
		if !known {
			continue
		}
		all++
		switch is2010, is2013 := of.Of(throttle.Exchange2010), of.Of(throttle.Exchange2013); {
		case is2010 && !is2013:
			of2010++
		case is2013 && !is2010:
			of2013++
		}
		if c, ok := of.Component(); ok && (c == throttle.Anonymous || c == throttle.CPA) {
			added++
		}
	}
	_, scoped := o.find("ThrottlingPolicyScope")
	_, default2010 := o.find("IsDefault")
	old := strings.Contains(o.text("ExchangeVersion"), "(14.")
	switch {
	case of2013 > 0 || scoped:
		return throttle.Exchange2013
	case of2010 == 0 && !old && !default2010:
		return throttle.Exchange2013
	case all >= 20 && added == 0: // a whole one of 2010 has over 40
		return throttle.Exchange2010RTM
	}
	return throttle.Exchange2010
}

// keep adds p, unless it was read already: two files may hold the same policy.
func (r *reading) keep(p policy, o *object) {
	if r.byName == nil {
		r.byName, r.aliases = map[string]int{}, map[string]int{}
	}
	if i, known := r.byName[throttle.Fold(p.Name)]; known {
		first := r.policies[i]
		if first.Deleted != p.Deleted || first.Scope != p.Scope || first.Generation != p.Generation || !maps.Equal(first.Values, p.Values) {
			r.spoilt(o.line, "Name", "another policy "+strconv.Quote(p.Name)+" stands in "+Mistake{File: first.file, Line: first.line}.where()+" and says something else")
		}
		return
	}
	r.byName[throttle.Fold(p.Name)] = len(r.policies)
	r.policies = append(r.policies, p)
	for _, name := range [...]string{o.text("Guid"), o.text("DistinguishedName"), o.text("Identity")} {
		if _, taken := r.aliases[throttle.Fold(name)]; name != "" && !taken && len(name) <= mostName {
			r.aliases[throttle.Fold(name)] = len(r.policies) - 1
		}
	}
}
