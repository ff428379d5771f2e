package cookie

import (
	"bytes"
	"encoding/hex"
	"net/netip"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func secret(t testing.TB, s string) [16]byte { t.Helper(); return [16]byte(unhex(t, s)) }

// The reference values for the key 00…0f and the messages of the first numbers
// (Aumasson and Bernstein, 2012, appendix A, and their vectors).
func TestSipHash(t *testing.T) {
	k := key{0x0706050403020100, 0x0f0e0d0c0b0a0908}
	for n, want := range map[int]uint64{0: 0x726fdb47dd0e0e31, 1: 0x74f839c593dc67fd, 8: 0x93f5f5799a932462, 15: 0xa129ca6149be45e5} {
		m := make([]byte, n)
		for i := range m {
			m[i] = byte(i)
		}
		if got := k.sip(m); got != want {
			t.Errorf("%d octets: got %#x, want %#x", n, got, want)
		}
	}
}

// The conversations of RFC 9018, appendix A. What the client sends was made by
// another server, and the reply is to the octet what any other would make.
func TestConversationsOfTheStandard(t *testing.T) {
	const usual, before, after = "e5e973e5a6b2a43f48e7dc849e37bfcf", "dd3bdf9344b678b185a6f5cb60fca715", "445536bcd2513298075a5d379663c962"
	for _, c := range []struct {
		name    string
		jar     *Jar
		from    string
		asked   string
		at      int64
		verdict Verdict
		want    string
	}{
		{"A.1, the first query", New(secret(t, usual)), "198.51.100.100", "2464c4abcf10c957", 1559731985, ClientOnly, "2464c4abcf10c957010000005cf79f111f8130c3eee29480"},
		{"A.2, forty minutes later", New(secret(t, usual)), "198.51.100.100", "2464c4abcf10c957010000005cf79f111f8130c3eee29480", 1559734385, Valid, "2464c4abcf10c957010000005cf7a871d4a564a1442aca77"},
		{"A.3, reserved octets, when it was made", New(secret(t, usual)), "203.0.113.203", "fc93fc62807ddb8601abcdef5cf78f71a314227b6679ebf5", 1559727985, Valid, ""},
		{"A.3, reserved octets, at the reply", New(secret(t, usual)), "203.0.113.203", "fc93fc62807ddb8601abcdef5cf78f71a314227b6679ebf5", 1559734700, Stale, "fc93fc62807ddb86010000005cf7a9acf73a7810aca2381e"},
		{"A.4, the old secret", New(secret(t, after), secret(t, before)), "2001:db8:220:1:59de:d0f4:8769:82b8", "22681ab97d52c298010000005cf7c57926556bd0934c72f8", 1559741961, Valid, "22681ab97d52c298010000005cf7c609a6bb79d16625507a"},
	} {
		from, at, asked := netip.MustParseAddr(c.from), time.Unix(c.at, 0), unhex(t, c.asked)
		if got := c.jar.Check(asked, from, at); got != c.verdict {
			t.Errorf("%s: got %v, want %v", c.name, got, c.verdict)
		}
		if got := hex.EncodeToString(c.jar.Append(nil, asked, from, at)); c.want != "" && got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
}

var (
	home  = netip.MustParseAddr("192.0.2.7")
	begin = time.Unix(1_800_000_000, 0)
	ours  = [16]byte{1, 2, 3}
	other = [16]byte{4, 5, 6}
)

func TestVerdicts(t *testing.T) {
	client := []byte("8 octets")
	full := New(ours).Append(nil, client, home, begin)
	changed := func(at int) []byte { b := bytes.Clone(full); b[at] ^= 1; return b }
	for _, c := range []struct {
		name   string
		jar    *Jar
		option []byte
		from   string
		after  time.Duration
		want   Verdict
	}{
		{"the client's part", New(ours), client, "192.0.2.7", 0, ClientOnly},
		{"ours", New(ours), full, "192.0.2.7", 0, Valid},
		{"ours, mapped", New(ours), full, "::ffff:192.0.2.7", 0, Valid},
		{"ours, from elsewhere", New(ours), full, "192.0.2.8", 0, Bad},
		{"by a peer that rolls over", New(other, ours), full, "192.0.2.7", 0, Valid},
		{"by a peer that has forgotten", New(other), full, "192.0.2.7", 0, Bad},
		{"an hour", New(ours), full, "192.0.2.7", time.Hour, Valid},
		{"a second more", New(ours), full, "192.0.2.7", time.Hour + time.Second, Stale},
		{"a clock five minutes behind", New(ours), full, "192.0.2.7", -5 * time.Minute, Valid},
		{"a second more behind", New(ours), full, "192.0.2.7", -5*time.Minute - time.Second, Stale},
		{"another client's part", New(ours), changed(0), "192.0.2.7", 0, Bad},
		{"another version", New(ours), changed(8), "192.0.2.7", 0, Bad},
		{"another reserved octet", New(ours), changed(9), "192.0.2.7", 0, Bad},
		{"another time", New(ours), changed(15), "192.0.2.7", 0, Bad},
		{"another hash", New(ours), changed(23), "192.0.2.7", 0, Bad},
		{"no jar", nil, full, "192.0.2.7", 0, Bad},
		{"no jar, the client's part", nil, client, "192.0.2.7", 0, ClientOnly},
	} {
		if got := c.jar.Check(c.option, netip.MustParseAddr(c.from), begin.Add(c.after)); got != c.want {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
}

// Every length has its verdict (RFC 7873, section 5.2.2).
func TestLengths(t *testing.T) {
	for n := range 60 {
		want := Malformed
		switch {
		case n == 8:
			want = ClientOnly
		case n >= 16 && n <= 40:
			want = Bad
		}
		option := make([]byte, n)
		if got := New(ours).Check(option, home, begin); got != want {
			t.Errorf("%d octets: got %v, want %v", n, got, want)
		}
		wantLen := FullLen
		if want == Malformed {
			wantLen = 0
		}
		if got := len(New(ours).Append(nil, option, home, begin)); got != wantLen {
			t.Errorf("%d octets: the reply has %d, want %d", n, got, wantLen)
		}
	}
	if got := (*Jar)(nil).Append([]byte("x"), make([]byte, 8), home, begin); string(got) != "x" {
		t.Errorf("without a secret it makes %q", got)
	}
}

// A good cookie is sent back until it is half an hour old, or the secret is
// replaced.
func TestRenewal(t *testing.T) {
	full := New(ours).Append(nil, make([]byte, 8), home, begin)
	for _, c := range []struct {
		name  string
		jar   *Jar
		after time.Duration
		same  bool
	}{
		{"at once", New(ours), 0, true},
		{"from the future", New(ours), -time.Minute, true},
		{"half an hour", New(ours), 30 * time.Minute, true},
		{"a second more", New(ours), 30*time.Minute + time.Second, false},
		{"too old", New(ours), 2 * time.Hour, false},
		{"the new secret is accepted", New(ours, other), time.Minute, true},
		{"the new secret is made", New(other, ours), time.Minute, false},
	} {
		now := begin.Add(c.after)
		got := c.jar.Append(nil, full, home, now)
		if bytes.Equal(got, full) != c.same {
			t.Errorf("%s: sent back as it was: %v, want %v", c.name, !c.same, c.same)
		}
		if v := c.jar.Check(got, home, now); v != Valid {
			t.Errorf("%s: what is sent is %v", c.name, v)
		}
	}
}

// What others put into the reserved octets is not sent on, be the cookie ever
// so good.
func TestReservedOctetsAreNotSentOn(t *testing.T) {
	jar, from, at := New(secret(t, "e5e973e5a6b2a43f48e7dc849e37bfcf")), netip.MustParseAddr("203.0.113.203"), time.Unix(1559727985, 0)
	option := unhex(t, "fc93fc62807ddb8601abcdef5cf78f71a314227b6679ebf5") // of RFC 9018, A.3
	if got := jar.Append(nil, option, from, at); !bytes.Equal(got[8:12], []byte{1, 0, 0, 0}) || jar.Check(got, from, at) != Valid {
		t.Errorf("sent %x", got)
	}
}

// The 32 bits of the time begin again in 2106, and nothing happens.
func TestTheClockBeginsAgain(t *testing.T) {
	last := time.Unix(1<<32-10, 0)
	full := New(ours).Append(nil, make([]byte, 8), home, last)
	for after, want := range map[time.Duration]Verdict{
		0: Valid, 20 * time.Second: Valid, time.Hour: Valid, time.Hour + time.Second: Stale, -5 * time.Minute: Valid, -6 * time.Minute: Stale,
	} {
		if got := New(ours).Check(full, home, last.Add(after)); got != want {
			t.Errorf("%v later: got %v, want %v", after, got, want)
		}
	}
}

func addresses() *rapid.Generator[netip.Addr] {
	return rapid.Custom(func(t *rapid.T) netip.Addr {
		n := rapid.SampledFrom([]int{4, 16}).Draw(t, "octets")
		a, _ := netip.AddrFromSlice(rapid.SliceOfN(rapid.Byte(), n, n).Draw(t, "address"))
		return a
	})
}

// What one node makes, every node with the secret accepts from that address for
// an hour, and nobody else's is accepted.
func TestPeersAcceptEachOthers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		bytes16 := rapid.Custom(func(t *rapid.T) [16]byte { return [16]byte(rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "secret")) })
		shared, stranger := bytes16.Draw(t, "shared"), bytes16.Draw(t, "stranger")
		client := rapid.SliceOfN(rapid.Byte(), 8, 8).Draw(t, "client")
		from, elsewhere := addresses().Draw(t, "from"), addresses().Draw(t, "elsewhere")
		made := time.Unix(rapid.Int64Range(0, 1<<33).Draw(t, "made"), 0)
		age := time.Duration(rapid.IntRange(-300, 3600).Draw(t, "age")) * time.Second
		full := New(shared).Append([]byte("before"), client, from, made)[len("before"):]
		if !bytes.Equal(full[:8], client) || len(full) != FullLen {
			t.Fatalf("made %x for %x", full, client)
		}
		if got := New(stranger, shared).Check(full, from, made.Add(age)); got != Valid {
			t.Fatalf("a peer says %v", got)
		}
		if got := New(shared).Check(full, elsewhere, made.Add(age)); from.Unmap() != elsewhere.Unmap() && got != Bad {
			t.Fatalf("from %v for %v: %v", elsewhere, from, got)
		}
		if got := New(stranger).Check(full, from, made.Add(age)); shared != stranger && got != Bad {
			t.Fatalf("without the secret: %v", got)
		}
	})
}

