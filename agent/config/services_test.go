package config

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

func TestServices(t *testing.T) {
	for _, tt := range []struct {
		text string
		want []Service
	}{
		{"services: []", nil},
		{"services: [{name: mapi, ports: [443], pool: MSExchangeMapiFrontEndAppPool, probe: 'https://127.0.0.1/mapi/healthcheck.htm'}]",
			[]Service{{Name: "mapi", Ports: []uint16{443}, Pool: "MSExchangeMapiFrontEndAppPool", Probe: "https://127.0.0.1/mapi/healthcheck.htm"}}},
		{"services: [{name: IMAPS, ports: [993]}, {name: pop3, ports: [110]}, {name: submission, ports: [587]}, {name: autodiscover, ports: [443]}]",
			[]Service{
				{Name: "imaps", Ports: []uint16{993}, SRV: []string{"_imaps._tcp"}}, {Name: "pop3", Ports: []uint16{110}, SRV: []string{"_pop3._tcp"}},
				{Name: "submission", Ports: []uint16{587}, SRV: []string{"_submission._tcp"}}, {Name: "autodiscover", Ports: []uint16{443}, SRV: []string{"_autodiscover._tcp"}},
			}},
		{"services: [{name: imaps, ports: [993], srv: []}]", []Service{{Name: "imaps", Ports: []uint16{993}}}},
		{"services: [{name: sip, ports: [5060, 5061], srv: [_SIP._udp, _sip._tcp], probe: ''}]",
			[]Service{{Name: "sip", Ports: []uint16{5060, 5061}, SRV: []string{"_sip._udp", "_sip._tcp"}}}},
		{"services: [{name: imap, ports: [143], probe: 'tcp://[::1]:143'}]\nsources: [listener: {ports: [143]}]",
			[]Service{{Name: "imap", Ports: []uint16{143}, SRV: []string{"_imap._tcp"}, Probe: "tcp://[::1]:143"}}},
	} {
		c := mustLoad(t, tt.text)
		mustHold(t, c)
		if !reflect.DeepEqual(c.Services, tt.want) {
			t.Errorf("%s:\ngot  %+v\nwant %+v", tt.text, c.Services, tt.want)
		}
	}
}

// More would not fit what a node says of itself.
func TestTooManyServices(t *testing.T) {
	var b strings.Builder
	b.WriteString("services:\n")
	for i := range maxServices {
		fmt.Fprintf(&b, "  - {name: s%d, ports: [%d]}\n", i, i+1)
	}
	mustHold(t, mustLoad(t, b.String()))
	b.WriteString("  - {name: last, ports: [99]}\n")
	if got := headlines(t, "f", b.String()); len(got) != 1 || got[0] != "f:18:5: services[16]: more than 16 services" {
		t.Errorf("got %v", got)
	}
}

func TestProbeURLs(t *testing.T) {
	for text, ok := range map[string]bool{
		"https://127.0.0.1/mapi/healthcheck.htm": true, "http://localhost:8080/?max=60": true, "tcp://127.0.0.1:25": true, "tls://[::1]:993": true,
		"https://": false, "tcp://127.0.0.1": false, "tcp://127.0.0.1:25/x": false, "tls://127.0.0.1:0": false, "tcp://127.0.0.1:70000": false,
		"https://user:pw@127.0.0.1/": false, "file:///etc/passwd": false, "127.0.0.1:25": false, "mailto:x": false, "https://127.0.0.1/#x": false, "https://a b/": false,
	} {
		if _, err := probeURL().read(text); (err == nil) != ok {
			t.Errorf("%s: got %v, want it taken: %v", text, err, ok)
		}
	}
}
