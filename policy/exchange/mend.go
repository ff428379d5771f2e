package exchange

import (
	"fmt"
	"strings"
	"unicode"
)

// Quote is text as one argument of a PowerShell command, whatever is in it: in
// single quotes, where dollars and backticks mean nothing. PowerShell takes the
// typographic single quotes for plain ones, so they are doubled too. What does
// not print, or is a blank of another kind, is written as its number.
func Quote(text string) string {
	var out strings.Builder
	plain := true
	out.WriteByte('\'')
	for _, c := range text {
		switch {
		case c == '\'' || '\u2018' <= c && c <= '\u201B':
			out.WriteRune(c)
			out.WriteRune(c)
		case c > 0xFFFF && !unicode.IsPrint(c):
			fmt.Fprintf(&out, "'+[char]::ConvertFromUtf32(%d)+'", c)
			plain = false
		case !unicode.IsPrint(c):
			fmt.Fprintf(&out, "'+[char]%d+'", c)
			plain = false
		default:
			out.WriteRune(c)
		}
	}
	out.WriteByte('\'')
	if plain {
		return out.String()
	}
	return "(" + out.String() + ")"
}

// assign is the command that gives the account a policy; empty: the default.
func (a account) assign(policy string) string {
	to := "$null"
	if policy != "" {
		to = Quote(policy)
	}
	if a.set == setAssociation {
		return "Set-ThrottlingPolicyAssociation -Identity " + Quote(a.id) + " -ThrottlingPolicy " + to
	}
	return "Set-Mailbox -Identity " + Quote(a.id) + " -ThrottlingPolicy " + to
}

// setPolicy is the command that changes a policy: pairs of a parameter's name
// and its new value.
func setPolicy(name string, pairs ...string) string {
	text := "Set-ThrottlingPolicy -Identity " + Quote(name)
	for i := 0; i+1 < len(pairs); i += 2 {
		text += " -" + pairs[i] + " " + pairs[i+1]
	}
	return text
}

// limitPolicy is setPolicy, or words where nothing is known to set.
func limitPolicy(name string, pairs []string) string {
	if len(pairs) == 0 {
		return "limit its requests or their time in " + Quote(name) + " by Set-ThrottlingPolicy"
	}
	return setPolicy(name, pairs...)
}
