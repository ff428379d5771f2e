package sockdiag

import "os"

// ReadCounters reads the counters of this process's network namespace.
func ReadCounters() (Counters, error) {
	netstat, err := os.ReadFile("/proc/net/netstat")
	if err != nil {
		return Counters{}, err
	}
	snmp, err := os.ReadFile("/proc/net/snmp")
	if err != nil {
		return Counters{}, err
	}
	return ParseCounters(netstat, snmp)
}
