package dnsrr

import (
	"crypto/sha512"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"slices"
	"time"

	"github.com/miekg/dns"
)

// A signature is the TSIG of a query (RFC 8945), once it was looked at.
type signature struct {
	key   *TransferKey // nil: not to be believed
	asked *dns.TSIG
	error uint16 // why not, for the reply
}

// Octets of a TSIG: fields of fixed length in its data (RFC 8945, section 4.2),
// and all that one of ours has beside names and digest.
const (
	tsigData  = 6 + 2 + 2 + 2 + 2 + 2        // time, fudge, length, identity, error, length
	tsigFixed = 2 + 2 + 4 + 2 + tsigData + 6 // with type, class, TTL and length, and a time beside BADTIME
)

// fudge is how far the clocks of two sides may be apart, in seconds (RFC 8945,
// section 10).
const fudge = 300

// verify looks at the signature of a query, if it has one that is in its place.
func (o *Options) verify(b []byte, r *request, now time.Time) (*signature, error) {
	if r.tsig == 0 || r.bad {
		return nil, nil
	}
	rr, _, err := dns.UnpackRR(b, r.tsig)
	if err != nil {
		return nil, err
	}
	asked, ok := rr.(*dns.TSIG)
	if !ok || asked.Hdr.Class != dns.ClassANY || asked.Hdr.Ttl != 0 || int(asked.Hdr.Rdlength) != len(asked.Algorithm)+1+tsigData+int(asked.MACSize)+int(asked.OtherLen) {
		return nil, errors.New("no whole TSIG at the end") // the library takes one whose data end early
	}
	s := &signature{asked: asked, error: dns.RcodeBadKey}
	for i, k := range o.Transfer.Keys {
		if fold(k.Name) == fold(asked.Hdr.Name) && fold(dns.Fqdn(k.Algorithm)) == fold(asked.Algorithm) {
			s.key, s.error = &o.Transfer.Keys[i], 0
		}
	}
	if s.key == nil {
		return s, nil
	}
	// The library writes into what it verifies, and has a clock of its own. The
	// time is looked at last: before, it might be anybody's (section 5.2).
	switch err := dns.TsigVerify(slices.Clone(b), s.key.secret(), "", false); {
	case err != nil && !errors.Is(err, dns.ErrTime):
		s.error = dns.RcodeBadSig
	case apart(asked.TimeSigned, uint64(now.Unix())) > uint64(asked.Fudge):
		s.error = dns.RcodeBadTime
	}
	return s, nil
}

func apart(a, b uint64) uint64 { return max(a, b) - min(a, b) }

// room is how much the signature adds to a reply. It is counted, and not taken
// as large as it can be, or a plain reply over UDP could have nothing else.
func (s *signature) room() int {
	return tsigFixed + len(s.asked.Hdr.Name) + 1 + len(s.asked.Algorithm) + 1 + sha512.Size
}

func (k *TransferKey) secret() string { return base64.StdEncoding.EncodeToString(k.Secret) }

// appendStream writes messages one by one: those of a transfer, and whatever is
// to be signed, with the OPT before the signature.
func (x *exchange) appendStream(dst []byte, b *body, framed bool) []byte {
	if x.stream == nil {
		x.stream = []*dns.Msg{x.alone(b)}
	}
	mac := ""
	if x.sig != nil {
		mac = x.sig.asked.MAC
	}
	start := len(dst)
	for i, m := range x.stream {
		var octets []byte
		var err error
		if x.sig != nil {
			octets, mac, err = x.sig.pack(m, mac, i == 0, x.now)
		} else {
			octets, err = m.Pack()
		}
		if err != nil { // a bug of ours
			return dst[:start]
		}
		if framed {
			dst = binary.BigEndian.AppendUint16(dst, uint16(len(octets)))
		}
		dst = append(dst, octets...)
	}
	return dst
}

// alone is the reply as one message that a signature fits behind.
func (x *exchange) alone(b *body) *dns.Msg {
	m := &dns.Msg{Compress: true}
	octets := x.compose(nil, b, x.r.edns.limit(x.tr == overUDP)-x.sig.room())
	if m.Unpack(octets) != nil { // a bug of ours
		return new(dns.Msg)
	}
	return m
}

// pack writes a message to who signed. Over several messages each is signed with
// the one before (section 5.3.1), mac, which is that of the query at first.
func (s *signature) pack(m *dns.Msg, mac string, first bool, now time.Time) (b []byte, next string, err error) {
	t := &dns.TSIG{
		Hdr:       dns.RR_Header{Name: s.asked.Hdr.Name, Rrtype: dns.TypeTSIG, Class: dns.ClassANY},
		Algorithm: s.asked.Algorithm, Fudge: fudge, TimeSigned: uint64(now.Unix()), OrigId: m.Id, Error: s.error,
	}
	m.Extra = append(m.Extra, t)
	switch s.error {
	case dns.RcodeBadKey, dns.RcodeBadSig: // unsigned: there is nothing to sign with (section 5.3.2)
		b, err = m.Pack()
		return b, "", err
	case dns.RcodeBadTime: // with the asker's time, and ours beside it (section 5.2.3)
		t.TimeSigned = s.asked.TimeSigned
		t.OtherData = serverTime(now)
		t.OtherLen = 6
	}
	return dns.TsigGenerate(m, s.key.secret(), mac, !first)
}

// serverTime is 48 bits of seconds, as the library wants them.
func serverTime(now time.Time) string {
	const digits = "0123456789abcdef"
	out := make([]byte, 12)
	for i, n := 11, uint64(now.Unix()); i >= 0; i, n = i-1, n>>4 {
		out[i] = digits[n&15]
	}
	return string(out)
}
