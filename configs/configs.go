// Package configs holds the files that an operator copies: configurations of
// the agent for some farms, and of balancers in front of it. A test loads
// every one of them.
//
// Start with evenkeel.yaml, which holds every key with its default; the agent
// runs on it, by [Default], where there is no file.
package configs

import _ "embed"

//go:embed evenkeel.yaml
var evenkeel string

// Default is the configuration that is compiled in: the text of
// configs/evenkeel.yaml, which needs no root, no file and no peer. The bytes
// are the caller's own.
func Default() []byte { return []byte(evenkeel) }
