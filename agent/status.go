package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"evenkeel/agent/dashboard"
)

// lookLimit is how long --watch waits for an agent before it says that it is
// away: what is shown is never older.
const lookLimit = 2 * time.Second

// A look asks the agent and returns what is to be shown, in whole lines.
type look func(context.Context) (string, error)

func statusCommand(e env) *cobra.Command {
	c := &cobra.Command{Use: "status", Short: "show what the agent sees and decided", Args: noArgs}
	at := agentFlags(c)
	watch := c.Flags().Bool("watch", false, "again every second, until interrupted")
	asJSON := c.Flags().Bool("json", false, "as JSON; with --watch one line a second")
	c.RunE = func(c *cobra.Command, _ []string) error {
		agent, err := at.find(e)
		if err != nil {
			return err
		}
		switch {
		case *watch && *asJSON:
			return everySecond(c.Context(), lookAt(agent, jsonLine), jsonLines(e))
		case *watch:
			return watchTable(c.Context(), e.stdout, lookAt(agent, table))
		case *asJSON:
			return once(c.Context(), e.stdout, lookAt(agent, verbatim))
		}
		return once(c.Context(), e.stdout, lookAt(agent, table))
	}
	return c
}

func once(ctx context.Context, w io.Writer, l look) error {
	text, err := l(ctx)
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, text)
	return err
}

// lookAt asks the agent, and lets as put its answer into lines.
func lookAt(agent caller, as func([]byte) (string, error)) look {
	return func(ctx context.Context) (string, error) {
		body, err := agent.get(ctx, "/api/v1/status")
		if err != nil {
			return "", unreached(err)
		}
		text, err := as(body)
		if err != nil {
			return "", fmt.Errorf("reading the agent's answer: %w", err)
		}
		return text, nil
	}
}

func verbatim(body []byte) (string, error) { return string(body), nil }

func jsonLine(body []byte) (string, error) {
	var b bytes.Buffer
	err := json.Compact(&b, body)
	return b.String() + "\n", err
}

func table(body []byte) (string, error) {
	var s dashboard.Status
	if err := json.Unmarshal(body, &s); err != nil {
		return "", err
	}
	var b strings.Builder
	err := s.Table(&b)
	return b.String(), err
}

// watchTable shows the table until ctx is done: in place on a terminal, which
// is given back as it was, else one after the other.
func watchTable(ctx context.Context, w io.Writer, l look) error {
	s, ok := screenOf(w)
	if !ok {
		return everySecond(ctx, l, paragraphs(w))
	}
	s.enter()
	defer s.leave()
	return everySecond(ctx, l, func(text string, err error) error { return s.show(orWhyNot(text, err)) })
}

// everySecond shows what a look sees, or why it sees nothing, until ctx is
// done, which is no error.
func everySecond(ctx context.Context, l look, show func(text string, err error) error) error {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		limit, cancel := context.WithTimeout(ctx, lookLimit)
		text, err := l(limit)
		cancel()
		if ctx.Err() != nil {
			return nil
		}
		if err := show(text, err); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// paragraphs writes one text after the other, a blank line between them.
func paragraphs(w io.Writer) func(string, error) error {
	between := ""
	return func(text string, err error) error {
		_, err = io.WriteString(w, between+orWhyNot(text, err))
		between = "\n"
		return err
	}
}

func orWhyNot(text string, err error) string {
	if err != nil {
		return dashboard.Plain(err.Error()) + "\n"
	}
	return text
}

// jsonLines writes what was seen to stdout, where a program reads it. While
// nothing is seen it writes nothing, and says so once on stderr.
func jsonLines(e env) func(string, error) error {
	away := false
	return func(text string, err error) error {
		if err != nil && !away {
			fmt.Fprintf(e.stderr, "warning: %s\n", dashboard.Plain(err.Error()))
		}
		if away = err != nil; away {
			return nil
		}
		_, err = io.WriteString(e.stdout, text)
		return err
	}
}
