package throttle

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"
)

// A RopBackoff tells a client in the response to one of its ROPs how long to
// send none (MS-OXCROPS 2.2.15.2). It stands in RopsList in the place of the
// response to the ROP that is delayed, and nothing follows it: the ROPs behind
// are not run (3.2.4.2). There is no request of this kind.
type RopBackoff struct {
	LogonID    uint8         // the logon that is to wait
	Duration   time.Duration // how long; sent in milliseconds, rounded up, up to 49 days
	Rops       []BackoffRop  // the kinds of ROP that are to wait, at most 255; none: all of the logon
	Additional []byte        // nothing that the specification gives a meaning to; at most 65535 bytes
}

// A BackoffRop is one kind of ROP that is to wait (MS-OXCROPS 2.2.15.2.1.1).
type BackoffRop struct {
	RopID    uint8
	Duration time.Duration // as in RopBackoff
}

// The layout: RopId, LogonId, Duration, BackoffRopCount, that many of RopIdBackoff
// and Duration, AdditionalDataSize, AdditionalData. All numbers are little-endian.
const (
	ropBackoffID  = 0xF9
	ropBackoffMin = 9 // with neither ROPs nor additional data
	backoffRopLen = 5
)

// ErrShort is of bytes that end before what they announce.
var ErrShort = errors.New("cut short")

// AppendBinary appends r as it goes over the wire. It is an error when a list
// is longer, or a duration is negative or longer, than its field can say.
func (r RopBackoff) AppendBinary(b []byte) ([]byte, error) {
	if len(r.Rops) > math.MaxUint8 || len(r.Additional) > math.MaxUint16 {
		return b, fmt.Errorf("rop backoff: %d ROPs and %d bytes: at most %d and %d", len(r.Rops), len(r.Additional), math.MaxUint8, math.MaxUint16)
	}
	out, err := appendWireMillis(append(b, ropBackoffID, r.LogonID), r.Duration)
	out = append(out, uint8(len(r.Rops)))
	for _, rop := range r.Rops {
		var e error
		out, e = appendWireMillis(append(out, rop.RopID), rop.Duration)
		err = errors.Join(err, e)
	}
	if err != nil {
		return b, err
	}
	out = binary.LittleEndian.AppendUint16(out, uint16(len(r.Additional)))
	return append(out, r.Additional...), nil
}

func appendWireMillis(b []byte, d time.Duration) ([]byte, error) {
	if d < 0 || d > math.MaxUint32*time.Millisecond {
		return b, fmt.Errorf("rop backoff: %s does not fit in 32 bits of milliseconds", d)
	}
	return binary.LittleEndian.AppendUint32(b, uint32(wholeMillis(d)/time.Millisecond)), nil
}

// ParseRopBackoff reads a RopBackoff from the start of b, and returns the bytes
// behind it. What it returns does not refer to b.
func ParseRopBackoff(b []byte) (r RopBackoff, rest []byte, err error) {
	switch {
	case len(b) < ropBackoffMin:
		return r, b, fmt.Errorf("rop backoff: %d bytes: %w", len(b), ErrShort)
	case b[0] != ropBackoffID:
		return r, b, fmt.Errorf("rop backoff: RopId 0x%02X", b[0])
	}
	n := int(b[6])
	end := 7 + n*backoffRopLen // of the ROPs
	if len(b) < end+2 {
		return r, b, fmt.Errorf("rop backoff: %d bytes for %d ROPs: %w", len(b), n, ErrShort)
	}
	m := int(binary.LittleEndian.Uint16(b[end:]))
	if len(b) < end+2+m {
		return r, b, fmt.Errorf("rop backoff: %d bytes for %d ROPs and %d more: %w", len(b), n, m, ErrShort)
	}

	r = RopBackoff{LogonID: b[1], Duration: wireMillis(b[2:])}
	for i := 7; i < end; i += backoffRopLen {
		r.Rops = append(r.Rops, BackoffRop{b[i], wireMillis(b[i+1:])})
	}
	if m > 0 {
		r.Additional = slices.Clone(b[end+2 : end+2+m])
	}
	return r, b[end+2+m:], nil
}

func wireMillis(b []byte) time.Duration {
	return time.Duration(binary.LittleEndian.Uint32(b)) * time.Millisecond
}
