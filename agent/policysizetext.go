package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"evenkeel/agent/config"
	"evenkeel/agent/dashboard"
)

// sizeText shows what an account used, what it meets, and what it needs.
func sizeText(shown sizeShown) printer {
	return func(w io.Writer) error {
		var text strings.Builder
		fmt.Fprintf(&text, "%s, in the logs as %s\n", dashboard.Plain(shown.Account), dashboard.Plain(strings.Join(shown.Names, ", ")))
		for _, c := range shown.Components {
			text.WriteByte('\n')
			c.write(&text)
		}
		shown.writeCommands(&text)
		_, err := io.WriteString(w, text.String())
		return err
	}
}

func (s sizeShown) writeCommands(w io.Writer) {
	switch {
	case len(s.Commands) == 0:
		return
	case s.Own:
		fmt.Fprintln(w, "\nto raise what throttles it, in a policy of its own, since the present one is not known to be its alone:")
	default:
		fmt.Fprintln(w, "\nto raise what throttles it, in its policy, which nobody else has:")
	}
	for _, command := range s.Commands {
		fmt.Fprintf(w, "  %s\n", dashboard.Plain(command))
	}
}

func (c sizeComponent) write(w io.Writer) {
	fmt.Fprintf(w, "%s: policy %s, generation %s, by the logs of %s\n", c.Component, dashboard.Plain(c.Policy), c.Generation, c.Source)
	for _, left := range c.LeftOut {
		fmt.Fprintf(w, "left out: %s of %s, of hours that are told by a better log\n", numberOf(left.Rows, "row"), left.Source)
	}
	c.writeRests(w)
	c.writeNodes(w)
	if c.Nearest != nil {
		fmt.Fprintf(w, "nearest to its limit: %s, %.0f %%\n", c.Nearest.Parameter, 100*c.Nearest.Share)
	}
	c.writeThrottled(w)
	c.writeNeeds(w)
}

// writeRests says what the figures rest on.
func (c sizeComponent) writeRests(w io.Writer) {
	if c.Refused > 0 {
		fmt.Fprintf(w, "%s refused (503, 429, ErrorServerBusy and the like): they are in no figure below, and it needs more than this\n", wereOf(c.Refused, "request"))
	}
	if len(c.Nodes) > 0 {
		fmt.Fprintf(w, "charged is %s\n", c.charged())
	}
	if c.MaybeWaits > 0 {
		fmt.Fprintf(w, "%s of a minute or more are charged, and may have waited: the log does not say what they were\n", numberOf(c.MaybeWaits, "request"))
	}
	if c.Syncs > 0 {
		fmt.Fprintf(w, "%s of a minute or more are taken for waits, and are not charged\n", numberOf(c.Syncs, "Sync"))
	}
	if c.Rough {
		fmt.Fprintln(w, "IIS logs whole seconds: how many were at once is an upper bound, and of its requests is neither judged nor sized")
	}
}

// wereOf is so many, and the verb.
func wereOf(n int, what string) string {
	if n == 1 {
		return "1 " + what + " was"
	}
	return numberOf(n, what) + " were"
}

// charged says where the time is from.
func (c sizeComponent) charged() string {
	whole := "the time without waits, which is an upper bound"
	switch {
	case c.Estimated == 0:
		return "what the log says"
	case c.Logged == 0:
		return whole
	}
	return fmt.Sprintf("what the log says of %s, and of %d %s", numberOf(c.Logged, "request"), c.Estimated, whole)
}

func (c sizeComponent) writeNodes(w io.Writer) {
	if len(c.Nodes) == 0 {
		return
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	line(t, "NODE", "REQUESTS", "WAITING", "AT ONCE", "WHEN", "CHARGED AN HOUR", "MOST", "FROM")
	for _, n := range c.Nodes {
		line(t, n.Node, fmt.Sprint(n.Requests), fmt.Sprint(n.Hanging), c.atOnce(n), sizeAt(n.AtOnceAt), sizeFor(n.Mean), sizeFor(n.Most), sizeAt(n.MostFrom))
	}
	t.Flush()
	if len(c.Nodes) > 1 {
		fmt.Fprintln(w, "each node keeps its own budget, so each is judged by itself")
	}
}

func (c sizeComponent) atOnce(n sizeNode) string {
	if c.Rough {
		return fmt.Sprintf("up to %d", n.AtOnce)
	}
	return fmt.Sprint(n.AtOnce)
}

// mostThrottledShown rows are shown; JSON has all.
const mostThrottledShown = 20

func (c sizeComponent) writeThrottled(w io.Writer) {
	if len(c.Nodes) == 0 {
		return
	}
	if len(c.Throttled) == 0 {
		fmt.Fprintln(w, "under this policy nothing is throttled")
		return
	}
	fmt.Fprintln(w, "under this policy, if all had asked when they did:")
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	line(t, "FROM", "TO", "NODE", "WHAT", "PART", "REQUESTS", "WAITED", "LONGEST")
	for _, h := range c.Throttled[:min(len(c.Throttled), mostThrottledShown)] {
		waited, longest := "-", "-"
		if h.Action == "delay" {
			waited, longest = sizeFor(h.Waited), sizeFor(h.Longest)
		}
		line(t, sizeAt(h.From), sizeAt(h.To), h.Node, h.Action, h.Part, fmt.Sprint(h.Requests), waited, longest)
	}
	t.Flush()
	if more := len(c.Throttled) - mostThrottledShown; more > 0 {
		fmt.Fprintf(w, "and %d more: --json has all\n", more)
	}
}

func (c sizeComponent) writeNeeds(w io.Writer) {
	if len(c.Needs) == 0 {
		return
	}
	fmt.Fprintln(w, "the smallest policy under which nothing is throttled:")
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	line(t, "PARAMETER", "NOW", "LEAST", "WRITE")
	for _, n := range c.Needs {
		write := fmt.Sprint(n.Write)
		if n.Least == 0 {
			write = "-"
		}
		line(t, n.Parameter, amount(n.Present, n.Unit), amount(fmt.Sprint(n.Least), n.Unit), write)
	}
	t.Flush()
	for _, end := range c.Curve {
		fmt.Fprintf(w, "or with %s as it is: %s %s\n", end.Beside, end.Parameter, amount(end.Least, end.Unit))
	}
	if c.Why != "" {
		fmt.Fprintf(w, "why this pair: %s\n", c.Why)
	}
}

func sizeAt(t time.Time) string {
	if t.Unix() <= 0 {
		return "-"
	}
	return t.Format(time.DateTime)
}

// sizeFor is so many seconds, as people read it.
func sizeFor(seconds float64) string {
	return config.Short(time.Duration(seconds * float64(time.Second)).Round(time.Millisecond))
}
