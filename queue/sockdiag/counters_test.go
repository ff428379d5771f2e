package sockdiag

import (
	"strings"
	"testing"
)

// The shape of a kernel's own text, shortened; the order of columns is not
// that of any one version.
const (
	netstat = "TcpExt: SyncookiesSent ListenOverflows ListenDrops TCPHPHits\nTcpExt: 0 17 42 9\n" +
		"IpExt: InNoRoutes InOctets\nIpExt: 0 83949856\n"
	snmp = "Ip: Forwarding DefaultTTL\nIp: 1 64\n" +
		"Tcp: RtoAlgorithm MaxConn PassiveOpens CurrEstab InSegs\nTcp: 1 -1 7000 600 5470\n"
)

func TestParseCounters(t *testing.T) {
	got, err := ParseCounters([]byte(netstat), []byte(snmp))
	if want := (Counters{Overflows: 17, Established: 600, Accepted: 7000}); got != want || err != nil {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
}

// What is not there is an error and not 0.
func TestParseCountersMissing(t *testing.T) {
	for _, tt := range []struct{ name, netstat, snmp, want string }{
		{"no text", "", snmp, "TcpExt has no ListenOverflows"},
		{"no such column", "TcpExt: ListenDrops\nTcpExt: 3\n", snmp, "TcpExt has no ListenOverflows"},
		{"fewer numbers than names", "TcpExt: A ListenOverflows\nTcpExt: 3\n", snmp, "TcpExt ListenOverflows"},
		{"no line of numbers", netstat, "Tcp: CurrEstab\n", "Tcp CurrEstab"},
		{"not a number", netstat, "Tcp: CurrEstab\nTcp: many\n", "Tcp CurrEstab"},
		{"no connections accepted", netstat, "Tcp: CurrEstab\nTcp: 1\n", "Tcp has no PassiveOpens"},
		{"below 0", netstat, "Tcp: CurrEstab\nTcp: -1\n", "Tcp CurrEstab"},
	} {
		_, err := ParseCounters([]byte(tt.netstat), []byte(tt.snmp))
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %s", tt.name, err, tt.want)
		}
	}
}

func FuzzParseCounters(f *testing.F) {
	f.Add([]byte(netstat), []byte(snmp))
	f.Add([]byte("TcpExt:\nTcpExt:\n"), []byte("Tcp: CurrEstab"))
	f.Fuzz(func(t *testing.T, netstat, snmp []byte) {
		c, err := ParseCounters(netstat, snmp)
		if err == nil && c.Established < 0 {
			t.Fatalf("%+v", c)
		}
	})
}
