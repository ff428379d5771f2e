package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"evenkeel/agent/dashboard"
)

type simulateFlags struct {
	rules    []string
	seed     uint64
	seeds    int
	ablation bool
	json     bool
	html     string
	ttl      time.Duration
}

// mostSeeds bounds --seeds; more tell nothing new.
const mostSeeds = 1000

func simulateCommand(e env) *cobra.Command {
	c := &cobra.Command{Use: "simulate [SCENARIO]", Short: "play a farm in simulated time under our rule and those of others", Args: oneScenario}
	c.Long = c.Short + "\n\nSCENARIO is the name of one that is built in, or a file (see configs/scenarios).\nWithout one, scenarios and rules are listed."
	var f simulateFlags
	c.Flags().StringSliceVar(&f.rules, "rule", nil, "play these `RULES` only, in this order; default: all that fit the scenario")
	c.Flags().Uint64Var(&f.seed, "seed", 1, "of all chance: the same seed gives the same play")
	c.Flags().IntVar(&f.seeds, "seeds", 1, "play so many seeds, from --seed on; the table shows median and worst")
	c.Flags().BoolVar(&f.ablation, "ablation", false, "our rule with a part left out or put in, too")
	c.Flags().StringVar(&f.html, "html", "", "write a page with the course of every play to this `FILE`")
	c.Flags().BoolVar(&f.json, "json", false, "one JSON line a seed on stdout")
	c.Flags().DurationVar(&f.ttl, "ttl", 0, "of all answers, in place of the scenario's")
	c.RunE = func(c *cobra.Command, args []string) error {
		if err := f.check(c.Flags().Changed("ttl")); err != nil {
			return err
		}
		if len(args) == 0 {
			return f.list(e)
		}
		return simulate(c.Context(), e, f, args[0])
	}
	return c
}

func oneScenario(_ *cobra.Command, args []string) error {
	if len(args) > 1 {
		return fmt.Errorf("%w: one scenario at a time, found %q too", errUsage, args[1])
	}
	return nil
}

func (f simulateFlags) check(ttlGiven bool) error {
	if f.seeds < 1 || f.seeds > mostSeeds {
		return fmt.Errorf("%w: --seeds is 1 to %d", errUsage, mostSeeds)
	}
	if ttlGiven && (f.ttl < time.Second || f.ttl > time.Hour) {
		return fmt.Errorf("%w: --ttl is 1s to 1h", errUsage)
	}
	return nil
}

func simulate(ctx context.Context, e env, f simulateFlags, name string) error {
	p, err := f.program(name)
	if err != nil {
		return err
	}
	page, err := openPage(f.html)
	if err != nil {
		return err
	}
	defer page.abandon()

	s, err := p.shown(ctx, e.stderr)
	if err != nil {
		return err
	}
	if err := page.write(s.Page); err != nil {
		return err
	}
	if f.json {
		return s.Lines(e.stdout)
	}
	fmt.Fprintf(e.stdout, "%s\n\n", dashboard.Plain(strings.TrimSuffix(s.Scenario.Name+": "+s.Scenario.About, ": ")))
	return s.Table(e.stdout)
}
