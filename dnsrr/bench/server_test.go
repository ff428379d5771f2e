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
	for _, args := range []string{"", "--quick", "--servers gdnsd,nsd --modes tcp --rounds 6 --time 2s", "--ours a=/bin/true --ours /bin/false", "--techniques --window 512", "--dnsperf --letters --coredns"} {
		if _, err := parse(strings.Fields(args), &out); err != nil {
			t.Errorf("%q: %v", args, err)
		}
	}
	for _, args := range []string{"stray", "--rounds 0", "--time 1h", "--servers djbdns", "--modes all", "--server-core 1", "--window 5", "--techniques --servers gdnsd", "--techniques --ours /bin/true"} {
		if o, err := parse(strings.Fields(args), &out); err == nil {
			t.Errorf("%q: got %+v, want an error", args, o)
		}
	}
}

// By default it stays under a quarter of an hour, and so do the techniques.
func TestRunsAreBounded(t *testing.T) {
	for _, args := range [][]string{nil, {"--coredns"}, {"--techniques"}} {
		o, err := parse(args, os.Stderr)
		if err != nil {
			t.Fatal(err)
		}
		d := o.duration(o.builds())
		if t.Log(args, d, o.modes); d.Minutes() > 15 {
			t.Errorf("%q takes %s", args, d)
		}
	}
}

// Every mode of a build is measured, and every row that another is held against
// stands beside it.
func TestBuilds(t *testing.T) {
	for _, o := range []options{{}, {techniques: true}, {ours: []string{"a=/x", "/y"}}} {
		list := o.builds()
		names := []string{}
		for _, b := range list {
			names = append(names, b.name)
			for _, m := range append(b.plain, b.signed...) {
				if !slices.Contains(o.usual(), m) {
					t.Errorf("%s: mode %q", b.name, m)
				}
			}
		}
		for _, b := range list {
			i := slices.Index(names, b.technique.against)
			if b.technique.against != "" && (i < 0 || !slices.Equal(b.plain, list[i].plain)) {
				t.Errorf("%s is held against %q, which is not measured beside it", b.name, b.technique.against)
			}
		}
		if len(list) == 0 || slices.Contains(o.usual(), "spread") != o.techniques {
			t.Errorf("%+v: builds %q, modes %q", o, names, o.usual())
		}
	}
}
