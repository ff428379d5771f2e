package config

import (
	"errors"
	"slices"
	"time"

	"evenkeel/policy/throttle"
)

// A Policy says who may ask how much of this node.
type Policy struct {
	File       string              // where the policies were read from; what the file names without a folder is beside it; empty = there are none
	Generation throttle.Generation // of the built-in fallback, and of policies that do not say, where the policy file does not
	Ages       throttle.Ages       // how long a policy that is in use is kept before a change to it counts
	domains    []throttle.Domain   // as the gate knows them
	Book       *throttle.Book      // never nil; without a file everyone has the built-in fallback
}

// Given is what holds where a policy file says nothing: the generation, and the
// domains of the gate.
func (p Policy) Given() throttle.File {
	return throttle.File{Generation: p.Generation, Domains: p.domains}
}

// Files are those that the section names.
func (p Policy) Files() []string {
	if p.File == "" {
		return nil
	}
	return []string{p.File}
}

// keys is the language of the section policy.
func (p *Policy) keys() language {
	return language{
		{"policy.file", one(&p.File, optional(fileName()))},
		{"policy.generation", one(&p.Generation, generation())},
		{"policy.cache.min", one(&p.Ages.Min, duration(time.Second, time.Hour))},
		{"policy.cache.max", one(&p.Ages.Max, duration(time.Second, 24*time.Hour))},
	}
}

// policy reads the policy file.
func (r *reader) policy(p *Policy) {
	given := p.Given()
	a := p.Ages
	r.ordered("policy.cache.min", "policy.cache.max", a.Min <= a.Max, Short(a.Min), Short(a.Max))
	p.Book, _ = throttle.Compile(given) // nothing is in it that could be wrong
	if p.File == "" || !r.sound("policy.file", "policy.generation") {
		return
	}
	p.File = r.beside(p.File)
	if r.asking {
		return
	}
	text, err := r.open(p.File)
	if err != nil {
		r.refuse(r.at("policy.file"), err.Error(), "")
		return
	}
	book, err := Policies(p.File, text, given)
	if err != nil {
		errors.As(err, &r.others)
		return
	}
	p.Book = book
}

// Policies reads a policy file of that name. given is what holds where it says
// nothing: the generation, and the domains, of which it never says anything. An
// error is always [Problems], and holds every mistake.
func Policies(name string, b []byte, given throttle.File) (*throttle.Book, error) {
	r, b := newReader(name, b)
	r.what, r.most = "a policy file", maxPolicies
	w := &wording{file: throttle.File{Generation: given.Generation, Domains: given.Domains, Users: map[string]string{}}}
	if v := r.parse(b); v.kind != nothing {
		r.walk(w.keys(), "", v, map[string]place{})
	}
	r.wording(w)
	if len(r.problems) > 0 {
		return nil, slices.Clip(r.problems).sorted()
	}
	book, err := throttle.Compile(w.file)
	if err != nil { // a mistake that nobody gave a place
		r.refuse(place{}, err.Error(), "")
		return nil, r.problems
	}
	return book, nil
}

// maxPolicies is the bytes of a policy file: some 19,500 users by SID, or 45,000
// by names as short as CORP\user12345. The YAML parser's time grows with the square
// of their number, and is 2 and 9 seconds of a processor at that.
const maxPolicies = 1 << 20

// generation is a [throttle.Generation] by its word.
func generation() form[throttle.Generation] {
	words := make([]string, len(throttle.Generations()))
	for i, g := range throttle.Generations() {
		words[i] = g.String()
	}
	f := among(words)
	return form[throttle.Generation]{f.want, func(s string) (throttle.Generation, error) {
		i := slices.Index(words, s)
		if slices.Contains([]string{"2016", "2019", "SE", "se", "2013+"}, s) {
			return 0, hint("2013 stands for all later versions too")
		}
		if i < 0 {
			_, err := f.read(s)
			return 0, err
		}
		return throttle.Generations()[i], nil
	}}
}
