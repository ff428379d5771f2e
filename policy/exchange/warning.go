package exchange

import (
	"strings"
	"time"

	"evenkeel/policy/throttle"
)

// isWarning says that PowerShell's warning of a delay, or the budget in it,
// begins with the line.
func isWarning(line string) bool {
	folded := throttle.Fold(line)
	return strings.Contains(folded, "micro delay applied") || strings.HasPrefix(strings.TrimSpace(folded), "budgettype:")
}

// decodeWarning reads the warning: sentences, and one "Name: value" a line.
func decodeWarning(number int, text string) []Decoded {
	d := Decoded{Form: FormWarning, Line: number, Fields: Fields{}}
	for line := range strings.SplitSeq(text, "\n") {
		for part := range strings.FieldsFuncSeq(line, func(c rune) bool { return c == ';' }) {
			d.warned(strings.TrimSpace(part))
		}
	}
	if len(d.Fields) == 0 {
		return nil
	}
	d.Means, d.Advice = d.warning()
	return []Decoded{d}
}

// warned adds what one part of the warning says.
func (d *Decoded) warned(part string) {
	for _, prefix := range [...]string{"WARNING:", "Micro delay applied.", "Snapshot:"} {
		if len(part) >= len(prefix) && strings.EqualFold(part[:len(prefix)], prefix) {
			part = strings.TrimSpace(part[len(prefix):])
		}
	}
	if strings.HasPrefix(part, "Actual delayed:") {
		for pair := range strings.SplitSeq(part, ",") {
			d.pair(strings.TrimSpace(pair))
		}
		return
	}
	d.pair(part)
}

func (d *Decoded) pair(text string) {
	name, value, ok := strings.Cut(text, ":")
	value = strings.TrimSpace(value)
	if !ok || name == "" || value == "" || strings.ContainsAny(name, ".\"'") {
		return
	}
	switch name {
	case "Actual delayed", "Capped delay":
		d.Fields.add(name, strings.TrimSuffix(value, " msecs"), "ms", "how long the cmdlet was delayed")
	case "Balance":
		d.balance(value)
	case "Owner":
		d.Fields.add(name, value, "", ownerMeans(value))
	case "ActiveRunspaces":
		d.Fields.add(name, value, "", "sessions that are open, and how many may be")
	case "LockRemaining":
		d.Fields.add(name, value, "hh:mm:ss", "how long the owner is locked out yet")
	case "CmdletTimePeriod", "DestructiveCmdletTimePeriod", "MaxRunspacesTimePeriod":
		d.Fields.add(name, value, "s", "")
	default:
		d.Fields.add(name, value, "", "")
	}
}

// balance takes "balance/recharge/-cutoff" apart.
func (d *Decoded) balance(value string) {
	d.Fields.add("Balance", value, "ms, ms/hour, ms", "the balance, what comes back an hour, and where the owner is locked out")
	words := strings.Split(value, "/")
	if len(words) != 3 {
		return
	}
	d.Fields.add("Balance.Balance", words[0], "ms", "time that may be used now; below zero cmdlets are delayed")
	d.Fields.add("Balance.RechargeRate", words[1], "ms/hour", "what comes back, bit by bit")
	d.Fields.add("Balance.CutoffBalance", words[2], "ms", "the balance at which the owner is locked out")
}

// warning says how it stands.
func (d *Decoded) warning() (means, advice string) {
	number := func(name string) (float64, bool) {
		f, _ := d.Fields.find(name)
		if f.Number == nil {
			return 0, false
		}
		return *f.Number, true
	}
	locked, _ := d.Fields.find("Locked")
	balance, known := number("Balance.Balance")
	recharge, _ := number("Balance.RechargeRate")
	switch {
	case strings.EqualFold(locked.Value, "True"):
		return "locked out: cmdlets are refused until the lock ends", "wait, and have the script pause between cmdlets"
	case known && balance < 0 && recharge > 0:
		wait := min(-balance/recharge, 1e6) // hours; a century is never
		return "over budget: cmdlets are delayed. With no more use the balance is above zero in " + time.Duration(wait*float64(time.Hour)).Round(time.Second).String(),
			"have the script pause between cmdlets: what comes back is " + percent(recharge/36000) + " of the time"
	case known && balance < 0:
		return "over budget: cmdlets are delayed", "have the script pause between cmdlets"
	case !known:
		return "the text does not say, or not in a way that is understood, Balance" + unsaid, ""
	}
	return "within its budget", ""
}
