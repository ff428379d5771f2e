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
	host, err := os.Hostname()
	if err != nil {
		host = "" // a mistake only where b relies on it, and then it is said
	}
	return load(name, b, read, host)
}

func load(name string, b []byte, read func(string) ([]byte, error), host string) (Config, error) {
	r, b := newReader(name, b)
	r.open = read

	c := defaults()
	c.File = name
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
