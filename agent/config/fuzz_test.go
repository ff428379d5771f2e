package config

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"evenkeel/dnsrr/dnssec"
)

// FuzzLoad holds for any bytes: they are a valid configuration or a list of
// problems, each of which stands in the file.
func FuzzLoad(f *testing.F) {
	seeds, _ := filepath.Glob("testdata/bad/*.yaml")
	shipped, _ := filepath.Glob("../../configs/*.yaml")
	for _, name := range slices.Concat(seeds, shipped) {
		b, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	for _, s := range []string{"", "a", "- a", "? a\n: b", "---\n...\n---\n", "%YAML 1.2\n---\na: 1\n", "<<: {a: 1}", "a: |\n  b\n", "\ufeffdrain: 1s", "[[[[{{{{", "00\n...-", "a: 1\n---\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		c, err := load("f.yaml", b, fakeKeys, "ex01.example.com")
		if err == nil {
			mustHold(t, c)
			return
		}
		var ps Problems
		if !errors.As(err, &ps) || len(ps) == 0 {
			t.Fatalf("got error %v, want problems", err)
		}
		for _, p := range ps {
			mustStand(t, p, strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(strings.TrimPrefix(string(b), "\ufeff")))
		}
	})
}

// mustStand says that a problem is complete and that its place is in the file.
func mustStand(t *testing.T, p Problem, file string) {
	t.Helper()
	if p.Message == "" || p.File != "f.yaml" || strings.Contains(p.headline(), "\n") {
		t.Errorf("got problem %+v, want a message of one line", p)
	}
	lines := strings.Split(file, "\n")
	if p.Line == 0 && p.Column == 0 {
		return
	}
	if p.Line < 1 || p.Line > len(lines) {
		t.Fatalf("got line %d of %d: %+v", p.Line, len(lines), p)
	}
	if n := utf8.RuneCountInString(lines[p.Line-1]); p.Column < 1 || p.Column > n+1 {
		t.Errorf("got column %d of %d: %+v", p.Column, n, p)
	}
}

// fakeKeys is a disk that holds a key of 32 bytes, a certificate with its key,
// and tokens, good and bad.
func fakeKeys(name string) ([]byte, error) {
	if text, ok := policyFiles()[filepath.Base(name)]; ok {
		return []byte(text), nil
	}
	cert, key := onePair()
	if text, ok := zonePairs()[filepath.Base(name)]; ok {
		return text, nil
	}
	text, ok := map[string]string{
		"gossip.key": "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=\n",
		"admin.crt":  cert, "admin.key": key,
		"admin.token": strings.Repeat("0", 20) + "\n",
		"short.token": strings.Repeat("0", 19) + "\n",
		"two.token":   strings.Repeat("0", 20) + "\n" + strings.Repeat("1", 20) + "\n",
		"empty.token": "\n",

		"dns.cookies":   strings.Repeat("0f", 16) + "\n" + strings.Repeat("A0", 16) + "\r\n",
		"short.cookies": strings.Repeat("0f", 15) + "\n",
		"three.cookies": strings.Repeat(strings.Repeat("0f", 16)+"\n", 3),
		"xfr.key":       "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=\n",
		"bind.key":      "# made by tsig-keygen\nkey \"farm-xfr\" {\n\talgorithm hmac-sha512;\n\tsecret \"MDEyMzQ1Njc4OWFiY2RlZg==\";\n};\n",
	}[filepath.Base(name)]
	if !ok {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return []byte(text), nil
}

// onePair is made once, since fuzzing asks for it at every turn.
var onePair = sync.OnceValues(func() (cert, key string) {
	cert, key, err := makePEM()
	if err != nil {
		panic(err)
	}
	return cert, key
})

// zonePairs are the files of two keys of mail.test., a KSK that signs all and a
// ZSK, and of one of another zone; made once.
var zonePairs = sync.OnceValue(func() map[string][]byte {
	dir, err := os.MkdirTemp("", "keys")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	out := map[string][]byte{}
	for name, of := range map[string]struct {
		zone string
		sep  bool
	}{"Ka.+013+1": {"mail.test.", true}, "Kb": {"mail.test.", false}} {
		k, err := dnssec.Generate(of.zone, dnssec.Ed25519, of.sep)
		if err != nil {
			panic(err)
		}
		path, err := k.Write(dir, time.Unix(0, 0))
		if err != nil {
			panic(err)
		}
		for _, end := range []string{".key", ".private"} {
			if out[name+end], err = os.ReadFile(path + end); err != nil {
				panic(err)
			}
		}
	}
	for _, end := range []string{".key", ".private"} {
		if out["Kother"+end], err = os.ReadFile("../../dnsrr/dnssec/testdata/Kmail.example.+013+31979" + end); err != nil {
			panic(err)
		}
	}
	return out
})
