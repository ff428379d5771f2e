package config

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"evenkeel/dnsrr"
	"evenkeel/dnsrr/cookie"
	"evenkeel/dnsrr/dnssec"
	"evenkeel/dnsrr/ratelimit"
)

// A DNS says how DNS questions are answered, whatever the answer is.
type DNS struct {
	ID         string     // what NSID (RFC 5001), id.server and hostname.bind say, 1 to 255 printable ASCII characters; empty = nothing
	Version    string     // what version.server and version.bind say, likewise; empty = nothing
	CookieFile string     // where Cookies were read from; empty = nowhere
	Cookies    [][16]byte // secrets of the DNS cookies (RFC 9018), the one that is given out first; derived from [Gossip.Key] where no file is named, and empty where there is no key either: then one is to be made at each start
	RateLimit  RateLimit
	Transfer   dnsrr.Transfer // names of keys are fully qualified and in lower case

	keyFiles []string // of Transfer.Keys, one each
}

// A RateLimit bounds identical answers to one /24 or /56.
type RateLimit struct {
	PerSecond int            // 0 to [ratelimit.MaxPerSecond]; 0 = no limit
	Slip      int            // of those beyond it, each so many-th is answered truncated; 0 to [ratelimit.MaxSlip], 0 = none
	Exempt    []netip.Prefix // askers without a limit
}

// A DNSSEC says how the zone is signed.
type DNSSEC struct {
	Keys []ZoneKey    // empty = it is not
	Use  *dnssec.Keys // all of them, checked with each other; nil = it is not
}

// A ZoneKey is one that signs the zone.
type ZoneKey struct {
	File  string // both of its files without their endings, .key and .private; what the configuration names without a folder is beside it
	State string // published, active or retired; never empty

	pair dnssec.Key // as it was read: another one under the same name is another configuration
}

// Files lists the files that a DNS was read from.
func (d DNS) Files() (names []string) {
	if d.CookieFile != "" {
		names = append(names, d.CookieFile)
	}
	return append(names, d.keyFiles...)
}

// KeyFiles lists the files of the keys that sign the zone.
func (z Zone) KeyFiles() (names []string) {
	for _, k := range z.DNSSEC.Keys {
		names = append(names, k.File+".key", k.File+".private")
	}
	return names
}

// Files lists the files that c was read from and that may change while it is in
// use, its own first.
func (c Config) Files() []string {
	names := append([]string{c.File}, c.Admin.Files()...)
	names = append(append(names, c.DNS.Files()...), c.Zone.KeyFiles()...)
	return append(names, c.Policy.Files()...)
}

func defaultDNS() DNS {
	return DNS{RateLimit: RateLimit{PerSecond: ratelimit.DefaultPerSecond, Slip: ratelimit.DefaultSlip, Exempt: []netip.Prefix{
		netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128"),
	}}}
}

// keys is the language of the section dns.
func (d *DNS) keys(transfer *[]transferKey) language {
	return language{
		{"dns.id", one(&d.ID, optional(chaosText()))},
		{"dns.version", one(&d.Version, optional(chaosText()))},
		{"dns.cookie_file", one(&d.CookieFile, optional(fileName()))},
		{"dns.rate_limit.per_second", one(&d.RateLimit.PerSecond, whole(0, ratelimit.MaxPerSecond))},
		{"dns.rate_limit.slip", one(&d.RateLimit.Slip, whole(0, ratelimit.MaxSlip))},
		{"dns.rate_limit.exempt", many(&d.RateLimit.Exempt, prefix())},
		{"dns.transfer.allow", many(&d.Transfer.Allow, prefix())},
		{"dns.transfer.keys", blocks(transfer, transferKey{}, (*transferKey).keys)},
		{"dns.transfer.notify", many(&d.Transfer.Notify, secondary())},
	}
}

// keys is the language of one item of zone.dnssec.keys.
func (k *ZoneKey) keys() language {
	return language{
		{"file", one(&k.File, fileName())},
		{"state", one(&k.State, among([]string{"published", "active", "retired"}))},
	}
}

