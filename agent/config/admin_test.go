package config

import (
	"errors"
	"io/fs"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// Beyond loopback either a token or authorities will do; the files are found
// beside the configuration, and are all that is to be watched for a change.
func TestAdminBeyondLoopback(t *testing.T) {
	in := func(name string) string { return filepath.Join("etc", name) }
	tls := []string{in("admin.crt"), in("admin.key")}
	for _, c := range []struct {
		by, text string
		files    []string
	}{
		{"a token", "token_file: admin.token, ", append([]string{in("admin.token")}, tls...)},
		{"authorities", "client_ca_file: admin.crt, ", append(tls[:2:2], in("admin.crt"))},
		{"both", "token_file: admin.token, client_ca_file: admin.crt, ", append(append([]string{in("admin.token")}, tls...), in("admin.crt"))},
	} {
		text := "listen: {admin: '0.0.0.0:9853'}\nadmin: {" + c.text + "cert_file: admin.crt, key_file: admin.key}"
		got, err := load(in("evenkeel.yaml"), []byte(text), fakeKeys, "ex01")
		if err != nil {
			t.Errorf("%s: %v", c.by, err)
			continue
		}
		mustHold(t, got)
		if a := got.Admin; !a.TLS() || a.Open() || !reflect.DeepEqual(a.Files(), c.files) {
			t.Errorf("%s: TLS %v, open %v, files %q, want %q", c.by, a.TLS(), a.Open(), a.Files(), c.files)
		}
	}
}

// On loopback all of it is optional, and obeyed where it is given.
func TestAdminOnLoopback(t *testing.T) {
	if a := mustLoad(t, "").Admin; a.TLS() || !a.Open() || a.Files() != nil {
		t.Errorf("by default got %+v", a)
	}
	a := mustLoad(t, "admin: {token_file: admin.token}").Admin
	if a.TLS() || a.Open() || a.Token != strings.Repeat("0", 20) {
		t.Errorf("with a token got %+v", a)
	}
}

// The same files read again are the same configuration: a reload that finds
// nothing new must be able to see it.
func TestAdminIsComparable(t *testing.T) {
	const text = "admin: {token_file: admin.token, cert_file: admin.crt, key_file: admin.key, client_ca_file: admin.crt}"
	if one, two := mustLoad(t, text), mustLoad(t, text); !reflect.DeepEqual(one, two) {
		t.Errorf("got\n%+v\nand\n%+v", one.Admin, two.Admin)
	}
}

func TestParseToken(t *testing.T) {
	long := strings.Repeat("x", 512)
	for _, c := range []struct{ text, want, says string }{
		{"0123456789abcdef0123", "0123456789abcdef0123", ""},
		{"\ufeff 0123456789abcdef0123 \r\n", "0123456789abcdef0123", ""},
		{"+/=:~!-_.0123456789abcd\n\n", "+/=:~!-_.0123456789abcd", ""},
		{long, long, ""},
		{long + "x", "", "holds 513 characters, want 20 to 512"},
		{"0123456789abcdef012", "", "holds 19 characters, want 20 to 512"},
		{"", "", "holds no token"},
		{" \n", "", "holds no token"},
		{"0123456789abcdef0123\n# of the farm", "", "holds more than one line"},
		{"0123456789 abcdef0123", "", "holds more than printable ASCII characters without a blank"},
		{"0123456789abcdef012é", "", "holds more than printable ASCII characters without a blank"},
		{"\xff\xfe0\x001\x00", "", "holds more than printable ASCII characters without a blank"},
	} {
		got, err := ParseToken([]byte(c.text))
		if got != c.want || (err == nil) != (c.says == "") || err != nil && err.Error() != c.says {
			t.Errorf("%q: got %q, %v, want %q, %s", c.text, got, err, c.want, c.says)
		}
	}
}

// What an error says of a token is not the token.
func FuzzParseToken(f *testing.F) {
	f.Add([]byte("0123456789abcdef0123\n"))
	f.Add([]byte("secret"))
	f.Fuzz(func(t *testing.T, text []byte) {
		got, err := ParseToken(text)
		again, _ := ParseToken([]byte(got))
		switch {
		case err == nil && (got != again || len(got) < 20 || len(got) > 512 || !strings.Contains(string(text), got)):
			t.Errorf("%q: got %q", text, got)
		case err != nil && got != "":
			t.Errorf("%q: got %q beside %v", text, got, err)
		}
	})
}

// Who may not read the token is told who may.
func TestTokenOfAnotherUser(t *testing.T) {
	closed := func(name string) ([]byte, error) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
	}
	_, err := load("f.yaml", []byte("admin: {token_file: admin.token}"), closed, "ex01")
	var ps Problems
	if !errors.As(err, &ps) || len(ps) != 1 || ps[0].Key != "admin.token_file" || ps[0].Line != 1 || !strings.Contains(ps[0].Hint, "--token-file") {
		t.Errorf("got %v", err)
	}
}

// parseCertificates takes what people and tools write around certificates.
func TestParseCertificates(t *testing.T) {
	cert, key := onePair()
	for _, c := range []struct {
		name, text string
		want       int
	}{
		{"one", cert, 1},
		{"two, and what openssl says of them", "Certificate:\n    Data:\n" + cert + "# and\n" + cert, 2},
		{"a key beside it", cert + key, 0},
		{"nothing", "", 0},
		{"another thing", "ssh-ed25519 AAAA", 0},
		{"a certificate cut short", "-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n", 0},
	} {
		got, err := parseCertificates([]byte(c.text))
		if len(got) != c.want || (err == nil) != (c.want > 0) {
			t.Errorf("%s: got %d, %v, want %d", c.name, len(got), err, c.want)
		}
	}
}

func FuzzParseCertificates(f *testing.F) {
	cert, key := onePair()
	f.Add([]byte(cert))
	f.Add([]byte(key))
	f.Fuzz(func(t *testing.T, text []byte) {
		if got, err := parseCertificates(text); (err == nil) != (len(got) > 0) {
			t.Errorf("%q: %d certificates, %v", text, len(got), err)
		}
	})
}
