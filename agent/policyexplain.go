package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"evenkeel/agent/config"
	"evenkeel/agent/dashboard"
	"evenkeel/policy/throttle"
)

func policyExplainCommand(e env) *cobra.Command {
	c := &cobra.Command{Use: "explain USER", Short: "show what one user may, parameter by parameter, where it is from and when a change counts", Args: oneUser}
	c.Long = c.Short + "\n\nUSER is the account as front ends name it. The running agent is asked, which knows what is in use;\nwhere none answers, the configuration is."
	at := agentFlags(c)
	component := c.Flags().String("component", "", "only this `COMPONENT`, such as Ews, and what is of every one")
	asJSON := c.Flags().Bool("json", false, "as JSON")
	c.RunE = func(c *cobra.Command, args []string) error {
		x, err := explained(c.Context(), e, at, args[0])
		if err != nil {
			return err
		}
		if x.Parts, err = only(x.Parts, *component); err != nil {
			return err
		}
		if *asJSON {
			return jsonText(x)(e.stdout)
		}
		return explanationText(x)(e.stdout)
	}
	return c
}

func oneUser(_ *cobra.Command, args []string) error {
	if len(args) == 0 || throttle.Account(args[0], nil) == "" { // whatever the domains are
		return fmt.Errorf("%w: want the name of an account, such as jdoe or jdoe@corp.example", errUsage)
	}
	return oneAtATime("user")(nil, args)
}

// explained asks the agent, or else the configuration, and says which it was.
func explained(ctx context.Context, e env, at *clientFlags, user string) (x throttle.Explanation, err error) {
	agent, err := at.find(e)
	if err != nil {
		return x, err
	}
	x, unheard := explainedBy(ctx, agent, user)
	if unheard == nil {
		fmt.Fprintf(e.stderr, "by the agent at %s\n", agent.base)
		return x, nil
	}
	if err := ctx.Err(); err != nil {
		return x, err
	}
	cfg, _, err := load(e, *at.config)
	if err != nil {
		return x, err
	}
	fmt.Fprintf(e.stderr, "by %s, since the agent does not say (%s)\n", policySource(cfg), dashboard.Plain(unheard.Error()))
	return cfg.Policy.Book.Explain(user), nil
}

func policySource(cfg config.Config) string {
	if cfg.Policy.File != "" {
		return cfg.Policy.File
	}
	return cfg.File
}

// explainedBy is the agent's own word.
func explainedBy(ctx context.Context, agent caller, user string) (x throttle.Explanation, err error) {
	body, err := agent.get(ctx, "/api/v1/policy/explain?user="+url.QueryEscape(user))
	if err != nil {
		return x, err
	}
	if err := json.Unmarshal(body, &x); err != nil {
		return x, fmt.Errorf("reading its answer: %w", err)
	}
	return x, nil
}

// only is the parts of one component, and what is judged in every one.
func only(parts []throttle.Explained, component string) (out []throttle.Explained, err error) {
	if component == "" {
		return parts, nil
	}
	var known []string
	found := false
	for _, p := range parts {
		if p.Component != "" && !slices.Contains(known, p.Component) {
			known = append(known, p.Component)
		}
		if own := strings.EqualFold(p.Component, component); own || p.Component == "" && p.Judged {
			out, found = append(out, p), found || own
		}
	}
	if !found {
		return nil, fmt.Errorf("%w: --component is one of %s, found %q", errUsage, strings.Join(known, ", "), component)
	}
	return out, nil
}
