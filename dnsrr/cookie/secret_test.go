package cookie

import (
	"encoding/hex"
	"strings"
	"testing"
)

const (
	one = "000102030405060708090a0b0c0d0e0f"
	two = "E5E973E5A6B2A43F48E7DC849E37BFCF"
)

func TestParseSecrets(t *testing.T) {
	for _, c := range []struct{ name, file, want string }{
		{"one", one, one},
		{"two, as an editor of Windows leaves them", "# since May\r\n" + two + "\r\n\r\n  " + one + " # until May\r\n", strings.ToLower(two) + " " + one},
		{"nothing", "# none yet\n", "no secret in it"},
		{"too short", "\n" + one[1:], "line 2: a secret is 32 hexadecimal digits, and this is 31 characters"},
		{"too long", one + "0", "line 1: a secret is 32 hexadecimal digits, and this is 33 characters"},
		{"no digits", one[:31] + "g", "line 1: a secret is hexadecimal digits alone"},
		{"twice", one + "\n\n" + strings.ToUpper(one), "line 3: the same secret as in line 1"},
		{"three", one + "\n" + two + "\n" + strings.Repeat("0", 32), "line 3: more than 2 secrets"},
		{"all mistakes at once", "x\n" + one + "\ny", "line 1: a secret is 32 hexadecimal digits, and this is 1 characters; line 3: a secret is 32 hexadecimal digits, and this is 1 characters"},
	} {
		secrets, err := ParseSecrets([]byte(c.file))
		var words []string
		for _, s := range secrets {
			words = append(words, hex.EncodeToString(s[:]))
		}
		got := strings.Join(words, " ")
		if err != nil {
			got += strings.ReplaceAll(err.Error(), "\n", "; ")
		}
		if got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
}

func FuzzParseSecrets(f *testing.F) {
	f.Add([]byte(one + "\r\n" + two + "#"))
	f.Add([]byte("\xef\xbb\xbf" + one))
	f.Fuzz(func(t *testing.T, b []byte) {
		secrets, err := ParseSecrets(b)
		if (err == nil) != (len(secrets) >= 1 && len(secrets) <= maxSecrets) {
			t.Fatalf("%d secrets and %v", len(secrets), err)
		}
	})
}

// Nodes of any version derive the same secret, and it is not the key's octets.
func TestDerive(t *testing.T) {
	got := Derive([]byte("0123456789abcdef"))
	if want := "97c70ef312a748ca74faf7831ccc7ba1"; hex.EncodeToString(got[:]) != want {
		t.Errorf("got %x, want %s: nodes of the version before would not know our cookies", got, want)
	}
	if Derive([]byte("0123456789abcdeF")) == got {
		t.Error("another key, and the same secret")
	}
}
