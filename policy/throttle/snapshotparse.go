package throttle

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// ParseSnapshot reads the text of a budget, in either form, its items in any
// order. An item may be missing, but none may come twice or be unknown, and the
// words of one form do not go with those of the other; those that both have
// alone are in the form of 2010. A limit that is not in the text is none, and a
// balance that is not there is all of the burst.
//
// Used time is known to the millisecond, and where there is no limit to the
// percent of a minute that is printed; beside a limit the percent is not believed.
func ParseSnapshot(text string) (Snapshot, error) {
	s := limitless()
	said := map[string]string{}
	var of [forms]string // an item of each form
	for item := range strings.SplitSeq(text, ",") {
		word, value, found := strings.Cut(item, ":")
		if _, twice := said[word]; !found || twice {
			return Snapshot{}, fmt.Errorf("budget: item %q: no value, or the second of its name", item)
		}
		if !s.parseItem(word, value) {
			return Snapshot{}, fmt.Errorf("budget: item %q: not understood", item)
		}
		said[word], of[formOf(word)] = value, item
	}
	if of[form2010] != "" && of[form2013] != "" {
		return Snapshot{}, fmt.Errorf("budget: item %q is of 2010, and item %q of 2013 and later", of[form2010], of[form2013])
	}
	s.shape(of[form2013] != "", said)
	return s, nil
}

// shape leaves nothing of the form that s is not.
func (s *Snapshot) shape(tokens bool, said map[string]string) {
	s.Tokens = tokens
	if !tokens {
		s.Local = SnapshotTokens{}
		return
	}
	s.AD, s.CAS, s.AB, s.RPC = SnapshotTime{}, SnapshotTime{}, SnapshotTime{}, SnapshotTime{}
	s.Find, s.Subs = SnapshotCount{}, SnapshotCount{}
	s.Local.complete(said)
}

// limitless is a budget of which nothing is known.
func limitless() Snapshot {
	count, time := SnapshotCount{Unlimited: true}, SnapshotTime{Unlimited: true}
	return Snapshot{
		Conn: count, Find: count, Subs: count, AD: time, CAS: time, AB: time, RPC: time,
		Local: SnapshotTokens{Unlimited: true, NoCutoff: true},
	}
}

// The forms of a budget, by the words that only one of them has.
const (
	eitherForm = iota
	form2010
	form2013
	forms
)

func formOf(word string) int {
	switch word {
	case "Conn", "Policy":
		return eitherForm
	case "HangingConn", "AD", "CAS", "AB", "RPC", "FC", "Hash", "Sub":
		return form2010
	}
	return form2013
}

func (s *Snapshot) parseItem(word, value string) (ok bool) {
	switch word {
	case "Owner":
		s.Owner = parseName(value)
		return true
	case "Policy":
		s.Policy = parseName(value)
		return true
	case "Conn":
		s.Conn.Used, ok = parseCount(value)
	case "HangingConn":
		s.Hanging, ok = parseCount(value)
	case "FC":
		ok = s.Find.parse(value)
	case "Sub":
		ok = s.Subs.parse(value)
	case "Hash":
		n, err := strconv.ParseInt(value, 10, 32)
		s.Hash, ok = int32(n), err == nil
	default:
		return s.parseTime(word, value)
	}
	return ok
}

func (s *Snapshot) parseTime(word, value string) (ok bool) {
	switch word {
	case "AD":
		return s.AD.parse(value)
	case "CAS":
		return s.CAS.parse(value)
	case "AB":
		return s.AB.parse(value)
	case "RPC":
		return s.RPC.parse(value)
	case "IsServiceAccount":
		s.ServiceAccount = value == "True"
		return value == "True" || value == "False"
	case "LiveTime":
		s.Live, ok = parseSpan(value)
		return ok
	case "MaxConn":
		return s.Conn.parseLimit(value, unlimitedWord)
	}
	return s.Local.parse(word, value)
}

// parse reads "limit/left/used%".
func (t *SnapshotTime) parse(value string) bool {
	words := strings.Split(value, "/")
	if len(words) != 3 {
		return false
	}
	percent, found := strings.CutSuffix(words[2], "%")
	used, err := strconv.ParseUint(percent, 10, 63)
	if !found || err != nil {
		return false
	}
	if words[0] == nullWord && words[1] == nullWord {
		*t = SnapshotTime{Unlimited: true, Used: time.Duration(used) * (time.Minute / 100)}
		return used <= uint64(maxRead/(time.Minute/100))
	}
	limit, ok := parseMillis(words[0])
	left, ok2 := parseMillis(words[1])
	*t = SnapshotTime{Limit: limit, Used: limit - left}
	return ok && ok2 && limit >= 0 && left <= limit
}

