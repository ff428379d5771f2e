package diagnose

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

const (
	lockedLeast  = 3       // refusals: a lock-out lasts five minutes, and software asks again
	delayedLeast = 20      // requests delayed or refused; fewer are felt by nobody
	delayedFor   = 60000.0 // milliseconds of delay in all
	shownUsers   = 10      // users that a finding lists
)

// A victim is a user whose budget was used up, and on which nodes that was.
type victim struct {
	user, part string
	runs       []*run
	nodes      []string
	sum        float64 // milliseconds of delay
	debt       float64 // milliseconds below zero, at most
}

// victims are the users of a class, of every node, who cost most first.
func (f *farm) victims(c class, worth func([]*run) bool) (out []victim) {
	for _, n := range f.nodes {
		for _, name := range sortedKeys(n.runs[c]) {
			rs := n.runs[c][name]
			if name == others || !worth(rs) {
				continue
			}
			user, part, _ := strings.Cut(name, "\x00")
			i := slices.IndexFunc(out, func(v victim) bool { return bare(v.user) == bare(user) && v.part == part })
			if i < 0 {
				i = len(out)
				out = append(out, victim{user: user, part: part})
			}
			v := &out[i]
			v.runs, v.nodes = append(v.runs, rs...), append(v.nodes, n.name)
			for _, r := range rs {
				v.sum += r.sum
				v.debt = max(v.debt, r.worst)
			}
		}
	}
	for i := range out {
		byTime(out[i].runs)
		out[i].runs = joinRuns(out[i].runs, -1)
	}
	slices.SortStableFunc(out, func(a, b victim) int {
		return cmp.Or(cmp.Compare(minutes(spans(b.runs)), minutes(spans(a.runs))), cmp.Compare(total(b.runs), total(a.runs)), cmp.Compare(a.user, b.user))
	})
	return out
}

// bare is a user's name without domain, since logs write it in several ways.
func bare(user string) string {
	if i := strings.LastIndexByte(user, '\\'); i >= 0 {
		user = user[i+1:]
	}
	name, _, _ := strings.Cut(user, "@")
	return strings.ToLower(name)
}

// budgets are who was locked out, and who was slowed down.
func (f *farm) budgets() (out []found) {
	out1 := f.victims(locked, func(rs []*run) bool { return total(rs) >= lockedLeast })
	if len(out1) > 0 {
		out = append(out, f.lockedOut(out1))
	}
	slowed := f.victims(delayed, func(rs []*run) bool {
		sum := 0.0
		for _, r := range rs {
			sum += r.sum
		}
		return total(rs) >= delayedLeast && (sum >= delayedFor || sum == 0)
	})
	slowed = slices.DeleteFunc(slowed, func(v victim) bool {
		return slices.ContainsFunc(out1, func(l victim) bool { return bare(l.user) == bare(v.user) && l.part == v.part })
	})
	if len(slowed) > 0 {
		out = append(out, f.throttled(slowed))
	}
	return out
}

// several makes a finding of victims.
func (f *farm) several(kind Kind, vs []victim) (x Finding, rs []*run) {
	var nodes []string
	for _, v := range vs {
		rs, nodes = append(rs, v.runs...), append(nodes, v.nodes...)
	}
	x = f.of(kind, bounds(rs), nodes)
	x.Evidence = evidence(rs)
	x.Confidence = confidence(kindsIn(rs), int(total(rs)), direct)
	return x, rs
}

func (f *farm) lockedOut(vs []victim) found {
	x, rs := f.several(LockedOut, vs)
	x.Minutes = minutes(spans(rs))
	x.Title = fmt.Sprintf("%s locked out of %s: %s refused in %s", who(vs), parts(vs), plural(float64(total(rs)), "request"), long(x.Minutes))
	x.Advice = adviceLocked(vs[0].user)
	for _, v := range vs[:min(len(vs), shownUsers)] {
		s := fmt.Sprintf("%s, %s: %s refused from %s to %s", plain(v.user), v.part, plural(float64(total(v.runs)), "request"), clock(bounds(v.runs).from), clock(bounds(v.runs).to))
		if v.debt > 0 {
			s += fmt.Sprintf("; balance at the lowest %s ms", num(-v.debt))
		}
		x.Details = append(x.Details, s+".")
	}
	return found{Finding: x, weight: x.Minutes * float64(len(vs)), who: names(vs)}
}

func (f *farm) throttled(vs []victim) found {
	x, rs := f.several(Throttled, vs)
	sum := 0.0
	for _, v := range vs {
		sum += v.sum
		x.Details = append(x.Details, fmt.Sprintf("%s, %s: %s, %s of delay.", plain(v.user), v.part, plural(float64(total(v.runs)), "request"), long(v.sum/60000)))
	}
	x.Details = x.Details[:min(len(x.Details), shownUsers)]
	x.Title = fmt.Sprintf("%s throttled by %s: %s delayed or refused, %s in all", who(vs), parts(vs), plural(float64(total(rs)), "request"), long(sum/60000))
	x.Advice = adviceThrottled
	return found{Finding: x, weight: sum / 60000, who: names(vs)}
}

func names(vs []victim) (out []string) {
	for _, v := range vs {
		out = append(out, bare(v.user))
	}
	return out
}

// parts are what the victims were kept from.
func parts(vs []victim) string {
	var all []string
	for _, v := range vs {
		if !slices.Contains(all, v.part) {
			all = append(all, v.part)
		}
	}
	return list(all)
}

func who(vs []victim) string {
	if len(vs) == 1 {
		return plain(vs[0].user) + " was"
	}
	return fmt.Sprintf("%s and %s were", plain(vs[0].user), plural(float64(len(vs)-1), "other"))
}

// deletedPolicies are references to policies that are deleted, one finding for all.
func (f *farm) deletedPolicies() (out []found) {
	var rs []*run
	var names, nodes []string
	for _, n := range f.nodes {
		for _, name := range sortedKeys(n.runs[deleted]) {
			rs, nodes = append(rs, n.runs[deleted][name]...), append(nodes, n.name)
			names = append(names, plain(cmp.Or(name, "a policy")))
		}
	}
	if len(rs) == 0 {
		return nil
	}
	byTime(rs)
	slices.Sort(names)
	names = slices.Compact(names)
	x := f.of(DeletedPolicy, bounds(rs), nodes)
	x.Title = fmt.Sprintf("%s asked for a throttling policy that is deleted: %s", plural(float64(total(rs)), "request"), list(names))
	x.Evidence, x.Advice = evidence(rs), adviceDeleted
	x.Confidence = confidence(kindsIn(rs), int(total(rs)), 0.9)
	return []found{{Finding: x, weight: 3}}
}