func FuzzCheck(f *testing.F) {
	f.Add([]byte{}, []byte{192, 0, 2, 7}, int64(0))
	f.Add(New(ours).Append(nil, make([]byte, 8), home, begin), []byte{192, 0, 2, 7}, begin.Unix())
	f.Add(make([]byte, 41), make([]byte, 16), int64(-1))
	f.Fuzz(func(t *testing.T, option, addr []byte, at int64) {
		from, _ := netip.AddrFromSlice(addr) // the zero Addr too
		now, jar := time.Unix(at, 0), New(ours, other)
		v := jar.Check(option, from, now)
		sent := jar.Append(nil, option, from, now)
		if v == Malformed {
			if len(sent) != 0 {
				t.Fatalf("malformed, and answered with %x", sent)
			}
			return
		}
		if got := jar.Check(sent, from, now); got != Valid || !bytes.Equal(sent[:8], option[:8]) {
			t.Fatalf("%v is answered with %x, which is %v", v, sent, got)
		}
	})
}

func TestNothingIsAllocated(t *testing.T) {
	jar, six := New(other, ours), netip.MustParseAddr("2001:db8::1")
	full, dst := New(ours).Append(nil, make([]byte, 8), six, begin), make([]byte, 0, FullLen)
	if n := testing.AllocsPerRun(100, func() { jar.Check(full, six, begin); dst = jar.Append(dst[:0], full, six, begin) }); n != 0 {
		t.Errorf("%v allocations, want none", n)
	}
}

func BenchmarkCheck(b *testing.B) {
	jar := New(ours)
	full := jar.Append(nil, make([]byte, 8), home, begin)
	b.ReportAllocs()
	for b.Loop() {
		jar.Check(full, home, begin)
	}
}

func BenchmarkAppend(b *testing.B) {
	jar, client, dst := New(ours), make([]byte, 8), make([]byte, 0, FullLen)
	b.ReportAllocs()
	for b.Loop() {
		dst = jar.Append(dst[:0], client, home, begin)
	}
}
