package config

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// words are values for some keys, good and bad ones, few enough that they
// meet each other's limits often.
func words() map[string][]string {
	socket := []string{"'127.0.0.1:53'", "'127.0.0.1:80'", "'[::1]:53'", "'0.0.0.0:80'", "'[::]:90'", "'127.0.0.1:0'", "'10.0.0.1:90'", "'[::ffff:127.0.0.1]:53'", "x"}
	var sockets []string
	for _, a := range socket {
		sockets = append(sockets, "["+a+"]")
		for _, b := range socket {
			sockets = append(sockets, "["+a+", "+b+"]")
		}
	}
	share := []string{"0", "0.1", "0.55", "0.7", "0.9", "1", "1.1", "NaN", "-0.5"}
	length := []string{"-1s", "0s", "500ms", "1s", "7s", "30s", "1h", "25h", "30"}
	return map[string][]string{
		"node.name": {"ex01", "EX_01", "''", "a.b"}, "node.addresses": {"[]", "[10.0.0.1]", "[0.0.0.0]", "['fe80::1%eth0']"},
		"zone.name": {"a.test", "''", "A.", strings.Repeat("a.", 94) + "a", strings.Repeat("a.", 95) + "a"}, "zone.answers": {"auto", "0", "1", "8", "9"},
		"zone.ttl":   {"{min: 0s}", "{min: 1s}", "{min: 1h}", "{max: 4s}", "{min: 2s, max: 1500ms}", "{min: 7s, max: 7s}", "{max: 2h}"},
		"listen.dns": sockets, "listen.health": sockets, "listen.agent_check": sockets, "listen.admin": socket, "listen.gossip": socket, "listen.gate": append([]string{"''"}, socket...),
		"gate.allow": {"[]", "[10.0.0.0/8]", "[x]"}, "gate.deny": {"403", "429", "503"}, "gate.domains": {"[]", "[A=a.example]", "[A=a.example, a=b.example]", "[a.example]"},
		"gate.release": length, "gate.assume": length, "gate.fail": {"open", "closed", "true"}, "gate.budgets": {"999", "1000"}, "gate.waiters": {"auto", "0", "1", "1000"}, "gate.connections": {"1", "2", "1000", "1001"},
		"gossip.key_file": {"''", "gossip.key", "other.key"}, "gossip.advertise": {"''", "10.0.0.1", "'10.0.0.1:7'", "'10.0.0.1:0'", "0.0.0.0"},
		"gossip.label": {"''", "a", strings.Repeat("a", 255), strings.Repeat("a", 256)}, "gossip.join": {"[]", "['a:1']", "['a:0']", "[a]"},
		"admin.token_file": {"''", "admin.token", "short.token", "other.token"}, "admin.cert_file": {"''", "admin.crt", "admin.key"},
		"admin.key_file": {"''", "admin.key"}, "admin.client_ca_file": {"''", "admin.crt", "empty.token"},
		"zone.dnssec": {"{keys: []}", "{keys: [{file: Ka, state: active}]}", "{keys: [{file: Ka}]}", "{keys: [x]}", "{keys: x}"},
		"dns.id":      {"''", "none", "ns1", "é"}, "dns.cookie_file": {"''", "dns.cookies", "short.cookies", "other"},
		"dns.rate_limit": {"{per_second: 0}", "{slip: 15}", "{slip: 16}", "{per_second: 1000001}", "{exempt: []}", "{exempt: [10.0.0.1/8]}", "{exempt: ['::/0', 10.0.0.1]}"},
		"dns.transfer":   {"{allow: [10.0.0.1, '::/0']}", "{notify: [10.0.0.1, '10.0.0.1:54', 10.0.0.1]}", "{keys: [{name: a_b, file: xfr.key}]}", "{keys: [{name: farm-xfr, file: bind.key}, {name: farm-xfr., file: xfr.key}]}"},
		"policy.file":    {"''", "good.policy", "bad.policy", "none"}, "policy.generation": {"2013", "2010", "2010-rtm", "2016"}, "policy.cache": {"{min: 5m}", "{min: 16m}", "{max: 1m}", "{min: 0s}", "{max: 25h}"},
		"limits.recover": share, "limits.degrade": share, "limits.fail": share, "limits.ramp": length, "limits.queue": {"discover", "0", "1", "learn"},
		"limits.connections": {"0", "1", "4000", "learn", "learn from 0", "learn from 9"}, "health.hold": length, "health.min_in_service": {"auto", "0", "1"},
	}
}

