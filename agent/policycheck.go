package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"evenkeel/agent/dashboard"
	"evenkeel/policy/exchange"
)

func policyCheckCommand(e env) *cobra.Command {
	c := &cobra.Command{Use: "check PATH...", Short: "read exports of Exchange's throttling policies, and say all that is wrong with them", Args: somePaths}
	c.Long = c.Short + "\n\nPATH is a file of Get-ThrottlingPolicy, Get-ThrottlingPolicyAssociation or Get-Mailbox, or a folder of such:\n" +
		"what Format-List, Export-Csv, Export-Clixml or ConvertTo-Json write. All are read together, so give the\npolicies and who has them: links that lead nowhere and policies that nobody has are found by both."
	asJSON := c.Flags().Bool("json", false, "as JSON")
	c.RunE = func(_ *cobra.Command, args []string) error {
		problems, err := checkedExports(args)
		if err != nil {
			return err
		}
		show := problemText(problems)
		if *asJSON {
			show = jsonText(struct {
				Problems []exchange.Problem `json:"problems"`
			}{problems})
		}
		if err := show(e.stdout); err != nil || len(problems) == 0 {
			return err
		}
		return fmt.Errorf("%s in %s", numberOf(len(problems), "problem"), strings.Join(args, ", "))
	}
	return c
}

// numberOf is how many there are, in words.
func numberOf(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func somePaths(_ *cobra.Command, args []string) error {
	if len(args) == 0 {
		return fmt.Errorf("%w: want a file or a folder", errUsage)
	}
	return nil
}

// checkedExports are the problems of all files together; never nil.
func checkedExports(paths []string) ([]exchange.Problem, error) {
	x, err := readExports(paths)
	if err != nil {
		return nil, err
	}
	return append([]exchange.Problem{}, x.Check()...), nil // mistakes are problems
}

// readExports reads files and folders; mistakes in them are for policy check.
func readExports(paths []string) (x exchange.Export, err error) {
	names, err := exportFiles(paths)
	if err != nil {
		return x, err
	}
	for _, name := range names {
		f, err := os.Open(name)
		if err != nil {
			return x, err
		}
		err = x.Read(name, f)
		f.Close()
		if mistakes := (exchange.Mistakes)(nil); err != nil && !errors.As(err, &mistakes) {
			return x, err
		}
	}
	return x, nil
}

// exportFiles are the files, and those of the folders, but for hidden ones.
func exportFiles(paths []string) (names []string, err error) {
	for _, path := range paths {
		about, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		if !about.IsDir() {
			names = append(names, path)
			continue
		}
		entries, err := os.ReadDir(path)
		if err != nil {
			return nil, err
		}
		for _, entry := range entries {
			if entry.Type().IsRegular() && !strings.HasPrefix(entry.Name(), ".") {
				names = append(names, filepath.Join(path, entry.Name()))
			}
		}
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("no file in %s", strings.Join(paths, ", "))
	}
	return names, nil
}

func jsonText(what any) printer {
	return func(w io.Writer) error {
		out := json.NewEncoder(w)
		out.SetIndent("", "  ")
		out.SetEscapeHTML(false) // the commands in it are to be read
		return out.Encode(what)
	}
}

// problemText shows problems, those of a kind together.
func problemText(problems []exchange.Problem) printer {
	return func(w io.Writer) error {
		var text strings.Builder
		if len(problems) == 0 {
			text.WriteString("nothing is wrong with them\n")
		}
		kind := exchange.Kind("")
		for _, p := range problems {
			if p.Kind != kind {
				kind = p.Kind
				fmt.Fprintf(&text, "%s\n", kind)
			}
			fmt.Fprintf(&text, "  %s: %s\n", dashboard.Plain(p.Object), dashboard.Plain(p.Message))
			if p.Fix != "" {
				fmt.Fprintf(&text, "    fix: %s\n", dashboard.Plain(p.Fix))
			}
		}
		_, err := io.WriteString(w, text.String())
		return err
	}
}
