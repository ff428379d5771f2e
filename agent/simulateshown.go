package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
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
	file *os.File // nil: there is none, or it was written
}

// openPage opens a file of its own beside the page: two may write one at once, and
// what has another name is not ours.
func openPage(name string) (*page, error) {
	if name == "" {
		return &page{}, nil
	}
	name, err := pageName(name)
	if err != nil {
		return nil, fmt.Errorf("--html: %w", err)
	}
	f, err := createBeside(name)
	if err != nil {
		return nil, fmt.Errorf("--html: %w", err)
	}
	return &page{name, f}, nil
}

// pageName is where a page will be: where a link leads, which stays one. A folder
// or a device is no place for it: a file would replace it.
func pageName(name string) (string, error) {
	if _, err := os.Lstat(name); errors.Is(err, fs.ErrNotExist) {
		return name, nil
	}
	name, err := filepath.EvalSymlinks(name)
	if err != nil {
		return "", err
	}
	about, err := os.Stat(name)
	if err == nil && !about.Mode().IsRegular() {
		err = fmt.Errorf("%s is no file", name)
	}
	return name, err
}

// createBeside creates a file of a name that nothing else has.
func createBeside(name string) (f *os.File, err error) {
	for i := range 1000 {
		f, err = os.OpenFile(fmt.Sprintf("%s.%d.new", name, i), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if !errors.Is(err, fs.ErrExist) {
			break
		}
	}
	return f, err
}

// write has the page drawn, and puts it where it belongs.
func (p *page) write(draw func(io.Writer) error) error {
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
	p.file = nil // its old name may be another's by now
	return nil
}

// abandon leaves nothing behind of a page that was not written; it does nothing
// to one that was.
func (p *page) abandon() {
	if p.file != nil {
		p.file.Close()
		os.Remove(p.file.Name())
	}
}
