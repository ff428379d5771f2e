package maillog

import (
	"bytes"
	"math"
	"net/netip"
	"time"

	"evenkeel/queue/exlog"
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
func number(v []byte, missing int) (n int) {
	if len(v) == 0 || len(v) > 9 {
		return missing
	}
	for _, c := range v {
		if c -= '0'; c > 9 {
			return missing
		}
		n = n*10 + int(c)
	}
	return n
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
	clock, days := v, uint64(0)
	if n := bytes.IndexByte(v, '.'); n >= 0 && n < bytes.IndexByte(v, ':') {
		var ok bool
		if days, ok = exlog.ParseUint(v[:n]); !ok || days > 10_000 {
			return none
		}
		clock = v[n+1:]
	}
	const plain = len("15:04:05")
	if len(clock) < plain || clock[2] != ':' || clock[5] != ':' {
		return millis(v)
	}
	h, ok1 := exlog.ParseUint(clock[:2])
	m, ok2 := exlog.ParseUint(clock[3:5])
	s, ok3 := exlog.ParseFloat(clock[6:])
	if !ok1 || !ok2 || !ok3 || m > 59 || s < 0 || s >= 60 {
		return none
	}
	return time.Duration(days*24+h)*time.Hour + time.Duration(m)*time.Minute + time.Duration(math.Round(s*1e9))
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
