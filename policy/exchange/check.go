package exchange

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"evenkeel/policy/throttle"
)

// A Kind is what sort of problem it is. Its text is a promise to scripts.
type Kind string

// The kinds of problem, worst first.
const (
	Unreadable       Kind = "unreadable"                // part of a file cannot be used
	RefusesAll       Kind = "refuses-all"               // a value lets nobody do anything
	SeveralDefaults  Kind = "several-defaults"          // more than one policy is the default, and which of them counts is chance (event 2902)
	NoDefault        Kind = "no-default"                // none is, so that what is built in counts (event 2901)
	DeletedPolicy    Kind = "deleted-policy"            // an account has a policy that was deleted (event 2914)
	UnknownPolicy    Kind = "unknown-policy"            // an account has a policy that was not read
	ImplicitFallback Kind = "implicit-fallback"         // something behind a policy is passed over, so that what is built in counts
	UnlimitedAccount Kind = "unlimited-service-account" // an assigned policy lifts limits altogether
	NoEffect         Kind = "no-effect"                 // a value can never come to bear
	UnusedPolicy     Kind = "unused-policy"             // no account has it
)

// worstFirst are all kinds.
func worstFirst() []Kind {
	return []Kind{Unreadable, RefusesAll, SeveralDefaults, NoDefault, DeletedPolicy, UnknownPolicy, ImplicitFallback, UnlimitedAccount, NoEffect, UnusedPolicy}
}

// A Problem is one thing that is wrong in an [Export]. Its names in JSON are a
// promise to scripts.
type Problem struct {
	Kind    Kind   `json:"kind"`
	Object  string `json:"object"`  // the policy, the account, or the file and line
	Message string `json:"message"` // what is wrong and what comes of it, in words
	Fix     string `json:"fix"`     // the PowerShell that mends it, or words where none does; empty: nothing need be done
}

// Check is all that is wrong, worst first, then by object and message; the same
// for the same files in any order, but for which of two definitions of one policy
// was the first. What needs a kind of export that was not read is not judged.
func (x *Export) Check() []Problem {
	c := checker{Export: x, users: make([][]int, len(x.policies)), partial: x.partial}
	for _, m := range x.mistakes {
		c.add(Unreadable, m.where(), Mistake{File: m.where(), Key: m.Key, Message: m.Message}.short(), "")
	}
	c.accounts()
	c.everyTwin()
	if book, err := throttle.Compile(throttle.File{Generation: x.generation(), Policies: x.throttled()}); err != nil {
		c.add(Unreadable, "policies", "none of them could be judged: "+err.Error(), "")
	} else {
		c.book = book
		c.everyPolicy()
	}
	ranks := map[Kind]int{}
	for i, k := range worstFirst() {
		ranks[k] = i
	}
	slices.SortStableFunc(c.problems, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(ranks[a.Kind], ranks[b.Kind]), cmp.Compare(throttle.Fold(a.Object), throttle.Fold(b.Object)), cmp.Compare(a.Message, b.Message), cmp.Compare(a.Fix, b.Fix))
	})
	return c.problems
}

// short is the mistake without its place.
func (m Mistake) short() string {
	if m.Key == "" {
		return m.Message
	}
	return m.Key + ": " + m.Message
}

// A checker is one Check.
type checker struct {
	*Export
	book     *throttle.Book
	users    [][]int // accounts, by policy
	partial  bool    // somebody may have a policy that is not among users
	problems []Problem
}

func (c *checker) add(kind Kind, object, message, fix string) {
	c.problems = append(c.problems, Problem{kind, object, message, fix})
}

// accounts notes who has which policy, and complains of links that lead nowhere.
func (c *checker) accounts() {
	var computers []string
	for i, a := range c.Export.accounts {
		name, deleted := deletedLink(a.link)
		at, found := c.find(a.link)
		switch {
		case found && c.policies[at].Deleted:
			c.deleted(a, c.policies[at].Name)
		case found:
			c.users[at] = append(c.users[at], i)
		case deleted:
			c.deleted(a, name)
		case a.link != "" && len(c.policies) > 0:
			c.add(UnknownPolicy, a.caller, "it has the policy "+strconv.Quote(linkName(a.link))+", which is not in the export: if it is gone, the default counts", a.assign(""))
		case a.link == "" && strings.HasSuffix(a.caller, "$"):
			computers = append(computers, a.caller)
		}
	}
	if len(computers) > 0 && c.generation() != throttle.Exchange2013 {
		c.add(ImplicitFallback, few(computers), "computer accounts without a policy have what is built in, whatever the default is",
			"for those that call Exchange: Set-ThrottlingPolicyAssociation -Identity NAME -ThrottlingPolicy POLICY")
	}
}

// everyTwin complains of accounts that have two policies in two places.
func (c *checker) everyTwin() {
	for t, other := range c.twins {
		counts := c.Export.accounts[t.account]
		if c.meant(counts.link) == c.meant(t.link) {
			continue
		}
		c.add(Unreadable, other.where(), other.property()+": "+strconv.Quote(shown(other.caller))+" has another policy in "+counts.where(), "")
		c.partial = true
	}
}

// meant is the policy that a link leads to, the same however that is written.
func (x *Export) meant(link string) string {
	if name, deleted := deletedLink(link); deleted {
		return "deleted " + throttle.Fold(name)
	}
	return "policy " + throttle.Fold(linkName(x.target(link)))
}

func (c *checker) deleted(a account, policy string) {
	c.add(DeletedPolicy, a.caller, "it has the policy "+strconv.Quote(policy)+", which was deleted: the default counts meanwhile, and each use is logged as event 2914", a.assign(""))
}
