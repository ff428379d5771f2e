package dnsrr

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"time"

	"github.com/miekg/dns"
)

// A signature is the TSIG of a query (RFC 8945), once it was looked at.
type signature struct {
	key   *TransferKey // nil: not to be believed
	asked *dns.TSIG
	error uint16 // why not, for the reply
}

// tsigRoom is what a signature may add to a reply over UDP: a name, an
// algorithm, a digest.
const tsigRoom = 2*nameLen + 10 + 16 + 64

// fudge is how far the clocks of two sides may be apart, in seconds (RFC 8945,
// section 10).
const fudge = 300

// verify looks at the signature of a query, if it has one.
func (o *Options) verify(b []byte, r *request) (*signature, error) {
	if r.tsig == 0 {
		return nil, nil
	}
	m := new(dns.Msg)
	if err := m.Unpack(b); err != nil {
		return nil, err
	}
	asked := m.IsTsig()
	if asked == nil {
		return nil, errors.New("no TSIG at the end")
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
	switch err := dns.TsigVerify(b, s.key.secret(), "", false); {
	case errors.Is(err, dns.ErrTime):
		s.error = dns.RcodeBadTime
	case err != nil:
		s.error = dns.RcodeBadSig
	}
	return s, nil
}

func (k *TransferKey) secret() string { return base64.StdEncoding.EncodeToString(k.Secret) }

// appendStream writes messages one by one: those of a transfer, and whatever is
// to be signed, with the OPT before the signature.
func (x *exchange) appendStream(dst []byte, b body, framed bool) []byte {
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
func (x *exchange) alone(b body) *dns.Msg {
	m := new(dns.Msg)
	var room [maxOPT]byte
	octets := b.append(nil, &x.r, x.appendOPT(room[:0], &b), x.r.edns.limit(x.tr == overUDP)-tsigRoom)
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
