package config

import (
	"errors"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Each file of testdata/bad holds one mistake, and on its first line what is
// said of it, place included.
func TestBad(t *testing.T) {
	names, err := filepath.Glob("testdata/bad/*.yaml")
	if err != nil || len(names) < 25 {
		t.Fatalf("got %d files, %v, want the bad ones", len(names), err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".yaml"), func(t *testing.T) {
			b, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			want, _, _ := strings.Cut(string(b), "\n")
			got := headlines(t, "f.yaml", string(b))
			if len(got) != 1 || got[0] != strings.Replace(strings.TrimRight(want, "\r"), "# ", "f.yaml:", 1) {
				t.Errorf("got  %s\nwant %s", strings.Join(got, "\n     "), want)
			}
		})
	}
}

func TestAllMistakesAtOnce(t *testing.T) {
	const text = `node: {name: ex_01}
zone:
  anwsers: 2
  ttl: {min: 40s}
limits: {degrade: 70%}
listen:
  dns: [":53"]
  gossip: "0.0.0.0:7946"
degrade: 0.8
`
	want := []string{
		"f.yaml:1:14: node.name: want up to 63 letters, digits and inner hyphens, got ex_01",
		"f.yaml:3:3: zone.anwsers: unknown key",
		"f.yaml:4:14: zone.ttl.min: too high for zone.ttl.max, which is 30s: got 40s",
		"f.yaml:5:19: limits.degrade: want a share above 0 and at most 1, such as 0.70, got 70%",
		"f.yaml:7:9: listen.dns[0]: want an address and port such as 127.0.0.1:8053, got :53",
		"f.yaml:8:11: gossip.key_file: required, as gossip listens on 0.0.0.0:7946, beyond loopback",
		"f.yaml:9:1: degrade: unknown key",
	}
	if got := headlines(t, "f.yaml", text); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// One mistake is said once: what cannot be read is not compared as well.
func TestNoMistakeInTheTrainOfAnother(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"limits: {degrade: x, recover: 0.8}", "f.yaml:1:19: limits.degrade: want a share above 0 and at most 1, such as 0.70, got x"},
		{"limits: {fail: 0.5, degrade: learn}", "f.yaml:1:30: limits.degrade: want a share above 0 and at most 1, such as 0.70, got learn"},
		{"zone: {ttl: {min: 0s, max: 2s}}", "f.yaml:1:19: zone.ttl.min: want whole seconds from 1s to 1h, such as 30s, got 0s"},
		{"listen: {dns: 1, health: ['127.0.0.1:8053']}", "f.yaml:1:15: listen.dns: want a list, got 1"},
		{"listen: {admin: 1, dns: ['127.0.0.1:9853']}", "f.yaml:1:17: listen.admin: want an address and port such as 127.0.0.1:8053, got 1"},
		{"listen: {gossip: '0.0.0.0:7946'}\ngossip: {key_file: [k]}", "f.yaml:2:20: gossip.key_file: want the name of a file, got a list"},
		{"node: {name: a.b}", "f.yaml:1:14: node.name: want up to 63 letters, digits and inner hyphens, got a.b"},
	} {
		got := headlines(t, "f.yaml", tt.text)
		if len(got) != 1 || got[0] != tt.want {
			t.Errorf("%s:\ngot  %v\nwant %s alone", tt.text, got, tt.want)
		}
	}
}

// A word that is refused keeps its number, and so do those behind it.
func TestNumbersInLists(t *testing.T) {
	got := headlines(t, "f", "listen:\n  dns: [x, '10.0.0.1:53', '10.0.0.1:53', '127.0.0.1:9853']\n")
	want := []string{
		"f:2:9: listen.dns[0]: want an address and port such as 127.0.0.1:8053, got x",
		"f:2:27: listen.dns[2]: 10.0.0.1:53 is listed twice, first in line 2",
		"f:2:42: listen.dns[3]: overlaps listen.admin, which is 127.0.0.1:9853",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// Where a mistake stands is told right whatever stands before it.
func TestPlaces(t *testing.T) {
	const mistake = "drain: 3"
	for _, tt := range []struct{ name, text, want string }{
		{"nothing", mistake, "1:8"},
		{"a byte order mark", "\ufeff" + mistake, "1:8"},
		{"Windows line ends", "# c\r\nzone:\r\n  records: ['; é', '; ü']\r\n\r\n" + mistake + "\r\n", "5:8"},
		{"old Macintosh line ends", "# c\rstate:\r" + mistake, "3:8"},
		{"wide letters", "{zone: {records: [;é, ;日本語]}, " + mistake + "}", "1:38"},
		{"a literal block", "zone:\n  records:\n    - |\n      @ MX 10 a\n\n" + mistake, "6:8"},
		{"a folded block", "zone:\n  records:\n    - >-\n      @ MX\n      10 a\n" + mistake, "6:8"},
		{"a quoted word over two lines", "zone: {records: [\";a\n  b\"]}\n" + mistake, "3:8"},
		{"a tab after the colon", "drain:\t3", "1:8"},
		{"a value on its own line", "drain:\n  3", "2:3"},
		{"a document mark", "---\n# c\n" + mistake, "3:8"},
		{"an escape", "zone: {records: [\";\\u00e9\"]}\n" + mistake, "2:8"},
	} {
		got := headlines(t, "f", tt.text)
		if want := "f:" + tt.want + ": drain: want a duration from 0s to 1h, such as 30s, got 3"; len(got) != 1 || got[0] != want {
			t.Errorf("%s:\ngot  %v\nwant %s", tt.name, got, want)
		}
	}
}

func TestNotText(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"UTF-16 as PowerShell writes it", "\xff\xfed\x00r\x00", "f: not UTF-8 text"},
		{"a byte of Latin-1", "# c\n# é then M\xfcller\n", "f:2:11: not UTF-8 text"},
		{"far too long", strings.Repeat("# c\n", maxFile), "f: 1048576 bytes, more than the 262144 a configuration may have"},
		{"nested without end", "drain: " + strings.Repeat("[", 9) + strings.Repeat("]", 9), "f:1:8: drain: want a duration from 0s to 1h, such as 30s, got a list"},
	} {
		if got := headlines(t, "f", tt.text); len(got) == 0 || got[0] != tt.want {
			t.Errorf("%s: got %v, want %s", tt.name, got, tt.want)
		}
	}
}

func headlines(t *testing.T, name, text string) []string {
	t.Helper()
	c, err := load(name, []byte(text), fakeKeys, "ex01.example.com")
	var ps Problems
	if !errors.As(err, &ps) {
		t.Fatalf("%s\ngot %+v, %v, want problems", text, c, err)
	}
	var out []string
	for _, p := range ps {
		out = append(out, p.headline())
	}
	return out
}

// 0.0.0.0 is IPv4 alone, [::] both families.
func TestOverlap(t *testing.T) {
	at := netip.MustParseAddrPort
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{"10.0.0.1:53", "10.0.0.1:53", true},
		{"10.0.0.1:53", "10.0.0.1:54", false},
		{"10.0.0.1:0", "10.0.0.1:0", false},
		{"0.0.0.0:53", "10.0.0.1:53", true},
		{"0.0.0.0:53", "[::1]:53", false},
		{"[::]:53", "[::1]:53", true},
		{"[::]:53", "10.0.0.1:53", true},
		{"[::]:53", "0.0.0.0:53", true},
	} {
		if got := overlap(at(tt.a), at(tt.b)); got != tt.want || overlap(at(tt.b), at(tt.a)) != tt.want {
			t.Errorf("%s and %s: got %v", tt.a, tt.b, got)
		}
	}
}
