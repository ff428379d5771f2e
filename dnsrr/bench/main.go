// Command bench measures what a DNS answer costs: ours beside those of other
// servers that are installed here, under the same load, round by round. It
// prints Markdown, or JSON, with ratios and how sure they are.
//
// Start with [modes], what is measured, and [rivals], who takes part.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"
)

// An options is what the command line says.
type options struct {
	rounds     int
	time       time.Duration // of one run
	servers    []string      // by name; empty = all that are installed
	modes      []string
	ours       []string // NAME=PATH or PATH of binaries of ours; empty = built from tree
	tree       string
	json       bool
	techniques bool // ours without each of its techniques
	coredns    bool // build it
	dnsperf    bool // asks everywhere, to cross-check
	letters    bool // are mixed
	window     int  // queries under way at once
	serverCore,
	clientCore int
	procs int // GOMAXPROCS of servers in Go
}

var errUsage = errors.New("usage")

func main() {
	runtime.LockOSThread() // servers are told to die with the thread that started them
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	o, err := parse(os.Args[1:], os.Stderr)
	if err == nil {
		err = bench(ctx, o, os.Stdout, os.Stderr)
	}
	stop()
	switch {
	case errors.Is(err, flag.ErrHelp):
	case errors.Is(err, errUsage):
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(2)
	case err != nil:
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

// parse reads the command line.
func parse(args []string, out io.Writer) (o options, err error) {
	f := flag.NewFlagSet("bench", flag.ContinueOnError)
	f.SetOutput(out)
	f.IntVar(&o.rounds, "rounds", 15, "rounds of each mode; below 6 there are no intervals")
	f.DurationVar(&o.time, "time", 500*time.Millisecond, "length of one run")
	f.Func("servers", "`NAME,...` of those that take part: "+strings.Join(names(), " "), list(&o.servers, append(names(), ours)))
	f.Func("modes", "`NAME,...` of what is measured: "+strings.Join(modeNames(), " "), list(&o.modes, modeNames()))
	f.Func("ours", "`[NAME=]PATH` of a binary of ours, may be repeated; default: built from the tree", func(s string) error {
		o.ours = append(o.ours, s)
		return nil
	})
	f.StringVar(&o.tree, "tree", "../..", "`DIR` of ours")
	f.BoolVar(&o.techniques, "techniques", false, "measure ours without each of its techniques, which are built for that, and no rivals")
	f.BoolVar(&o.coredns, "coredns", false, "build CoreDNS, which fetches some hundred modules the first time")
	f.BoolVar(&o.dnsperf, "dnsperf", false, "let dnsperf ask in every mode, to cross-check; it is slower than most servers")
	f.BoolVar(&o.letters, "letters", false, "mix capital and small letters in each query, as resolvers do")
	f.IntVar(&o.window, "window", 192, "queries under way at once; of more than 200 some are lost where a receive buffer has the default size")
	f.BoolVar(&o.json, "json", false, "print every figure as JSON")
	f.IntVar(&o.serverCore, "server-core", 0, "core that servers run on")
	f.IntVar(&o.clientCore, "client-core", 1, "core that the load comes from")
	f.IntVar(&o.procs, "gomaxprocs", 2, "GOMAXPROCS of servers in Go, which would see one core only")
	quick := f.Bool("quick", false, "3 rounds of 0.3 s, for a look and not for figures")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	if *quick {
		o.rounds, o.time = 3, 300*time.Millisecond
	}
	if o.modes == nil {
		o.modes = o.usual()
	}
	return o, o.check(f.Args())
}

// usual is the modes that ours takes part in.
func (o options) usual() (list []string) {
	for _, name := range modeNames() {
		if slices.ContainsFunc(o.builds(), func(b build) bool { return b.takes(name) }) {
			list = append(list, name)
		}
	}
	return list
}

func (o options) check(rest []string) error {
	switch {
	case len(rest) > 0:
		return fmt.Errorf("%w: nothing is expected after the flags, found %q", errUsage, rest[0])
	case o.rounds < 1 || o.rounds > 1000:
		return fmt.Errorf("%w: --rounds is 1 to 1000, found %d", errUsage, o.rounds)
	case o.time < 100*time.Millisecond || o.time > time.Minute:
		return fmt.Errorf("%w: --time is 100ms to 1m, found %s", errUsage, o.time)
	case o.window < 16 || o.window > 4096:
		return fmt.Errorf("%w: --window is 16 to 4096, found %d", errUsage, o.window)
	case o.techniques && len(o.ours)+len(o.servers) > 0:
		return fmt.Errorf("%w: --techniques builds what it measures, and takes neither --ours nor --servers", errUsage)
	case o.serverCore == o.clientCore:
		return fmt.Errorf("%w: servers and load need a core each, found %d for both", errUsage, o.serverCore)
	}
	return nil
}

// list takes known words, apart by commas.
func list(to *[]string, known []string) func(string) error {
	return func(s string) error {
		for _, word := range strings.Split(s, ",") {
			if !slices.Contains(known, word) {
				return fmt.Errorf("want some of %s", strings.Join(known, " "))
			}
			*to = append(*to, word)
		}
		return nil
	}
}
