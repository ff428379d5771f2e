package dnsrr

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/miekg/dns"
)

// wireName is a name as in a question.
func wireName(t testing.TB, name string) []byte {
	t.Helper()
	var room [nameLen + 1]byte
	n, err := dns.PackDomainName(name, room[:], 0, nil, false)
	if err != nil {
		t.Fatal(err)
	}
	return room[:n]
}

// A flood of invented names takes no place from a name that is asked for now and
// then: here once in five hundred.
func TestAFloodTakesNoPlaces(t *testing.T) {
	set := every(t)
	set.Signer = signer(t, set.Zone)
	tab := compile(t, set)
	s := new(Server)
	s.Publish(tab)
	var wanted [][]byte
	for i := range 64 {
		wanted = append(wanted, dress(ask(fmt.Sprintf("wanted%d.mail.test.", i), dns.TypeA), 4|8))
	}
	for round := range 30 {
		for _, q := range wanted {
			s.reply(nil, q, someone, overUDP, noon, false)
		}
		if round == 0 { // asked for again, and so worth a place
			continue
		}
		for i := range 500 {
			a := &absence{name: wireName(t, fmt.Sprintf("n%d-%d.mail.test.", round, i))}
			tab.absent.keep(a)
		}
	}
	for i := range wanted {
		if tab.absent.find(wireName(t, fmt.Sprintf("WANTED%d.mail.test.", i))) == nil {
			t.Errorf("wanted%d was pushed out", i)
		}
	}
}

// Names that nobody asks for again make room for each other.
func TestPlacesAreGivenAnew(t *testing.T) {
	a := newAbsences()
	for i := range 100 * absentSets {
		one := &absence{name: wireName(t, fmt.Sprintf("n%d.mail.test.", i))}
		a.keep(one)
		a.keep(one)
		found := 0
		for k := range a.set(one.name) {
			if a.set(one.name)[k].Load() == one {
				found++
			}
		}
		if found != 1 {
			t.Fatalf("the %dth has %d places, want 1", i, found)
		}
	}
}

// In a set whose names are all asked for again one gives way to those who keep
// coming, and not at once; the others never do.
func TestAFullSetGivesWayOnce(t *testing.T) {
	a := newAbsences()
	var same []*absence // names that meet
	for i := 0; len(same) < 3*mostUses; i++ {
		one := &absence{name: wireName(t, fmt.Sprintf("n%d.mail.test.", i))}
		if len(same) == 0 || a.set(one.name) == a.set(same[0].name) {
			same = append(same, one)
		}
	}
	for _, one := range same[:absentWays] {
		a.keep(one)
		for range 2 * mostUses {
			a.find(one.name)
		}
	}
	for n, late := range same[absentWays:] {
		a.keep(late)
		kept := 0
		for k := range absentWays {
			if slices.Contains(same[:absentWays], a.set(late.name)[k].Load()) {
				kept++
			}
		}
		if want := absentWays - 1; n < mostUses && kept != absentWays || n >= mostUses && kept != want {
			t.Fatalf("%d of %d are left after %d", kept, absentWays, n+1)
		}
	}
}

// Where a name stands is drawn for each table, so nobody knows which others to
// ask for.
func TestPlacesAreDrawn(t *testing.T) {
	name := wireName(t, "nobody.mail.test.")
	seen := map[int]bool{}
	for range 64 {
		a := newAbsences()
		for i := range a.places {
			if &a.places[i] == a.set(name) {
				seen[i] = true
			}
		}
	}
	if len(seen) < 16 {
		t.Errorf("%d places in 64 tables", len(seen))
	}
}

// The denial of a missing name is told by the asker's word for it, whoever asked
// first, and not beyond its signatures.
func TestDenialsAreKept(t *testing.T) {
	set := every(t)
	set.Signer = signer(t, set.Zone)
	s := serverOf(t, set, Options{})
	for _, at := range []time.Time{noon, noon.AddDate(0, 0, 10), noon} {
		for _, compact := range []bool{false, true, false} {
			q := secureAsk("Nobody.mail.test.", dns.TypeMX)
			want := dns.RcodeSuccess
			if compact {
				q.IsEdns0().Hdr.Ttl |= flagCO
				want = dns.RcodeNameError
			}
			m := new(dns.Msg)
			if err := m.Unpack(s.reply(nil, packed(t, q), someone, overTCP, at, false)); err != nil {
				t.Fatal(err)
			}
			if m.Rcode != want || len(m.Ns) != 4 || denied(t, "nobody", m).Hdr.Name != "Nobody.mail.test." {
				t.Errorf("compact %v: %s", compact, brief(m))
			}
			if sig, ok := m.Ns[1].(*dns.RRSIG); !ok || !sig.ValidityPeriod(at) {
				t.Errorf("at %v: %v", at, m.Ns)
			}
		}
	}
}
