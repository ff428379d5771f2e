package dnsrr

import (
	"encoding/binary"
	"testing"

	"pgregory.net/rapid"
)

// In every place of a word, and whatever stands beside it, A-Z and nothing else
// is made small.
func TestSmall(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rest := rapid.Uint64().Draw(t, "beside")
		for at := range word {
			for c := range 256 {
				var b, want [word]byte
				binary.LittleEndian.PutUint64(b[:], rest)
				b[at] = byte(c)
				for i, c := range b {
					if want[i] = c; 'A' <= c && c <= 'Z' {
						want[i] = c + 'a' - 'A'
					}
				}
				if got := small(binary.LittleEndian.Uint64(b[:])); got != binary.LittleEndian.Uint64(want[:]) {
					t.Fatalf("% x became %x, want % x", b, got, want)
				}
			}
		}
	})
}

// An index finds what a map of folded names does.
func TestIndex(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		octets := rapid.SampledFrom([]byte("aA[`"))
		name := rapid.OneOf(rapid.SliceOfN(octets, 1, 9), rapid.SliceOfN(octets, 14, 35))
		names := rapid.SliceOfN(name, 0, 40).Draw(t, "names")
		known, x := map[string]*owner{}, newIndex(len(names))
		for _, n := range names {
			if n = folded(n); known[string(n)] == nil {
				known[string(n)] = new(owner)
				x.put(n, known[string(n)])
			}
		}
		for _, n := range append(rapid.SliceOf(name).Draw(t, "others"), names...) {
			if got, want := x.find(n), known[string(folded(n))]; got != want {
				t.Fatalf("% x: found %p, want %p among %d", n, got, want, len(known))
			}
			for m := range known {
				if got, want := sameName([]byte(m), n), m == string(folded(n)); got != want {
					t.Fatalf("%x and % x: the same %v", m, n, got)
				}
			}
		}
	})
}

// Every one of two words tells in the hash, and so does the seed.
func TestHashOctets(t *testing.T) {
	base := []byte("0123456789abcdefghijklmnopqrstuvwxyz")
	for n := 1; n <= len(base); n++ {
		seen := map[uint64]int{hashOctets(1, base[:n]): -1, hashOctets(0, base[:n]): -2}
		for i := range n {
			b := append([]byte(nil), base[:n]...)
			b[i] = '!'
			seen[hashOctets(0, b)] = i
		}
		if len(seen) != n+2 {
			t.Errorf("%d octets: %d hashes, want %d", n, len(seen), n+2)
		}
	}
}
