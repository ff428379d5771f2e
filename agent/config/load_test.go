package config

import (
	"encoding/base64"
	"errors"
	"io/fs"
	"net/netip"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"evenkeel/configs"
	"evenkeel/policy/throttle"
)

func TestNothingIsTheDefault(t *testing.T) {
	want := mustLoad(t, string(configs.Default()))
	for _, tt := range []struct{ name, text string }{
		{"an empty file", ""},
		{"comments alone", "# later\n"},
		{"a document mark", "---\n"},
		{"a section whose keys are all commented out", "zone:\n  # answers: 2\n"},
		{"a key without a value", "limits:\n  ramp:\nlisten:\n  dns:\n"},
		{"null in words", "limits: {ramp: null}\n"},
		{"a source with nothing said about it", "sources:\n  - listener:\n"},
	} {
		if got := mustLoad(t, tt.text); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got  %+v\nwant configs/evenkeel.yaml %+v", tt.name, got, want)
		}
	}
}

// A key that can be given is in the file where operators look for it.
func TestDefaultHoldsEveryKey(t *testing.T) {
	r, b := newReader("evenkeel.yaml", configs.Default())
	held := map[string]bool{}
	var note func(path string, v value)
	note = func(path string, v value) {
		held[path] = true
		for _, p := range v.pairs {
			note(strings.TrimPrefix(path+"."+p.name, "."), p.value)
		}
		for _, item := range v.items {
			note(path, item)
		}
	}
	note("", r.parse(b))
	for _, row := range keys(new(Config)) {
		if kind, _ := strings.CutPrefix(row.path, "sources."); row.set == nil && kind != row.path {
			continue // a source that cannot be named yet
		}
		if !held[row.path] {
			t.Errorf("%s is not in configs/evenkeel.yaml", row.path)
		}
	}
}

func TestShippedFilesLoad(t *testing.T) {
	names, err := filepath.Glob("../../configs/*.yaml")
	if err != nil || len(names) < 3 {
		t.Fatalf("got %v, %v, want the files of configs", names, err)
	}
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(filepath.Base(name), "policy") { // what policy.file names, not a configuration
			if _, err := Policies(name, b, throttle.File{Generation: throttle.Exchange2013}); err != nil {
				t.Error(err)
			}
			continue
		}
		c, err := load(name, b, fakeKeys, "EX01.corp.example.com")
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		mustHold(t, c)
		if c.Node.Name != "ex01" || c.File != name {
			t.Errorf("%s: got node %s of %s, want ex01", name, c.Node.Name, c.File)
		}
	}
}

// Load itself takes the host's name; a file that names the node needs none.
func TestLoadAsksTheHost(t *testing.T) {
	c, err := Load("f.yaml", []byte("node: {name: ex07, fqdn: ex07.example.com}"), fakeKeys)
	if err != nil || c.Node.Name != "ex07" || c.Node.FQDN != "ex07.example.com" {
		t.Errorf("got %+v, %v, want ex07", c.Node, err)
	}
	host, err := os.Hostname()
	if err != nil || nameOf(host) == "" {
		t.Skipf("this host has no name: %q, %v", host, err)
	}
	if c, err := Load("f.yaml", nil, fakeKeys); err != nil || c.Node.Name != nameOf(host) {
		t.Errorf("got %q, %v, want %q", c.Node.Name, err, nameOf(host))
	}
}

