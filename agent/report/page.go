package report

import (
	"embed"
	"fmt"
	"html/template"
	"io"
	"strings"

	"evenkeel/policy/balance/sim"
)

//go:embed page
var files embed.FS

// Page writes a page that needs nothing but itself: no network, and a script
// only to show values under the pointer. What s is called is escaped wherever
// it stands.
func (s Simulation) Page(w io.Writer) error {
	t, err := template.ParseFS(files, "page/*")
	if err != nil {
		return err
	}
	return t.ExecuteTemplate(w, "page.html", s.view())
}

// A view is the whole page in the order of its template.
type view struct {
	Title, About string
	Facts        []string
	Events       []string
	Seeds        int
	Heads        []string
	Rows         []tableRow
	Words        string
	Band         bool
	Figures      []drawing
}

// A tableRow is a rule's line of the table.
type tableRow struct {
	Name, About string
	Ours        bool
	Cells       []cell
}

// A cell is a figure; Worst is empty with one seed.
type cell struct {
	Median, Worst string
	Best          bool
}

// A drawing is a rule's panel, and what stands around it.
type drawing struct {
	Number      int
	Name, About string
	Ours        bool
	Read        []reading
	panel
}

// A reading is a value beside its name, which the script replaces by that under
// the pointer. Until then it is the peak, or the sum.
type reading struct {
	Name, Value string
	Kind        string // line, edge (of a band), ideal, queue or refused; empty for the time
	Color       int
	Dash        bool
}

func (s Simulation) view() view {
	v := view{
		Title: s.Scenario.Name, About: s.Scenario.About, Facts: s.facts(), Seeds: len(s.Seeds),
		Words: strings.Join(words[:], " "), Rows: s.tableRows(),
	}
	for _, f := range figures() {
		v.Heads = append(v.Heads, f.title)
	}
	for _, e := range s.Scenario.Events {
		v.Events = append(v.Events, at(e))
	}
	a := newAxes(s)
	for i, p := range s.Plays {
		v.Band = v.Band || p.Course.band()
		v.Figures = append(v.Figures, drawing{i, p.Rule.Name, p.Rule.About, ours(p.Rule), p.readings(), a.panel(p.Course)})
	}
	return v
}

// ours says that a rule is our law, or a part of it.
func ours(r sim.Rule) bool { return strings.HasPrefix(r.Name, "evenkeel") }

// facts are what the scenario is made of, in a few words each.
func (s Simulation) facts() []string {
	sc := s.Scenario
	low, high := sc.Nodes[0].Limit, sc.Nodes[0].Limit
	for _, n := range sc.Nodes {
		low, high = min(low, n.Limit), max(high, n.Limit)
	}
	facts := []string{
		numbered(len(sc.Nodes), "node"), "limits " + between(grouped(low), grouped(high)),
		numbered(sc.Clients.N, "client"), numbered(len(sc.Resolvers), "resolver"),
		"TTL " + between(short(sc.TTL.Min), short(sc.TTL.Max)), short(sc.For) + " played",
	}
	if sc.Balancer.Kind != "" {
		facts = append(facts, "balancer "+sc.Balancer.Kind)
	}
	return append(facts, seeds(s.Seeds))
}

func numbered(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return grouped(n) + " " + what + "s"
}

// grouped is n with its digits in threes.
func grouped(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

func between(low, high string) string {
	if low == high {
		return low
	}
	return low + "–" + high
}

func seeds(s []uint64) string {
	if len(s) == 1 {
		return fmt.Sprintf("seed %d", s[0])
	}
	return fmt.Sprintf("seeds %d–%d", s[0], s[len(s)-1])
}

func (s Simulation) tableRows() []tableRow {
	rows := make([]tableRow, len(s.Plays))
	for i, p := range s.Plays {
		rows[i] = tableRow{Name: p.Rule.Name, About: p.Rule.About, Ours: ours(p.Rule)}
		for _, f := range figures() {
			rows[i].Cells = append(rows[i].Cells, s.cell(f, p))
		}
	}
	return rows
}

func (s Simulation) cell(f figure, p Play) cell {
	median, worst := f.spread(p.Results)
	best, known := f.best(s.Plays)
	c := cell{Median: f.show(median), Best: known && f.show(median) == f.show(best)}
	if len(s.Seeds) > 1 {
		c.Worst = f.show(worst)
	}
	return c
}

// readings are the values under a panel.
func (p Play) readings() []reading {
	c := p.Course
	out := []reading{{Name: "peak"}}
	if c.band() {
		out = append(out, reading{Name: "highest", Value: hundredths(c.fill[2]), Kind: "edge"},
			reading{Name: "median", Value: hundredths(c.fill[1]), Kind: "line"},
			reading{Name: "lowest", Value: hundredths(c.fill[0]), Kind: "edge"})
	}
	for i, name := range c.nodes {
		out = append(out, reading{Name: name, Value: hundredths(c.fill[i]), Kind: "line", Color: i % colors, Dash: i >= colors})
	}
	queue := 0
	for _, t := range c.queue {
		queue = max(queue, t.peak())
	}
	return append(out,
		reading{Name: "ideal", Value: hundredths(c.ideal), Kind: "ideal"},
		reading{Name: "queue", Value: fmt.Sprintf("%.2f", float64(queue)/1000), Kind: "queue"},
		reading{Name: "refused", Value: count(p.Results[0].Refused), Kind: "refused"})
}

func hundredths(t track) string { return fmt.Sprintf("%.2f", float64(t.peak())/1000) }
