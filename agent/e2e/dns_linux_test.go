package e2e

import (
	"bytes"
	"fmt"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/miekg/dns"
)

// Where programs stand that ask about the zone, or are asked for its parents.
var (
	forgetfulAt = hubAddr(1)
	rootAt      = hubAddr(3)
	parentAt    = hubAddr(4)
	unboundAt   = hubAddr(5)
	bindAt      = hubAddr(6)
	recursorAt  = hubAddr(7)
	keyedAt     = hubAddr(8) // a secondary that has the key
	allowedAt   = hubAddr(9) // a secondary that is known by its address
)

// A tree is the farm's zone, mail.test., below parents of our own: the root
// delegates test., and test. what the agents say of themselves. Both are
// signed, and so is the farm, or not.
type tree struct {
	*farm
	signed bool
	hints  string // a file: where the root is
	anchor string // the root's DNSKEY: flags, protocol, algorithm, key
	ksk    string // the farm's, as newKey returns it
	said   string // by delegation
}

// The zone by programs that others wrote, as it is without further
// configuration.
func zoneStory(t *testing.T, bin string) { playZone(t, newTree(t, bin, "zone", false)) }

// The same with all that DNS can be configured to do.
func signedStory(t *testing.T, bin string) {
	playZone(t, newTree(t, bin, "signed", true))
}

// playZone asks everything at once, but for what changes the farm.
func playZone(t *testing.T, r *tree) {
	var all sync.WaitGroup
	for _, group := range []struct {
		name   string
		signed bool // makes sense only there
		play   func(*testing.T, *tree)
	}{
		{"zonemaster", false, zonemasterStory},
		{"dnsviz", false, dnsvizStory},
		{"probes", false, probesStory},
		{"dnsperf", false, dnsperfStory},
		{"resolvers", false, validatorsStory},
		{"shares", false, sharesStory},
		{"delv", true, delvStory},
		{"limit", true, limitStory},
	} {
		if r.signed || !group.signed {
			all.Go(func() { t.Run(group.name, func(t *testing.T) { group.play(t, r) }) })
		}
	}
	all.Wait()
	if r.signed {
		t.Run("transfer", func(t *testing.T) { transferStory(t, r) })
	}
}

// newTree starts the agents, and then the parents with what `evenkeel
// delegation` prints.
func newTree(t *testing.T, bin, name string, signed bool) *tree {
	t.Helper()
	r := &tree{farm: newStage(t, bin, name, 100, 100, 200), signed: signed}
	for _, a := range []netip.Addr{forgetfulAt, rootAt, parentAt, unboundAt, bindAt, recursorAt, keyedAt, allowedAt} {
		r.hub.ip(t, fmt.Sprintf("address replace %s/24 dev hub", a))
	}
	r.dual(t)
	zone, more := r.keys(t)
	for _, n := range r.nodes {
		n.server = n.sluggard(t)
		n.set.TTL, n.set.Ramp, n.set.Zone, n.set.More = 5*time.Second, time.Second, zone, more
	}
	r.startAll(t)
	r.parents(t)
	return r
}

// records are of the zone, beside the farm's own. The further ones are of who
// does not have services, or has what makes wildcards.
const (
	records  = `, records: ["@ MX 10 mail.test.", "autodiscover CNAME mail.test.", "x.deep TXT below", "long TXT %s", %s]`
	aService = `"_imaps._tcp SRV 0 1 993 mail.test."`
	wildcard = `"*.wild TXT wild"`
)

// keys are what the configuration has beyond that of other stories.
func (r *tree) keys(t *testing.T) (zone, more string) {
	t.Helper()
	long := strings.TrimSpace(strings.Repeat(strings.Repeat("x", 250)+" ", 6)) // more than UDP takes
	if !r.signed {
		return fmt.Sprintf(records, long, aService), ""
	}
	r.ksk = r.newKey(t, "mail.test.", "-f", "KSK")
	zsk := r.newKey(t, "mail.test.")
	zone = fmt.Sprintf(records+", dnssec: {keys: [{file: %q, state: active}, {file: %q, state: active}]}", long, wildcard, r.ksk, zsk)
	more = fmt.Sprintf(`services: [{name: imaps, ports: [25]}]
dns:
  version: "9"
  cookie_file: %q
  rate_limit: {per_second: 50, slip: 2, exempt: [10.77.0.0/24]}
  transfer: {allow: [%s], keys: [{name: farm-xfr., algorithm: hmac-sha256, file: %q}], notify: ["%[2]s", "%[4]s"]}
`, r.write(t, "cookie.key", strings.Repeat("5e", 16)+"\n"), allowedAt, r.write(t, "xfr.key", transferSecret+"\n"), keyedAt)
	return zone, more
}

