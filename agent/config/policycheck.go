package config

import (
	"fmt"

	"evenkeel/policy/throttle"
)

// wording puts together what a policy file says, and refuses what does not fit.
func (r *reader) wording(w *wording) {
	names := r.policies(w)
	r.onlyOne(w, throttle.Organization)
	r.onlyOne(w, throttle.Global)
	if d := w.file.Default; d != "" && r.sound("default", "policies") {
		r.defaults(w, names)
	}
	r.users(w, names)
}

// policies reads the values of each, and returns their names by how they are
// compared.
func (r *reader) policies(w *wording) map[string]place {
	names := map[string]place{}
	for _, p := range w.policies {
		if !p.own {
			p.Generation = w.file.Generation
		}
		at := r.within(p.at, "name")
		first, twice := names[throttle.Fold(p.Name)]
		switch {
		case p.Name == "" && r.sound(p.at.key+".name"):
			r.refuse(p.at, "want the name of the policy", "name: Standard")
		case p.Name == "":
		case twice:
			r.refuse(at, fmt.Sprintf("another policy has that name, in line %d", first.line), "")
		case throttle.Fold(p.Name) == throttle.BuiltIn:
			r.refuse(at, "that is the name of what is built in", "")
		default:
			names[throttle.Fold(p.Name)] = at
		}
		p.Values = r.values(p)
		w.file.Policies = append(w.file.Policies, p.Policy)
	}
	return names
}

// values reads what a policy says of its parameters.
func (r *reader) values(p policyWords) map[throttle.Parameter]throttle.Value {
	out := map[throttle.Parameter]throttle.Value{}
	for _, w := range p.values {
		if !w.parameter.Of(p.Generation) {
			if r.sound("generation", p.at.key+".generation") {
				r.refuse(w.at, fmt.Sprintf("a policy of generation %s has no such parameter", p.Generation), otherGeneration(w.parameter))
			}
			continue
		}
		if v, ok := r.parameter(w); ok && v.State != throttle.Inherited {
			out[w.parameter] = v
		}
	}
	return out
}

func otherGeneration(p throttle.Parameter) string {
	if p.Of(throttle.Exchange2013) {
		return "it came with 2013: add generation: 2013"
	}
	return "it went with 2010: add generation: 2010, or limit time by ...MaxBurst, ...RechargeRate and ...CutoffBalance"
}

// onlyOne refuses a second policy of a scope that has one.
func (r *reader) onlyOne(w *wording, s throttle.Scope) {
	var first *policyWords
	for i, p := range w.policies {
		if p.Scope != s {
			continue
		}
		if first != nil {
			r.refuse(r.within(p.at, "scope"), fmt.Sprintf("%s is of scope %s too (line %d), and there can be one", show(first.Name), s, first.at.line), "")
			continue
		}
		first = &w.policies[i]
	}
}

// defaults checks the policy of who has none.
func (r *reader) defaults(w *wording, names map[string]place) {
	at := r.at("default")
	if _, known := names[throttle.Fold(w.file.Default)]; !known {
		r.unknownPolicy(at, w.file.Default, w)
		return
	}
	for _, p := range w.policies {
		if p.Scope == throttle.Organization && throttle.Fold(p.Name) != throttle.Fold(w.file.Default) {
			r.refuse(at, fmt.Sprintf("%s is of scope organization, and so the default (line %d)", show(p.Name), p.at.line), "leave one of both out")
		}
	}
}

func (r *reader) unknownPolicy(at place, name string, w *wording) {
	var known []string
	for _, p := range w.policies {
		known = append(known, p.Name)
	}
	hint := ""
	if near, ok := closest(name, known); ok {
		hint = "did you mean " + near + "?"
	}
	r.refuse(at, "there is no policy "+show(name), hint)
}

// users notes who is assigned to which policy. A link to a deleted one is kept:
// who has it falls back, and is told why.
func (r *reader) users(w *wording, names map[string]place) {
	seen := map[string]place{}
	for _, u := range w.users {
		account := throttle.Account(u.name, w.file.Domains)
		if first, twice := seen[account]; twice {
			r.refuse(u.at, fmt.Sprintf("%s is listed twice, first in line %d", show(u.name), first.line), "")
			continue
		}
		if account == "" {
			continue // refused already
		}
		seen[account] = u.at
		_, known := names[throttle.Fold(u.policy)]
		_, deleted := throttle.DeletedLink(u.policy)
		if u.policy != "" && !known && !deleted && r.sound("policies") {
			r.unknownPolicy(u.to, u.policy, w)
		}
		w.file.Users[u.name] = u.policy
	}
}
