package diagnose

import (
	"cmp"
	"slices"
)

// A found is a finding, and how much it weighs beside others: about how many
// minutes clients lost, a farm's clients counting a hundred and one user one.
type found struct {
	Finding
	weight float64
	who    []string // the users it is about, without their domain
}

// A chain is a cause with what came of it, in the order in which it is told.
type chain []found

func (c chain) weight() (sum float64) {
	for _, x := range c {
		sum = max(sum, x.weight)
	}
	return sum
}

// judge says what happened.
func judge(f *farm) Report {
	if f.rows == 0 {
		return Report{Blind: blind(f)}
	}
	f.blame()
	chains := f.outageChains()
	chains = append(chains, f.quiet()...)
	chains = f.hang(chains)
	slices.SortStableFunc(chains, func(a, b chain) int {
		return cmp.Or(cmp.Compare(b.weight(), a.weight()), cmp.Compare(a[0].Kind, b[0].Kind), cmp.Compare(a[0].Title, b[0].Title))
	})
	r := Report{From: utc(f.from), To: utc(f.to), Nodes: f.courses(), Blind: blind(f), Rows: f.rows, Top: f.top()}
	for _, c := range chains {
		for _, x := range c {
			r.Findings = append(r.Findings, x.Finding)
		}
	}
	r.Clear = f.clear(r.Findings)
	return r
}

// quiet are the chains of what refused nobody: each is its own cause until hang
// finds a better one.
func (f *farm) quiet() (out []chain) {
	for _, x := range slices.Concat(f.slowness(), f.stalls(), f.offs(), f.probes(), f.idle(), f.budgets(), f.deletedPolicies(), f.hogs(), f.hidden(), f.codes(), f.answered(), f.leaning()) {
		out = append(out, chain{x})
	}
	return out
}

// hang puts under a cause what is known to come of it.
func (f *farm) hang(in []chain) (out []chain) {
	var hung []found
	for _, c := range in {
		if len(c) == 1 && slices.ContainsFunc(in, func(o chain) bool { return f.comesOf(c[0], o[0]) }) {
			hung = append(hung, c[0])
			continue
		}
		out = append(out, c)
	}
	for _, x := range hung {
		at := slices.IndexFunc(out, func(o chain) bool { return f.comesOf(x, o[0]) })
		if at < 0 { // its cause hangs itself
			out = append(out, chain{x})
			continue
		}
		out[at] = append(out[at], x)
	}
	return out
}

// comesOf says whether something is known to come of another, and was at the
// same time.
func (f *farm) comesOf(x, root found) bool {
	if !overlap(x.Finding, root.Finding) {
		return false
	}
	refusing := root.Minutes > 0 && root.Kind != LockedOut // outages have minutes
	switch x.Kind {
	case Skew:
		return root.Kind == ProbeFlap && x.Minutes == 0
	case SlowBackend:
		return root.Kind == Monopoly
	case Throttled:
		return root.Kind == Monopoly && common(x.who, root.who)
	case Stall:
		return x.Minutes == 0 && (refusing || root.Kind == SlowBackend || root.Kind == SlowAuthentication)
	case Monopoly: // its budget has already held it
		return x.Minutes == 0 && root.Kind == LockedOut && common(x.who, root.who)
	case SlowAuthentication:
		return x.Minutes == 0 && refusing
	case ProbeFlap:
		return refusing && f.outageProbes(x.Finding)
	case Unavailable:
		return x.Minutes == 0 && refusing
	}
	return false
}

func common(a, b []string) bool {
	return slices.ContainsFunc(a, func(x string) bool { return slices.Contains(b, x) })
}

// overlap says whether two were at the same time on a node in common, give or
// take the time in which one leads to another.
func overlap(a, b Finding) bool {
	return common(a.Nodes, b.Nodes) && a.From.Unix() <= b.To.Unix()+before && b.From.Unix() <= a.To.Unix()+before
}

// confidence is by one rule: a line that says so directly is worth 0.6; each
// further kind of log that agrees halves what is missing, and so does seeing it
// three times or more. Nothing is certain.
func confidence(kinds kindSet, seen int, base float64) float64 {
	doubt := 1 - base
	for k := kinds & (kinds - 1); k != 0; k &= k - 1 {
		doubt /= 2
	}
	if seen >= 3 {
		doubt /= 2
	}
	return min(0.98, 1-doubt)
}

const (
	direct  = 0.6 // what lines say
	derived = 0.5 // what follows from several
)

// maxEvidence is how many lines a finding shows.
const maxEvidence = 6

// evidence are the most telling lines of runs: of each the worst, of the largest
// first, and then the first line of all.
func evidence(rs []*run) (out []Evidence) {
	rs = slices.Clone(rs)
	slices.SortStableFunc(rs, func(a, b *run) int {
		return cmp.Or(cmp.Compare(b.n, a.n), cmp.Compare(b.worst, a.worst), cmp.Compare(a.from, b.from))
	})
	for _, r := range rs[:min(len(rs), maxEvidence-2)] {
		out = append(out, r.most.evidence())
	}
	if len(rs) > 0 {
		out = append(out, rs[0].first.evidence(), rs[0].last.evidence())
	}
	return distinct(out)
}

func distinct(in []Evidence) (out []Evidence) {
	for _, e := range in {
		if e.Line > 0 && !slices.ContainsFunc(out, func(o Evidence) bool { return o.File == e.File && o.Line == e.Line }) {
			out = append(out, e)
		}
	}
	return out[:min(len(out), maxEvidence)]
}

// bounds are the first second and the last of runs.
func bounds(rs []*run) (s span) {
	for i, r := range rs {
		if i == 0 {
			s = span{r.from, r.to}
		}
		s.from, s.to = min(s.from, r.from), max(s.to, r.to)
	}
	return s
}

func spans(rs []*run) (out []span) {
	for _, r := range rs {
		out = append(out, span{r.from, r.to})
	}
	return out
}

func kindsIn(rs []*run) (k kindSet) {
	for _, r := range rs {
		k |= r.kinds
	}
	return k
}

func total(rs []*run) (n int64) {
	for _, r := range rs {
		n += r.n
	}
	return n
}

// of makes a finding of what all have.
func (f *farm) of(kind Kind, s span, nodes []string) Finding {
	slices.Sort(nodes)
	return Finding{Kind: kind, From: utc(max(s.from, f.from)), To: utc(min(s.to, f.to)), Nodes: slices.Compact(nodes)}
}