// parse reads "limit/used".
func (c *SnapshotCount) parse(value string) (ok bool) {
	limit, used, found := strings.Cut(value, "/")
	c.Used, ok = parseCount(used)
	return found && ok && c.parseLimit(limit, nullWord)
}

func (c *SnapshotCount) parseLimit(value, none string) (ok bool) {
	if c.Unlimited = value == none; c.Unlimited {
		return true
	}
	c.Limit, ok = parseCount(value)
	return ok
}

func (t *SnapshotTokens) parse(word, value string) bool {
	none := value == unlimitedWord
	switch word {
	case "MaxBurst":
		return none || parseInto(&t.Burst, value)
	case "RechargeRate":
		return none || parseInto(&t.Recharge, value)
	case "Cutoff":
		t.NoCutoff = none
		return none || parseInto(&t.Cutoff, value)
	case "Balance":
		return value == nullWord || parseInto(&t.Balance, value)
	}
	return false
}

// complete sets what no word says alone.
func (t *SnapshotTokens) complete(said map[string]string) {
	number := func(word, none string) bool {
		value, there := said[word]
		return there && value != none
	}
	t.Unlimited = !number("MaxBurst", unlimitedWord) || !number("RechargeRate", unlimitedWord)
	if !t.Unlimited && !number("Balance", nullWord) {
		t.Balance = t.Burst
	}
}

func parseInto(d *time.Duration, value string) (ok bool) {
	*d, ok = parseMillis(value)
	return ok
}

func parseCount(value string) (uint32, bool) {
	n, err := strconv.ParseUint(value, 10, 32)
	return uint32(n), err == nil
}

// maxRead is the longest time that is read, 146 years: half of what a
// time.Duration holds, so that the difference of two still fits.
const maxRead = math.MaxInt64 / 2 / time.Millisecond * time.Millisecond

// parseMillis reads milliseconds, with at most six decimals.
func parseMillis(value string) (time.Duration, bool) {
	whole, frac, point := strings.Cut(value, ".")
	digits, negative := strings.CutPrefix(whole, "-")
	ms, err := strconv.ParseUint(digits, 10, 63)
	if err != nil || ms > uint64(maxRead/time.Millisecond) || point && frac == "" || len(frac) > 6 {
		return 0, false
	}
	ns, ok := parseFraction(frac, 6)
	d := time.Duration(ms)*time.Millisecond + time.Duration(ns)
	if negative {
		d = -d
	}
	return d, ok && d.Abs() <= maxRead
}

// parseFraction reads the digits behind a point, as a number of so many places.
func parseFraction(digits string, places int) (uint64, bool) {
	n, err := strconv.ParseUint(digits+strings.Repeat("0", places-len(digits)), 10, 63)
	return n, err == nil
}

// parseSpan reads what appendSpan writes.
func parseSpan(value string) (time.Duration, bool) {
	value, negative := strings.CutPrefix(value, "-")
	words := strings.Split(value, ":")
	if len(words) != 3 {
		return 0, false
	}
	days, hours, found := strings.Cut(words[0], ".")
	if !found {
		days, hours = "0", words[0]
	}
	seconds, frac, point := strings.Cut(words[2], ".")
	if point && frac == "" || len(frac) > 7 {
		return 0, false
	}
	ticks, ok := parseFraction(frac, 7)
	sec, ok2 := parseClock(days, hours, words[1], seconds)
	d := sec + time.Duration(ticks)*spanTick
	if negative {
		d = -d
	}
	return d, ok && ok2
}

// parseClock reads days, hours, minutes and seconds, all but the first of two digits.
func parseClock(days, hours, minutes, seconds string) (time.Duration, bool) {
	d, err := strconv.ParseUint(days, 10, 16)
	h, ok := parseTwo(hours, 24)
	m, ok2 := parseTwo(minutes, 60)
	s, ok3 := parseTwo(seconds, 60)
	return ((time.Duration(d)*24+h)*60+m)*time.Minute + s*time.Second, err == nil && ok && ok2 && ok3
}

func parseTwo(value string, below uint64) (time.Duration, bool) {
	n, err := strconv.ParseUint(value, 10, 8)
	return time.Duration(n), err == nil && len(value) == 2 && n < below
}

// parseName undoes appendName. A % that begins no %XX stands for itself.
func parseName(value string) string {
	if !strings.Contains(value, "%") {
		return strings.Clone(value) // the line may be longer than is worth keeping
	}
	out := make([]byte, 0, len(value))
	for i := 0; i < len(value); i++ {
		c := value[i]
		if c == '%' && i+2 < len(value) {
			if n, err := strconv.ParseUint(value[i+1:i+3], 16, 8); err == nil {
				c, i = byte(n), i+2
			}
		}
		out = append(out, c)
	}
	return string(out)
}
