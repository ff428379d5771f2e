//go:build !race

package main

import (
	"encoding/json"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"evenkeel/agent/diagnose/farmlog"
)

// TestDiagnosedStories plays what happens to farms, and has the command say what
// happened: the cause comes first, and nothing is found that is not there.
// EVENKEEL_BYTES is the size of each farm's logs. The race detector would make
// minutes of the seconds that this takes; it looks at the same code over smaller
// logs in TestAnyDivision of agent/logs.
func TestDiagnosedStories(t *testing.T) {
	for _, s := range farmlog.Stories() {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			truth, found := playedAndFound(t, s)
			if s.Cause == "" && len(found) > 0 || s.Cause != "" && (len(found) == 0 || found[0].Kind != s.Cause) {
				t.Fatalf("want %q first; found %+v", s.Cause, found)
			}
			for _, f := range found {
				if f.Kind != s.Cause && !slices.Contains(s.Also, f.Kind) {
					t.Errorf("nothing of the kind %s happened: %s", f.Kind, f.Title)
				}
			}
			if truth.Outage > 0 {
				near(t, "minutes of outage", found[0].Minutes, truth.Outage.Minutes())
			}
			if s.Cause == "skew" {
				near(t, "share of the busiest node in %", figure(t, `^(\d+) % of`, found[0].Title), 100*truth.Skew)
				near(t, "failovers", figure(t, `(\d+) failovers`, found[0].Title), float64(truth.Failovers))
			}
		})
	}
}

// foundIn is a finding as the outside sees it.
type foundIn struct {
	Kind, Title string
	Minutes     float64
	Evidence    []struct{ File string }
}

// playedAndFound writes a story's logs, and asks the command.
func playedAndFound(t *testing.T, s farmlog.Story) (farmlog.Truth, []foundIn) {
	size, err := strconv.ParseFloat(os.Getenv("EVENKEEL_BYTES"), 64)
	switch {
	case err == nil:
	case s.Cause == "skew" || s.Cause == "recycle": // of few clients too few are refused to be sure
		size = 400e6
	default:
		size = 150e6
	}
	dir := t.TempDir()
	truth, err := s.Write(farmlog.Options{Bytes: int64(size), Seed: 1}, func(path string) (io.WriteCloser, error) {
		path = filepath.Join(dir, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return nil, err
		}
		return os.Create(path)
	})
	if err != nil {
		t.Fatal(err)
	}
	status, stdout, stderr := ask(t.Context(), "diagnose", "--json", dir)
	var said struct{ Findings []foundIn }
	if err := json.Unmarshal([]byte(stdout), &said); status != 0 || err != nil {
		t.Fatalf("exit status %d, %v: %s", status, err, stderr)
	}
	return truth, said.Findings
}

// near holds a figure to one part in a hundred.
func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > want/100 {
		t.Errorf("%s: got %g, want %g", what, got, want)
	}
}

func figure(t *testing.T, form, text string) float64 {
	t.Helper()
	m := regexp.MustCompile(form).FindStringSubmatch(text)
	if m == nil {
		t.Fatalf("no %s in %q", form, text)
	}
	n, err := strconv.ParseFloat(m[1], 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