func TestValues(t *testing.T) {
	addr, sock := netip.MustParseAddr, netip.MustParseAddrPort
	for _, tt := range []struct {
		text string
		get  func(Config) any
		want any
	}{
		{"node: {name: EX01}", func(c Config) any { return c.Node.Name }, "ex01"},
		{"node: {fqdn: EX01.Example.com.}", func(c Config) any { return c.Node.FQDN }, "EX01.Example.com"},
		{"node: {addresses: [10.0.0.11, 'fd00::11']}", func(c Config) any { return c.Node.Addresses }, []netip.Addr{addr("10.0.0.11"), addr("fd00::11")}},
		{"zone: {name: Mail.Example.COM}", func(c Config) any { return c.Zone.Name }, "mail.example.com."},
		{"zone: {answers: 1}", func(c Config) any { return c.Zone.Answers }, 1},
		{"zone: {ttl: {min: 1s}}", func(c Config) any { return c.Zone.TTLMin }, time.Second},
		{"zone: {ttl: {max: 1h}}", func(c Config) any { return c.Zone.TTLMax }, time.Hour},
		{"zone: {records: ['@ MX 10 a', \"b\\tTXT c\"]}", func(c Config) any { return c.Zone.Records }, []string{"@ MX 10 a", "b\tTXT c"}},
		{"zone:\n  records:\n    - |\n      @ MX 10 a\n", func(c Config) any { return c.Zone.Records }, []string{"@ MX 10 a"}},
		{"listen: {dns: []}", func(c Config) any { return len(c.Listen.DNS) }, 0},
		{"listen: {dns: ['[::]:53'], health: ['[::ffff:10.0.0.1]:80']}", func(c Config) any { return []any{c.Listen.DNS[0], c.Listen.Health[0]} }, []any{sock("[::]:53"), sock("10.0.0.1:80")}},
		{"listen: {admin: '127.0.0.2:0', gossip: '[::1]:0'}", func(c Config) any { return []any{c.Listen.Admin, c.Listen.Gossip} }, []any{sock("127.0.0.2:0"), sock("[::1]:0")}},
		{"gossip: {join: ['10.0.0.1:7946', 'ex02.example.com:7946', '[fd00::1]:7946']}", func(c Config) any { return c.Gossip.Join }, []string{"10.0.0.1:7946", "ex02.example.com:7946", "[fd00::1]:7946"}},
		{"gossip: {advertise: 10.0.0.11}", func(c Config) any { return c.Gossip.Advertise }, sock("10.0.0.11:7946")},
		{"gossip: {advertise: 'fd00::11'}\nlisten: {gossip: '127.0.0.1:9'}", func(c Config) any { return c.Gossip.Advertise }, sock("[fd00::11]:9")},
		{"gossip: {advertise: '10.0.0.11:7000'}", func(c Config) any { return c.Gossip.Advertise }, sock("10.0.0.11:7000")},
		{"sources: [listener: {ports: [25, 993], addresses: [10.0.0.1]}]", func(c Config) any { return c.Sources.Listener }, Listener{[]uint16{25, 993}, []netip.Addr{addr("10.0.0.1")}}},
		{"limits: {connections: 1, queue: 1000}", func(c Config) any { return []int{c.Limits.Connections, c.Limits.Queue} }, []int{1, 1000}},
		{"limits: {connections: learn}", func(c Config) any { return c.Limits }, Limits{4000, true, 0, 0.70, 0.55, 0.90, 300 * time.Second}},
		{"limits: {connections: learn from 6000}", func(c Config) any { return []any{c.Limits.Connections, c.Limits.Learn} }, []any{6000, true}},
		{"limits: {recover: 0.1, degrade: .5, fail: 1}", func(c Config) any { return []float64{c.Limits.Recover, c.Limits.Degrade, c.Limits.Fail} }, []float64{0.1, 0.5, 1}},
		{"limits: {ramp: 0s}", func(c Config) any { return c.Limits.Ramp }, time.Duration(0)},
		{"health: {hold: 1m30s, min_in_service: 2}", func(c Config) any { return c.Health }, Health{Hold: 90 * time.Second, MinInService: 2}},
		{"drain: 0s\nservices: []\nstate: ''\npolicy: {file: ''}", func(c Config) any { return c.Drain }, time.Duration(0)},
		{"\ufeffdrain: 1m # from Windows\r\nstate:\r\n", func(c Config) any { return c.Drain }, time.Minute},
	} {
		c := mustLoad(t, tt.text)
		mustHold(t, c)
		if got := tt.get(c); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s: got %v, want %v", tt.text, got, tt.want)
		}
	}
}