// draw draws a file: up to six keys, by section. So few that many files are
// good, and enough for two to be at odds.
func draw(t *rapid.T) map[string][]string {
	all := words()
	names := rapid.SampledFrom(slices.Sorted(maps.Keys(all)))
	sections := map[string][]string{}
	for _, key := range rapid.SliceOfNDistinct(names, 0, 6, rapid.ID).Draw(t, "keys") {
		section, name, _ := strings.Cut(key, ".")
		sections[section] = append(sections[section], name+": "+rapid.SampledFrom(all[key]).Draw(t, key))
	}
	return sections
}

// write is a file of the sections in the order of names.
func write(sections map[string][]string, names []string) string {
	var b strings.Builder
	for _, n := range names {
		fmt.Fprintf(&b, "%s:\n  %s\n", n, strings.Join(sections[n], "\n  "))
	}
	return b.String()
}

func TestWhatLoadsIsValid(t *testing.T) {
	loaded := 0
	rapid.Check(t, func(t *rapid.T) {
		sections := draw(t)
		text := write(sections, slices.Sorted(maps.Keys(sections)))
		c, err := load("f.yaml", []byte(text), fakeKeys, "ex01")
		if err == nil {
			loaded++
			mustHold(t, c)
		} else if ps, ok := err.(Problems); !ok || len(ps) == 0 || !reflect.DeepEqual(c, Config{}) {
			t.Errorf("got %+v, %v, want no Config and problems", c, err)
		}
	})
	if loaded == 0 {
		t.Error("no drawn file was a good one, so nothing was tested")
	}
}

func TestOrderOfSectionsDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sections := draw(t)
		names := slices.Sorted(maps.Keys(sections))
		one, err1 := load("f.yaml", []byte(write(sections, names)), fakeKeys, "ex01")
		two, err2 := load("f.yaml", []byte(write(sections, rapid.Permutation(names).Draw(t, "order"))), fakeKeys, "ex01")
		if !reflect.DeepEqual(one, two) || !slices.Equal(complaints(err1), complaints(err2)) {
			t.Errorf("got %+v, %v\nand %+v, %v", one, err1, two, err2)
		}
	})
}

// complaints are the problems without their places and lines.
func complaints(err error) []string {
	ps, _ := err.(Problems)
	var out []string
	for _, p := range ps {
		message, _, _ := strings.Cut(p.Message, ", first in line")
		out = append(out, p.Key+": "+message)
	}
	slices.Sort(out)
	return out
}

// A key with keys of its own, where it wants a value, is refused in its place.
func TestEveryKeyIsReadInItsPlace(t *testing.T) {
	for _, row := range keys(new(Config)) {
		text, key, line, column := "", row.path, 0, 0
		for name := range strings.SplitSeq(row.path, ".") {
			line, column = line+1, 2*line+1
			text += strings.Repeat(" ", column-1) + name + ":\n"
		}
		if rest, ok := strings.CutPrefix(row.path, "sources."); ok { // the section that is a list
			text = strings.Replace(text, "  ", "- ", 1)
			key = "sources[0]." + rest
		}
		column += len(row.path) - strings.LastIndexByte(row.path, '.') + 1
		if row.set == nil {
			column -= len(row.path) - strings.LastIndexByte(row.path, '.') + 1 // the key itself is refused
		}
		_, err := load("f.yaml", []byte(strings.TrimSuffix(text, "\n")+" {zz: 1}\n"), fakeKeys, "ex01")
		ps, ok := err.(Problems)
		if !ok || len(ps) != 1 || ps[0].Key != key || ps[0].Line != line || ps[0].Column != column {
			t.Errorf("%s{zz: 1}: got %v, want one problem of %s at %d:%d", text, err, key, line, column)
		}
	}
}

func TestOverlapHasNoSides(t *testing.T) {
	all := words()["listen.admin"]
	read := socket().read
	for _, a := range all {
		for _, b := range all {
			x, errX := read(strings.Trim(a, "'"))
			y, errY := read(strings.Trim(b, "'"))
			if errX == nil && errY == nil && overlap(x, y) != overlap(y, x) {
				t.Errorf("%s and %s: got %v and %v, want the same", a, b, overlap(x, y), overlap(y, x))
			}
		}
	}
}
