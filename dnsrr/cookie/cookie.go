// Package cookie makes and checks the server's part of DNS cookies (RFC 7873),
// in the form that all servers of one name can share (RFC 9018, version 1). A
// client that sends one back has received a packet at its address, so its
// address is not forged.
//
// All nodes of a farm hold one secret, and so each knows the cookies of the
// others. It is rolled over in three steps, each on all nodes before the next
// (RFC 9018, section 5): the new one is accepted, it is made, the old one is
// forgotten. So a node that is a step behind understands its peers.
//
// Start with [Jar.Check] and [Jar.Append]. The package reads no clock and keeps
// nothing of a client.
package cookie

import (
	"encoding/binary"
	"net/netip"
	"slices"
	"time"
)

// Lengths of the COOKIE option's content, in octets (RFC 7873, section 4).
const (
	ClientLen = 8  // the client's part, with which the option begins
	FullLen   = 24 // with our server part
	minLen    = 16 // with any server's part
	maxLen    = 40
)

// What a cookie's time may be (RFC 9018, section 4.3), in seconds.
const (
	oldest = 60 * 60
	ahead  = 5 * 60  // clocks of the nodes differ
	renew  = 30 * 60 // older ones are replaced though they are good
)

const version = 1

// A Verdict is what a COOKIE option tells of its sender.
type Verdict int

// The verdicts. Only Valid says that the address is the sender's own.
const (
	Malformed  Verdict = iota // no cookie has this length: answer FORMERR (RFC 7873, section 5.2.2)
	ClientOnly                // the client's part alone: it has no cookie of ours yet
	Bad                       // not made with a secret of ours, or not for this client
	Stale                     // made with a secret of ours, and older than an hour or from the future
	Valid
)

// String is the verdict in words.
func (v Verdict) String() string {
	switch v {
	case Malformed:
		return "malformed"
	case ClientOnly:
		return "client only"
	case Bad:
		return "bad"
	case Stale:
		return "stale"
	case Valid:
		return "valid"
	}
	return "unknown"
}

// A Jar makes cookies with one secret and knows those of several. It never
// changes, and so may be used by any number of goroutines. The nil Jar has no
// secret: it makes nothing, and every server part is Bad.
type Jar struct{ keys []key }

// New returns a Jar that makes cookies with the first secret and accepts those
// of all. Without any it is nil.
func New(secrets ...[16]byte) *Jar {
	if len(secrets) == 0 {
		return nil
	}
	j := &Jar{keys: make([]key, len(secrets))}
	for i, s := range secrets {
		j.keys[i] = key{binary.LittleEndian.Uint64(s[:8]), binary.LittleEndian.Uint64(s[8:])}
	}
	return j
}

// A Judgement is what a jar has found out of one option, its address and its
// time, for [Jar.AppendJudged]. The zero Judgement is of what is malformed.
type Judgement struct {
	Verdict Verdict
	keep    bool // it is sent back as it is
}

// Judge judges the content of a COOKIE option that came from an address. An
// IPv4 address is the same whether written as one or mapped into IPv6; a zone
// is not looked at. It allocates nothing.
func (j *Jar) Judge(option []byte, from netip.Addr, now time.Time) Judgement {
	v, made, age := j.judge(option, from, now)
	return Judgement{v, v == Valid && made == 0 && age <= renew && plain(option)}
}

// Check is the verdict of [Jar.Judge] alone.
func (j *Jar) Check(option []byte, from netip.Addr, now time.Time) Verdict {
	return j.Judge(option, from, now).Verdict
}

// Append appends the content of the COOKIE option for the reply to dst: the
// client's part and ours, [FullLen] octets. What came is sent back as it is if
// it is Valid, made with the first secret and not older than 30 minutes.
// Otherwise a new one is made, whatever the option's verdict. Nothing is
// appended for an option that is Malformed. It allocates nothing but for dst.
func (j *Jar) Append(dst, option []byte, from netip.Addr, now time.Time) []byte {
	return j.AppendJudged(dst, option, from, now, j.Judge(option, from, now))
}

// AppendJudged is [Jar.Append] for who has judged the option already: a hash is
// most of what either costs.
func (j *Jar) AppendJudged(dst, option []byte, from netip.Addr, now time.Time, as Judgement) []byte {
	switch {
	case as.Verdict == Malformed || j == nil:
		return dst
	case as.keep:
		return append(dst, option...)
	}
	start := len(dst)
	dst = append(dst, option[:ClientLen]...)
	dst = append(dst, version, 0, 0, 0)
	dst = binary.BigEndian.AppendUint32(dst, uint32(now.Unix()))
	return binary.LittleEndian.AppendUint64(dst, j.keys[0].hash(dst[start:], from))
}

// plain: the reserved octets are zero, as those that we make. Another server
// of the farm may set them, but we would have to know what for.
func plain(option []byte) bool { return slices.Equal(option[9:12], []byte{0, 0, 0}) }

// judge also says which secret made a cookie that is Valid or Stale, and how
// many seconds ago, by arithmetic that outlives 2106 (RFC 1982).
func (j *Jar) judge(option []byte, from netip.Addr, now time.Time) (v Verdict, made int, age int32) {
	switch n := len(option); {
	case n == ClientLen:
		return ClientOnly, 0, 0
	case n < minLen || n > maxLen:
		return Malformed, 0, 0
	case n != FullLen || option[ClientLen] != version:
		return Bad, 0, 0
	}
	made = j.maker(option, from)
	if made < 0 {
		return Bad, 0, 0
	}
	age = int32(uint32(now.Unix()) - binary.BigEndian.Uint32(option[12:]))
	if age > oldest || age < -ahead {
		return Stale, made, age
	}
	return Valid, made, age
}

// maker is the secret that a whole option was made with for from; -1: none.
// One comparison of two registers tells nothing by the time it takes.
func (j *Jar) maker(option []byte, from netip.Addr) int {
	if j == nil {
		return -1
	}
	got := binary.LittleEndian.Uint64(option[16:])
	for i, k := range j.keys {
		if k.hash(option[:16], from) == got {
			return i
		}
	}
	return -1
}

// hash is the last part of the server's: that of all before it, and of the
// client's address (RFC 9018, section 4.4). The standard's order of octets is
// SipHash's own, which is the lowest first.
func (k key) hash(head []byte, from netip.Addr) uint64 {
	var m [32]byte
	n := copy(m[:16], head)
	if from = from.Unmap(); from.Is4() {
		a := from.As4()
		n += copy(m[n:], a[:])
	} else {
		a := from.As16()
		n += copy(m[n:], a[:])
	}
	return k.sip(m[:n])
}
