package config

import (
	"bytes"
	"net/netip"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"evenkeel/dnsrr"
	"evenkeel/dnsrr/dnssec"
)

func TestDNSValues(t *testing.T) {
	pre, sock := netip.MustParsePrefix, netip.MustParseAddrPort
	secret := []byte("0123456789abcdef0123456789abcdef")
	for _, tt := range []struct {
		text string
		get  func(DNS) any
		want any
	}{
		{"", func(d DNS) any { return d.ID }, "ex01"},
		{"node: {name: ex07}", func(d DNS) any { return d.ID }, "ex07"},
		{"dns: {id: none}", func(d DNS) any { return d.ID }, ""},
		{"dns: {id: ns1 Berlin, version: '9'}", func(d DNS) any { return []string{d.ID, d.Version} }, []string{"ns1 Berlin", "9"}},
		{"", func(d DNS) any { return d.RateLimit }, RateLimit{200, 2, []netip.Prefix{pre("127.0.0.0/8"), pre("::1/128")}}},
		{"dns: {rate_limit: {per_second: 0, slip: 0, exempt: []}}", func(d DNS) any { return d.RateLimit }, RateLimit{}},
		{"dns: {rate_limit: {exempt: ['::ffff:10.0.0.1', 'fd00::/8']}}", func(d DNS) any { return d.RateLimit.Exempt }, []netip.Prefix{pre("10.0.0.1/32"), pre("fd00::/8")}},
		{"dns: {transfer: {allow: [10.0.0.53, 10.1.0.0/16], notify: [10.0.0.53, '10.1.0.1:5353', 'fd00::1']}}", func(d DNS) any { return d.Transfer },
			dnsrr.Transfer{Allow: []netip.Prefix{pre("10.0.0.53/32"), pre("10.1.0.0/16")}, Notify: []netip.AddrPort{sock("10.0.0.53:53"), sock("10.1.0.1:5353"), sock("[fd00::1]:53")}}},
		{"dns: {transfer: {keys: [{name: Farm_XFR, file: xfr.key}]}}", func(d DNS) any { return d.Transfer.Keys }, []dnsrr.TransferKey{{Name: "farm_xfr.", Algorithm: "hmac-sha256", Secret: secret}}},
		{"dns: {transfer: {keys: [{name: farm-xfr., file: bind.key}, {name: b, algorithm: hmac-sha384, file: xfr.key}]}}", func(d DNS) any { return d.Transfer.Keys },
			[]dnsrr.TransferKey{{Name: "farm-xfr.", Algorithm: "hmac-sha512", Secret: secret[:16]}, {Name: "b.", Algorithm: "hmac-sha384", Secret: secret}}},
		{"dns: {cookie_file: dns.cookies}", func(d DNS) any { return d.Cookies }, [][16]byte{[16]byte(bytes.Repeat([]byte{0x0f}, 16)), [16]byte(bytes.Repeat([]byte{0xa0}, 16))}},
		{"", func(d DNS) any { return len(d.Cookies) }, 0},
	} {
		c := mustLoad(t, tt.text)
		mustHold(t, c)
		if got := tt.get(c.DNS); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s: got %v, want %v", tt.text, got, tt.want)
		}
	}
}

// All nodes of a farm make the same secret of its key, and it is not the key.
func TestCookiesOfTheGossipKey(t *testing.T) {
	one := mustLoad(t, "gossip: {key_file: gossip.key}")
	two := mustLoad(t, "node: {name: ex02}\ngossip: {key_file: gossip.key}")
	if len(one.DNS.Cookies) != 1 || one.DNS.Cookies[0] != two.DNS.Cookies[0] || bytes.Contains(one.Gossip.Key, one.DNS.Cookies[0][:]) {
		t.Errorf("got %x and %x of the key %x", one.DNS.Cookies, two.DNS.Cookies, one.Gossip.Key)
	}
	if d := mustLoad(t, "gossip: {key_file: gossip.key}\ndns: {cookie_file: dns.cookies}").DNS; len(d.Cookies) != 2 {
		t.Errorf("a file that is named goes before the key: got %x", d.Cookies)
	}
}

// A reload looks at every file that the configuration was made of.
func TestFiles(t *testing.T) {
	c, err := load(filepath.Join("etc", "f.yaml"), []byte(`
admin: {token_file: admin.token}
zone: {dnssec: {keys: [{file: Ka.+013+1.private, state: active}, {file: Kb, state: retired}]}}
dns: {cookie_file: dns.cookies, transfer: {keys: [{name: a, file: xfr.key}]}}
`), fakeKeys, "ex01")
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, name := range []string{"f.yaml", "admin.token", "dns.cookies", "xfr.key", "Ka.+013+1.key", "Ka.+013+1.private", "Kb.key", "Kb.private"} {
		want = append(want, filepath.Join("etc", name))
	}
	if got := c.Files(); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
	d := c.Zone.DNSSEC
	if k := d.Keys[0]; k.File != filepath.Join("etc", "Ka.+013+1") || k.State != "active" {
		t.Errorf("got key %+v", k)
	}
	if d.Use == nil || len(d.Use.DS()) != 1 || len(d.Use.DNSKEY(1)) != 2 {
		t.Errorf("got keys %+v, want one that the parent is told of, and both in the zone", d.Use)
	}
}

