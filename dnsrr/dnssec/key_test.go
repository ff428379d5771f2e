package dnssec

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

const zone = "mail.example."

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// generate makes a key that is needed for a test.
func generate(t testing.TB, algorithm uint8, sep bool) Key {
	t.Helper()
	k, err := Generate(zone, algorithm, sep)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func TestGenerate(t *testing.T) {
	for _, c := range []struct {
		zone      string
		algorithm uint8
		want      string // part of the error
	}{
		{"Mail.Example.", P256, ""},
		{"mail.example", P256, ""},
		{"mail.example.", Ed25519, ""},
		{"mail.example.", 8, "algorithm 8 is not supported: it is 13 or 15"},
		{"", P256, `zone ".": not the full name of a zone`},
		{"mail..example.", P256, "not the full name of a zone"},
		{"../example.", P256, "not the full name of a zone"},
		{"a/b.example.", P256, `'/' is not a letter, digit, hyphen or underscore`},
	} {
		k, err := Generate(c.zone, c.algorithm, true)
		switch {
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%q, %d: error %v, want %q", c.zone, c.algorithm, err, c.want)
		case c.want == "" && err != nil:
			t.Errorf("%q, %d: %v", c.zone, c.algorithm, err)
		case c.want == "" && (k.Zone() != zone || k.Algorithm() != c.algorithm || !k.SEP() || k.Tag() == 0):
			t.Errorf("%q, %d: got %v", c.zone, c.algorithm, k)
		}
	}
}

// What is written is read again, by either file or none, and twice is refused.
func TestWriteAndRead(t *testing.T) {
	for _, algorithm := range []uint8{P256, Ed25519} {
		dir := t.TempDir()
		k := generate(t, algorithm, algorithm == P256)
		path, err := k.Write(dir, noon)
		if err != nil || path != filepath.Join(dir, k.String()) {
			t.Fatalf("%s, %v", path, err)
		}
		for _, name := range []string{path, path + ".key", path + ".private"} {
			if got, err := Read(os.ReadFile, name); err != nil || !got.same(k) || got.DS() != k.DS() {
				t.Errorf("%s: got %v, %v; want %v", name, got, err, k)
			}
		}
		info, err := os.Stat(path + ".private")
		if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
			t.Errorf("the private file: %v, %v", info, err)
		}
		before, _ := os.ReadFile(path + ".private")
		if _, err := k.Write(dir, noon.Add(time.Hour)); err == nil {
			t.Error("a key was overwritten")
		}
		if after, _ := os.ReadFile(path + ".private"); string(before) != string(after) {
			t.Error("a refusal to overwrite changed the file")
		}
	}
}