func TestKeyFile(t *testing.T) {
	disk := map[string]string{
		filepath.Join("etc", "a16.key"): base64.StdEncoding.EncodeToString(make([]byte, 16)),
		filepath.Join("etc", "a24.key"): " " + base64.StdEncoding.EncodeToString(make([]byte, 24)) + "\r\n",
		filepath.Join("etc", "a32.key"): base64.StdEncoding.EncodeToString(make([]byte, 32)) + "\n",
		filepath.Join("etc", "a31.key"): base64.StdEncoding.EncodeToString(make([]byte, 31)),
		filepath.Join("etc", "raw.key"): "sixteen raw byte",
		filepath.Join("etc", "nil.key"): "",
	}
	read := func(name string) ([]byte, error) {
		if text, ok := disk[name]; ok {
			return []byte(text), nil
		}
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
	}
	for _, tt := range []struct {
		name string
		want int
		says string
	}{
		{"a16.key", 16, ""},
		{"a24.key", 24, ""},
		{"a32.key", 32, ""},
		{"a31.key", 0, "holds 31 bytes, want 16, 24 or 32"},
		{"nil.key", 0, "holds 0 bytes, want 16, 24 or 32"},
		{"raw.key", 0, "does not hold base64"},
		{"b.key", 0, "permission denied"},
	} {
		c, err := load(filepath.Join("etc", "evenkeel.yaml"), []byte("gossip: {key_file: "+tt.name+"}"), read, "ex01")
		if tt.says == "" {
			if err != nil || len(c.Gossip.Key) != tt.want || c.Gossip.KeyFile != filepath.Join("etc", tt.name) {
				t.Errorf("%s: got %d bytes of %s, %v, want %d", tt.name, len(c.Gossip.Key), c.Gossip.KeyFile, err, tt.want)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), tt.says) || strings.Contains(err.Error(), "sixteen") {
			t.Errorf("%s: got %v, want %q", tt.name, err, tt.says)
		}
	}
}

// A name on the command line must not move when the folder does.
func TestAbsoluteKeyFileStays(t *testing.T) {
	name, err := filepath.Abs("gossip.key")
	if err != nil {
		t.Fatal(err)
	}
	c, err := load(filepath.Join("etc", "evenkeel.yaml"), []byte("gossip: {key_file: '"+name+"'}"), fakeKeys, "ex01")
	if err != nil || c.Gossip.KeyFile != name {
		t.Errorf("got %s, %v, want %s", c.Gossip.KeyFile, err, name)
	}
}

func TestNodeIsNamedAfterItsHost(t *testing.T) {
	for _, tt := range []struct{ host, name, fqdn string }{
		{"EX01.Example.com", "ex01", "EX01.Example.com"},
		{"EX01", "ex01", "EX01"},
		{"my_mail host", "my-mail-host", "my-mail-host"},
		{"_odd_.example.com", "odd", "odd"},
		{strings.Repeat("a", 62) + "_b", strings.Repeat("a", 62), strings.Repeat("a", 62)},
		{"zürich", "z-rich", "z-rich"},
		{"ex01.example.com.", "ex01", "ex01.example.com"},
	} {
		c, err := load("f.yaml", nil, fakeKeys, tt.host)
		if err != nil || c.Node.Name != tt.name || c.Node.FQDN != tt.fqdn {
			t.Errorf("%s: got %s and %s, %v, want %s and %s", tt.host, c.Node.Name, c.Node.FQDN, err, tt.name, tt.fqdn)
		}
	}
}

func TestHostWithoutName(t *testing.T) {
	for _, host := range []string{"", "___", ".example.com"} {
		_, err := load("f.yaml", nil, fakeKeys, host)
		var ps Problems
		if !errors.As(err, &ps) || len(ps) != 1 || ps[0].Key != "node.name" || ps[0].Line != 0 {
			t.Errorf("%q: got %v, want a problem of node.name without a line", host, err)
		}
		if _, err := load("f.yaml", []byte("node: {name: ex01}"), fakeKeys, host); err != nil {
			t.Errorf("%q, with a name in the file: %v", host, err)
		}
	}
}