// A key that was made anew under its old name is another configuration.
func TestZoneKeysAreCompared(t *testing.T) {
	const text = "zone: {dnssec: {keys: [{file: Ka.+013+1, state: active}]}}"
	k, err := dnssec.Generate("mail.test.", dnssec.Ed25519, true)
	if err != nil {
		t.Fatal(err)
	}
	path, err := k.Write(t.TempDir(), time.Unix(0, 0))
	if err != nil {
		t.Fatal(err)
	}
	read := func(name string) ([]byte, error) {
		if end, ok := strings.CutPrefix(filepath.Base(name), "Kc"); ok {
			return os.ReadFile(path + end)
		}
		return fakeKeys(name)
	}
	was, err := load("f.yaml", []byte(text), fakeKeys, "ex01")
	if err != nil {
		t.Fatal(err)
	}
	again, err := load("f.yaml", []byte(text), fakeKeys, "ex01")
	if err != nil {
		t.Fatal(err)
	}
	now, err := load("f.yaml", []byte(text), func(name string) ([]byte, error) {
		return read(strings.Replace(name, "Ka.+013+1", "Kc", 1))
	}, "ex01")
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(was, again) || reflect.DeepEqual(was, now) {
		t.Errorf("the same keys are equal: %v; others: %v; want true, false", reflect.DeepEqual(was, again), reflect.DeepEqual(was, now))
	}
}

// What stands in a file of a secret, and is none, is said without showing it.
func TestTransferKeyFiles(t *testing.T) {
	const good = "MDEyMzQ1Njc4OWFiY2RlZg=="
	for _, tt := range []struct{ text, says string }{
		{good, ""},
		{"\ufeff " + good + "\r\n", ""},
		{"key farm-xfr { algorithm HMAC-SHA256; secret " + good + "; };", ""},
		{"// c\nkey \"farm-xfr.\" {secret \"" + good + "\";algorithm hmac-sha256;};", ""},
		{"", "holds 0 bytes, want 16 to 1024"},
		{good + "\n\n" + good, "does not hold base64 on one line"},
		{strings.Repeat("A", 2000), "holds 1500 bytes"},
		{"key farm-xfr { algorithm hmac-md5; secret " + good + "; };", "none of hmac-sha256"},
		{"key farm-xfr { algorithm hmac-sha384; secret " + good + "; };", "for hmac-sha384, not hmac-sha256"},
		{"key other { algorithm hmac-sha256; secret " + good + "; };", "of another name, other."},
		{"key farm-xfr { algorithm hmac-sha256; secret " + good + "; }", "no whole statement"},
		{"key farm-xfr { secret a; secret " + good + "; };", "none of hmac-sha256"},
		{"key farm-xfr { algorithm hmac-sha256; sekret " + good + "; };", "no whole statement"},
		{"key farm-xfr { algorithm hmac-sha256; secret \"\"; };", "no whole statement"},
		{"key", "no whole statement"},
	} {
		k, err := transferKey{"farm-xfr.", "hmac-sha256", "f"}.parse([]byte(tt.text))
		switch {
		case tt.says == "" && (err != nil || string(k.Secret) != "0123456789abcdef" || k.Name != "farm-xfr." || k.Algorithm != "hmac-sha256"):
			t.Errorf("%q: got %+v, %v", tt.text, k, err)
		case tt.says != "" && (err == nil || !strings.Contains(err.Error(), tt.says) || strings.Contains(err.Error(), good[:8])):
			t.Errorf("%q: got %v, want %q", tt.text, err, tt.says)
		}
	}
}

func FuzzTransferKey(f *testing.F) {
	f.Add([]byte("key a { algorithm hmac-sha256; secret \"MDEyMzQ1Njc4OWFiY2RlZg==\"; };"))
	f.Add([]byte("MDEyMzQ1Njc4OWFiY2RlZg=="))
	f.Fuzz(func(t *testing.T, b []byte) {
		k, err := transferKey{name: "a."}.parse(b)
		if err == nil && (len(k.Secret) < 16 || k.Name != "a." || !strings.HasPrefix(k.Algorithm, "hmac-sha")) {
			t.Errorf("%q: got %+v", b, k)
		}
	})
}
