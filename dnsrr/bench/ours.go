package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// nodes is how many agents a farm of ours has, one of which is asked. Three
// addresses with a weight each are three nodes.
const nodes = 3

// A build is a binary of ours.
type build struct {
	name, path string
	nodes      int      // agents of its farm
	plain      []string // modes without signatures
	signed     []string // modes with them
	technique  technique
}

func (b build) modes(signed bool) []string {
	if signed {
		return b.signed
	}
	return b.plain
}

// takes reports that a build takes part in a mode.
func (b build) takes(mode string) bool {
	return slices.Contains(b.plain, mode) || slices.Contains(b.signed, mode)
}

// builds names the binaries: those of the command line, or the tree's, and of
// techniques the tree's without each. A path that is empty is to be built.
func (o options) builds() (list []build) {
	if o.techniques {
		list = append(list, build{name: ours, nodes: 1, plain: onOne})
		for _, t := range techniques {
			list = append(list, build{name: t.name, nodes: 1, plain: t.modes, technique: t})
		}
		return list
	}
	everywhere := build{name: ours, nodes: nodes, plain: []string{"saturation", "steady", "half", "tcp", "cookie"}, signed: []string{"signed"}}
	if len(o.ours) == 0 {
		return []build{everywhere}
	}
	for i, s := range o.ours {
		b := everywhere
		b.path = s
		if name, path, named := strings.Cut(s, "="); named {
			b.name, b.path = name, path
		} else if len(o.ours) > 1 {
			b.name += strconv.Itoa(i + 1)
		}
		list = append(list, b)
	}
	return list
}

// compile has every build be a file.
func (h *house) compile(ctx context.Context, list []build) (err error) {
	for i := range list {
		b := &list[i]
		if b.path != "" {
			if b.path, err = filepath.Abs(b.path); err != nil {
				return err
			}
			continue
		}
		overlay, err := b.technique.overlay(h.tree, filepath.Join(h.dir, "overlays", b.name))
		if err != nil {
			return err
		}
		b.path = filepath.Join(h.dir, "evenkeel-"+b.name)
		if err := h.build(ctx, []string{"CGO_ENABLED=0"}, "go", "build", "-C", h.tree, "-trimpath", "-overlay", overlay, "-o", b.path, "./agent"); err != nil {
			return err
		}
	}
	return nil
}

// build runs a compiler.
func (h *house) build(ctx context.Context, env []string, argv ...string) error {
	c := exec.CommandContext(ctx, argv[0], argv[1:]...)
	c.Env = append(os.Environ(), env...)
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", strings.Join(argv, " "), err, brief(string(out)))
	}
	return nil
}

// tools builds what is measured beside the installed rivals.
func (h *house) tools(ctx context.Context) error {
	for _, program := range []string{"plain", "flood"} {
		if err := h.build(ctx, nil, "go", "build", "-o", filepath.Join(h.dir, program), "./"+program); err != nil {
			return err
		}
	}
	if h.coredns {
		if err := h.build(ctx, []string{"CGO_ENABLED=0"}, "go", "build", "-C", "coredns", "-o", filepath.Join(h.dir, "coredns"), "."); err != nil {
			h.note("coredns: %v", err)
		}
	}
	if _, err := exec.LookPath("cc"); err != nil {
		return nil // echo says that it is missing
	}
	b, err := templates.ReadFile("rivals/echo.c")
	if err != nil {
		return err
	}
	source := filepath.Join(h.dir, "echo.c")
	if err := os.WriteFile(source, b, 0o600); err != nil {
		return err
	}
	return h.build(ctx, nil, "cc", "-O2", "-o", filepath.Join(h.dir, "echo"), source)
}

// farm starts the agents of one build: the first where servers are measured, the
// others where the load comes from.
func (h *house) farm(ctx context.Context, b build, signed bool) (*server, error) {
	s := &server{name: b.name, modes: b.modes(signed), against: b.technique.against}
	gossip, err := freePort()
	if err != nil {
		return nil, err
	}
	var like place
	for nr := 1; nr <= b.nodes; nr++ {
		at, err := h.place(fmt.Sprintf("%s.%d", b.name, nr), signed)
		if err != nil {
			return nil, h.undone(s, err)
		}
		at.Nr, at.Gossip, at.Keys, at.Features = nr, gossip, like.Keys, like.Features
		if nr == 1 {
			if err := h.equip(ctx, b, &at); err != nil {
				return nil, err
			}
			like, s.port = at, at.Port
		}
		if err := h.join(s, b, at); err != nil {
			return nil, h.undone(s, err)
		}
	}
	return h.settled(ctx, s, signed, b.nodes)
}

func (h *house) undone(s *server, err error) error {
	s.stop()
	return err
}

// join starts one agent of a farm.
func (h *house) join(s *server, b build, at place) error {
	if err := at.write("evenkeel.yaml", "evenkeel.yaml"); err != nil {
		return err
	}
	cores := strconv.Itoa(h.serverCore)
	switch {
	case at.Nr > 1:
		cores = strconv.Itoa(h.clientCore)
	case slices.Contains(s.modes, "spread"):
		cores += "," + strconv.Itoa(h.clientCore)
	}
	p, err := launch(cores, at.Dir, goEnv(cmp.Or(b.technique.procs, h.procs)), b.path, "run", "--config", filepath.Join(at.Dir, "evenkeel.yaml"))
	if err != nil {
		return err
	}
	if at.Nr == 1 {
		s.process = p
	} else {
		s.beside = append(s.beside, p)
	}
	return nil
}

// equip turns on what a build can do, and notes what it cannot.
func (h *house) equip(ctx context.Context, b build, at *place) error {
	features, err := templates.ReadFile("rivals/features.yaml")
	if err != nil {
		return err
	}
	at.Features = string(features)
	if err := h.check(ctx, b, *at); err != nil {
		h.note("%s%s: measured without rivals/features.yaml: %v", b.name, withSignatures(at.Signed), err)
		at.Features = ""
		if err := h.check(ctx, b, *at); err != nil {
			return err
		}
	}
	if !at.Signed {
		return nil
	}
	if at.Keys, err = keygen(ctx, b, at.Dir); err != nil {
		return err
	}
	return h.check(ctx, b, *at)
}

// check asks a build whether it takes its configuration.
func (h *house) check(ctx context.Context, b build, at place) error {
	if err := at.write("evenkeel.yaml", "evenkeel.yaml"); err != nil {
		return err
	}
	return h.build(ctx, nil, b.path, "check", "--config", filepath.Join(at.Dir, "evenkeel.yaml"))
}

// keygen has a build make keys for its zone: the lines that name them.
func keygen(ctx context.Context, b build, dir string) (string, error) {
	c := exec.CommandContext(ctx, b.path, "zone", "keygen", "--config", filepath.Join(dir, "evenkeel.yaml"), "--dir", dir)
	var complaint strings.Builder
	c.Stderr = &complaint
	out, err := c.Output()
	if err != nil {
		return "", fmt.Errorf("this build cannot make keys: zone keygen: %w: %s", err, brief(complaint.String()))
	}
	var lines []string
	for line := range strings.Lines(string(out)) {
		if strings.HasPrefix(strings.TrimSpace(line), "- {file:") {
			lines = append(lines, strings.TrimRight(line, "\n"))
		}
	}
	if len(lines) == 0 {
		return "", fmt.Errorf("zone keygen: no keys in %q", out)
	}
	return strings.Join(lines, "\n"), nil
}
