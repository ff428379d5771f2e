package exchange

import (
	"strconv"

	"evenkeel/policy/throttle"
)

// A Setting is a parameter and the number to give it.
type Setting struct {
	Parameter throttle.Parameter
	Number    int64
}

// SetPolicy is the command that gives a policy other values. Parameters that no
// cmdlet sets, as EwsHangingConnectionLimit, are left out; it is empty where that
// leaves nothing.
func SetPolicy(name string, values []Setting) string {
	pairs := pairsOf(values)
	if len(pairs) == 0 {
		return ""
	}
	return setPolicy(name, pairs...)
}

// NewPolicy are the commands that make a policy and give it to an account;
// service: of a service account. It is empty where nothing can be set.
func NewPolicy(name, account string, service bool, values []Setting) []string {
	pairs := pairsOf(values)
	if len(pairs) == 0 {
		return nil
	}
	text := "New-ThrottlingPolicy -Name " + Quote(name)
	if service {
		text += " -IsServiceAccount $true"
	}
	for i := 0; i+1 < len(pairs); i += 2 {
		text += " -" + pairs[i] + " " + pairs[i+1]
	}
	return []string{text, "Set-ThrottlingPolicyAssociation -Identity " + Quote(account) + " -ThrottlingPolicy " + Quote(name)}
}

func pairsOf(values []Setting) (pairs []string) {
	for _, v := range values {
		if !byFile(v.Parameter) {
			pairs = append(pairs, v.Parameter.String(), strconv.FormatInt(v.Number, 10))
		}
	}
	return pairs
}

// byFile says that a parameter is set in a web.config, or fixed.
func byFile(p throttle.Parameter) bool {
	return p.Part() == throttle.Hanging || p.Part() == throttle.FindCount
}
