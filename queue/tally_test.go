package queue

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"evenkeel/queue/sockdiag"
	"pgregory.net/rapid"
)

// sock is a listening socket; its inode is its cookie, as if never reused.
func sock(cookie uint64, addr string, drops uint32) sockdiag.Socket {
	return sockdiag.Socket{Family: sockdiag.IPv4, State: sockdiag.Listen, Cookie: cookie, Inode: uint32(cookie), Local: netip.MustParseAddrPort(addr), Drops: drops}
}

// told is what a tally says of sockets: "name refused" in the order of names.
func told(t *tally, all []sockdiag.Socket) string {
	var out []string
	for _, s := range all {
		q := t.queue(s)
		out = append(out, fmt.Sprintf("%s %d", q.Name, q.Refused))
	}
	slices.Sort(out)
	return strings.Join(out, ", ")
}

func TestRefused(t *testing.T) {
	const a, b = "0.0.0.0:443", "[::]:25"
	steps := []struct {
		name      string
		all       []sockdiag.Socket
		overflows uint64
		want      string
	}{
		{"what was before us does not count", []sockdiag.Socket{sock(1, a, 50), sock(2, b, 7)}, 40, a + " 0, " + b + " 0"},
		{"an overflow is the one's whose drops grew", []sockdiag.Socket{sock(1, a, 53), sock(2, b, 7)}, 43, a + " 3, " + b + " 0"},
		{"drops without an overflow are no refusal", []sockdiag.Socket{sock(1, a, 60), sock(2, b, 7)}, 43, a + " 3, " + b + " 0"},
		{"some of each", []sockdiag.Socket{sock(1, a, 70), sock(2, b, 7)}, 45, a + " 5, " + b + " 0"},
		{"overflows that nobody's drops show yet", []sockdiag.Socket{sock(1, a, 70), sock(2, b, 7)}, 47, a + " 5, " + b + " 0"},
		{"show a reading later", []sockdiag.Socket{sock(1, a, 70), sock(2, b, 9)}, 47, a + " 5, " + b + " 2"},
		{"overflows of nobody here", []sockdiag.Socket{sock(1, a, 70), sock(2, b, 9)}, 57, a + " 5, " + b + " 2"},
		{"are forgotten", []sockdiag.Socket{sock(1, a, 70), sock(2, b, 9)}, 57, a + " 5, " + b + " 2"},
		{"before the next drops", []sockdiag.Socket{sock(1, a, 75), sock(2, b, 9)}, 57, a + " 5, " + b + " 2"},
		{"a service starts again: its total goes on", []sockdiag.Socket{sock(3, a, 2), sock(2, b, 9)}, 59, a + " 7, " + b + " 2"},
		{"counters that went down are not below 0", []sockdiag.Socket{sock(3, a, 0), sock(2, b, 3)}, 1, a + " 7, " + b + " 2"},
		{"and go on from there", []sockdiag.Socket{sock(3, a, 1), sock(2, b, 3)}, 2, a + " 8, " + b + " 2"},
	}
	var ta tally
	for i, s := range steps {
		ta.see(t0.Add(time.Duration(i)*time.Second), s.all, s.overflows)
		if got := told(&ta, s.all); got != s.want {
			t.Errorf("%s: got %s, want %s", s.name, got, s.want)
		}
	}
}

// However the counters move, a name's total never falls, and all together are
// no more than the overflows allow each.
func TestRefusedOnlyGrows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var ta tally
		last, growth, overflows := map[string]uint64{}, uint64(0), uint64(0)
		for i := range rapid.IntRange(1, 30).Draw(t, "readings") {
			var all []sockdiag.Socket
			for c := range uint64(rapid.IntRange(0, 4).Draw(t, "sockets")) {
				cookie := c + uint64(rapid.IntRange(0, 2).Draw(t, "restarts"))*10
				all = append(all, sock(cookie, fmt.Sprintf("127.0.0.1:%d", c%3+1), rapid.Uint32Range(0, 9).Draw(t, "drops")))
			}
			next := rapid.Uint64Range(0, 30).Draw(t, "overflows")
			if i > 0 {
				growth += next - min(next, overflows)
			}
			overflows = next
			ta.see(t0.Add(time.Duration(i)*time.Second), all, overflows)
			for name, now := range ta.totals {
				if now.refused < last[name] || now.refused > 2*growth {
					t.Fatalf("%s: %d after %d, with %d overflows in all", name, now.refused, last[name], growth)
				}
				last[name] = now.refused
			}
		}
	})
}

func TestNamesAreStable(t *testing.T) {
	const a = "0.0.0.0:443"
	steps := []struct {
		name string
		all  []uint64 // cookies of sockets at one address
		want string   // the names, in the same order
	}{
		{"the lowest inode has the plain name", []uint64{8, 5, 9}, "#2  #3"},
		{"the kernel's order does not matter", []uint64{5, 9, 8}, " #3 #2"},
		{"the first is gone, and no one moves up", []uint64{9, 8}, "#3 #2"},
		{"a new one takes the lowest that is free", []uint64{8, 9, 12, 11}, "#2 #3 #4 "},
	}
	var ta tally
	for i, s := range steps {
		var all []sockdiag.Socket
		var got []string
		for _, c := range s.all {
			all = append(all, sock(c, a, 0))
		}
		ta.see(t0.Add(time.Duration(i)*time.Second), all, 0)
		for _, k := range all {
			got = append(got, strings.TrimPrefix(ta.queue(k).Name, a))
		}
		if got := strings.Join(got, " "); got != s.want {
			t.Errorf("%s: got %q, want %q", s.name, got, s.want)
		}
	}
}

// Ports that come and go are not kept for ever.
func TestTotalsAreForgotten(t *testing.T) {
	var ta tally
	for i := range 1000 {
		addr := fmt.Sprintf("127.0.0.1:%d", 1000+i)
		ta.see(t0.Add(time.Duration(i)*time.Minute), []sockdiag.Socket{sock(uint64(i), addr, 0)}, 0)
	}
	if got := len(ta.totals); got != 61 {
		t.Errorf("got %d names, want those of an hour", got)
	}
}
