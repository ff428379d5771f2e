package dnssec

import (
	"fmt"
	"math/rand"
	"sync"
	"testing"

	"github.com/miekg/dns"
)

// What anyone can make up does not push out what is asked for.
func TestMadeUpNamesPushOutNothing(t *testing.T) {
	s, seen := pair(t), map[string]bool{}
	set, denied := addresses(2), []dns.RR{Denial(zone, zone, []uint16{dns.TypeA}, false, 30)}
	made(seen, s.Sign(set, 60, noon))
	made(seen, s.Sign(denied, 60, noon))
	for i := range 3 * missing {
		s.Sign([]dns.RR{Denial(zone, fmt.Sprintf("x%d.mail.example.", i), nil, true, 30)}, 60, noon)
	}
	made(seen, s.Sign(set, 60, noon))
	if got := made(seen, s.Sign(denied, 60, noon)); got != 2 {
		t.Errorf("%d signatures of two sets", got)
	}
	if got := s.missing.len(); got < missing || got > 2*missing {
		t.Errorf("%d made up names are remembered, want %d to %d", got, missing, 2*missing)
	}
}

func (c *cache) len() (n int) {
	for i := range c.shards {
		n += len(c.shards[i].young) + len(c.shards[i].old)
	}
	return n
}

// What is asked for again outlives any number of sets that are asked for once,
// and the whole stays bounded.
func TestWhatIsAskedForAgainStays(t *testing.T) {
	c := cache{limit: 4}
	signed := map[string]int{}
	find := func(key string) {
		c.find([]byte(key), digestOf([]byte(key)), noon, func(e *entry) {
			signed[key]++
			e.validity = validFrom(noon, 0)
		})
	}
	for i := range 10_000 {
		find(fmt.Sprint("once ", i))
		find("again")
		if got, most := c.len(), 2*4*shards; got > most {
			t.Fatalf("%d entries, at most %d are allowed", got, most)
		}
	}
	if signed["again"] != 1 {
		t.Errorf("signed %d times, want once", signed["again"])
	}
	if find("once 0"); signed["once 0"] != 2 {
		t.Errorf("what nobody asked for was kept")
	}
}

// Digests that meet are not sets that meet.
func TestTheKeyIsExact(t *testing.T) {
	c := cache{limit: 4}
	for _, key := range []string{"a", "b", "a"} {
		e := c.find([]byte(key), 7, noon, func(e *entry) {
			e.validity, e.sigs = validFrom(noon, 7), []dns.RRSIG{{SignerName: key}}
		})
		if e.sigs[0].SignerName != key {
			t.Errorf("%s got the signature of %s", key, e.sigs[0].SignerName)
		}
	}
}

// Many who meet at one set get one signature.
func TestManyAskAtOnce(t *testing.T) {
	s := pair(t)
	var mu sync.Mutex // guards the next line
	seen := map[string]bool{}
	var wg sync.WaitGroup
	for worker := range 8 {
		wg.Go(func() {
			r := rand.New(rand.NewSource(int64(worker)))
			for range 200 {
				set := addresses(1 + r.Intn(4))
				r.Shuffle(len(set), func(i, j int) { set[i], set[j] = set[j], set[i] })
				sigs := s.Sign(set, 60, noon)
				verify(t, s.Keys(), set, sigs, noon)
				mu.Lock()
				made(seen, sigs)
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if len(seen) != 4 {
		t.Errorf("%d signatures of four sets", len(seen))
	}
}
