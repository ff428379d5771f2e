package report

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Table writes the figures for a terminal of 100 columns: one line a rule, and
// with several seeds the median of each figure above its worst.
func (s Simulation) Table(w io.Writer) error {
	rows := [][]string{{"RULE"}}
	for _, f := range figures() {
		rows[0] = append(rows[0], f.head)
	}
	for _, p := range s.Plays {
		rows = append(rows, s.rows(p)...)
	}
	var b strings.Builder
	align(&b, rows)
	fmt.Fprintf(&b, "\n%s\n%s\n", words[0], words[1])
	if len(s.Seeds) > 1 {
		fmt.Fprintf(&b, "first line: the median of %d seeds; second: the worst\n", len(s.Seeds))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (s Simulation) rows(p Play) [][]string {
	median, worst := []string{p.Rule.Name}, []string{""}
	for _, f := range figures() {
		m, x := f.spread(p.Results)
		median, worst = append(median, f.show(m)), append(worst, f.show(x))
	}
	if len(s.Seeds) == 1 {
		return [][]string{median}
	}
	return [][]string{median, worst}
}

// align writes rows with the first column to the left and the others to the
// right.
func align(b *strings.Builder, rows [][]string) {
	width := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			width[i] = max(width[i], utf8.RuneCountInString(cell))
		}
	}
	for _, row := range rows {
		fmt.Fprintf(b, "%-*s", width[0], row[0])
		for i, cell := range row[1:] {
			fmt.Fprintf(b, "  %*s", width[i+1], cell)
		}
		b.WriteByte('\n')
	}
}
