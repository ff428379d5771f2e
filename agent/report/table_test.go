package report

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"evenkeel/policy/balance/sim"
)

// threeSeeds is one play whose seeds differ in all that counts.
func threeSeeds() Simulation {
	rule, _ := sim.Find("evenkeel")
	return Simulation{Scenario: sim.Scenario{Name: "s"}, Seeds: []uint64{4, 5, 6}, Plays: []Play{{Rule: rule, Results: []sim.Result{
		{Peak: 1.5, Ideal: 1, P99OverIdeal: 1.25, ImbalanceP50: 0.5, ImbalanceMax: 0.75, Refused: 12, Cascades: 3, Outage: 7.5, Level: -time.Second, LookUps: 0.25},
		{Peak: 1, Ideal: 1, Level: 90 * time.Second},
		{Peak: 2, Ideal: 1, Level: time.Hour},
	}}}}
}

func TestTableOfSeeds(t *testing.T) {
	lines := strings.Split(text(t, func(b *strings.Builder) error { return threeSeeds().Table(b) }), "\n")
	for i, want := range []string{
		"RULE      PEAK    P99  IMB50  IMBMAX  REFUSED  CASC  OUTAGE  LEVEL  DNS/S",
		"evenkeel  1.500  0.000  0.000   0.000        0     0       0     1h   0.00",
		"          2.000  1.250  0.500   0.750       12     3       8  never   0.25",
		"",
	} {
		if got := lines[i]; got != want && strings.Join(strings.Fields(got), " ") != strings.Join(strings.Fields(want), " ") {
			t.Errorf("line %d:\ngot  %s\nwant %s", i, got, want)
		}
	}
	if got := lines[len(lines)-2]; got != "first line: the median of 3 seeds; second: the worst" {
		t.Errorf("the last line is %q", got)
	}
}

// Whatever comes of a play, the table fits a terminal of 100 columns, and
// numbers stand under each other.
func TestTableIsNarrow(t *testing.T) {
	s := noisy(1)
	out := text(t, func(b *strings.Builder) error { return s.Table(b) })
	rows := strings.Split(strings.TrimSpace(out), "\n")
	for i, row := range rows {
		if n := utf8.RuneCountInString(row); n > 100 {
			t.Errorf("%d columns: %s", n, row)
		}
		if i <= len(s.Plays) && utf8.RuneCountInString(row) != utf8.RuneCountInString(rows[0]) {
			t.Errorf("row %d does not end where the first does:\n%s\n%s", i, rows[0], row)
		}
	}
}

func TestLinesForPrograms(t *testing.T) {
	out := strings.Split(strings.TrimSpace(text(t, func(b *strings.Builder) error { return threeSeeds().Lines(b) })), "\n")
	want := `{"scenario":"s","seed":4,"rules":[{"rule":"evenkeel","peak_over_ideal":1.5,"p99_over_ideal":1.25,"imbalance_p50":0.5,"imbalance_max":0.75,` +
		`"refused":12,"cascades":3,"outage_client_minutes":7.5,"level_seconds":-1,"dns_qps":0.25}]}`
	if len(out) != 3 || out[0] != want {
		t.Errorf("got\n%s\nwant three, the first\n%s", strings.Join(out, "\n"), want)
	}
	var second line
	if err := json.Unmarshal([]byte(out[1]), &second); err != nil || second.Seed != 5 || second.Rules[0].Level != 90 {
		t.Errorf("got %+v, %v, want seed 5 level after 90 s", second, err)
	}
}

// The best is marked where there is one to tell from others.
func TestBest(t *testing.T) {
	s := threeSeeds()
	s.Seeds, s.Plays[0].Results = s.Seeds[:1], s.Plays[0].Results[:1]
	other := Play{Rule: sim.Rules()[0], Results: []sim.Result{{Peak: 1.2, Ideal: 1, P99OverIdeal: 1.25, Cascades: 3, Level: time.Second, Refused: 12.3, LookUps: 9}}}
	s.Plays = append(s.Plays, other)
	var marked [2][]string
	for i, p := range s.Plays {
		for _, f := range figures() {
			if s.cell(f, p).Best {
				marked[i] = append(marked[i], f.head)
			}
		}
	}
	want := [2][]string{nil, {"PEAK", "IMB50", "IMBMAX", "OUTAGE", "LEVEL"}} // alike: P99, REFUSED and CASC; not judged: DNS
	if !slices.Equal(marked[0], want[0]) || !slices.Equal(marked[1], want[1]) {
		t.Errorf("got %q, want %q", marked, want)
	}
}

func TestNumbersAreShort(t *testing.T) {
	for _, tt := range []struct {
		got, want string
	}{
		{count(0), "0"}, {count(99_999), "99999"}, {count(99_999.6), "100k"}, {count(999_499), "999k"}, {count(999_501), "1.0M"}, {count(9_949_999), "9.9M"}, {count(12_345_678), "12M"},
		{lasting(0), "0s"}, {lasting(90), "1m30s"}, {lasting(3600), "1h"}, {lasting(5400), "1h30m"}, {lasting(600), "10m"}, {lasting(3605), "1h0m5s"}, {lasting(math.Inf(1)), "never"},
		{numbered(1, "node"), "1 node"}, {numbered(200_000, "client"), "200,000 clients"}, {grouped(1_000_000), "1,000,000"}, {grouped(999), "999"},
		{between("5s", "5s"), "5s"}, {seeds([]uint64{1, 2, 3}), "seeds 1–3"},
		{happens(sim.Event{Do: sim.Deaf}), "deaf"}, {happens(sim.Event{Do: sim.Crash, Nodes: []string{"a", "b", "c"}}), "crash a +2"},
		{at(sim.Event{Do: sim.Deaf, At: time.Hour}), "1h: deaf"},
	} {
		if tt.got != tt.want {
			t.Errorf("got %q, want %q", tt.got, tt.want)
		}
	}
}
