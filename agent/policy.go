package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"evenkeel/agent/config"
	"evenkeel/policy/throttle"
)

func policyCommand(e env) *cobra.Command {
	c := &cobra.Command{
		Use: "policy", Short: "show, check, explain and size throttling policies, and decode budgets", Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			return fmt.Errorf("%w: a command of policy is missing: show, check, explain, decode or size", errUsage)
		},
	}
	c.AddCommand(policyShowCommand(e), policyCheckCommand(e), policyExplainCommand(e), policyDecodeCommand(e), policySizeCommand(e))
	return c
}

func policyShowCommand(e env) *cobra.Command {
	c := &cobra.Command{Use: "show [FILE|NAME]", Short: "show what policies say, and what is built in, with where it is from", Args: oneAtATime("policy")}
	c.Long = c.Short + "\n\nFILE is a policy file. NAME is a policy of the configuration, of which every parameter is shown\nas who is assigned to it has it; " +
		"2013, 2010 and 2010-rtm name what is built in. Without\neither, all policies of the configuration are shown as they stand, and what is built in."
	file := configFlag(c)
	c.RunE = func(_ *cobra.Command, args []string) error {
		show, err := shownPolicies(e, *file, args)
		if err != nil {
			return err
		}
		return show(e.stdout)
	}
	return c
}

// oneAtATime refuses a second argument.
func oneAtATime(what string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) > 1 {
			return fmt.Errorf("%w: one %s at a time, found %q too", errUsage, what, args[1])
		}
		return nil
	}
}

// shownPolicies finds what is to be shown: of a file, of a policy, or all.
func shownPolicies(e env, file string, args []string) (printer, error) {
	if len(args) == 1 {
		if b, ok := builtIn(args[0]); ok {
			return effectiveTable(b.Fallback()), nil
		}
		text, err := os.ReadFile(args[0])
		if err == nil {
			return fileTable(e, file, args[0], text)
		}
		if !errors.Is(err, fs.ErrNotExist) && !namesFolder(args[0]) {
			return nil, err
		}
	}
	cfg, _, err := load(e, file)
	if err != nil {
		return nil, err
	}
	if len(args) == 0 {
		return policyTable(cfg.Policy.Book), nil
	}
	policy, ok := cfg.Policy.Book.Named(args[0])
	if !ok {
		return nil, noPolicy(cfg, args[0])
	}
	return effectiveTable(policy), nil
}

// namesFolder says that name is a folder, and so no policy file.
func namesFolder(name string) bool {
	i, err := os.Stat(name)
	return err == nil && i.IsDir()
}

// builtIn is a Book of nothing but the built-in fallback of a generation.
func builtIn(word string) (*throttle.Book, bool) {
	for _, g := range throttle.Generations() {
		if word == g.String() {
			b, err := throttle.Compile(throttle.File{Generation: g})
			return b, err == nil
		}
	}
	return nil, false
}

// fileTable shows a policy file. The configuration says what the file does not,
// whatever its own policy file is like; where it is not there and was not asked
// for, the defaults do.
func fileTable(e env, configuration, name string, text []byte) (printer, error) {
	cfg, err := loadBy(config.LoadToAsk, e, configuration)
	if err != nil && (configuration != "" || !errors.Is(err, fs.ErrNotExist)) {
		return nil, err
	}
	b, err := config.Policies(name, text, cfg.Policy.Given())
	if err != nil {
		return nil, err
	}
	return policyTable(b), nil
}

func noPolicy(cfg config.Config, name string) error {
	var known []string
	for _, p := range cfg.Policy.Book.Policies() {
		known = append(known, p.Name)
	}
	err := fmt.Errorf("no policy and no file is called %q", name)
	if near, ok := config.Nearest(name, known); ok {
		return hinted{err, "did you mean " + near + "?"}
	}
	if cfg.Policy.File == "" {
		return hinted{err, "policy.file of the configuration names no policies; 2013, 2010 and 2010-rtm are built in"}
	}
	return hinted{err, "evenkeel policy show lists all of them"}
}
