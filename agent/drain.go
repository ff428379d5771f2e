package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"evenkeel/agent/dashboard"
)

const (
	heardWithin = 15 * time.Second       // in which another node must have carried out what it was asked
	looks       = 500 * time.Millisecond // between two looks at what became of it
	linger      = 2 * time.Second        // how much longer than a TTL an answer may live: other nodes give it until they hear of the drain, and resolvers that count in whole seconds (unbound) keep it for up to one more
)

func drainCommand(e env) *cobra.Command {
	c := &cobra.Command{Use: "drain [NODE]", Short: "take a node out of new work gently", Args: atMostOne}
	at := agentFlags(c)
	over := c.Flags().Duration("over", dashboard.DrainOver, "how long its probe still says yes")
	wait := c.Flags().Bool("wait", false, "wait until it holds no connection, and no resolver its address")
	c.RunE = func(c *cobra.Command, args []string) error {
		agent, err := at.find(e)
		if err != nil {
			return err
		}
		o := order{e: e, agent: agent, node: nodeOf(args), want: "draining", over: *over}
		if err := o.give(c.Context(), "drain"); err != nil {
			return err
		}
		if !*wait {
			return nil
		}
		return o.empty(c.Context())
	}
	return c
}

func resumeCommand(e env) *cobra.Command {
	c := &cobra.Command{Use: "resume [NODE]", Short: "give a drained node new work again", Args: atMostOne}
	at := agentFlags(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		agent, err := at.find(e)
		if err != nil {
			return err
		}
		return order{e: e, agent: agent, node: nodeOf(args)}.give(c.Context(), "resume")
	}
	return c
}

func atMostOne(_ *cobra.Command, args []string) error {
	if len(args) > 1 {
		return fmt.Errorf("%w: one node at a time, found %q too", errUsage, args[1])
	}
	return nil
}

func nodeOf(args []string) string {
	if len(args) == 0 {
		return ""
	}
	return args[0]
}

// An order is what one of these commands asks of an agent.
type order struct {
	e     env
	agent caller
	node  string // empty: the agent's own
	want  string // the state to be seen; empty: any but draining
	over  time.Duration
}

// give posts the order and waits until the node says that it carries it out.
func (o order) give(ctx context.Context, what string) error {
	body, err := json.Marshal(dashboard.Order{Node: o.node, Over: o.over.String()})
	if err != nil {
		return err
	}
	if err := o.agent.post(ctx, "/api/v1/"+what, body); err != nil {
		return unreached(err)
	}
	limit, cancel := context.WithTimeout(ctx, heardWithin)
	defer cancel()
	n, err := o.until(limit, func(n dashboard.Node) bool { return (n.State == "draining") == (o.want == "draining") })
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		return hinted{fmt.Errorf("%s was asked to %s and is still %s", n.Name, what, n.State), "is its agent alive? `evenkeel status` shows the age of its last word"}
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(o.e.stdout, "%s: %s, %s connections\n", n.Name, n.State, number(n.Connections))
	return err
}

// empty waits until the node holds no connection and no resolver can still
// hold its address, and says how many connections are left.
func (o order) empty(ctx context.Context) error {
	s, err := o.agent.status(ctx)
	if err != nil {
		return err
	}
	forgotten := time.Now().Add(time.Duration(s.TTLMax*float64(time.Second)) + linger)
	last := -1
	_, err = o.until(ctx, func(n dashboard.Node) bool {
		left := time.Until(forgotten)
		if n.Connections != nil && *n.Connections != last {
			if last = *n.Connections; last == 0 && left > 0 {
				fmt.Fprintf(o.e.stdout, "%s: 0 connections; resolvers may send more for %v\n", n.Name, left.Round(time.Second))
			} else {
				fmt.Fprintf(o.e.stdout, "%s: %d connections\n", n.Name, last)
			}
		}
		return last == 0 && left <= 0
	})
	return err
}

// until looks at the node until enough says so, and returns it as last seen.
func (o order) until(ctx context.Context, enough func(dashboard.Node) bool) (n dashboard.Node, err error) {
	for {
		if n, err = o.look(ctx); err == nil && enough(n) {
			return n, nil
		}
		select {
		case <-ctx.Done():
			return n, ctx.Err()
		case <-time.After(looks):
		}
	}
}

func (o order) look(ctx context.Context) (dashboard.Node, error) {
	s, err := o.agent.status(ctx)
	if err != nil {
		return dashboard.Node{}, err
	}
	for _, n := range s.Nodes {
		if n.Name == o.node || o.node == "" && n.Name == s.Node {
			return n, nil
		}
	}
	return dashboard.Node{}, fmt.Errorf("%s is not in the farm any more", o.node)
}

func number(n *int) string {
	if n == nil {
		return "an unknown number of"
	}
	return fmt.Sprint(*n)
}
