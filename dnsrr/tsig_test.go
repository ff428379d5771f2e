package dnsrr

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"slices"
	"testing"
	"time"

	"github.com/miekg/dns"
)

func keyed() Options {
	return Options{Transfer: Transfer{Keys: []TransferKey{{Name: "key.", Algorithm: dns.HmacSHA256, Secret: []byte("secret")}}}}
}

// signedBy signs q at an instant.
func signedBy(t testing.TB, q *dns.Msg, key, algorithm, secret string, at time.Time) (b []byte, mac string) {
	t.Helper()
	q.SetTsig(key, algorithm, fudge, at.Unix())
	b, mac, err := dns.TsigGenerate(q, base64.StdEncoding.EncodeToString([]byte(secret)), "", false)
	if err != nil {
		t.Fatal(err)
	}
	return b, mac
}

// The errors of RFC 8945, section 5.2: which, whether the reply is signed, and
// what stands beside.
func TestErrorsOfSignatures(t *testing.T) {
	s := serverOf(t, farm(), keyed())
	for _, tt := range []struct {
		name, key, algorithm, secret string
		at                           time.Duration // of the asker's clock, before ours
		error                        uint16
		signed                       bool
	}{
		{"sound", "key.", dns.HmacSHA256, "secret", 0, 0, true},
		{"in other letters", "KEY.", dns.HmacSHA256, "secret", 0, 0, true},
		{"as late as may be", "key.", dns.HmacSHA256, "secret", fudge * time.Second, 0, true},
		{"as early as may be", "key.", dns.HmacSHA256, "secret", -fudge * time.Second, 0, true},
		{"too late", "key.", dns.HmacSHA256, "secret", (fudge + 1) * time.Second, dns.RcodeBadTime, true},
		{"too early", "key.", dns.HmacSHA256, "secret", -(fudge + 1) * time.Second, dns.RcodeBadTime, true},
		{"another secret", "key.", dns.HmacSHA256, "a guess", 0, dns.RcodeBadSig, false},
		{"another secret, and too late", "key.", dns.HmacSHA256, "a guess", time.Hour, dns.RcodeBadSig, false},
		{"another key", "keys.", dns.HmacSHA256, "secret", 0, dns.RcodeBadKey, false},
		{"another algorithm", "key.", dns.HmacSHA512, "secret", 0, dns.RcodeBadKey, false},
	} {
		b, mac := signedBy(t, ask("mail.test.", dns.TypeSOA), tt.key, tt.algorithm, tt.secret, noon.Add(-tt.at))
		out := octetsOf(s, b)
		m := readReply(t, out)
		sig := m.IsTsig()
		if sig == nil || sig.Error != tt.error || (sig.MACSize > 0) != tt.signed || m.Truncated || len(out) > plainSize {
			t.Errorf("%s: %v", tt.name, m)
			continue
		}
		if want := map[bool]int{true: dns.RcodeSuccess, false: dns.RcodeNotAuth}[tt.error == 0]; m.Rcode != want || (len(m.Answer) > 0) != (tt.error == 0) {
			t.Errorf("%s: %s, want code %d", tt.name, brief(m), want)
		}
		if tt.signed && sig.MAC != macOf(out, sig, mac) {
			t.Errorf("%s: signed with %s, want %s", tt.name, sig.MAC, macOf(out, sig, mac))
		}
		checkTimes(t, tt.name, sig, noon.Add(-tt.at))
	}
}

// macOf is what the reply out to a query that was signed with mac must be signed
// with (RFC 8945, section 4.3).
func macOf(out []byte, sig *dns.TSIG, mac string) string {
	asked, _ := hex.DecodeString(mac)
	h := hmac.New(sha256.New, []byte("secret"))
	h.Write(binary.BigEndian.AppendUint16(nil, uint16(len(asked))))
	h.Write(asked)
	head := slices.Clone(out[:parse(out).tsig])
	binary.BigEndian.PutUint16(head[10:], uint16(number(head, 10)-1))
	h.Write(head)
	h.Write(packet(0, [4]uint16{}, "key.", "00ff 00000000", "hmac-sha256.")[headerLen:])
	h.Write(binary.BigEndian.AppendUint64(nil, sig.TimeSigned)[2:])
	other, _ := hex.DecodeString(sig.OtherData)
	for _, n := range []uint16{sig.Fudge, sig.Error, uint16(len(other))} {
		h.Write(binary.BigEndian.AppendUint16(nil, n))
	}
	h.Write(other)
	return hex.EncodeToString(h.Sum(nil))
}