// A public file in the way leaves no private one behind.
func TestWriteAllOrNothing(t *testing.T) {
	dir := t.TempDir()
	k := generate(t, P256, false)
	if err := os.WriteFile(filepath.Join(dir, k.String()+".key"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := k.Write(dir, noon); err == nil {
		t.Fatal("a key was overwritten")
	}
	if _, err := os.Stat(filepath.Join(dir, k.String()+".private")); err == nil {
		t.Error("half a pair is left")
	}
}

// The files in testdata were made by dnssec-keygen of BIND 9.18.49, and their
// digests by its dnssec-dsfromkey -2.
func TestReadBIND(t *testing.T) {
	for _, c := range []struct{ name, ds string }{
		{"Kmail.example.+013+31979", "31979 13 2 65844983C34C1295B73C9F775DB50E5169FE67446947DD90E43887F6828274A2"},
		{"Kmail.example.+015+03983", "3983 15 2 6087730CB19253D169DA10EE3187BE853D68C5AC4A9C376B2F0B8C1E7366E427"},
	} {
		k, err := Read(os.ReadFile, filepath.Join("testdata", c.name))
		if err != nil || k.String() != c.name || k.DS() != c.ds || k.SEP() != (k.Algorithm() == Ed25519) {
			t.Errorf("%s: %v, %v, DS %q, want %q", c.name, k, err, k.DS(), c.ds)
		}
	}
}

func TestReadNamesTheFile(t *testing.T) {
	good, err := os.ReadFile("testdata/Kmail.example.+013+31979.key")
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{
		"K/a.key": string(good),
		"K/b.key": "nothing", "K/b.private": "nothing",
		"K/c.key": string(good), "K/c.private": "nothing",
	}
	read := func(name string) ([]byte, error) {
		if text, ok := files[name]; ok {
			return []byte(text), nil
		}
		return nil, &os.PathError{Op: "open", Path: name, Err: os.ErrNotExist}
	}
	for path, want := range map[string]string{
		"K/a":         "private key: open K/a.private: file does not exist",
		"K/b.private": "K/b.key: ",
		"K/c":         "K/c.private: not a private key of algorithm 13",
		"K/d":         "public key: open K/d.key: file does not exist",
	} {
		if _, err := Read(read, path); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", path, err, want)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	k, other, ed := generate(t, P256, true), generate(t, P256, true), generate(t, Ed25519, true)
	public, private := k.publicText(noon), k.privateText(noon)
	with := func(old, new string) string {
		if !strings.Contains(public, old) {
			t.Fatalf("no %q in %q", old, public)
		}
		return strings.Replace(public, old, new, 1)
	}
	for _, c := range []struct{ promise, public, private, want string }{
		{"a pair", public, private, ""},
		{"v1.2 is as good", public, strings.Replace(private, "v1.3", "v1.2", 1), ""},
		{"Windows ends lines otherwise", strings.ReplaceAll(public, "\n", "\r\n"), private, ""},
		{"empty", "", private, "public key: not one DNSKEY record"},
		{"no record", "hello", private, "public key: "},
		{"another record", "mail.example. IN A 192.0.2.1\n", private, "public key: not one DNSKEY record"},
		{"two", public + public, private, "public key: not one DNSKEY record"},
		{"too long", public + strings.Repeat(" ", maxFile), private, "public key: longer than 65536 octets"},
		{"revoked", with("DNSKEY 257", "DNSKEY 385"), private, "public key: the key is revoked"},
		{"no zone key", with("DNSKEY 257", "DNSKEY 1"), private, "public key: flags 1 and protocol 3"},
		{"unknown flags", with("DNSKEY 257", "DNSKEY 259"), private, "public key: flags 259 and protocol 3"},
		{"another protocol", with("257 3", "257 2"), private, "public key: flags 257 and protocol 2"},
		{"RSA", with("257 3 13", "257 3 8"), private, "public key: algorithm 8 is not supported"},
		{"a class", with(" IN ", " CH "), private, "public key: class CH"},
		{"a root", with("\nmail.example. IN", "\n. IN"), private, "public key: zone"},
		{"no base64", with("257 3 13 ", "257 3 13 !"), private, "public key: "},
		{"files of others are not read", "$INCLUDE /etc/passwd\n", private, "public key: "},
		{"another's private key", public, other.privateText(noon), "private key: does not belong to the public key"},
		{"a private key of another algorithm", public, ed.privateText(noon), "private key: does not belong to the public key"},
		{"and the other way round", ed.publicText(noon), private, "private key: "},
		{"no private key", public, "", "private key: not a private key of algorithm 13"},
		{"half a private key", public, "Private-key-format: v1.3\nAlgorithm: 13 (X)\n", "private key: not a private key of algorithm 13"},
		{"half of the other", ed.publicText(noon), "Private-key-format: v1.3\nAlgorithm: 15 (X)\n", "private key: not a private key of algorithm 15"},
		{"too large a number", public, "Private-key-format: v1.3\nAlgorithm: 13 (X)\nPrivateKey: " + strings.Repeat("/", 44) + "\n", "private key: "},
		{"much too large a number", public, "Private-key-format: v1.3\nAlgorithm: 13 (X)\nPrivateKey: " + strings.Repeat("/", 400) + "\n", "private key: "},
		{"a format of the future", public, strings.Replace(private, "v1.3", "v2.0", 1), "private key: "},
		{"too long a private key", public, private + strings.Repeat("\n", maxFile), "private key: longer than 65536 octets"},
	} {
		_, err := parse([]byte(c.public), []byte(c.private))
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.HasPrefix(err.Error(), c.want)) {
			t.Errorf("%s: error %v, want %q", c.promise, err, c.want)
		}
	}
}

func TestNothingSecretIsPrinted(t *testing.T) {
	k := generate(t, Ed25519, true)
	for _, form := range []string{"%v", "%+v", "%#v", "%s"} {
		if got := fmt.Sprintf(form, k); got != k.String() {
			t.Errorf("%s prints %q", form, got)
		}
		if got := fmt.Sprintf(form, Use{k, Active}); !strings.Contains(got, k.String()) || len(got) > 120 {
			t.Errorf("%s of a use prints %q", form, got)
		}
	}
	if got := fmt.Sprint(Key{}); got != "no key" {
		t.Errorf("the zero key prints %q", got)
	}
}

// Whatever the two files hold, they are refused or are a key that signs.
func FuzzParse(f *testing.F) {
	for _, algorithm := range []uint8{P256, Ed25519} {
		k := generate(f, algorithm, true)
		f.Add([]byte(k.publicText(noon)), []byte(k.privateText(noon)))
		f.Add([]byte(k.publicText(noon)), []byte("Private-key-format: v1.3\nAlgorithm: 13\nPrivateKey: AA==\n"))
	}
	f.Add([]byte("a. DNSKEY 257 3 13 AA=="), []byte(""))
	f.Fuzz(func(t *testing.T, public, private []byte) {
		k, err := parse(public, private)
		if err != nil {
			return
		}
		keys, err := NewKeys(k.Zone(), []Use{{k, Active}})
		if err != nil {
			if k.SEP() {
				t.Fatal(err)
			}
			return
		}
		set := keys.DNSKEY(60)
		verify(t, keys, set, NewSigner(keys).Sign(set, 60, noon), noon)
	})
}