// dns gives the values of the section that come from elsewhere, and reads its
// files.
func (r *reader) dns(c *Config) {
	d := &c.DNS
	switch d.ID {
	case "":
		d.ID = c.Node.Name
	case "none":
		d.ID = ""
	}
	r.cookies(c)
	r.transferKeys(d, c.transfer)
	c.transfer = nil
}

// zoneKeys completes the keys that sign the zone. Each names the two files that
// key generators write, which have one name and two endings.
func (r *reader) zoneKeys(z *Zone) {
	const key = "zone.dnssec.keys"
	if !r.sound(key) {
		return
	}
	keys := z.DNSSEC.Keys
	var uses []dnssec.Use
	for i := range keys {
		k, item := &keys[i], r.items[key][i]
		if !r.sound(item.key) {
			continue
		}
		if !r.namedKey(k, item, keys[:i]) {
			continue
		}
		var err error
		if k.pair, err = dnssec.Read(r.open, k.File); err != nil {
			r.refuse(r.within(item, "file"), err.Error(), newZoneKey)
			continue
		}
		if state, err := dnssec.ParseState(k.State); err == nil {
			uses = append(uses, dnssec.Use{Key: k.pair, State: state})
		}
	}
	if len(uses) == 0 || len(uses) < len(keys) || !r.sound("zone.name") {
		return
	}
	var err error
	if z.DNSSEC.Use, err = dnssec.NewKeys(z.Name, uses); err != nil {
		r.refuse(r.at(key), plural(err), "")
	}
}

const newZoneKey = "make one with: evenkeel zone keygen"

// namedKey completes what the configuration says of a key, and reports whether
// it is worth to be read.
func (r *reader) namedKey(k *ZoneKey, item place, before []ZoneKey) bool {
	if k.File == "" {
		if r.sound(item.key + ".file") {
			r.refuse(item, "want the file of a key", newZoneKey)
		}
		return false
	}
	k.File = strings.TrimSuffix(strings.TrimSuffix(r.beside(k.File), ".key"), ".private")
	if slices.ContainsFunc(before, func(other ZoneKey) bool { return other.File == k.File }) {
		r.refuse(r.within(item, "file"), "the same key is listed twice", "")
		return false
	}
	if k.State == "" && r.sound(item.key+".state") {
		r.refuse(item, "want the state of the key", "state: active")
	}
	return k.State != ""
}

const newCookies = "make one with: head -c 16 /dev/urandom | od -An -tx1 | tr -d ' \\n'"

// cookies reads the secrets from their file, or derives one that all nodes of
// the farm derive alike.
func (r *reader) cookies(c *Config) {
	const key = "dns.cookie_file"
	d := &c.DNS
	switch {
	case !r.sound(key):
	case d.CookieFile == "" && len(c.Gossip.Key) > 0:
		d.Cookies = [][16]byte{cookie.Derive(c.Gossip.Key)}
	case d.CookieFile != "":
		d.CookieFile = r.beside(d.CookieFile)
		text, err := r.open(d.CookieFile)
		if err != nil {
			r.refuse(r.at(key), err.Error(), newCookies)
			return
		}
		if d.Cookies, err = cookie.ParseSecrets(text); err != nil {
			r.refuse(r.at(key), fmt.Sprintf("%s: %v", show(d.CookieFile), plural(err)), newCookies)
		}
	}
}

// plural is the mistakes of one file on one line.
func plural(err error) string { return strings.ReplaceAll(err.Error(), "\n", "; ") }

// chaosText fits one string of a TXT record (RFC 1035, 3.3.14).
func chaosText() form[string] {
	return form[string]{"at most 255 printable ASCII characters", gossipLabel().read}
}

// secondary is where a name server is told of a new serial: an address, with
// or without a port.
func secondary() form[netip.AddrPort] {
	f := advertised()
	return form[netip.AddrPort]{"an address such as 10.0.0.53, with or without a port", func(s string) (netip.AddrPort, error) {
		ap, err := f.read(s)
		if err == nil && ap.Port() == 0 {
			ap = netip.AddrPortFrom(ap.Addr(), 53)
		}
		return ap, err
	}}
}
