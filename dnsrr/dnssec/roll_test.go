package dnssec

import (
	"strings"
	"testing"

	"github.com/miekg/dns"
	"pgregory.net/rapid"
)

// What a validator has in its cache: the parent's DS set, the DNSKEY set and
// some data, each with its signatures, and each from a moment of its own.
type cached struct {
	ds               []*dns.DS
	keys, keySigs    []dns.RR
	data, signatures []dns.RR
}

type fatal interface {
	Helper()
	Fatalf(string, ...any)
}

// recordsOf is what a validator finds that asks for everything now.
func recordsOf(t fatal, k *Keys) cached {
	t.Helper()
	s := NewSigner(k)
	data, err := dns.NewRR(zone + " 60 IN A 192.0.2.1")
	if err != nil {
		t.Fatalf("%v", err)
	}
	c := cached{ds: k.DS(), keys: k.DNSKEY(60), data: []dns.RR{data}}
	c.keySigs, c.signatures = s.Sign(c.keys, 60, noon), s.Sign(c.data, 60, noon)
	return c
}

// only leaves what a validator sees that knows but one algorithm.
func (c cached) only(algorithm uint8) cached {
	var ds []*dns.DS
	for _, d := range c.ds {
		if d.Algorithm == algorithm {
			ds = append(ds, d)
		}
	}
	of := func(sigs []dns.RR) (out []dns.RR) {
		for _, sig := range sigs {
			if sig.(*dns.RRSIG).Algorithm == algorithm {
				out = append(out, sig)
			}
		}
		return out
	}
	c.ds, c.keySigs, c.signatures = ds, of(c.keySigs), of(c.signatures)
	return c
}

// follows validates as RFC 4035, section 5, says, any single path being enough
// (RFC 6840, section 5.11). It knows nothing of keys' states.
func follows(c cached) bool {
	for _, rr := range c.keys {
		key := rr.(*dns.DNSKEY)
		ds := key.ToDS(dns.SHA256)
		for _, want := range c.ds {
			if want.KeyTag == ds.KeyTag && want.Algorithm == ds.Algorithm && want.Digest == ds.Digest && signedBy(c.keySigs, key, c.keys) {
				return signedBy(c.signatures, nil, c.data, c.keys...)
			}
		}
	}
	return false
}

// signedBy tells whether key, or one of keys, made one of the signatures.
func signedBy(sigs []dns.RR, key *dns.DNSKEY, set []dns.RR, keys ...dns.RR) bool {
	if key != nil {
		keys = []dns.RR{key}
	}
	for _, sig := range sigs {
		for _, k := range keys {
			if sig.(*dns.RRSIG).Verify(k.(*dns.DNSKEY), set) == nil {
				return true
			}
		}
	}
	return false
}

// gaps says which mixtures of two moments a validator could not follow: o is
// the old one, n the new one, for DS set, DNSKEY set and data.
func gaps(before, after cached) string {
	var bad []string
	for mix := range 8 {
		c, name := before, []byte("ooo")
		if mix&1 != 0 {
			c.ds, name[0] = after.ds, 'n'
		}
		if mix&2 != 0 {
			c.keys, c.keySigs, name[1] = after.keys, after.keySigs, 'n'
		}
		if mix&4 != 0 {
			c.data, c.signatures, name[2] = after.data, after.signatures, 'n'
		}
		if !follows(c) {
			bad = append(bad, string(name))
		}
	}
	return strings.Join(bad, " ")
}

// Each story is a rollover, one word a moment: K and L are KSKs, Z and Y are
// ZSKs, E and F are a KSK and a ZSK of the other algorithm; a letter's case and
// mark is its state: k published, K active, K- retired. Between moments whoever
// rolls waits until caches have seen the last one.
func TestRollovers(t *testing.T) {
	keys := map[byte]Key{
		'k': generate(t, P256, true), 'l': generate(t, P256, true), 'z': generate(t, P256, false), 'y': generate(t, P256, false),
		'e': generate(t, Ed25519, true), 'f': generate(t, Ed25519, false),
	}
	for _, c := range []struct{ story, moments, want string }{
		{"ZSK, pre-published", "KZ KZy KZ-Y KY", ""},
		{"KSK, double DS", "KZ KlZ K-LZ LZ", ""},
		{"CSK, by two that sign", "K Kl KL K-L L", ""},
		{"CSK to KSK and ZSK", "K Kz KZ", ""},
		{"KSK and ZSK to CSK", "KZ KZ- K", ""},
		{"KSK and ZSK to another CSK", "KZ KZ- Kl KL K-L L", ""},
		{"algorithm", "KZ KZEF EF", ""},
		{"algorithm of a CSK", "K KE E", ""},
		{"both at once", "KZ KlZy K-LZ-Y LY", ""},
		{"a ZSK roll called off", "KZ KZy KZ", ""},
		{"a KSK roll called off after all", "KZ KlZ K-LZ KlZ KZ", ""},

		{"a ZSK nobody was told of", "KZ KY", "KZ KY: oon ono nno non"},
		{"a ZSK that is told of too late", "KZ KZ-Y", "KZ KZ-Y: oon non"},
		{"a ZSK gone too early", "KZy KY", "KZy KY: ono nno"},
		{"a KSK the parent was not told of", "KZ LZ", "KZ LZ: noo ono non onn"},
		{"a KSK that the parent is told of too late", "KZ K-LZ", "KZ K-LZ: ono onn"},
		{"a KSK gone too early", "KlZ LZ", "KlZ LZ: noo non"},
		{"a CSK by double DS", "Kl K-L", "Kl K-L: ono nno oon non"},
		{"a CSK's first ZSK, untold", "K KZ", "K KZ: oon non"},
	} {
		if got := walk(t, keys, strings.Fields(c.moments)); !sameWords(got, c.want) {
			t.Errorf("%s: %s: a validator could not follow %q, want %q", c.story, c.moments, got, c.want)
		}
	}
}

