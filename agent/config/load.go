package config

import (
	"os"
	"slices"
)

// Load makes a Config of b, which was read from a file of that name. What b
// does not say keeps its default, so that no bytes at all are a configuration
// too. read is called for the files that b names, for the key of the gossip,
// certificates and the token; os.ReadFile is meant.
//
// It also asks the system for the host's name, which names the node where b
// does not. An error is always [Problems], and holds every mistake.
func Load(name string, b []byte, read func(string) ([]byte, error)) (Config, error) {
	return load(name, b, read, hostOrNone())
}

// LoadToAsk is [Load] for who only asks a running agent. It does not look at
// policy.file, so that a mistake there takes nobody's status or drain away: its
// Book is the built-in fallback.
func LoadToAsk(name string, b []byte, read func(string) ([]byte, error)) (Config, error) {
	r, b := newReader(name, b)
	r.open, r.asking = read, true
	return r.load(b, hostOrNone())
}

// hostOrNone is the host's name. None is a mistake only where a file relies on
// it, and then it is said.
func hostOrNone() string {
	host, err := os.Hostname()
	if err != nil {
		return ""
	}
	return host
}

func load(name string, b []byte, read func(string) ([]byte, error), host string) (Config, error) {
	r, b := newReader(name, b)
	r.open = read
	return r.load(b, host)
}

// load reads the file's text.
func (r *reader) load(b []byte, host string) (Config, error) {
	c := defaults()
	c.File = r.file
	if v := r.parse(b); v.kind != nothing {
		r.walk(keys(&c), "", v, map[string]place{})
	}

	r.fill(&c, host)
	r.check(&c)
	if all := append(slices.Clip(r.problems).sorted(), r.others...); len(all) > 0 {
		return Config{}, all
	}
	return c, nil
}
