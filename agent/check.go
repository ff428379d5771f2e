package main

import (
	"fmt"
	"os"
	"strings"

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
		_, err = fmt.Fprintf(e.stdout, "%s: nothing is wrong with it\n%s", cfg.File, guarded(cfg))
		if hint := forgetful(cfg); hint != "" && err == nil {
			_, err = fmt.Fprintf(e.stdout, "hint: %s\n", hint)
		}
		return err
	}
	return c
}

// guarded is the line of check that says whom listen.admin asks for what; empty
// where it is plain HTTP for everyone on this machine.
func guarded(cfg config.Config) string {
	a := cfg.Admin
	var by []string
	if a.Token != "" {
		by = append(by, "the token of "+a.TokenFile)
	}
	if len(a.ClientCAs) > 0 {
		by = append(by, "a certificate of "+a.ClientCAFile)
	}
	switch {
	case a.Open() && !a.TLS():
		return ""
	case a.Open():
		by = []string{"nothing"}
	}
	return fmt.Sprintf("admin: %s/, asks for %s\n", adminURL(a.TLS(), cfg.Listen.Admin.String()), strings.Join(by, " or "))
}

func configFlag(c *cobra.Command) *string {
	return c.Flags().String("config", "", "configuration `FILE`; default: EVENKEEL_CONFIG, the system's place, the embedded default")
}

// load finds, reads and validates the configuration, the zone's further
// records too.
func load(e env, file string) (config.Config, dnsrr.Records, error) {
	cfg, err := loadBy(config.Load, e, file)
	if err != nil {
		return config.Config{}, dnsrr.Records{}, err
	}
	records, err := dnsrr.ParseRecords(cfg.Zone.Name, cfg.Zone.Records)
	if err != nil {
		return config.Config{}, dnsrr.Records{}, fmt.Errorf("%s: zone.records: %w", cfg.File, err)
	}
	return cfg, records, nil
}

// A loader is [config.Load], or [config.LoadToAsk].
type loader func(name string, b []byte, read func(string) ([]byte, error)) (config.Config, error)

// loadBy finds the configuration and reads it, without its zone's records.
func loadBy(read loader, e env, file string) (config.Config, error) {
	name, b, err := config.Find(file, e.getenv, os.ReadFile)
	if err != nil {
		return config.Config{}, err
	}
	return read(name, b, os.ReadFile)
}
