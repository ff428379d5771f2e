package dnssec

import (
	"fmt"
	"strings"
	"testing"

	"github.com/miekg/dns"
)

func TestStatesAreWords(t *testing.T) {
	for _, s := range []State{Published, Active, Retired} {
		if got, err := ParseState(s.String()); err != nil || got != s {
			t.Errorf("%v: read again as %v, %v", s, got, err)
		}
	}
	for _, word := range []string{"", "Active", "revoked", "state 3"} {
		if got, err := ParseState(word); err == nil {
			t.Errorf("%q is read as %v", word, got)
		}
	}
}

func TestNewKeysRefuses(t *testing.T) {
	k13, k13b, z13, z13b := generate(t, P256, true), generate(t, P256, true), generate(t, P256, false), generate(t, P256, false)
	k15, z15 := generate(t, Ed25519, true), generate(t, Ed25519, false)
	foreign, err := Generate("mail.test.", P256, true)
	if err != nil {
		t.Fatal(err)
	}
	namesake := z13 // another key whose tag is the same: the tag is all that is looked at
	namesake.public = z13b.public
	for _, c := range []struct {
		promise string
		uses    []Use
		want    []string // parts of the error
	}{
		{"a KSK and a ZSK", []Use{{k13, Active}, {z13, Active}}, nil},
		{"a CSK", []Use{{k13, Active}}, nil},
		{"a ZSK to come, with a CSK", []Use{{k13, Active}, {z13, Published}}, nil},
		{"a ZSK roll", []Use{{k13, Active}, {z13, Retired}, {z13b, Active}}, nil},
		{"a KSK roll", []Use{{k13, Retired}, {k13b, Active}, {z13, Active}}, nil},
		{"a CSK roll", []Use{{k13, Active}, {k13b, Active}}, nil},
		{"two algorithms, both whole", []Use{{k13, Active}, {z13, Active}, {k15, Active}, {z15, Active}}, nil},

		{"nothing", nil, []string{"no active KSK"}},
		{"no KSK", []Use{{z13, Active}}, []string{"no active KSK"}},
		{"a KSK too early", []Use{{k13, Published}, {z13, Active}}, []string{"no active KSK"}},
		{"a KSK too late", []Use{{k13, Retired}, {z13, Active}}, []string{"no active KSK"}},
		{"a ZSK twice", []Use{{k13, Active}, {z13, Active}, {z13, Retired}}, []string{"key " + z13.String() + ": listed twice"}},
		{"one tag twice", []Use{{k13, Active}, {z13, Active}, {namesake, Retired}}, []string{"two keys share this tag"}},
		{"another zone", []Use{{k13, Active}, {foreign, Published}}, []string{"key Kmail.test.+013+", "of another zone than mail.example."}},
		{"no key", []Use{{k13, Active}, {}}, []string{"key 1: there is none"}},
		{"no state", []Use{{k13, 3}, {z13, -1}}, []string{"state 3 does not exist", "state -1 does not exist"}},
		{"all of it", []Use{{k13, 3}, {}, {foreign, Active}}, []string{"state 3", "there is none", "another zone"}},

		{"a KSK whose algorithm signs no data", []Use{{k13, Active}, {z13, Active}, {k15, Active}}, []string{"algorithm 15: no active key signs the zone's data"}},
		{"a ZSK whose algorithm signs no keys", []Use{{k13, Active}, {z13, Active}, {z15, Active}}, []string{"algorithm 15: no active KSK"}},
		{"a ZSK to come of an algorithm that signs nothing", []Use{{k13, Active}, {z15, Published}}, []string{"algorithm 15: no active KSK", "algorithm 15: no active key signs"}},
		{"a DS of an algorithm that signs nothing", []Use{{k13, Active}, {z13, Active}, {k15, Published}}, []string{"algorithm 15: no active KSK"}},
		{"KSK and ZSK of unlike algorithms", []Use{{k13, Active}, {z15, Active}}, []string{"algorithm 13: no active key signs", "algorithm 15: no active KSK"}},
	} {
		_, err := NewKeys(zone, c.uses)
		if len(c.want) == 0 && err != nil || len(c.want) > 0 && err == nil {
			t.Errorf("%s: error %v, want %q", c.promise, err, c.want)
			continue
		}
		for _, want := range c.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: error %v, want %q", c.promise, err, want)
			}
		}
	}
	if _, err := NewKeys(".", []Use{{k13, Active}}); err == nil {
		t.Error("the root is a zone of ours")
	}
}

// Who publishes what: by the table of DESIGN.md.
func TestSets(t *testing.T) {
	for _, sep := range []bool{false, true} {
		for state := Published; state <= Retired; state++ {
			key, ksk, zsk := generate(t, P256, sep), generate(t, P256, true), generate(t, P256, false)
			k, err := NewKeys("Mail.Example.", []Use{{key, state}, {ksk, Active}, {zsk, Active}})
			if err != nil {
				t.Fatal(err)
			}
			active := state == Active
			for _, c := range []struct {
				what      string
				got, want bool
			}{
				{"in the DNSKEY set", has(k.DNSKEY(60), key.public.PublicKey), !sep || active},
				{"in the CDNSKEY set", has(k.CDNSKEY(60), key.public.PublicKey), sep},
				{"in the CDS set", has(k.CDS(60), key.ds().Digest), sep},
				{"in the DS set", strings.Contains(fmt.Sprint(k.DS()), strings.ToUpper(key.ds().Digest)), sep},
				{"signs keys", key.among(k.signersOf(dns.TypeDNSKEY)), sep && active},
				{"signs CDS", key.among(k.signersOf(dns.TypeCDS)), sep && active},
				{"signs CDNSKEY", key.among(k.signersOf(dns.TypeCDNSKEY)), sep && active},
				{"signs data", key.among(k.signersOf(dns.TypeA)), !sep && active},
			} {
				if c.got != c.want {
					t.Errorf("SEP %v, %v: %s: %v, want %v", sep, state, c.what, c.got, c.want)
				}
			}
		}
	}
}

func (k Key) among(keys []Key) bool {
	for _, other := range keys {
		if k.same(other) {
			return true
		}
	}
	return false
}

// has tells whether a record ends in data, in capitals or not, and checks what
// all of them have.
func has(set []dns.RR, data string) bool {
	for _, rr := range set {
		if h := rr.Header(); h.Name != zone || h.Ttl != 60 || h.Class != dns.ClassINET {
			panic(fmt.Sprint("not of the zone, or of another TTL: ", rr))
		}
		if strings.HasSuffix(strings.ToUpper(rr.String()), strings.ToUpper(data)) {
			return true
		}
	}
	return false
}
