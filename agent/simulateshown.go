package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"evenkeel/agent/config"
	"evenkeel/policy/balance/sim"
)

// list tells what there is to play.
func (f simulateFlags) list(e env) error {
	if f.json || f.html != "" || f.rules != nil {
		return fmt.Errorf("%w: a scenario is missing", errUsage)
	}
	all, err := config.Scenarios()
	if err != nil {
		return err
	}
	var b strings.Builder
	b.WriteString("scenarios:\n")
	for _, sc := range all {
		fmt.Fprintf(&b, "  %-16s %s\n", sc.Name, sc.About)
	}
	b.WriteString("\nrules:\n")
	for _, r := range sim.Rules() {
		fmt.Fprintf(&b, "  %-26s %s\n", r.Name, r.About)
	}
	b.WriteString("\nwith --ablation:\n")
	for _, r := range sim.Ablations() {
		fmt.Fprintf(&b, "  %-26s %s\n", r.Name, r.About)
	}
	_, err = io.WriteString(e.stdout, b.String())
	return err
}

// A page is a file to come: it is opened before anything is played, and is
// there only once it is whole. The zero page is none.
type page struct {
	name string
	file *os.File
}

func openPage(name string) (page, error) {
	if name == "" {
		return page{}, nil
	}
	f, err := os.Create(name + ".new")
	if err != nil {
		return page{}, fmt.Errorf("--html: %w", err)
	}
	return page{name, f}, nil
}

// write has the page drawn, and puts it where it belongs.
func (p page) write(draw func(io.Writer) error) error {
	if p.file == nil {
		return nil
	}
	err := draw(p.file)
	if err = errors.Join(err, p.file.Close()); err == nil {
		err = os.Rename(p.file.Name(), p.name)
	}
	if err != nil {
		return fmt.Errorf("--html: %w", err)
	}
	return nil
}

// abandon leaves nothing behind of a page that was not written; it does nothing
// to one that was.
func (p page) abandon() {
	if p.file != nil {
		p.file.Close()
		os.Remove(p.file.Name())
	}
}
