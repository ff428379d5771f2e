package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"evenkeel/agent/dashboard"
	"evenkeel/policy/exchange"
)

// mostDecoded bytes are read of the standard input.
const mostDecoded = 64 << 20

func policyDecodeCommand(e env) *cobra.Command {
	c := &cobra.Command{Use: "decode [TEXT|-]", Short: "explain a budget, an error or an event of Exchange's throttling", Args: oneAtATime("text")}
	c.Long = c.Short + "\n\nTEXT is a line of an IIS, ActiveSync or EWS log, the warning of PowerShell, the text of an error, or that of\n" +
		"an event (2901 to 2903, 2914 to 2917, 4023). Without it, or with -, the standard input is read, which may\nbe a whole log."
	asJSON := c.Flags().Bool("json", false, "as JSON")
	c.RunE = func(c *cobra.Command, args []string) error {
		text, err := textToDecode(c.InOrStdin(), args)
		if err != nil {
			return err
		}
		found := exchange.Decode(text)
		if len(found) == 0 {
			return hinted{errors.New("no budget, error or event of throttling is in it"), "evenkeel policy decode --help lists what is known"}
		}
		if *asJSON {
			return jsonText(struct {
				Snapshots []exchange.Decoded `json:"snapshots"`
			}{found})(e.stdout)
		}
		return decodedText(found)(e.stdout)
	}
	return c
}

// textToDecode is the argument, or what comes in.
func textToDecode(in io.Reader, args []string) (string, error) {
	if len(args) == 1 && args[0] != "-" {
		return args[0], nil
	}
	text, err := io.ReadAll(io.LimitReader(in, mostDecoded+1))
	switch {
	case err != nil:
		return "", fmt.Errorf("reading the standard input: %w", err)
	case len(text) > mostDecoded:
		return "", fmt.Errorf("more than %d MiB on the standard input: give the lines in question", mostDecoded>>20)
	}
	return string(text), nil
}

// decodedText shows each with its fields below.
func decodedText(found []exchange.Decoded) printer {
	return func(w io.Writer) error {
		var text strings.Builder
		for i, d := range found {
			if i > 0 {
				text.WriteByte('\n')
			}
			fmt.Fprintf(&text, "line %d: %s\n", d.Line, strings.TrimSpace(fmt.Sprintf("%s %s", decodedTitle(d), d.When)))
			for _, f := range d.Fields {
				fmt.Fprintf(&text, "  %-22s %s\n", dashboard.Plain(f.Name), fieldText(f))
			}
			fmt.Fprintf(&text, "means: %s\n", dashboard.Plain(d.Means))
			if d.Advice != "" {
				fmt.Fprintf(&text, "do: %s\n", dashboard.Plain(d.Advice))
			}
		}
		_, err := io.WriteString(w, text.String())
		return err
	}
}

func decodedTitle(d exchange.Decoded) string {
	if d.Event != 0 {
		return fmt.Sprintf("event %d", d.Event)
	}
	return string(d.Form)
}

// fieldText is the value with its unit, and what it means behind it.
func fieldText(f exchange.Field) string {
	value := dashboard.Plain(f.Value)
	if f.Unit != "" && f.Number != nil {
		if value = amount(value, f.Unit); !strings.Contains(value, " ") { // a fraction
			value += " " + f.Unit
		}
	}
	var notes []string
	if f.Means != "" {
		notes = append(notes, dashboard.Plain(f.Means))
	}
	if f.Used != nil && f.Limit != nil {
		notes = append(notes, strings.TrimRight(fmt.Sprintf("%g used of %g %s", *f.Used, *f.Limit, f.Unit), " "))
	}
	if len(notes) == 0 {
		return value
	}
	return value + "  (" + strings.Join(notes, "; ") + ")"
}
