package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"evenkeel/agent/config"
	"evenkeel/dnsrr"
)

func runCommand(e env) *cobra.Command {
	c := &cobra.Command{Use: "run", Short: "run the agent until interrupted", Args: noArgs}
	file := configFlag(c)
	c.RunE = func(c *cobra.Command, _ []string) error { return run(c.Context(), e, *file) }
	return c
}

func run(ctx context.Context, e env, file string) error {
	cfg, records, err := load(e, file) // words become values
	if err != nil {
		return err
	}
	log := logger(e.stderr)

	a, err := wire(cfg, records, log) // what the machine can refuse, it refuses here
	if err != nil {
		return err
	}
	defer a.close()
	a.warn(cfg)
	if err := a.remember(); err != nil {
		return err
	}
	a.recall()
	a.recallLogs()
	if err := a.introduce(e.stdout); err != nil {
		return err
	}

	signal.Notify(a.hup, syscall.SIGHUP) // or it would end us
	defer signal.Stop(a.hup)
	again := reloader{
		read: func() (config.Config, dnsrr.Records, error) { return load(e, file) },
		stat: func() stamp { return stampOf(a.current().Files()...) },
	}
	parent, err := supervisorOf(e.getenv, os.Getpid())
	if err != nil {
		log.Warn("the supervisor cannot be understood", "err", err)
	}
	return a.run(ctx, // until told to stop
		func(ctx context.Context) error { a.reread(ctx, again); return nil },
		func(ctx context.Context) error { parent.watch(ctx, a.ready, a.lastBeat, log); return nil },
		func(running context.Context) error { parent.farewell(running, ctx, a.leaves, log); return nil })
}

// logger writes text to a terminal and JSON elsewhere.
func logger(w io.Writer) *slog.Logger {
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{ReplaceAttr: clockOnly}))
	}
	return slog.New(slog.NewJSONHandler(w, nil))
}

// clockOnly shortens the time: who watches a terminal knows the day.
func clockOnly(groups []string, a slog.Attr) slog.Attr {
	if len(groups) == 0 && a.Key == slog.TimeKey {
		return slog.String(a.Key, a.Value.Time().Format(time.TimeOnly))
	}
	return a
}

// warn says what of a configuration is allowed, and yet is better otherwise.
func (a *agent) warn(cfg config.Config) {
	for _, name := range exposed(cfg.Admin, os.Stat) {
		a.log.Warn("every user of this machine may read what lets into listen.admin: chmod o= FILE", "file", name)
	}
	if hint := forgetful(cfg); hint != "" {
		a.log.Warn(hint)
	}
}

// introduce names the configuration in use and every address served.
func (a *agent) introduce(w io.Writer) error {
	version, _ := build()
	_, err := fmt.Fprintf(w, "evenkeel %s, node %s of zone %s\nconfiguration: %s\n", version, a.cfg.Node.Name, a.cfg.Zone.Name, a.cfg.File)
	for _, s := range a.sockets.served() {
		fmt.Fprintf(w, "%-14s %s\n", s.what+":", s.where)
	}
	fmt.Fprintf(w, "%-14s %v, joins %v\n", "gossip:", a.farm.Addr(), a.cfg.Gossip.Join)
	return err
}
