// Command evenkeel runs on every node of a mail farm. It measures the node,
// agrees with its peers by gossip who takes how much new work, and shows the
// result to DNS clients and load balancers.
//
// Start reading at package node, the loop; agent.go wires everything to it.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"evenkeel/agent/config"
)

// An env is all of the outside world that a command may touch.
type env struct {
	args           []string
	stdout, stderr io.Writer
	getenv         func(string) string
}

// commands lists every command; one file each. Nouns show, verbs change.
func commands(e env) []*cobra.Command {
	return []*cobra.Command{runCommand(e), demoCommand(e), checkCommand(e), statusCommand(e), drainCommand(e), resumeCommand(e), delegationCommand(e), simulateCommand(e), diagnoseCommand(e), zoneCommand(e), policyCommand(e), versionCommand(e)}
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	status := command(ctx, env{os.Args[1:], os.Stdout, os.Stderr, os.Getenv})
	stop()
	os.Exit(status)
}

// errUsage is wrapped by errors of who called us wrongly.
var errUsage = errors.New("usage")

// command runs one command and returns the exit status: 0 fine, 1 something is
// wrong, 2 wrong usage.
func command(ctx context.Context, e env) int {
	root := &cobra.Command{
		Use:           "evenkeel",
		Short:         "keeps the nodes of a mail farm evenly loaded",
		SilenceErrors: true, SilenceUsage: true,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return fmt.Errorf("%w: a command is missing", errUsage)
			}
			return fmt.Errorf("%w: no command %q", errUsage, args[0])
		},
		RunE: func(*cobra.Command, []string) error { return nil },
	}
	root.SetArgs(e.args)
	root.SetOut(e.stdout)
	root.SetErr(e.stderr)
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return fmt.Errorf("%w: %w", errUsage, err) })
	root.AddCommand(commands(e)...)
	refuseUnknownTopics(root)
	ran, err := root.ExecuteContextC(ctx)
	return explain(e.stderr, ran, err)
}

// refuseUnknownTopics makes help of a command that does not exist wrong usage;
// cobra would say so and be content.
func refuseUnknownTopics(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	help, _, _ := root.Find([]string{"help"}) // it is there
	help.Args = func(_ *cobra.Command, topic []string) error {
		if _, unknown, err := root.Find(topic); err != nil || len(unknown) > 0 {
			return hinted{fmt.Errorf("%w: no command %q", errUsage, strings.Join(topic, " ")), root.Name() + " --help"}
		}
		return nil
	}
}

// explain tells an operator what went wrong, and returns the exit status.
func explain(w io.Writer, ran *cobra.Command, err error) int {
	var problems config.Problems
	switch {
	case err == nil:
		return 0
	case errors.Is(err, errUsage):
		h, ok := hint(err)
		if !ok {
			h = ran.CommandPath() + " --help"
		}
		fmt.Fprintf(w, "error: %v\nhint: %s\n", err, h)
		return 2
	case errors.As(err, &problems):
		fmt.Fprintf(w, "error: the configuration cannot be used\n%v\n", err)
	default:
		fmt.Fprintf(w, "error: %v\n", err)
	}
	if h, ok := hint(err); ok {
		fmt.Fprintf(w, "hint: %s\n", h)
	}
	return 1
}

// noArgs refuses arguments with the exit status of wrong usage.
func noArgs(_ *cobra.Command, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("%w: nothing is expected after the command, found %q", errUsage, args[0])
	}
	return nil
}

// A hinted error knows what its reader could do.
type hinted struct {
	error
	text string
}

// Unwrap returns the error without the hint.
func (h hinted) Unwrap() error { return h.error }

func hint(err error) (string, bool) {
	var h hinted
	if errors.As(err, &h) {
		return h.text, true
	}
	return "", false
}
