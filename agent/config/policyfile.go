package config

import (
	"fmt"
	"slices"
	"strings"

	"evenkeel/policy/throttle"
)

// A wording is what a policy file says, before its names are looked up.
type wording struct {
	file     throttle.File
	policies []policyWords
	users    []userWords
}

// A policyWords is one item of policies.
type policyWords struct {
	throttle.Policy
	at     place
	own    bool // it says its generation
	values []parameterWord
}

// A parameterWord is a parameter and what is said of it.
type parameterWord struct {
	parameter throttle.Parameter
	at        place // of its key
	value     value
}

// A userWords is a caller and the policy that he is assigned to.
type userWords struct {
	name, policy string
	at, to       place
}

// keys is the language of a policy file.
func (w *wording) keys() language {
	return language{
		{"generation", one(&w.file.Generation, generation())},
		{"policies", w.readPolicies},
		{"default", one(&w.file.Default, optional(policyName()))},
		{"users", w.readUsers},
		{"outside", many(&w.file.Outside, w.callerName())},
	}
}

// policyName is the name of a policy: up to 256 bytes, which the 64 characters
// that Exchange takes never pass. A link to a deleted policy is a name with more
// behind it, over two lines.
func policyName() form[string] {
	return form[string]{"the name of a policy, on one line", func(s string) (string, error) {
		if _, deleted := throttle.DeletedLink(s); deleted && len(s) <= 1024 {
			return s, nil
		}
		return printable(256)(s)
	}}
}

// callerName is an account as a front end knows it, or its SID.
func (w *wording) callerName() form[string] {
	return form[string]{"the name of an account, such as jdoe, CORP\\jdoe or jdoe@corp.example, or its SID", func(s string) (string, error) {
		if throttle.Account(s, w.file.Domains) == "" {
			return "", noHint
		}
		return s, nil
	}}
}

// scope is a [throttle.Scope] by its word, in any letter case.
func scope() form[throttle.Scope] {
	words := make([]string, len(throttle.Scopes()))
	for i, s := range throttle.Scopes() {
		words[i] = s.String()
	}
	f := among(words)
	return form[throttle.Scope]{f.want, func(s string) (throttle.Scope, error) {
		if i := slices.Index(words, strings.ToLower(s)); i >= 0 {
			return throttle.Scopes()[i], nil
		}
		_, err := f.read(s)
		return 0, err
	}}
}

// keys is the language of an item of policies, but for its parameters.
func (p *policyWords) keys() language {
	return language{
		{"name", one(&p.Name, policyName())},
		{"scope", one(&p.Scope, scope())},
		{"generation", one(&p.Generation, generation())},
	}
}

// readPolicies reads the list of policies.
func (w *wording) readPolicies(r *reader, v value) {
	if v.kind != list {
		r.spoil(v.place, fmt.Sprintf("want a list, got %s", v), "write - {name: Standard, EwsMaxConcurrency: 10}")
		return
	}
	for _, item := range v.items {
		p := policyWords{at: item.place}
		if item.kind == block {
			item.pairs = r.parameters(&p, item)
		}
		r.walk(p.keys(), "", item, map[string]place{})
		if item.kind == block {
			_, p.own = r.given[item.key+".generation"]
			w.policies = append(w.policies, p)
		}
	}
}

// parameters takes what is a parameter into p, and returns the other pairs.
func (r *reader) parameters(p *policyWords, item value) (others []pair) {
	lang, seen := p.keys(), map[throttle.Parameter]place{}
	for _, pair := range item.pairs {
		of, known := throttle.ParseParameter(pair.name)
		_, meta := lang.row(pair.name)
		first, twice := seen[of]
		switch {
		case meta || !known && strings.Contains(pair.name, "."):
			others = append(others, pair)
		case !known:
			r.refuse(pair.place, "unknown key", suggestParameter(pair.name, lang))
		case twice:
			r.refuse(pair.place, fmt.Sprintf("given twice, first in line %d", first.line), "names are the same in any letter case")
		default:
			seen[of] = pair.place
			p.values = append(p.values, parameterWord{of, pair.place, pair.value})
		}
	}
	return others
}

// suggestParameter is a hint for an unknown key of a policy.
func suggestParameter(name string, lang language) string {
	known := lang.under("")
	for p := range throttle.Parameters() {
		known = append(known, p.String())
	}
	if near, ok := closest(name, known); ok {
		return fmt.Sprintf("did you mean %s?", near)
	}
	return "known here: name, scope, generation, and the parameters of Set-ThrottlingPolicy: evenkeel policy show lists them"
}

// readUsers reads who is assigned to which policy: keys and values, or a list.
func (w *wording) readUsers(r *reader, v value) {
	switch v.kind {
	case block:
		for _, p := range v.pairs {
			w.readUser(r, p)
		}
	case list:
		for _, item := range v.items {
			u := userWords{at: item.place, to: item.place}
			r.walk(language{{"name", one(&u.name, w.callerName())}, {"policy", one(&u.policy, optional(policyName()))}}, "", item, map[string]place{})
			if u.name == "" && item.kind == block && r.sound(item.key+".name") {
				r.refuse(item.place, "want the name of the account", "{name: jdoe, policy: Standard}")
			}
			u.at, u.to = r.within(item.place, "name"), r.within(item.place, "policy")
			w.users = append(w.users, u)
		}
	default:
		r.spoil(v.place, fmt.Sprintf("want accounts and their policies, got %s", v), "users: {jdoe: Standard}")
	}
}

// readUser reads one pair of users. Null is no policy, as Exchange shows it.
func (w *wording) readUser(r *reader, p pair) {
	u := userWords{at: p.place, to: p.value.place}
	name, err := w.callerName().read(p.name)
	if err != nil {
		r.refuse(p.place, "want "+w.callerName().want, "")
		return
	}
	u.name = name
	if p.value.kind != nothing || r.spoilt[p.value.key] {
		one(&u.policy, optional(policyName()))(r, p.value)
	}
	w.users = append(w.users, u)
}
