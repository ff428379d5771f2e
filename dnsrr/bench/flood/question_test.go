package main

import (
	"errors"
	"strings"
	"testing"

	"github.com/miekg/dns"
)

// What is asked is what another reads.
func TestQueriesAreSound(t *testing.T) {
	for _, e := range []edns{{}, {dnssec: true}, {cookie: true}, {dnssec: true, cookie: true}} {
		q, err := newQuestion("mail.test.", e, false)
		if err != nil {
			t.Fatal(err)
		}
		b := make([]byte, len(q.octets))
		q.put(b, 513, 99)
		var m dns.Msg
		if err := m.Unpack(b); err != nil {
			t.Fatal(e, err)
		}
		asked := dns.Question{Name: "mail.test.", Qtype: dns.TypeA, Qclass: dns.ClassINET}
		if m.Id != 513 || m.Response || len(m.Question) != 1 || m.Question[0] != asked {
			t.Errorf("%+v: got %v", e, &m)
		}
		o := m.IsEdns0()
		if (o != nil) != e.asked() || o != nil && (o.Do() != e.dnssec || o.UDPSize() != 1232 || (len(o.Option) == 1) != e.cookie) {
			t.Errorf("%+v: got %v", e, o)
		}
		if e.cookie && o.Option[0].(*dns.EDNS0_COOKIE).Cookie != "6576656e6b65656c" {
			t.Errorf("%+v: got %v", e, o)
		}
	}
}

func TestNamesThatAreNone(t *testing.T) {
	for _, name := range []string{"", ".", "a..b", strings.Repeat("x", 64), strings.Repeat("abc.", 64)} {
		if q, err := newQuestion(name, edns{}, false); err == nil {
			t.Errorf("%q: got %q, want an error", name, q.octets)
		}
	}
}

// Letters are mixed by r, and nothing else is.
func TestLetters(t *testing.T) {
	q, err := newQuestion("ma-1.test", edns{cookie: true}, true)
	if err != nil {
		t.Fatal(err)
	}
	b := make([]byte, len(q.octets))
	for r, want := range map[uint64]string{0: "\x04ma-1\x04test\x00", 1 << 1: "\x04Ma-1\x04test\x00", ^uint64(0): "\x04MA-1\x04TEST\x00"} {
		q.put(b, 0, r)
		if got := string(b[headerLen : headerLen+q.name]); got != want {
			t.Errorf("%x: got %q, want %q", r, got, want)
		}
		if string(b[headerLen+q.name:]) != string(q.octets[headerLen+q.name:]) {
			t.Errorf("%x: got %q behind the name", r, b[headerLen+q.name:])
		}
	}
}

// reply makes the answer of an honest server out of a query.
func reply(q []byte, answers byte) []byte {
	b := append([]byte(nil), q...)
	b[2] |= flagQR
	b[7] = answers
	return b
}

// Only an answer is one.
func TestJudge(t *testing.T) {
	q, err := newQuestion("mail.test", edns{}, true)
	if err != nil {
		t.Fatal(err)
	}
	const r = 0b101010
	asked := make([]byte, len(q.octets))
	q.put(asked, 7, r)
	good := reply(asked, 3)
	change := func(i int, to byte) []byte {
		b := append([]byte(nil), good...)
		b[i] = to
		return b
	}
	for name, c := range map[string]struct {
		b    []byte
		want error
	}{
		"an answer":         {good, nil},
		"with more behind":  {append(good, 1, 2, 3), nil},
		"a query":           {asked, errQuery},
		"refused":           {change(3, dns.RcodeRefused), errRcode},
		"of another name":   {change(14, 'x'), errQuestion},
		"in other letters":  {change(14, good[14]^0x20), errQuestion},
		"of another type":   {change(len(good)-3, 28), errQuestion},
		"of another class":  {change(len(good)-1, 3), errQuestion},
		"cut off":           {good[:len(good)-1], errShort},
		"nothing":           {nil, errShort},
		"a header, no more": {good[:headerLen], errShort},
	} {
		n, err := q.judge(c.b, r)
		if !errors.Is(err, c.want) || (err == nil) != (n == 3) {
			t.Errorf("%s: got %d, %v, want %v", name, n, err, c.want)
		}
	}
}

// No octets that come can do harm.
func FuzzHear(f *testing.F) {
	q, err := newQuestion("mail.test", edns{}, true)
	if err != nil {
		f.Fatal(err)
	}
	asked := make([]byte, len(q.octets))
	q.put(asked, 1<<slotBits, 5)
	f.Add(reply(asked, 1), uint64(5))
	f.Add(asked[:5], uint64(0))
	f.Fuzz(func(t *testing.T, b []byte, r uint64) {
		flow, tally := newFlow(), new(tally)
		flow.ask(0, r)
		flow.hear(q, b, 1, tally)
		if tally.Answered+tally.Stray != 1 || tally.Answered != 1-flow.underway() || tally.Errors > tally.Answered {
			t.Errorf("%+v, %d under way", tally, flow.underway())
		}
	})
}
