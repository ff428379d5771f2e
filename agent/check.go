package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"evenkeel/agent/config"
	"evenkeel/dnsrr"
)

func checkCommand(e env) *cobra.Command {
	c := &cobra.Command{Use: "check", Short: "read the configuration and say all that is wrong with it", Args: noArgs}
	file := configFlag(c)
	c.RunE = func(*cobra.Command, []string) error {
		cfg, _, err := load(e, *file)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(e.stdout, "%s: nothing is wrong with it\n", cfg.File)
		return err
	}
	return c
}

func configFlag(c *cobra.Command) *string {
	return c.Flags().String("config", "", "configuration `FILE`; default: EVENKEEL_CONFIG, the system's place, the embedded default")
}

// load finds, reads and validates the configuration, the zone's further
// records too.
func load(e env, file string) (config.Config, dnsrr.Records, error) {
	name, b, err := config.Find(file, e.getenv, os.ReadFile)
	if err != nil {
		return config.Config{}, dnsrr.Records{}, err
	}
	cfg, err := config.Load(name, b, os.ReadFile)
	if err != nil {
		return config.Config{}, dnsrr.Records{}, err
	}
	records, err := dnsrr.ParseRecords(cfg.Zone.Name, cfg.Zone.Records)
	if err != nil {
		return config.Config{}, dnsrr.Records{}, fmt.Errorf("%s: zone.records: %w", cfg.File, err)
	}
	return cfg, records, nil
}
