package dnsrr

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/miekg/dns"

	"evenkeel/dnsrr/cookie"
)

// seeds are queries of all kinds, as octets.
func seeds(f *testing.F) (out [][]byte) {
	add := func(q *dns.Msg) {
		b, err := q.Pack()
		if err != nil {
			f.Fatal(err)
		}
		out = append(out, b)
	}
	for _, name := range []string{"mail.test.", "MaIl.tEsT.", "_why.mail.test.", "ex01.mail.test.", "nobody.mail.test.", "www.mail.test.", "x.wild.mail.test.",
		"imap.mail.test.", "_imaps._tcp.mail.test.", "_tcp.mail.test.", "old.mail.test.", `a\.b\\\000.mail.test.`, "example.", "."} {
		for _, typ := range []uint16{dns.TypeA, dns.TypeAAAA, dns.TypeNS, dns.TypeSOA, dns.TypeTXT, dns.TypeANY, dns.TypeSRV, dns.TypeNSEC, dns.TypeRRSIG, dns.TypeDNSKEY} {
			add(ask(name, typ).SetEdns0(1400, true))
		}
	}
	add(new(dns.Msg).SetAxfr("mail.test."))
	add(new(dns.Msg).SetIxfr("mail.test.", 3, ".", "."))
	add(new(dns.Msg).SetNotify("mail.test."))
	add(new(dns.Msg).SetUpdate("mail.test."))
	for _, typ := range []uint16{dns.TypeSOA, dns.TypeAXFR} {
		signed, _, err := dns.TsigGenerate(ask("mail.test.", typ).SetTsig("key.", dns.HmacSHA256, fudge, noon.Unix()), base64.StdEncoding.EncodeToString([]byte("secret")), "", false)
		if err != nil {
			f.Fatal(err)
		}
		out = append(out, signed)
	}
	for _, p := range probes() {
		out = append(out, p.octets())
	}
	chaos := ask("id.server.", dns.TypeTXT)
	chaos.Question[0].Qclass = dns.ClassCHAOS
	add(chaos)
	return append(out, packet(0, [4]uint16{0, 0, 0, 1}, opt(probeCookie)), packet(0, [4]uint16{1, 0, 0, 2}, "mail.test.", "0001 0001", opt(""), opt("")))
}

// Whatever comes in, to a server that has all it can have: what goes out can be
// read, belongs to the question, says what the rules say, and is no longer than
// the asker takes.
func FuzzReply(f *testing.F) {
	for _, b := range seeds(f) {
		f.Add(b, true)
		f.Add(b, false)
	}
	o := keyed()
	o.Identity, o.Version, o.Cookies = "ex01", "1", cookie.New([16]byte{1})
	o.Transfer.Allow = []netip.Prefix{netip.PrefixFrom(someone.Addr(), 24)}
	s := serverOf(f, rich(f, func(s *Set) { s.Signer = signerOf(f); s.MaxTTL = time.Minute }), o)
	f.Fuzz(func(t *testing.T, b []byte, udp bool) {
		tr := overTCP
		if udp {
			tr = overUDP
		}
		before := slices.Clone(b)
		out := s.reply(nil, b, someone, tr, noon, true)
		if silent(b) != (len(out) == 0) || !bytes.Equal(b, before) {
			t.Fatalf("silent %v, answered %v; the query is now % x", silent(b), len(out) > 0, b)
		}
		for first := true; len(out) > 0; first = false {
			n := 2 + number(out, 0)
			checkReply(t, &o, b, out[2:n], udp, first)
			out = out[n:]
		}
	})
}

// checkReply looks at one message of a reply to b.
func checkReply(t *testing.T, o *Options, b, out []byte, udp, first bool) {
	m := readReply(t, out)
	r := parse(b)
	if !m.Response || m.RecursionAvailable || m.AuthenticatedData || m.Zero || m.CheckingDisabled {
		t.Fatalf("flags %+v", m.MsgHdr)
	}
	if !bytes.Equal(out[:2], b[:2]) || m.Opcode != r.opcode {
		t.Fatalf("identity % x and opcode %d, asked % x and %d", out[:2], m.Opcode, b[:2], r.opcode)
	}
	if parse(out).bad { // the library says nothing of records that are counted and missing
		t.Fatalf("% x is not as long as it says", out)
	}
	if !first {
		return
	}
	if !bytes.HasPrefix(out[headerLen:], r.question) || (len(m.Question) == 1) != (r.question != nil) {
		t.Fatalf("question % x, asked % x", out[headerLen:], r.question)
	}
	if (m.IsEdns0() != nil) != r.edns.present {
		t.Fatalf("OPT %v, asked with one %v", m.IsEdns0(), r.edns.present)
	}
	limit := r.edns.limit(udp)
	if sig, err := o.verify(b, &r, noon); err == nil && sig != nil { // whose keys have long names gets long errors
		limit += sig.room()
	}
	if len(out) > limit || m.Truncated && len(m.Answer)+len(m.Ns) > 0 {
		t.Fatalf("%d octets, want at most %d: %s", len(out), limit, brief(m))
	}
	checkProven(t, &r, m)
}

