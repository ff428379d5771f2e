package maillog

import (
	"bytes"
	"net/netip"
)

// probe reports that a monitor or a balancer asked. Each rule is a whole name at
// its place, which no user has by chance; who names an account or software so on
// purpose is taken for a monitor.
func probe(r *Record) bool {
	return monitorUser(r.User) || monitorAgent(r.Agent) || healthPath(r.Path) ||
		balancer(r.Client.Addr()) ||
		string(r.Agent) == "MapiHttpClient" && ownCall(r) ||
		r.Protocol == PowerShell && bytes.EqualFold(value(r.Query, "clientApplication="), []byte("ActiveMonitor"))
}

// ownCall reports that the machine asked itself. By a link-local address, which a
// client may have too, it does so for no user.
func ownCall(r *Record) bool {
	a := r.Client.Addr()
	return a.IsLoopback() || a.IsLinkLocalUnicast() && len(r.User) == 0
}

// balancer reports that an address is that of Azure's balancers.
func balancer(a netip.Addr) bool { return a == netip.AddrFrom4([4]byte{168, 63, 129, 16}) }

// monitorUser reports that an account is a health mailbox, or one that the tests
// of connectivity use: as "DOMAIN\account", "account@domain" or the last name of
// an X.500 name.
func monitorUser(user []byte) bool {
	n := len(user)
	for n > 0 && user[n-1] != '\\' && user[n-1] != '/' {
		n--
	}
	account := user[n:]
	if n > 0 && begins(account, "cn=") {
		account = account[len("cn="):]
	}
	const number = 32 // the digits that such a name may begin with, and a dash
	if len(account) > number && bytes.IndexByte(account[:number+1], '-') == number {
		account = account[number+1:]
	}
	return healthMailbox(account) || begins(account, "extest_")
}

// healthMailbox reports that an account is named as Exchange names those of its
// monitors: a number behind the word, or a dash and what is monitored.
func healthMailbox(account []byte) bool {
	const word = "HealthMailbox"
	if !begins(account, word) {
		return false
	}
	for _, c := range account[len(word):] {
		switch {
		case c == '-' || c == '@':
			return true
		case c-'0' > 9 && c|0x20 < 'a' || c|0x20 > 'f':
			return false
		}
	}
	return true
}

// monitorAgent reports that software is a monitor of Exchange's: by the name of
// the product, up to its version, or by the remark that its browser makes.
func monitorAgent(agent []byte) bool {
	if len(agent) == 0 {
		return false
	}
	name := agent
	for i, c := range agent {
		if c == '/' || c == '+' || c == ' ' {
			name = agent[:i]
			break
		}
	}
	is := func(word string) bool { return len(name) == len(word) && begins(name, word) }
	if is("Mozilla") {
		return bytes.Contains(agent, []byte("MSEXCHMON")) || bytes.Contains(agent, []byte("ACTIVEMONITORING"))
	}
	return is("AMProbe") || is("ActiveMonitoring") || is("Ews_Probe") || is("Ews_AM_Probe") || is("Odata_PC_Probe") ||
		is("TestActiveSyncConnectivity") || is("MSExchangeHMWorker.exe") || is("HttpProxy.ClientAccessServer2010Ping")
}

// healthPath reports that a path is that of a balancer's probe.
func healthPath(path []byte) bool {
	const page = "/healthcheck.htm"
	return len(path) >= len(page) && begins(path[len(path)-len(page):], page)
}
