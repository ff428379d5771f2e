package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"evenkeel/agent/config"
)

// found says why there is nothing to tell.
func (s *sizeReading) found(asked string) error {
	switch {
	case len(s.pools) > 0:
		return s.ambiguous(asked)
	case s.cut > 0:
		return fmt.Errorf("account %s: none of its %s in these logs began in the time from --from to --to", asked, numberOf(s.cut, "request"))
	case len(s.names) > 0:
		return fmt.Errorf("account %s: no request of it in these logs counts in a budget of %s", asked, cmp.Or(s.component, "its own"))
	}
	err := fmt.Errorf("account %s: not in these logs", asked)
	if near, ok := config.Nearest(s.account, s.comparable()); ok {
		return hinted{err, "did you mean " + near + "?"}
	}
	return hinted{err, fmt.Sprintf("%s are; evenkeel policy size --top 10 lists the busiest", numberOf(len(s.others), "account"))}
}

// comparable are the names of others, without their domains where the account has
// none.
func (s *sizeReading) comparable() []string {
	known := slices.Sorted(maps.Keys(s.others))
	if strings.Contains(s.account, "@") {
		return known
	}
	for i, name := range known {
		known[i], _, _ = strings.Cut(name, "@")
	}
	slices.Sort(known)
	return slices.Compact(known)
}

// ambiguous: what was asked for is of several accounts.
func (s *sizeReading) ambiguous(asked string) error {
	if all := tellApart(slices.Sorted(maps.Keys(s.names))); len(all) > 1 {
		return fmt.Errorf("account %s: it may be one of %s", asked, strings.Join(all, ", "))
	}
	return nil
}

// tellApart leaves out of names those that stand for another one of them: a name
// without a domain, and CONTOSO's where contoso.example's is there.
func tellApart(names []string) (out []string) {
	for _, name := range names {
		if _, domain, _ := strings.Cut(name, "@"); domain == "" {
			continue
		}
		if !slices.ContainsFunc(names, func(other string) bool { return len(other) > len(name) && sameAccount(name, other) }) {
			out = append(out, name)
		}
	}
	return out
}