// checkProven holds that who wants signatures gets one of every set, and a proof
// of every denial; nobody else gets any but who asks for them.
func checkProven(t *testing.T, r *request, m *dns.Msg) {
	if !m.Authoritative || m.Truncated || r.qclass == dns.ClassCHAOS || r.qtype == dns.TypeAXFR || r.qtype == dns.TypeIXFR || r.qtype == dns.TypeRRSIG {
		return
	}
	for _, section := range [][]dns.RR{m.Answer, m.Ns} {
		sets, sigs := setsOf(section)
		if want := map[bool]int{true: len(sets)}[r.edns.dnssec]; len(sigs) != want {
			t.Fatalf("%d sets with %d signatures: %s", len(sets), len(sigs), brief(m))
		}
	}
	sets, _ := setsOf(m.Ns)
	if want := map[bool]int{false: 1, true: 2}[r.edns.dnssec]; len(sets) > 0 && len(sets) != want {
		t.Fatalf("a denial of %d sets, want %d: %s", len(sets), want, brief(m))
	}
}

// What we read is what the library reads. It may differ only so:
//   - the library also takes messages that are cut off, that go on after their
//     end, whose first name has pointers, and whose OPT or TSIG is misplaced;
//   - it looks into the data of all records and options, and we into none but
//     those we use.
func FuzzParse(f *testing.F) {
	for _, b := range seeds(f) {
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if silent(b) {
			return
		}
		r, m := parse(b), new(dns.Msg)
		err := m.Unpack(b)
		records := number(b, 6) + number(b, 8) + number(b, 10)
		if r.bad || err != nil && records > 0 {
			return
		}
		if err != nil {
			t.Fatalf("taken as sound, and the library says %v", err)
		}
		if r.id != m.Id || r.opcode != m.Opcode || r.rd != m.RecursionDesired || r.questions != len(m.Question) {
			t.Fatalf("%+v, and the library %v", r, m)
		}
		if r.questions == 1 {
			if q := m.Question[0]; r.name() != q.Name || r.qtype != q.Qtype || r.qclass != q.Qclass {
				t.Fatalf("%s %d %d, and the library %v", r.name(), r.qtype, r.qclass, q)
			}
		}
		if len(m.Answer)+len(m.Ns)+len(m.Extra) != records {
			return // the library stops where records end early, and says nothing
		}
		checkAdditional(t, &r, m)
	})
}

func checkAdditional(t *testing.T, r *request, m *dns.Msg) {
	if (m.IsTsig() != nil) != (r.tsig > 0) {
		t.Fatalf("TSIG at %d, and the library %v", r.tsig, m.IsTsig())
	}
	if len(m.Ns) == 1 {
		if soa, ok := m.Ns[0].(*dns.SOA); ok && soa.Hdr.Rdlength >= 22 && (!r.has || r.serial != soa.Serial) {
			t.Fatalf("serial %d %v, and the library %v", r.serial, r.has, soa)
		}
	}
	var opts []*dns.OPT
	for _, rr := range m.Extra {
		if o, ok := rr.(*dns.OPT); ok {
			opts = append(opts, o)
		}
	}
	if r.edns.present != (len(opts) > 0) || len(opts) > 1 && !r.edns.malformed {
		t.Fatalf("%+v, and the library %v", r.edns, opts)
	}
	if len(opts) == 1 {
		checkOptions(t, &r.edns, opts[0])
	}
}

func checkOptions(t *testing.T, e *edns, o *dns.OPT) {
	if e.version != o.Version() || e.dnssec != o.Do() || e.size != int(o.UDPSize()) {
		t.Fatalf("%+v, and the library %v", e, o)
	}
	if e.version > 0 || e.malformed {
		return
	}
	identity, kept, first := false, false, ""
	for _, option := range o.Option {
		switch option := option.(type) {
		case *dns.EDNS0_NSID:
			identity = true
		case *dns.EDNS0_TCP_KEEPALIVE:
			kept = true
		case *dns.EDNS0_COOKIE:
			if first == "" {
				first = option.Cookie
			}
		}
	}
	if identity != e.identity || kept != e.keepalive || hex.EncodeToString(e.cookie) != first {
		t.Fatalf("%+v, and the library %v", e, o)
	}
}
