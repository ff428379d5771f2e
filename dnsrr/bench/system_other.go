//go:build !linux

package main

import (
	"errors"
	"time"
)

type process struct{ log string }

func launch(string, string, []string, ...string) (*process, error) {
	return nil, errors.New("only Linux says what a process costs in the words that are read here")
}

func (*process) stop()                  {}
func (*process) spent() (usage, error)  { return usage{}, errors.New("unknown here") }
func (*process) memory() (int64, int64) { return 0, 0 }
func machine() string                   { return "unknown" }
func idle(int) time.Duration            { return 0 }
