package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"evenkeel/agent/diagnose"
	pages "evenkeel/agent/diagnose/page"
	"evenkeel/agent/logs"
)

type diagnoseFlags struct {
	from, to string
	node     string
	html     string
	json     bool
	verbose  bool
}

func diagnoseCommand(e env) *cobra.Command {
	var f diagnoseFlags
	c := &cobra.Command{Use: "diagnose PATH...", Short: "read the logs of a farm, and say what happened"}
	c.Long = c.Short + "\n\nPATH is a log, a folder with all below it, or an archive (.zip, .gz): HTTPERR, IIS, and Exchange's HttpProxy,\n" +
		"EWS, MapiHttp and client access logs, of one node or many. Which log and which node a file is of is found in\n" +
		"it, or told by its folder: EX01/HTTPERR, EX02/HTTPERR. What is no log is passed over. Where no file has the\n" +
		"name, * and ? stand for any: D:\\logs\\*.log.\n\n" +
		"Times are UTC, as the logs have them: 2026-03-02, \"2026-03-02 08:00\" or 2026-03-02T08:00:00Z."
	c.Flags().StringVar(&f.from, "from", "", "leave out what was before this `TIME`")
	c.Flags().StringVar(&f.to, "to", "", "leave out what was after this `TIME`")
	c.Flags().StringVar(&f.node, "node", "", "the `NAME` of the node, where all logs are of one")
	c.Flags().StringVar(&f.html, "html", "", "write a page with the course of every node to this `FILE`")
	c.Flags().BoolVar(&f.json, "json", false, "as JSON")
	c.Flags().BoolVarP(&f.verbose, "verbose", "v", false, "all lines that show it, who asked for most, what was not found, and what could not be looked for")
	c.Args = func(_ *cobra.Command, args []string) error {
		if len(args) == 0 {
			return usualFolders(e.getenv, fmt.Errorf("%w: want a log, a folder or an archive", errUsage))
		}
		return nil
	}
	c.RunE = func(c *cobra.Command, args []string) error { return plainError(runDiagnose(c.Context(), e, f, args)) }
	return c
}

// usualFolders adds where a Windows server has its logs, on one.
func usualFolders(getenv func(string) string, err error) error {
	root := getenv("SystemRoot")
	if root == "" {
		return err
	}
	folders := []string{root + `\System32\LogFiles\HTTPERR`, root[:min(2, len(root))] + `\inetpub\logs\LogFiles`}
	if exchange := getenv("ExchangeInstallPath"); exchange != "" {
		folders = append(folders, strings.TrimRight(exchange, `\`)+`\Logging`)
	}
	return hinted{err, `evenkeel diagnose "` + strings.Join(folders, `" "`) + `"`}
}

var errDiagnoseCut = errors.New("interrupted, so nothing is told of what was read")

func runDiagnose(ctx context.Context, e env, f diagnoseFlags, paths []string) error {
	from, to, err := spanFlags(f.from, f.to)
	if err != nil {
		return err
	}
	paper, err := openPage(f.html)
	if err != nil {
		return err
	}
	defer paper.abandon()

	d, err := diagnosed(ctx, e, f, diagnose.Options{From: from, To: to}, paths)
	switch {
	case ctx.Err() != nil:
		return errDiagnoseCut
	case err != nil:
		return err
	}
	show := d.text(sizeOf(e.stdout), f.verbose)
	if f.json {
		show = jsonText(d.json())
	}
	return shown(paper, d.draw, show, e.stdout)
}

// shown writes both: that one fails does not cost the other.
func shown(p *page, draw, show printer, w io.Writer) error {
	return errors.Join(p.write(draw), show(w))
}

// spanFlags are the times of --from and --to, zero where they are not given.
func spanFlags(first, last string) (from, to time.Time, err error) {
	if from, err = timeFlag("--from", first); err != nil {
		return from, to, err
	}
	if to, err = timeFlag("--to", last); err != nil {
		return from, to, err
	}
	if !from.IsZero() && !to.IsZero() && !from.Before(to) {
		return from, to, fmt.Errorf("%w: --from %s is not before --to %s", errUsage, first, last)
	}
	return from, to, nil
}

// timeFlag is a time in any of its forms; UTC where it does not say.
func timeFlag(flag, text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	for _, form := range []string{time.RFC3339, "2006-01-02 15:04:05", "2006-01-02 15:04", "2006-01-02T15:04:05", "2006-01-02T15:04", time.DateOnly} {
		if t, err := time.Parse(form, text); err == nil {
			return t.UTC(), nil
		}
	}
	return time.Time{}, fmt.Errorf("%w: %s %q is no time: want 2026-03-02, \"2026-03-02 08:00\" or 2026-03-02T08:00:00Z, in UTC", errUsage, flag, text)
}

// A diagnosis is all there is to show.
type diagnosis struct {
	report diagnose.Report
	found  *logs.Found // all, not only what was read
	read   logs.Result
	logs   int           // that were read
	packed int64         // bytes that they take on disk
	took   time.Duration // to find and read them
}

// diagnosed finds, reads and judges.
func diagnosed(ctx context.Context, e env, f diagnoseFlags, o diagnose.Options, paths []string) (d diagnosis, err error) {
	began := time.Now()
	if d.found, err = findShown(ctx, e, f, paths); err != nil {
		return d, findError(f, err)
	}
	if d.found.Logs() == 0 {
		return d, nothingFound(d.found, paths)
	}
	within := d.found.Within(o.From, o.To)
	d.logs, d.packed = within.Logs(), within.Packed()
	c := diagnose.New(o)
	take := func(s logs.Stream) logs.Taker { return c.Log(s.Node) }
	if d.read, err = readShown(ctx, e, f, within, take); err != nil {
		return d, err
	}
	d.report, d.took = c.Report(), time.Since(began)
	if d.report.From.IsZero() {
		return d, noRow(d)
	}
	return d, nil
}

// findShown finds, and shows how far it is on a terminal.
func findShown(ctx context.Context, e env, f diagnoseFlags, paths []string) (*logs.Found, error) {
	var sofar logs.Progress
	done := showWork(e, f, func(_ time.Duration, columns int) string { return findingLine(&sofar, columns) })
	defer done()
	return logs.FindTold(ctx, paths, f.node, &sofar)
}

// readShown reads, and shows how far it is on a terminal.
func readShown(ctx context.Context, e env, f diagnoseFlags, found *logs.Found, take func(logs.Stream) logs.Taker) (logs.Result, error) {
	var sofar logs.Progress
	done := showWork(e, f, func(since time.Duration, columns int) string {
		return readingLine(&sofar, found.Packed(), since, columns)
	})
	defer done()
	return found.Read(ctx, runtime.GOMAXPROCS(0), take, &sofar)
}

// draw draws the page.
func (d diagnosis) draw(w io.Writer) error {
	version, _ := build()
	return pages.Write(w, d.report, pages.About{Files: int64(d.logs), Bytes: d.packed, Rows: d.read.Rows, Rejected: d.read.Rejected, Version: version})
}
