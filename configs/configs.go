// Package configs holds the files that an operator copies: configurations of
// the agent for some farms, of balancers in front of it, and scenarios to play.
// A test loads every one of them.
//
// Start with evenkeel.yaml, which holds every key with its default; the agent
// runs on it, by [Default], where there is no file.
package configs

import (
	"embed"
	"strings"
)

//go:embed evenkeel.yaml
var evenkeel string

//go:embed scenarios/*.yaml
var scenarios embed.FS

// Default is the configuration that is compiled in: the text of
// configs/evenkeel.yaml, which needs no root, no file and no peer. The bytes
// are the caller's own.
func Default() []byte { return []byte(evenkeel) }

// Scenarios are the names of the scenarios that are compiled in, sorted: those
// of the files of configs/scenarios, without ending.
func Scenarios() []string {
	files, _ := scenarios.ReadDir("scenarios") // embedded, so it is there
	names := make([]string, len(files))
	for i, f := range files {
		names[i] = strings.TrimSuffix(f.Name(), ".yaml")
	}
	return names
}

// Scenario is the text of one of [Scenarios], and whether there is one of that
// name. The bytes are the caller's own.
func Scenario(name string) ([]byte, bool) {
	b, err := scenarios.ReadFile("scenarios/" + name + ".yaml")
	return b, err == nil
}
