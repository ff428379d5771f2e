package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"

	"evenkeel/agent/dashboard"
	"evenkeel/agent/logs"
)

// A progressLine says, on so many columns, how far work is that began so long ago.
type progressLine func(since time.Duration, columns int) string

// showWork keeps a line on a terminal until what it returns is called. It is silent
// where nobody looks: stderr is no terminal, or JSON goes into a pipe.
func showWork(e env, f diagnoseFlags, line progressLine) (done func()) {
	if !isTerminal(e.stderr) || f.json && !isTerminal(e.stdout) {
		return func() {}
	}
	ended := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() { showProgress(e.stderr, sizeOf(e.stderr).columns, line, ended) })
	return func() {
		close(ended)
		wg.Wait()
	}
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// Short work shows no progress, which would only flicker.
const (
	progressAfter = time.Second
	progressEvery = 200 * time.Millisecond
)

// showProgress writes until ended is closed, and then leaves the line empty.
func showProgress(w io.Writer, columns int, line progressLine, ended <-chan struct{}) {
	began := time.Now()
	tick := time.NewTicker(progressEvery)
	defer tick.Stop()
	wrote := false
	for {
		select {
		case <-ended:
			if wrote {
				io.WriteString(w, clearLine)
			}
			return
		case <-tick.C:
			if since := time.Since(began); since >= progressAfter {
				wrote = true
				io.WriteString(w, clearLine+line(since, columns))
			}
		}
	}
}

// barLen is how many characters the bar has.
const barLen = 20

// findingLine says how many files were found, and looked at.
func findingLine(p *logs.Progress, columns int) string {
	return clipped(fmt.Sprintf("looking for logs: %s found, %s looked at", numberOf(int(p.Files.Load()), "file"), grouped(p.Looked.Load())), columns-1)
}

// readingLine says how far reading is, how fast, and when it will be done at
// this pace.
func readingLine(p *logs.Progress, total int64, since time.Duration, columns int) string {
	done := p.Packed.Load()
	share := min(float64(done)/float64(max(total, 1)), 1)
	full := int(share * barLen)
	line := fmt.Sprintf("[%s%s] %.0f %% of %s, %s/s", strings.Repeat("#", full), strings.Repeat(".", barLen-full), 100*share, bytesText(total),
		bytesText(int64(float64(done)/since.Seconds())))
	if share > 0.01 && share < 1 {
		left := time.Duration(float64(since) * (1 - share) / share)
		line += ", " + left.Round(time.Second).String() + " left"
	}
	if file := p.File.Load(); file != nil {
		line += ", " + dashboard.Plain(*file)
	}
	return clipped(line, columns-1)
}
