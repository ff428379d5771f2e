package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"evenkeel/dnsrr/dnssec"
)

// What keygen prints names files that are keys of the zone, in states that a
// zone can begin with, or in which they can join those that it has.
func TestKeygenMakesKeysThatFit(t *testing.T) {
	line := regexp.MustCompile(`(?m)^      - \{file: (\S+), state: (\w+)\}   # (KSK|ZSK)$`)
	file := filepath.Join(t.TempDir(), "evenkeel.yaml")
	if err := os.WriteFile(file, []byte("zone: {name: mail.example.org}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var all []dnssec.Use
	for _, c := range []struct{ flags, want string }{
		{"", "13 KSK active, 13 ZSK active"},
		{"--ksk", "13 KSK published"},
		{"--zsk --algorithm 13", "13 ZSK published"},
		{"--ksk --zsk --algorithm 15", "15 KSK active, 15 ZSK active"},
	} {
		args := append([]string{"zone", "keygen", "--config", file, "--dir", t.TempDir()}, strings.Fields(c.flags)...)
		status, stdout, stderr := ask(t.Context(), args...)
		if status != 0 || !strings.HasPrefix(stdout, "zone:\n  dnssec:\n    keys:\n") || !strings.HasPrefix(stderr, "hint: ") {
			t.Fatalf("%q: exit status %d\n%s%s", args, status, stdout, stderr)
		}
		var got []string
		for _, m := range line.FindAllStringSubmatch(stdout, -1) {
			k, err := dnssec.Read(os.ReadFile, unquoted(m[1]))
			if err != nil {
				t.Fatalf("%q: %v\n%s", args, err, stdout)
			}
			state, err := dnssec.ParseState(m[2])
			if err != nil || k.Zone() != "mail.example.org." || k.SEP() != (m[3] == "KSK") {
				t.Errorf("%q: %v, %v\n%s", args, k, err, stdout)
			}
			got = append(got, strconv.Itoa(int(k.Algorithm()))+" "+m[3]+" "+m[2])
			all = append(all, dnssec.Use{Key: k, State: state})
		}
		if strings.Join(got, ", ") != c.want {
			t.Errorf("%q: got %q, want %s", args, got, c.want)
		}
	}
	if _, err := dnssec.NewKeys("mail.example.org.", all); err != nil {
		t.Errorf("the keys do not fit each other: %v", err)
	}
}

// unquoted undoes what scalar does.
func unquoted(s string) string {
	if text, err := strconv.Unquote(s); err == nil {
		return text
	}
	return s
}

func TestScalar(t *testing.T) {
	for text, want := range map[string]string{
		"/etc/evenkeel/keys/Kmail.example.+013+12345": "/etc/evenkeel/keys/Kmail.example.+013+12345",
		`C:\keys\Kmail.example.+013+12345`:            `"C:\\keys\\Kmail.example.+013+12345"`,
		"/srv/a, b: #c":                               `"/srv/a, b: #c"`,
		"/srv/a}":                                     `"/srv/a}"`,
		"":                                            `""`,
	} {
		if got := scalar(text); got != want {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
	}
}
