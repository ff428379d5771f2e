package throttle

import (
	"strconv"
	"strings"
	"time"
)

// AppendText appends s as Exchange writes it: "Conn:0,AD:30000/30000/0%,…" in
// the form of 2010, "Conn:0,MaxConn:10,MaxBurst:480000,…" in that of 2013.
// Times are milliseconds. In names, what would end an item, a log line or a
// column of it is written as %XX.
func (s Snapshot) AppendText(dst []byte) []byte {
	if s.Tokens {
		return s.appendTokens(dst)
	}
	return s.appendMinute(dst)
}

// String is the text of [Snapshot.AppendText].
func (s Snapshot) String() string { return string(s.AppendText(nil)) }

func (s Snapshot) appendMinute(dst []byte) []byte {
	dst = appendCount(append(dst, "Conn:"...), s.Conn.Used)
	if s.Hanging > 0 {
		dst = appendCount(append(dst, ",HangingConn:"...), s.Hanging)
	}
	dst = s.AD.appendText(append(dst, ",AD:"...))
	dst = s.CAS.appendText(append(dst, ",CAS:"...))
	dst = s.AB.appendText(append(dst, ",AB:"...))
	dst = s.RPC.appendText(append(dst, ",RPC:"...))
	dst = s.Find.appendText(append(dst, ",FC:"...))
	dst = strconv.AppendInt(append(dst, ",Hash:"...), int64(s.Hash), 10)
	dst = s.Subs.appendText(append(dst, ",Sub:"...))
	if s.Policy != "" {
		dst = appendName(append(dst, ",Policy:"...), s.Policy)
	}
	return dst
}

func (s Snapshot) appendTokens(dst []byte) []byte {
	if s.Owner != "" {
		dst = append(appendName(append(dst, "Owner:"...), s.Owner), ',')
	}
	dst = appendCount(append(dst, "Conn:"...), s.Conn.Used)
	dst = s.Conn.appendLimit(append(dst, ",MaxConn:"...), unlimitedWord)
	dst = s.Local.appendText(dst)
	if s.Policy != "" {
		dst = appendName(append(dst, ",Policy:"...), s.Policy)
	}
	dst = append(dst, ",IsServiceAccount:False"...)
	if s.ServiceAccount {
		dst = append(dst[:len(dst)-len("False")], "True"...)
	}
	return appendSpan(append(dst, ",LiveTime:"...), s.Live)
}

// Exchange's two words for no limit: of 2010, and of 2013 and later, which
// still writes the older one for a balance.
const (
	nullWord      = "$null"
	unlimitedWord = "Unlimited"
)

func (t SnapshotTime) appendText(dst []byte) []byte {
	if t.Unlimited {
		dst = append(dst, nullWord+"/"+nullWord...)
	} else {
		dst = appendMillis(dst, t.Limit.Truncate(time.Millisecond))
		dst = appendMillis(append(dst, '/'), t.Left())
	}
	dst = strconv.AppendInt(append(dst, '/'), t.OfMinute(), 10)
	return append(dst, '%')
}

func (c SnapshotCount) appendText(dst []byte) []byte {
	dst = c.appendLimit(dst, nullWord)
	return appendCount(append(dst, '/'), c.Used)
}

func (c SnapshotCount) appendLimit(dst []byte, none string) []byte {
	if c.Unlimited {
		return append(dst, none...)
	}
	return appendCount(dst, c.Limit)
}

func (t SnapshotTokens) appendText(dst []byte) []byte {
	dst = t.appendRate(append(dst, ",MaxBurst:"...), t.Burst)
	dst = append(dst, ",Balance:"...)
	if b := t.Balance.Round(time.Millisecond / 10); t.Unlimited && b == 0 {
		dst = append(dst, nullWord...)
	} else {
		dst = appendMillis(dst, b) // Exchange's own has about so many digits
	}
	dst = appendAllowance(append(dst, ",Cutoff:"...), t.Cutoff, t.NoCutoff)
	return t.appendRate(append(dst, ",RechargeRate:"...), t.Recharge)
}

// appendRate appends one of the two that make a limit together.
func (t SnapshotTokens) appendRate(dst []byte, d time.Duration) []byte {
	return appendAllowance(dst, d, t.Unlimited && d.Truncate(time.Millisecond) == 0)
}

func appendAllowance(dst []byte, d time.Duration, none bool) []byte {
	if none {
		return append(dst, unlimitedWord...)
	}
	return appendMillis(dst, d.Truncate(time.Millisecond))
}

func appendCount(dst []byte, n uint32) []byte { return strconv.AppendUint(dst, uint64(n), 10) }

// appendMillis appends d in milliseconds, with as many decimals as it needs.
func appendMillis(dst []byte, d time.Duration) []byte {
	ms, ns := d/time.Millisecond, d%time.Millisecond
	if d < 0 {
		dst, ms, ns = append(dst, '-'), -ms, -ns // after the division, which the least number survives
	}
	dst = strconv.AppendInt(dst, int64(ms), 10)
	if ns == 0 {
		return dst
	}
	digits := strconv.Itoa(int(ns + time.Millisecond))[1:] // six, zeros in front
	return append(append(dst, '.'), strings.TrimRight(digits, "0")...)
}

// spanTick is the resolution of a span of time in .NET, and so of what is written.
const spanTick = 100 * time.Nanosecond

// appendSpan appends d as .NET writes a span of time: [-][days.]hh:mm:ss[.fffffff].
func appendSpan(dst []byte, d time.Duration) []byte {
	if d < 0 {
		dst = append(dst, '-')
	}
	ticks := uint64(max(d/spanTick, -(d / spanTick)))
	sec := ticks / uint64(time.Second/spanTick)
	if days := sec / (24 * 60 * 60); days > 0 {
		dst = append(strconv.AppendUint(dst, days, 10), '.')
	}
	dst = appendTwo(dst, sec/(60*60)%24)
	dst = appendTwo(append(dst, ':'), sec/60%60)
	dst = appendTwo(append(dst, ':'), sec%60)
	if frac := ticks % uint64(time.Second/spanTick); frac > 0 {
		dst = append(append(dst, '.'), strconv.FormatUint(frac+uint64(time.Second/spanTick), 10)[1:]...)
	}
	return dst
}

func appendTwo(dst []byte, n uint64) []byte { return append(dst, byte('0'+n/10), byte('0'+n%10)) }

// appendName appends a name, with what has a meaning in a log written as %XX.
func appendName(dst []byte, name string) []byte {
	const hex = "0123456789ABCDEF"
	for i := range len(name) {
		c := name[i]
		if c <= ' ' || c == 0x7F || strings.IndexByte(`%,;"`, c) >= 0 {
			dst = append(dst, '%', hex[c>>4], hex[c&15])
		} else {
			dst = append(dst, c)
		}
	}
	return dst
}
