package maillog

import (
	"bytes"
)

// probe reports that a monitor or a balancer asked. Each rule is a whole name at
// its place, so that no user has it by chance.
func probe(r *Record, client []byte) bool {
	return monitorUser(r.User) || monitorAgent(r.Agent) || healthPath(r.Path) ||
		balancer(client) ||
		string(r.Agent) == "MapiHttpClient" && r.Client.Addr().IsLoopback() ||
		r.Protocol == PowerShell && bytes.EqualFold(value(r.Query, "clientApplication="), []byte("ActiveMonitor"))
}

// balancer reports that an address is that of Azure's balancers.
func balancer(client []byte) bool { return string(client) == "168.63.129.16" }

// monitorUser reports that an account is a health mailbox, or one that the tests
// of connectivity use: as "DOMAIN\account", "account@domain" or the last name of
// an X.500 name.
func monitorUser(user []byte) bool {
	if len(user) == 0 {
		return false
	}
	if n := max(bytes.LastIndexByte(user, '\\'), bytes.LastIndexByte(user, '/')); n >= 0 {
		user = user[n+1:]
		if begins(user, "cn=") {
			user = user[len("cn="):]
		}
	}
	if n := bytes.IndexByte(user, '-'); n == 32 { // the number that such a name may begin with
		user = user[n+1:]
	}
	return begins(user, "HealthMailbox") || begins(user, "extest_")
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
	const browser = "Mozilla"
	switch {
	case string(name) == browser:
		return bytes.Contains(agent, []byte("MSEXCHMON"))
	case len(name) > len("_Probe") && string(name[len(name)-len("_Probe"):]) == "_Probe":
		return true
	}
	switch string(name) {
	case "AMProbe", "ActiveMonitoring", "TestActiveSyncConnectivity", "MSExchangeHMWorker.exe":
		return true
	}
	return false
}

// healthPath reports that a path is that of a balancer's probe.
func healthPath(path []byte) bool {
	const page = "/healthcheck.htm"
	return len(path) >= len(page) && begins(path[len(path)-len(page):], page)
}
