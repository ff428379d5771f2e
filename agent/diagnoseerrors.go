package main

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"evenkeel/agent/dashboard"
	"evenkeel/agent/logs"
)

// findError says what to do about it.
func findError(f diagnoseFlags, err error) error {
	switch {
	case errors.Is(err, logs.ErrNoLog):
		return hinted{err, "known are HTTPERR, the W3C logs of IIS, and Exchange's HttpProxy, EWS, MapiHttp and client access logs"}
	case errors.Is(err, logs.ErrServers):
		return fmt.Errorf("%w: --node %s: %w", errUsage, f.node, err)
	}
	return err
}

// nothingFound says why: what cannot be read may well be a log, and then no word
// about kinds of logs helps.
func nothingFound(found *logs.Found, paths []string) error {
	if len(found.Faults) > 0 {
		return errors.New(strings.Join(faultTexts(found.Faults), "\n"))
	}
	return findError(diagnoseFlags{}, fmt.Errorf("%w in %s (%s passed over)", logs.ErrNoLog, strings.Join(paths, ", "), numberOf(found.Passed, "file")))
}

// faultTexts are the first of the faults, a line each; a name in an archive may be
// anything.
func faultTexts(faults []logs.Fault) (out []string) {
	for i, f := range faults {
		if i == mostFaults {
			return append(out, fmt.Sprintf("and %d more", len(faults)-i))
		}
		out = append(out, dashboard.Plain(fmt.Sprintf("%s: %v", f.Name, f.Err)))
	}
	return out
}

// noRow says that there is nothing to judge, and when the logs are of.
func noRow(d diagnosis) error {
	var first, last time.Time
	for _, s := range d.found.Streams {
		for _, l := range s.Logs {
			if !l.First.IsZero() && (first.IsZero() || l.First.Before(first)) {
				first = l.First
			}
			if l.First.After(last) {
				last = l.First
			}
		}
	}
	err := errors.New(strings.Join(append([]string{"there is no row to judge in the logs"}, faultTexts(d.faults())...), "\n"))
	if first.IsZero() {
		return err
	}
	return hinted{err, fmt.Sprintf("the first log begins at %s, the last at %s", first.Format(time.RFC3339), last.Format(time.RFC3339))}
}

// A plainText is an error whose text gives a terminal no orders: names of files are
// in it, and words of the command line.
type plainText struct{ error }

func plainError(err error) error {
	if err == nil {
		return nil
	}
	return plainText{err}
}

// Error is the text, line by line.
func (p plainText) Error() string {
	lines := strings.Split(p.error.Error(), "\n")
	for i := range lines {
		lines[i] = dashboard.Plain(lines[i])
	}
	return strings.Join(lines, "\n")
}

// Unwrap is the error as it was.
func (p plainText) Unwrap() error { return p.error }
