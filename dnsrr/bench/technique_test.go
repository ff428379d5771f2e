package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Every technique can be taken out of the sources as they are now, and what is
// left compiles.
func TestTechniquesCompile(t *testing.T) {
	for _, tech := range techniques {
		overlay, err := tech.overlay("../..", filepath.Join(t.TempDir(), tech.name))
		if err != nil {
			t.Error(err)
			continue
		}
		c := exec.CommandContext(t.Context(), "go", "build", "-C", "../..", "-overlay", overlay, "./dnsrr")
		c.Env = append(os.Environ(), "GOOS=linux", "CGO_ENABLED=0")
		if out, err := c.CombinedOutput(); err != nil {
			t.Errorf("%s: %v: %s", tech.name, err, out)
		}
	}
}

// Words that are not there, or twice, are refused: the server would be measured
// against itself.
func TestEditsMustFit(t *testing.T) {
	tree := t.TempDir()
	if err := os.WriteFile(filepath.Join(tree, "x.go"), []byte("a = 1\na = 2\nb = 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		edits []edit
		want  string // of the error
	}{
		{[]edit{{"x.go", "b = 1", "b = 2"}, {"x.go", "b = 2", "c = 1"}}, ""},
		{[]edit{{"x.go", "a = ", "c = "}}, "2 times"},
		{[]edit{{"x.go", "d", "c = "}}, "0 times"},
		{[]edit{{"y.go", "d", "c = "}}, "no such file"},
	} {
		dir := t.TempDir()
		_, err := technique{name: "x", edits: c.edits}.overlay(tree, dir)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: got %v, want %q", c.edits, err, c.want)
		}
		if b, _ := os.ReadFile(filepath.Join(dir, "x.go")); err == nil && string(b) != "a = 1\na = 2\nc = 1\n" {
			t.Errorf("got %q", b)
		}
	}
}
