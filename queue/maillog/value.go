package maillog

import (
	"bytes"
	"math"
	"net/netip"
	"time"

	"evenkeel/queue/exlog"
	"evenkeel/queue/lines"
)

// none stands for a duration that is not logged.
const none = -1

// cells are the values of a row, by the place of their columns.
type cells = [exchangeCount][]byte

// addrPort is an address with a port, 0 for what is none. Without an address
// there is no port.
func addrPort(a netip.Addr, port []byte) netip.AddrPort {
	if !a.IsValid() {
		return netip.AddrPort{}
	}
	n := number(port, 0)
	if n > math.MaxUint16 {
		n = 0
	}
	return netip.AddrPortFrom(a, uint16(n))
}

// number is v, if it is a whole number of at most nine digits; otherwise it is
// missing.
func number(v []byte, missing int) int {
	if n, ok := lines.ParseUint(v); ok && len(v) <= 9 {
		return int(n)
	}
	return missing
}

// begins reports that v begins with a prefix, whatever the letters' case.
func begins(v []byte, prefix string) bool {
	if len(v) < len(prefix) {
		return false
	}
	for i := range len(prefix) {
		if a, b := v[i], prefix[i]; a != b && (a^b != 0x20 || a|0x20 < 'a' || a|0x20 > 'z') {
			return false
		}
	}
	return true
}

// millis is a number of milliseconds, whole or not; negative for what is none.
func millis(v []byte) time.Duration {
	if len(v) == 0 {
		return none
	}
	if n := number(v, -1); n >= 0 {
		return time.Duration(n) * time.Millisecond
	}
	f, ok := exlog.ParseFloat(v)
	if f *= float64(time.Millisecond); !ok || f < 0 || f > math.MaxInt64/2 {
		return none
	}
	return time.Duration(f)
}

// span is a time as .NET writes it, "00:00:00.0310000" or "1.00:00:00"; negative
// for what is none.
func span(v []byte) time.Duration {
	colon := bytes.IndexByte(v, ':')
	if colon < 0 {
		return millis(v)
	}
	days, clock := uint64(0), v
	if n := bytes.IndexByte(v[:colon], '.'); n >= 0 {
		var ok bool
		if days, ok = lines.ParseUint(v[:n]); !ok || days > 10_000 {
			return none
		}
		clock = v[n+1:]
	}
	since, rest, ok := lines.ParseClock(clock)
	if !ok || len(rest) > 0 {
		return none
	}
	return time.Duration(days)*24*time.Hour + since
}

// said is v, nil for the words that stand for nothing.
func said(v []byte) []byte {
	switch string(v) {
	case "", "-", "<null>", "$null", "<empty>", "null":
		return nil
	}
	return v
}

// fault is a code of an error, nil for those that say that all went well.
func fault(v []byte) []byte {
	switch string(said(v)) {
	case "", "0", "Success", "NoError", "Ok", "OK", "None":
		return nil
	}
	return v
}