// newKey makes a pair of keys for a zone, and returns the name of its files
// without what they end in.
func (r *tree) newKey(t *testing.T, zone string, args ...string) string {
	t.Helper()
	args = append([]string{"-q", "-K", r.dir, "-a", "ECDSAP256SHA256"}, args...)
	out, err := exec.Command("dnssec-keygen", append(args, zone)...).Output()
	if err != nil {
		t.Fatalf("dnssec-keygen: %v", err)
	}
	return filepath.Join(r.dir, strings.TrimSpace(string(out)))
}

// parents signs and serves what is above the farm.
func (r *tree) parents(t *testing.T) {
	t.Helper()
	r.hints = r.write(t, "hints", fmt.Sprintf(". 3600 NS a.root.\na.root. 3600 A %s\n", rootAt))
	r.said = r.delegation(t)
	r.sign(t, "test.", soa("ns.test.")+fmt.Sprintf("@ NS ns.test.\nns A %s\n", parentAt)+r.said)
	root := soa("a.root.") + fmt.Sprintf("@ NS a.root.\na.root. A %s\ntest. NS ns.test.\nns.test. A %s\n", rootAt, parentAt) + r.read(t, "dsset-test.")
	for _, n := range r.nodes {
		for _, a := range n.set.Addrs {
			root += fmt.Sprintf("%s PTR %s.mail.test.\n", reverse(a), n.id)
		}
	}
	r.anchor = r.dnskey(t, r.sign(t, ".", root))
	r.named(t, "parents", fmt.Sprintf(`
options { %s listen-on { %s; %s; }; recursion no; };
view root { match-destinations { %[2]s; }; zone "." { type primary; file "root.signed"; }; };
view test { match-destinations { %[3]s; }; zone "test." { type primary; file "test.signed"; }; };
`, r.plain(), rootAt, parentAt))
	r.answers(t, rootAt, ".")
	r.answers(t, parentAt, "test.")
}

func soa(host string) string {
	return fmt.Sprintf("$TTL 3600\n@ SOA %[1]s hostmaster.%[1]s 1 7200 900 1209600 900\n", host)
}

// reverse is the name of an address's PTR.
func reverse(a netip.Addr) string {
	name, err := dns.ReverseAddr(a.String())
	if err != nil {
		panic(err)
	}
	return name
}

// delegation asks a, whose agent knows all others.
func (r *tree) delegation(t *testing.T) string {
	t.Helper()
	a := r.nodes[0]
	cmd := exec.CommandContext(t.Context(), r.bin, "delegation", "--config", filepath.Join(r.dir, a.id+".yaml"))
	var out, doubts bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &doubts
	if err := a.do(cmd.Run); err != nil || doubts.Len() > 0 {
		t.Fatalf("delegation: %v\n%s", err, &doubts)
	}
	return out.String()
}

// dnskey is the data of a DNSKEY, as newKey has made it.
func (r *tree) dnskey(t *testing.T, key string) string {
	t.Helper()
	_, data, found := strings.Cut(r.read(t, filepath.Base(key)+".key"), " DNSKEY ")
	if !found {
		t.Fatalf("no DNSKEY in %s.key", key)
	}
	return strings.TrimSpace(data)
}

// sign makes ZONE.signed of a zone's text, in the farm's folder, and returns the
// name of its key as newKey does. The DS for its parent is in dsset-ZONE.
func (r *tree) sign(t *testing.T, zone, text string) (key string) {
	t.Helper()
	base := strings.TrimSuffix(zone, ".")
	if base == "" {
		base = "root"
	}
	key = r.newKey(t, zone, "-f", "KSK")
	file := r.write(t, base+".zone", text)
	run(t, "", "dnssec-signzone", "-q", "-z", "-S", "-K", r.dir, "-d", r.dir, "-o", zone, "-f", filepath.Join(r.dir, base+".signed"), file)
	return key
}

func (r *tree) read(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(r.dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// plain are options that keep BIND's hands off this machine's files.
func (r *tree) plain() string {
	return fmt.Sprintf("directory %q; pid-file none; session-keyfile none; managed-keys-directory %[1]q; lock-file none; listen-on-v6 { none; }; empty-zones-enable no; notify no; dnssec-validation no;", r.dir)
}

// named starts BIND with a configuration.
func (r *tree) named(t *testing.T, name, text string) {
	t.Helper()
	file := r.write(t, name+".conf", `controls { }; logging { channel err { stderr; severity warning; }; category default { err; }; };`+text)
	r.hub.start(t, nil, "named", "-f", "-n", "1", "-c", file)
}
