package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/spf13/cobra"

	"evenkeel/agent/dashboard"
)

func statusCommand(e env) *cobra.Command {
	c := &cobra.Command{Use: "status", Short: "show what the agent sees and decided", Args: noArgs}
	file := configFlag(c)
	admin := c.Flags().String("admin", "", "the agent's admin `ADDR`; default: listen.admin of the configuration")
	asJSON := c.Flags().Bool("json", false, "as JSON")
	c.RunE = func(c *cobra.Command, _ []string) error {
		addr := *admin
		if addr == "" {
			cfg, _, err := load(e, *file)
			if err != nil {
				return err
			}
			addr = cfg.Listen.Admin.String()
		}
		body, err := fetch(c.Context(), "http://"+addr+"/api/v1/status")
		if err != nil {
			return hinted{fmt.Errorf("asking the agent: %w", err), "is it running? its admin address is in its first lines, --admin names another"}
		}
		if *asJSON {
			_, err = e.stdout.Write(body)
			return err
		}
		var s dashboard.Status
		if err := json.Unmarshal(body, &s); err != nil {
			return fmt.Errorf("reading the agent's answer: %w", err)
		}
		return s.Table(e.stdout)
	}
	return c
}

// fetch gets a small document from an agent of this machine.
func fetch(ctx context.Context, url string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	q, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	r, err := http.DefaultClient.Do(q)
	if err != nil {
		return nil, err
	}
	defer r.Body.Close()
	body, err := io.ReadAll(io.LimitReader(r.Body, 16<<20))
	if err != nil {
		return nil, err
	}
	if r.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: %s", r.Status, body)
	}
	return body, nil
}
