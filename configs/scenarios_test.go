package configs

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestScenariosAreTheFiles(t *testing.T) {
	files, err := filepath.Glob("scenarios/*")
	if err != nil || len(files) == 0 {
		t.Fatalf("got %v, %v, want the scenarios", files, err)
	}
	var names []string
	for _, f := range files {
		name := filepath.Base(f[:len(f)-len(filepath.Ext(f))])
		names = append(names, name)
		want, err := os.ReadFile(f)
		got, ok := Scenario(name)
		if err != nil || !ok || string(got) != string(want) {
			t.Errorf("%s: %v, %v, or not as in its file", name, ok, err)
		}
		got[0] = 'x' // the caller's own
		if again, _ := Scenario(name); string(again) != string(want) {
			t.Errorf("%s: who writes to what was returned changes it for others", name)
		}
	}
	if got := Scenarios(); !slices.Equal(got, names) {
		t.Errorf("got %v, want %v", got, names)
	}
}

func TestNoSuchScenario(t *testing.T) {
	for _, name := range []string{"", "evening", "../evenkeel", "morning.yaml", "MORNING"} {
		if b, ok := Scenario(name); ok {
			t.Errorf("%q: got %d bytes, want none", name, len(b))
		}
	}
}
