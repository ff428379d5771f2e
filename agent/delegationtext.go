package main

import (
	"cmp"
	"fmt"
	"net/netip"
	"strings"
	"text/tabwriter"

	"evenkeel/dnsrr/dnssec"
)

// bindLines are lines of the parent's zone file (RFC 1035, section 5.1). Every
// name is absolute, so they mean the same below any $ORIGIN.
func bindLines(d delegation) string {
	parent, _ := d.cut()
	var b strings.Builder
	fmt.Fprintf(&b, "; delegates %s to its agents: add this to the zone %s on its primary,\n; and raise the serial of its SOA\n", d.zone, parent)
	t := tabwriter.NewWriter(&b, 0, 0, 1, ' ', 0)
	ttl := int(delegationTTL.Seconds())
	for _, s := range d.servers {
		fmt.Fprintf(t, "%s\t%d\tIN\tNS\t%s\n", d.zone, ttl, s.name)
	}
	for _, s := range d.servers {
		for _, a := range s.addrs {
			fmt.Fprintf(t, "%s\t%d\tIN\t%s\t%v\n", s.name, ttl, addressType(a), a)
		}
	}
	for _, ds := range d.ds {
		fmt.Fprintf(t, "%s\t%d\tIN\tDS\t%d %d %d %s\n", d.zone, ttl, ds.tag, ds.algorithm, ds.digestType, ds.digest)
	}
	t.Flush() // a Builder refuses nothing
	return b.String()
}

func addressType(a netip.Addr) string {
	if a.Is4() {
		return "A"
	}
	return "AAAA"
}

// powershellLines are commands of the module DnsServer, one a name server: the
// first makes the delegation, each further one adds to it. There is no
// parameter for the TTL; the records get the parent zone's default.
func powershellLines(d delegation) string {
	parent, child := d.cut()
	var b strings.Builder
	fmt.Fprintf(&b, "# delegates %s to its agents: run this on a DNS server that holds the zone %s\n", absolute(d.zone), absolute(parent))
	for _, s := range d.servers {
		fmt.Fprintf(&b, "Add-DnsServerZoneDelegation -Name '%s' -ChildZoneName '%s' -NameServer '%s' -IPAddress %s\n",
			absolute(parent), child, absolute(s.name), commas(s.addrs))
	}
	for _, ds := range d.ds {
		if ds.algorithm != dnssec.P256 {
			fmt.Fprintf(&b, "# Windows DNS servers know no algorithm %d: the DS of key %d cannot be added\n", ds.algorithm, ds.tag)
			continue
		}
		fmt.Fprintf(&b, "Add-DnsServerResourceRecordDS -ZoneName '%s' -Name '%s' -KeyTag %d -CryptoAlgorithm ECDsaP256Sha256 -DigestType Sha256 -Digest '%s'\n",
			absolute(parent), child, ds.tag, ds.digest)
	}
	return b.String()
}

// absolute is a name as Windows writes it: without the final dot, but for the
// root.
func absolute(name string) string { return cmp.Or(strings.TrimSuffix(name, "."), ".") }

func commas(addrs []netip.Addr) string {
	var out []string
	for _, a := range addrs {
		out = append(out, a.String())
	}
	return strings.Join(out, ",")
}