// checkTimes: who is too late is told our time, beside his own.
func checkTimes(t *testing.T, name string, sig *dns.TSIG, his time.Time) {
	t.Helper()
	at, other := noon, ""
	if sig.Error == dns.RcodeBadTime {
		at, other = his, hex.EncodeToString(binary.BigEndian.AppendUint64(nil, uint64(noon.Unix()))[2:])
	}
	if sig.TimeSigned != uint64(at.Unix()) || sig.OtherData != other || int(sig.OtherLen) != len(other)/2 || sig.Fudge != fudge {
		t.Errorf("%s: time %d, other %q, want %d and %q", name, sig.TimeSigned, sig.OtherData, at.Unix(), other)
	}
}

// A signature is the last of a message, and once (RFC 8945, section 5.1).
func TestSignaturesOutOfPlace(t *testing.T) {
	s := serverOf(t, farm(), keyed())
	b, _ := signedBy(t, ask("mail.test.", dns.TypeSOA), "key.", dns.HmacSHA256, "secret", noon)
	question := packet(0, [4]uint16{1}, "mail.test.", "0006 0001")
	sig := b[len(question):]
	for _, tt := range []struct {
		name   string
		counts [4]uint16
		rest   []byte
	}{
		{"twice", [4]uint16{1, 0, 0, 2}, slices.Concat(sig, sig)},
		{"before an OPT", [4]uint16{1, 0, 0, 2}, slices.Concat(sig, packet(0, [4]uint16{}, opt(""))[headerLen:])},
		{"among the answers", [4]uint16{1, 1, 0, 0}, sig},
		{"in the authority section", [4]uint16{1, 0, 1, 0}, sig},
		{"cut", [4]uint16{1, 0, 0, 1}, sig[:len(sig)-1]},
		{"without data", [4]uint16{1, 0, 0, 1}, []byte{0, 0, 250, 0, 255, 0, 0, 0, 0, 0, 0}},
		{"with an algorithm alone", [4]uint16{1, 0, 0, 1}, []byte{0, 0, 250, 0, 255, 0, 0, 0, 0, 0, 3, 1, 'x', 0}},
	} {
		m := readReply(t, octetsOf(s, slices.Concat(packet(0, tt.counts, "mail.test.", "0006 0001"), tt.rest)))
		if m.Rcode != dns.RcodeFormatError || len(m.Answer) > 0 || m.IsTsig() != nil {
			t.Errorf("%s: %s", tt.name, brief(m))
		}
	}
}

// Room is left for the signature, and not much more than it takes: at every size
// the reply fits, and a short one is never cut off.
func TestSignedRepliesFit(t *testing.T) {
	s := serverOf(t, many(30), keyed())
	for size := uint16(511); size <= 1232; size += 7 {
		for _, typ := range []uint16{dns.TypeA, dns.TypeNS} {
			q := ask("mail.test.", typ)
			if size >= plainSize {
				q.SetEdns0(size, false)
			}
			b, _ := signedBy(t, q, "key.", dns.HmacSHA256, "secret", noon)
			out := octetsOf(s, b)
			m := readReply(t, out)
			if len(out) > max(plainSize, int(size)) || m.Truncated != (len(m.Answer) == 0) || m.Truncated && (typ == dns.TypeA || size > 900) || m.IsTsig() == nil {
				t.Errorf("%s, size %d: %d octets, %s", dns.Type(typ), size, len(out), brief(m))
			}
		}
	}
}

// Who signs is where he says, and is not limited.
func TestSignedQueriesAreTrusted(t *testing.T) {
	for secret, want := range map[string]bool{"secret": true, "a guess": false} {
		b, _ := signedBy(t, ask("mail.test.", dns.TypeSOA), "key.", dns.HmacSHA256, secret, noon)
		o := keyed()
		x := exchange{r: parse(b), o: &o, now: noon}
		var err error
		if x.sig, err = o.verify(b, &x.r, noon); err != nil || x.trusted() != want {
			t.Errorf("by %q: trusted %v, %v; want %v", secret, x.trusted(), err, want)
		}
	}
}
