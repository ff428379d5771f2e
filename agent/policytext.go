package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"evenkeel/agent/config"
	"evenkeel/agent/dashboard"
	"evenkeel/policy/throttle"
)

// A printer writes a finished text.
type printer func(io.Writer) error

// policyTable shows what each policy says, and what is built in behind them.
func policyTable(b *throttle.Book) printer {
	return func(w io.Writer) error {
		t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		line(t, "POLICY", "SCOPE", "GENERATION", "PARAMETER", "VALUE", "STATUS", "SOURCE")
		for _, p := range b.Policies() {
			said := false
			for of := range throttle.Parameters() {
				if v := p.Value(of); v.State != throttle.Inherited {
					line(t, p.Name, p.Scope.String(), p.Generation.String(), of.String(), statedText(p, of), throttle.Stated.String(), note(of, ""))
					said = true
				}
			}
			if !said {
				line(t, p.Name, p.Scope.String(), p.Generation.String(), "-", "-", throttle.Stated.String(), "it says nothing: all is inherited")
			}
		}
		fallback := b.Fallback()
		for _, s := range fallback.Settings {
			line(t, throttle.BuiltIn, "-", fallback.Generation.String(), s.Parameter.String(), valueText(s.Parameter, s.Value), s.Status.String(), note(s.Parameter, s.Source))
		}
		return t.Flush()
	}
}

// effectiveTable shows every parameter of one policy with all that it inherits.
func effectiveTable(e throttle.Effective) printer {
	return func(w io.Writer) error {
		fmt.Fprintf(w, "%s, generation %s\n", dashboard.Plain(e.Policy), e.Generation)
		for _, f := range e.Falls {
			fmt.Fprintf(w, "not %s: %s\n", dashboard.Plain(f.Policy), dashboard.Plain(f.Why))
		}
		t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		line(t, "PARAMETER", "VALUE", "FROM", "STATUS", "SOURCE")
		for _, s := range e.Settings {
			line(t, s.Parameter.String(), valueText(s.Parameter, s.Value), s.From, s.Status.String(), note(s.Parameter, s.Source))
		}
		return t.Flush()
	}
}

// explanationText shows what one user has.
func explanationText(x throttle.Explanation) printer {
	return func(w io.Writer) error {
		fmt.Fprintf(w, "%s: policy %s, generation %s\n", dashboard.Plain(x.User), dashboard.Plain(x.Policy), dashboard.Plain(x.Generation))
		fmt.Fprintf(w, "why: %s\n", dashboard.Plain(x.Why))
		for _, f := range x.Falls {
			fmt.Fprintf(w, "not %s: %s\n", dashboard.Plain(f.Policy), dashboard.Plain(f.Why))
		}
		io.WriteString(w, agesText(x))
		t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		line(t, "COMPONENT", "PART", "PARAMETER", "VALUE", "FROM", "STATUS", "SOURCE")
		for _, p := range x.Parts {
			source := p.Source
			if !p.Judged {
				source = unjudged(source)
			}
			line(t, p.Component, p.Part, p.Parameter, amount(p.Value, p.Unit), p.From, p.Status, source)
		}
		return t.Flush()
	}
}

// agesText is how old the policy is, and when it is read again.
func agesText(x throttle.Explanation) string {
	if !x.Loaded || x.Age == nil || x.Reload == nil || x.Unused == nil {
		return "age: not loaded; the next use loads these values\n"
	}
	text := fmt.Sprintf("age: %s; loaded again in %s at the latest, in %s if nobody uses it\n", ago(*x.Age), ago(*x.Reload), ago(*x.Unused))
	if x.Changed {
		text += "changed: it says something else by now, which counts from then on\n"
	}
	return text
}

func ago(seconds float64) string {
	return (time.Duration(seconds) * time.Second).String()
}

func line(w io.Writer, cells ...string) {
	for i, c := range cells {
		if c = dashboard.Plain(c); c == "" {
			c = "-"
		}
		cells[i] = c
	}
	fmt.Fprintln(w, strings.Join(cells, "\t"))
}

// note is the source of a value, and whether anything comes of it.
func note(of throttle.Parameter, source string) string {
	if of.Judged() {
		return source
	}
	return unjudged(source)
}

func unjudged(source string) string {
	return strings.TrimPrefix(source+"; not judged by this version", "; ")
}

// statedText is what a policy itself says of a parameter.
func statedText(p throttle.Policy, of throttle.Parameter) string {
	v := p.Value(of)
	if v.State == throttle.Unset && p.Generation == throttle.Exchange2013 {
		return "unset (inherited)"
	}
	return valueText(of, v)
}

// valueText is a value that decides.
func valueText(of throttle.Parameter, v throttle.Value) string {
	return amount(of.Show(v), of.Unit().String())
}

// amount is a value with its unit, and in units that people count in where that
// is another.
func amount(value, unit string) string {
	if value == "unset" {
		return "unset (no limit)"
	}
	if unit == "" || strings.Trim(value, "0123456789") != "" {
		return value
	}
	rest, per, _ := strings.Cut(unit, "/")
	if d, err := time.ParseDuration(value + rest); err == nil && rest == "ms" && d >= time.Second {
		if per != "" {
			per = "/" + per
		}
		return fmt.Sprintf("%s %s (%s%s)", value, unit, config.Short(d), per)
	}
	return value + " " + unit
}
