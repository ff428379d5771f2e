package exchange

import (
	"evenkeel/policy/throttle"
)

// A Setting is a parameter and the value to give it. An inherited value is none to
// give, and is left out.
type Setting struct {
	Parameter throttle.Parameter
	Value     throttle.Value
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

// NewPolicy are the commands that make a policy and give it to an account; identity
// is what a cmdlet finds it by, as contoso.example's users are by anna@contoso.example
// and by CONTOSO\anna. It is empty where nothing can be set.
func NewPolicy(name, identity string, values []Setting) []string {
	pairs := pairsOf(values)
	if len(pairs) == 0 {
		return nil
	}
	text := "New-ThrottlingPolicy -Name " + Quote(name)
	for i := 0; i+1 < len(pairs); i += 2 {
		text += " -" + pairs[i] + " " + pairs[i+1]
	}
	return []string{text, "Set-ThrottlingPolicyAssociation -Identity " + Quote(identity) + " -ThrottlingPolicy " + Quote(name)}
}

func pairsOf(values []Setting) (pairs []string) {
	for _, v := range values {
		if !byFile(v.Parameter) && v.Value.State != throttle.Inherited {
			pairs = append(pairs, v.Parameter.String(), v.argument())
		}
	}
	return pairs
}

// argument is the value as Set-ThrottlingPolicy takes it.
func (s Setting) argument() string {
	switch v := s.Value; {
	case v.State == throttle.Unset:
		return "$null"
	case v.State == throttle.NoLimit:
		return "Unlimited"
	case s.Parameter.Unit() == throttle.Switch && v.N == 0:
		return "$false"
	case s.Parameter.Unit() == throttle.Switch:
		return "$true"
	}
	return s.Value.String()
}

// byFile says that a parameter is set in a web.config, or fixed.
func byFile(p throttle.Parameter) bool {
	return p.Part() == throttle.Hanging || p.Part() == throttle.FindCount
}