// walk returns the gaps of a story; Step has to say the same.
func walk(t *testing.T, keys map[byte]Key, moments []string) (found string) {
	t.Helper()
	for i := range len(moments) - 1 {
		before, after := at(t, keys, moments[i]), at(t, keys, moments[i+1])
		bad := gaps(recordsOf(t, before), recordsOf(t, after))
		if bad != "" {
			found += moments[i] + " " + moments[i+1] + ": " + bad
		}
		if err := before.Step(after); (err != nil) != (bad != "") {
			t.Errorf("%s to %s: Step says %v, the caches %q", moments[i], moments[i+1], err, bad)
		}
	}
	return found
}

func at(t *testing.T, keys map[byte]Key, moment string) *Keys {
	t.Helper()
	var uses []Use
	for i := range len(moment) {
		letter := moment[i] | 0x20
		switch {
		case moment[i] == '-':
			uses[len(uses)-1].State = Retired
		case letter == moment[i]:
			uses = append(uses, Use{keys[letter], Published})
		default:
			uses = append(uses, Use{keys[letter], Active})
		}
	}
	k, err := NewKeys(zone, uses)
	if err != nil {
		t.Fatalf("%s: %v", moment, err)
	}
	return k
}

func sameWords(a, b string) bool {
	words := map[string]int{}
	for _, w := range strings.Fields(a) {
		words[w]++
	}
	for _, w := range strings.Fields(b) {
		words[w]--
	}
	for _, n := range words {
		if n != 0 {
			return false
		}
	}
	return true
}

// valid is every way to use six keys that is accepted: two KSKs and two ZSKs of
// one algorithm, and one of each of another.
func valid(t *testing.T) (all []*Keys) {
	t.Helper()
	pool := []Key{
		generate(t, P256, true), generate(t, P256, true), generate(t, P256, false), generate(t, P256, false),
		generate(t, Ed25519, true), generate(t, Ed25519, false),
	}
	const ways = 4 // three states, and not there
	for n := range ways * ways * ways * ways * ways * ways {
		var uses []Use
		for _, key := range pool {
			if n%ways != 0 {
				uses = append(uses, Use{key, State(n%ways - 1)})
			}
			n /= ways
		}
		if k, err := NewKeys(zone, uses); err == nil {
			all = append(all, k)
		}
	}
	return all
}

// The DS set leads to the DNSKEY set and that to the data, by every algorithm
// that any of them has.
func TestWhateverIsAcceptedValidates(t *testing.T) {
	for _, k := range valid(t) {
		all := recordsOf(t, k)
		algorithms := map[uint8]bool{}
		for _, rr := range all.keys {
			algorithms[rr.(*dns.DNSKEY).Algorithm] = true
		}
		for _, ds := range all.ds {
			algorithms[ds.Algorithm] = true
		}
		for algorithm := range algorithms {
			if !follows(all.only(algorithm)) {
				t.Fatalf("not by algorithm %d alone: %v", algorithm, all.keys)
			}
		}
	}
}

// Step warns exactly where some mixture of caches is left without a way.
func TestStepKnowsWhatCachesMeet(t *testing.T) {
	all := valid(t)
	found := make([]cached, len(all))
	for i, k := range all {
		found[i] = recordsOf(t, k)
	}
	unsafe := map[bool]int{}
	rapid.Check(t, func(t *rapid.T) {
		i, j := rapid.IntRange(0, len(all)-1).Draw(t, "before"), rapid.IntRange(0, len(all)-1).Draw(t, "after")
		bad := gaps(found[i], found[j])
		if err := all[i].Step(all[j]); (err != nil) != (bad != "") {
			t.Fatalf("Step says %v, the caches %q", err, bad)
		}
		unsafe[bad != ""]++
	})
	if unsafe[true] == 0 || unsafe[false] == 0 {
		t.Errorf("unsafe or not: %v of %d ways; some of both are needed", unsafe, len(all))
	}
}

func TestStepIsOfOneZone(t *testing.T) {
	here := keysOf(t, Use{generate(t, P256, true), Active})
	other, err := Generate("mail.test.", P256, true)
	if err != nil {
		t.Fatal(err)
	}
	there, err := NewKeys("mail.test.", []Use{{other, Active}})
	if err != nil || here.Step(there) == nil || here.Step(here) != nil {
		t.Errorf("into another zone: %v, %v; to where it is: %v", err, here.Step(there), here.Step(here))
	}
}
