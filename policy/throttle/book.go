package throttle

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
)

// A File is all that an administrator says about policies. The zero File says
// nothing: everyone has the built-in fallback of 2013 and later.
type File struct {
	Generation Generation        // of the built-in fallback
	Policies   []Policy          // in any order
	Users      map[string]string // whose policy is which: the caller's name, and the policy's, or a link to one that was deleted; empty: he has none, whatever is said of his name without its domain
	Outside    []string          // callers who are not of the organization, such as contacts and accounts without a mailbox; computer accounts (NAME$) are known by their name
	Default    string            // the policy of who has none; empty: the one of scope Organization, where there is one
	Domains    []Domain          // by which callers are known under one name; see [Account]
}

// A Book is a [File] compiled: who has which policy, and what that allows. It is
// never changed, and safe for any number of readers. Callers are compared by
// [Account]. A name without a domain is so of the first of the domains; where
// there are none it stands for that account in every domain, unless the file
// names it there itself.
type Book struct {
	generation Generation
	policies   []Policy
	byName     map[string]int // of policies, by folded name
	initial    string         // the folded link of who is assigned to nothing; empty: the fallback
	standings  []Effective    // each link that anybody can have, the fallback first
	byLink     map[string]int // of standings, by folded link
	users      map[string]int // of standings, or none, by account
	outside    map[string]struct{}
	domains    []Domain
	bare       bool // some of users have no domain
	first      int  // of standings: that of initial
}

// Compile makes a Book. It refuses two policies or two callers of one name, a
// second organization's or global policy, a caller whose name is none, and a
// default that is not there; the error holds every reason. A policy that cannot
// be used, and one that users are assigned to and that is not there, are no
// mistakes: their users fall back.
func Compile(f File) (*Book, error) {
	b := &Book{
		generation: f.Generation, policies: slices.Clone(f.Policies), byName: map[string]int{}, byLink: map[string]int{},
		users: map[string]int{}, outside: map[string]struct{}{}, domains: slices.Clone(f.Domains),
	}
	err := errors.Join(b.name(), b.choose(f.Default))
	b.stand("", false)
	b.first = b.stand(b.initial, false)
	for _, p := range b.policies {
		b.stand(p.Name, false)
	}
	err = errors.Join(err, b.exclude(f.Outside), b.assign(f.Users))
	if err != nil {
		return nil, err
	}
	return b, nil
}

// exclude notes who is not of the organization.
func (b *Book) exclude(callers []string) (err error) {
	for _, caller := range callers {
		name := account(caller, b.domains)
		if name == "" {
			err = errors.Join(err, fmt.Errorf("outside: %q is no name of an account", caller))
		}
		b.outside[name] = struct{}{}
	}
	return err
}

// assign notes whose policy is which.
func (b *Book) assign(users map[string]string) (err error) {
	for _, caller := range slices.Sorted(maps.Keys(users)) { // sorted, so that equal files make equal books
		name := account(caller, b.domains)
		_, twice := b.users[name]
		switch link := users[caller]; {
		case name == "":
			err = errors.Join(err, fmt.Errorf("user %q: no name of an account", caller))
		case twice:
			err = errors.Join(err, fmt.Errorf("user %q: listed twice", caller))
		case link == "":
			b.users[name] = none
		default:
			b.users[name] = b.stand(link, b.isOutside(name))
		}
		b.bare = b.bare || bare(name) == name
	}
	return err
}

// name finds the policies by their names.
func (b *Book) name() (err error) {
	slices.SortStableFunc(b.policies, func(x, y Policy) int {
		return cmp.Or(cmp.Compare(y.Scope, x.Scope), cmp.Compare(Fold(x.Name), Fold(y.Name)))
	})
	var only [scopes]string
	for i, p := range b.policies {
		if _, twice := b.byName[Fold(p.Name)]; twice || p.Name == "" {
			err = errors.Join(err, fmt.Errorf("policy %q: want a name that no other has", p.Name))
		}
		b.byName[Fold(p.Name)] = i
		switch first := only[p.Scope]; {
		case p.Scope == Regular || p.Deleted:
		case first != "":
			err = errors.Join(err, fmt.Errorf("policy %q: %q is of scope %s too, and there can be one", p.Name, first, p.Scope))
		default:
			only[p.Scope] = p.Name
		}
	}
	return err
}

// choose finds the policy of who is assigned to none.
func (b *Book) choose(named string) error {
	b.initial = Fold(named)
	org, global := b.scoped(Organization), b.scoped(Global)
	switch {
	case named == "" && org != nil:
		b.initial = Fold(org.Name)
		return nil
	case named == "" && global != nil:
		b.initial = Fold(global.Name)
		return nil
	case named == "":
		return nil
	case org != nil && !org.Deleted && Fold(org.Name) != b.initial:
		return fmt.Errorf("default %q: %q is of scope organization, and there can be one default", named, org.Name)
	}
	if _, known := b.byName[b.initial]; !known {
		return fmt.Errorf("default %q: no policy has that name", named)
	}
	return nil
}

// scoped is the policy of a scope that can have one, if there is one. A deleted
// one counts where there is no other: who had it is to be told.
func (b *Book) scoped(s Scope) *Policy {
	i := slices.IndexFunc(b.policies, func(p Policy) bool { return p.Scope == s && !p.Deleted })
	if i < 0 {
		i = slices.IndexFunc(b.policies, func(p Policy) bool { return p.Scope == s })
	}
	if i < 0 {
		return nil
	}
	return &b.policies[i]
}

// policy is the one of a folded name.
func (b *Book) policy(name string) *Policy {
	if i, ok := b.byName[name]; ok {
		return &b.policies[i]
	}
	return nil
}

// stand is the number of what a link leads to, which it works out at first. For
// who is outside the organization that is another thing where nobody can have
// the policy.
func (b *Book) stand(link string, outside bool) int {
	key := Fold(link)
	if p := b.policy(key); p != nil && p.unusable() == "" {
		outside = false
	}
	if outside {
		key += "\x00outside" // no policy's name has that
	}
	i, known := b.byLink[key]
	if !known {
		i = len(b.standings)
		b.byLink[key] = i
		b.standings = append(b.standings, b.effective(link, outside))
	}
	return i
}

// Policies are all of them: the global one first, then the organization's, then
// by name. Their Values are not to be written to.
func (b *Book) Policies() []Policy { return slices.Clone(b.policies) }

// Generation is that of the built-in fallback.
func (b *Book) Generation() Generation { return b.generation }

// Fallback is what callers have for whom there is no policy.
func (b *Book) Fallback() Effective { return b.standings[0] }

// Named is what callers have who are assigned to a policy of that name, in any
// letter case; false where there is none.
func (b *Book) Named(policy string) (Effective, bool) {
	if _, known := b.byName[Fold(policy)]; !known {
		return Effective{}, false
	}
	return b.standings[b.byLink[Fold(policy)]], true
}

// Effective is what a caller has by this Book, whatever is in a [Cache].
func (b *Book) Effective(caller string) Effective {
	i, _ := b.standing(caller)
	return b.standings[i]
}
