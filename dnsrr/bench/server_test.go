package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Every template names only what there is, and every file is somebody's.
func TestTemplates(t *testing.T) {
	p := place{Dir: t.TempDir(), Tools: "/tools", Addr: "127.0.0.1:1", Port: 1, Backend: "127.0.0.1:2", Signed: true, Nr: 1, Gossip: 3, Keys: "      - {}"}
	used := []string{"echo.c", "evenkeel.yaml", "features.yaml"}
	for _, r := range rivals {
		p := p
		p.Dir = filepath.Join(p.Dir, r.name)
		if err := p.furnish(r); err != nil {
			t.Error(r.name, err)
		}
		for name, from := range r.files {
			b, err := os.ReadFile(filepath.Join(p.Dir, name))
			if err != nil || strings.Contains(string(b), "<<") || len(b) == 0 {
				t.Errorf("%s: %s is %q, %v", r.name, name, b, err)
			}
			used = append(used, from)
		}
	}
	if err := p.write("evenkeel.yaml", "evenkeel.yaml"); err != nil {
		t.Error(err)
	}
	files, err := templates.ReadDir("rivals")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !slices.Contains(used, f.Name()) {
			t.Errorf("rivals/%s is nobody's", f.Name())
		}
	}
}

// Every mode that a rival takes part in, and every goal, names what there is.
func TestWords(t *testing.T) {
	for _, r := range rivals {
		for _, m := range r.modes {
			if !slices.Contains(modeNames(), m) {
				t.Errorf("%s: no mode %q", r.name, m)
			}
		}
	}
	for _, g := range goals {
		i := slices.Index(names(), g.rival)
		if i < 0 || !slices.Contains(rivals[i].modes, g.mode) {
			t.Errorf("%s: %s does not take part", g.text(), g.rival)
		}
	}
}

func TestFlags(t *testing.T) {
	var out strings.Builder
	for _, args := range []string{"", "--quick", "--servers gdnsd,nsd --modes tcp --rounds 6 --time 2s", "--ours a=/bin/true --ours /bin/false"} {
		if _, err := parse(strings.Fields(args), &out); err != nil {
			t.Errorf("%q: %v", args, err)
		}
	}
	for _, args := range []string{"stray", "--rounds 0", "--time 1h", "--servers djbdns", "--modes all", "--server-core 1"} {
		if o, err := parse(strings.Fields(args), &out); err == nil {
			t.Errorf("%q: got %+v, want an error", args, o)
		}
	}
}

// By default it stays under a quarter of an hour.
func TestDefaultIsBounded(t *testing.T) {
	o, err := parse(nil, os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	if d := o.duration(1); d.Minutes() > 15 {
		t.Errorf("takes %s", d)
	} else {
		t.Log(d)
	}
}
