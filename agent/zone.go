package main

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"evenkeel/dnsrr/dnssec"
)

func zoneCommand(e env) *cobra.Command {
	c := &cobra.Command{
		Use: "zone", Short: "make the keys that the zone is signed with", Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			return fmt.Errorf("%w: a command of zone is missing: keygen", errUsage)
		},
	}
	c.AddCommand(keygenCommand(e))
	return c
}

func keygenCommand(e env) *cobra.Command {
	c := &cobra.Command{Use: "keygen", Short: "make keys for the zone, and print the configuration that names them", Args: noArgs}
	file := configFlag(c)
	dir := c.Flags().String("dir", ".", "`DIR` that the files are written to")
	algorithm := c.Flags().Uint8("algorithm", dnssec.P256, "`NUMBER`: 13, ECDSA P-256 with SHA-256, or 15, Ed25519")
	ksk := c.Flags().Bool("ksk", false, "only a KSK, for a rollover; default: a KSK and a ZSK, to begin with")
	zsk := c.Flags().Bool("zsk", false, "only a ZSK, for a rollover")
	c.RunE = func(*cobra.Command, []string) error {
		if *algorithm != dnssec.P256 && *algorithm != dnssec.Ed25519 {
			return fmt.Errorf("%w: --algorithm is %d or %d, found %d", errUsage, dnssec.P256, dnssec.Ed25519, *algorithm)
		}
		cfg, _, err := load(e, *file)
		if err != nil {
			return err
		}
		made, err := keygen(cfg.Zone.Name, *algorithm, wanted(*ksk, *zsk))
		if err != nil {
			return err
		}
		return e.hand(*dir, made)
	}
	return c
}

// wanted is the keys to make, true for each KSK. Without a word it is what a zone
// begins with, and with both as well.
func wanted(ksk, zsk bool) []bool {
	if ksk == zsk {
		return []bool{true, false}
	}
	return []bool{ksk}
}

// keygen makes keys and says what to use them for: the first ones of a zone sign
// at once; one alone comes beside others, and has to be known before it signs.
func keygen(zone string, algorithm uint8, seps []bool) (made []dnssec.Use, err error) {
	state := dnssec.Active
	if len(seps) == 1 {
		state = dnssec.Published
	}
	for _, sep := range seps {
		k, err := dnssec.Generate(zone, algorithm, sep)
		if err != nil {
			return nil, err
		}
		made = append(made, dnssec.Use{Key: k, State: state})
	}
	return made, nil
}

// hand writes the keys to files and says what to do with them.
func (e env) hand(dir string, made []dnssec.Use) error {
	dir, err := filepath.Abs(dir) // the agent may run elsewhere
	if err != nil {
		return err
	}
	var lines strings.Builder
	lines.WriteString("zone:\n  dnssec:\n    keys:\n")
	for _, u := range made {
		path, err := u.Key.Write(dir, time.Now())
		if err != nil {
			return err
		}
		role := "ZSK"
		if u.Key.SEP() {
			role = "KSK"
		}
		fmt.Fprintf(&lines, "      - {file: %s, state: %s}   # %s\n", scalar(path), u.State, role)
	}
	if _, err := fmt.Fprint(e.stdout, lines.String()); err != nil {
		return err
	}
	fmt.Fprintf(e.stderr, "hint: every node needs the same files and lines, the private ones for its agent alone to read; %s\n", next(made))
	return nil
}

func next(made []dnssec.Use) string {
	switch {
	case made[0].State != dnssec.Published:
	case made[0].Key.SEP():
		return "evenkeel delegation prints its DS too: make it active when the parent has that, and the TTL of the DS is over"
	default:
		return "make it active when every node publishes it, and the TTL of the DNSKEY set is over"
	}
	return "then evenkeel delegation prints the DS for the parent zone"
}

// scalar is text as YAML takes it within braces: as it stands where nothing of
// it could mean something else, and quoted elsewhere.
func scalar(text string) string {
	odd := func(r rune) bool {
		return !('0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || strings.ContainsRune("/._+-", r))
	}
	if strings.HasPrefix(text, "/") && !strings.ContainsFunc(text, odd) {
		return text
	}
	return strconv.Quote(text)
}
