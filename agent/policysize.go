package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"evenkeel/agent/config"
	"evenkeel/agent/dashboard"
	"evenkeel/agent/logs"
	"evenkeel/policy/throttle"
)

type sizeFlags struct {
	component, policy, generation string
	from, to                      string
	config                        *string
	top                           int
	json                          bool
}

func policySizeCommand(e env) *cobra.Command {
	var f sizeFlags
	c := &cobra.Command{Use: "size ACCOUNT PATH...", Short: "say from logs what an account used, and the smallest policy under which it had not been throttled"}
	c.Long = c.Short + "\n\nACCOUNT is user@domain or DOMAIN\\user, in any letter case. PATH is a log of EWS, MapiHttp, HttpProxy or IIS, a\n" +
		"folder with all below it, or an archive. It also says when the account would be delayed or locked out under\n" +
		"the present policy: its requests are replayed through the budgets that the agent itself keeps. Where it\n" +
		"would be, it says by which commands its limits are raised, its own alone; nothing is lowered.\n\n" +
		"With --top there is no ACCOUNT: those are listed who come nearest to their limits.\n\n" +
		"Times are UTC, as the logs have them: 2026-03-02, \"2026-03-02 08:00\" or 2026-03-02T08:00:00Z."
	f.config = configFlag(c)
	c.Flags().StringVar(&f.component, "component", "", "only this `COMPONENT`, such as Ews")
	c.Flags().StringVar(&f.policy, "policy", "", "policies: a policy `FILE`, or an export or a folder of such; default: what is built in")
	c.Flags().StringVar(&f.generation, "generation", "", "2013, 2010 or 2010-rtm: of what is built in; default: policy.generation of the configuration")
	c.Flags().StringVar(&f.from, "from", "", "leave out requests that began before this `TIME`")
	c.Flags().StringVar(&f.to, "to", "", "leave out requests that began after this `TIME`")
	c.Flags().IntVar(&f.top, "top", 0, "the `N` accounts that come nearest to their limits")
	c.Flags().BoolVar(&f.json, "json", false, "as JSON")
	c.Args = func(_ *cobra.Command, args []string) error { return sizeArgs(f, args) }
	c.RunE = func(c *cobra.Command, args []string) error { return runSize(c.Context(), e, f, args) }
	return c
}

func sizeArgs(f sizeFlags, args []string) error {
	switch {
	case f.top < 0:
		return fmt.Errorf("%w: --top %d: want a number of accounts", errUsage, f.top)
	case f.top > 0 && len(args) == 0:
		return fmt.Errorf("%w: want a log, a folder or an archive", errUsage)
	case f.top == 0 && (len(args) == 0 || throttle.Account(args[0], nil) == ""):
		return fmt.Errorf("%w: want the name of an account, such as jdoe@corp.example, and logs", errUsage)
	case f.top == 0 && len(args) == 1:
		return fmt.Errorf("%w: want a log, a folder or an archive behind %s", errUsage, args[0])
	}
	if _, ok := throttle.ParseComponent(f.component); f.component != "" && !ok {
		return fmt.Errorf("%w: no component %q: want Ews, Eas, Owa, Rca, PowerShell or OutlookService", errUsage, f.component)
	}
	return nil
}

func runSize(ctx context.Context, e env, f sizeFlags, args []string) error {
	book, domains, err := sizeBook(e, f)
	if err != nil {
		return err
	}
	s := newSizeReading(domains, f.component)
	if s.from, s.to, err = spanFlags(f.from, f.to); err != nil {
		return err
	}
	if f.top > 0 {
		return runSizeTop(ctx, e, f, book, s, args)
	}
	s.account = throttle.Account(args[0], domains)
	if err := s.read(ctx, e, f, args[1:], s.taker); err != nil {
		return err
	}
	if err := s.found(args[0]); err != nil {
		return err
	}
	shown := s.sized(book)
	if f.json {
		return jsonText(shown)(e.stdout)
	}
	return sizeText(shown)(e.stdout)
}

// sizeBook is the policies to judge by, and the domains that are known.
func sizeBook(e env, f sizeFlags) (*throttle.Book, []throttle.Domain, error) {
	cfg, err := loadBy(config.LoadToAsk, e, *f.config)
	if err != nil && (*f.config != "" || !errors.Is(err, fs.ErrNotExist)) {
		return nil, nil, err
	}
	given := cfg.Policy.Given()
	if f.generation != "" {
		b, ok := builtIn(f.generation)
		if !ok {
			return nil, nil, fmt.Errorf("%w: --generation is 2013, 2010 or 2010-rtm, found %q", errUsage, f.generation)
		}
		given.Generation = b.Generation()
	}
	book, err := sizePolicies(f.policy, given)
	return book, given.Domains, err
}

// sizePolicies reads a policy file, known by its name, or exports.
func sizePolicies(path string, given throttle.File) (*throttle.Book, error) {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".yaml", ".yml":
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		return config.Policies(path, text, given)
	}
	if path != "" {
		x, err := readExports([]string{path})
		if err != nil {
			return nil, err
		}
		file := x.File()
		file.Domains = given.Domains
		if len(file.Policies) == 0 {
			return nil, hinted{fmt.Errorf("no policy in %s", path), "want a policy file (.yaml), or what Get-ThrottlingPolicy exported"}
		}
		return throttle.Compile(file)
	}
	return throttle.Compile(given)
}

// read finds the logs and has each stream taken.
func (s *sizeReading) read(ctx context.Context, e env, f sizeFlags, paths []string, take func(node int) logs.Taker) error {
	found, err := logs.Find(ctx, paths, "")
	switch {
	case err != nil:
		return err
	case found.Logs() == 0:
		return hinted{fmt.Errorf("no log in %s", strings.Join(paths, ", ")), "want logs of EWS, MapiHttp, HttpProxy or IIS"}
	}
	s.nodes = found.Nodes
	within := found.Within(s.from, time.Time{}) // what began before --to may be logged after it
	ctx, s.stop = context.WithCancel(ctx)
	defer s.stop()
	result, err := readShown(ctx, e, diagnoseFlags{json: f.json}, within, func(of logs.Stream) logs.Taker {
		node, _ := slices.BinarySearch(s.nodes, of.Node)
		return take(node)
	})
	for _, fault := range slices.Concat(found.Faults, result.Faults) {
		fmt.Fprintf(e.stderr, "%s: %s\n", dashboard.Plain(fault.Name), dashboard.Plain(fault.Err.Error()))
	}
	if s.full {
		return hinted{fmt.Errorf("account %s: more than %d requests, which are kept at most", s.account, s.most), "look at less at once, such as a day, with --from and --to, or at one --component"}
	}
	return err
}
