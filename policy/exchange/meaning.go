package exchange

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"evenkeel/policy/throttle"
)

// judge says how a budget stands, and what to do about it.
func (w written) judge() (means, advice string) {
	if w.Tokens {
		return w.judgeTokens()
	}
	return w.judgeMinute()
}

// A standing is how one part of a minute stands.
type standing struct {
	name string
	t    throttle.SnapshotTime
}

// judgeMinute names the part that is nearest to its limit (2010).
func (w written) judgeMinute() (means, advice string) {
	var over []string
	nearest, share := "", 0.0
	for _, s := range []standing{{"AD", w.AD}, {"CAS", w.CAS}, {"AB", w.AB}, {"RPC", w.RPC}} {
		switch of := s.t.OfLimit(); {
		case !w.knows(s.name) || s.t.Unlimited:
		case s.t.Left() <= 0:
			over = append(over, s.name)
		case nearest == "" || of > share:
			nearest, share = s.name, of
		}
	}
	if len(over) > 0 {
		return "used up: " + strings.Join(over, ", ") + ". The next request waits until something has come back, or, in 2010 before SP1, is refused",
			"see what the owner does so much of; if he is to, give him a policy with a higher share of the minute"
	}
	if missing := w.lacks("AD", "CAS", "AB", "RPC"); nearest == "" && missing != "" {
		return missing + unsaid, ""
	} else if nearest == "" {
		return "none of the parts is limited", ""
	}
	return fmt.Sprintf("within all limits; nearest is %s with %.1f %% of its limit in use", nearest, 100*share), ""
}

const (
	unlimited = "Unlimited"                                                 // as 2013 and later write it
	unsaid    = ": how its time stands, and what limits it, cannot be told" // behind what a text lacks
)

// judgeTokens says where the balance stands (2013 and later).
func (w written) judgeTokens() (means, advice string) {
	l := w.Local
	switch {
	case w.value("MaxBurst") == unlimited || w.value("RechargeRate") == unlimited:
		return "nothing limits the time of its requests, so it is never over budget", w.unbounded()
	case w.lacks("MaxBurst", "RechargeRate", "Balance") != "":
		return w.lacks("MaxBurst", "RechargeRate", "Balance") + unsaid, ""
	case l.Balance <= -l.Cutoff && !l.NoCutoff && w.knows("Cutoff"):
		return "locked out: the debt has reached the cutoff. All requests are refused for five minutes, and then until the balance is above it; it is above zero " + w.recovery(),
			"see what the owner does so much of before a limit is raised: the others paid for it"
	case l.Balance < 0 && !w.knows("Cutoff"):
		return "over budget: requests are delayed, or refused, since " + w.lacks("Cutoff") + ". With no more use the balance is above zero " + w.recovery(),
			"see what the owner does so much of before a limit is raised"
	case l.Balance < 0:
		return "over budget: requests are delayed, and none is refused yet. With no more use the balance is above zero " + w.recovery(),
			"nothing need be done while it is brief; if it goes on, see what the owner does so much of"
	}
	return fmt.Sprintf("within its budget: %.4g %% of the burst is in use", 100*share(l.Burst-l.Balance, l.Burst)), ""
}

func (w written) unbounded() string {
	if w.ServiceAccount {
		return "a service's account without limits can take all of a server: give it a policy with high ones"
	}
	return ""
}

// recovery is how long it takes to come back to zero.
func (w written) recovery() string {
	l := w.Local
	if l.Recharge <= 0 {
		return "never, since nothing comes back"
	}
	wait := time.Duration(float64(-l.Balance) / float64(l.Recharge) * float64(time.Hour))
	return "in " + wait.Round(time.Second).String()
}

func share(a, b time.Duration) float64 {
	if b == 0 {
		return 0
	}
	return float64(a) / float64(b)
}

// knows says that the text has the word with a value that was understood.
func (w written) knows(word string) bool {
	return slices.ContainsFunc(w.items, func(i item) bool { return i.word == word && i.known })
}

// lacks says which of the words the text has not, or not with a value that was
// understood; empty: none.
func (w written) lacks(words ...string) string {
	missing := slices.DeleteFunc(words, w.knows)
	if len(missing) == 0 {
		return ""
	}
	return "the text does not say, or not in a way that is understood, " + strings.Join(missing, ", ")
}
