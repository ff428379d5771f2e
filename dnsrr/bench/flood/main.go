// Command flood asks a DNS server on this machine for one name, from many ports,
// and takes less of a processor for it than the server does: so it can bring a
// server of one processor to its end. It prints what it saw as one line of JSON.
//
// Start with [load.run].
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"time"
)

// An options is what the command line says.
type options struct {
	load
	port    int
	sockets int
}

func main() {
	o, err := parse(os.Args[1:], os.Stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return
	case err != nil:
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(2)
	}
	t, err := o.flood()
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(t)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

// flood opens the sockets and runs.
func (o options) flood() (tally, error) {
	links, err := dial(o.port, o.sockets)
	if err != nil {
		return tally{}, err
	}
	began := time.Now()
	o.clock = func() time.Duration { return time.Since(began) }
	return o.run(links)
}

// parse reads the command line.
func parse(args []string, out io.Writer) (o options, err error) {
	f := flag.NewFlagSet("flood", flag.ContinueOnError)
	f.SetOutput(out)
	var e edns
	name := f.String("name", "mail.test.", "`NAME` that is asked for")
	f.IntVar(&o.port, "port", 0, "port of 127.0.0.1")
	f.DurationVar(&o.length, "time", time.Second, "length of the run")
	f.IntVar(&o.rate, "rate", 0, "queries a second; 0 = as many as are answered")
	f.IntVar(&o.window, "window", 192, "queries under way at once, where there is no rate")
	f.IntVar(&o.sockets, "sockets", 16, "ports to ask from")
	f.DurationVar(&o.patience, "patience", time.Second, "after which a query is lost")
	f.BoolVar(&e.dnssec, "dnssec", false, "ask for signatures")
	f.BoolVar(&e.cookie, "cookie", false, "have a client's cookie")
	letters := f.Bool("letters", false, "mix small and capital letters anew in each query")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	if o.q, err = newQuestion(*name, e, *letters); err != nil {
		return o, err
	}
	return o, o.check(f.Args())
}

func (o options) check(rest []string) error {
	switch {
	case len(rest) > 0:
		return fmt.Errorf("nothing is expected after the flags, found %q", rest[0])
	case o.port < 1 || o.port > 65535:
		return fmt.Errorf("--port is 1 to 65535, found %d", o.port)
	case o.length <= 0 || o.length > time.Minute:
		return fmt.Errorf("--time is up to 1m, found %s", o.length)
	case o.rate < 0 || o.rate > 1_000_000:
		return fmt.Errorf("--rate is up to 1000000, found %d", o.rate)
	case o.sockets < 1 || o.sockets > 256:
		return fmt.Errorf("--sockets is 1 to 256, found %d", o.sockets)
	case o.window < o.sockets || o.window > slots*o.sockets:
		return fmt.Errorf("--window is 1 to %d for each socket, found %d", slots, o.window)
	case o.patience < time.Millisecond || o.patience > time.Minute:
		return fmt.Errorf("--patience is 1ms to 1m, found %s", o.patience)
	}
	return nil
}
