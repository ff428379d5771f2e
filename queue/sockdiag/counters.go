package sockdiag

import (
	"bytes"
	"fmt"
	"strconv"
)

// Counters are numbers of the whole network namespace; which socket moved them
// they do not say.
type Counters struct {
	Overflows   uint64 // handshakes refused because an accept queue was full, since boot
	Established int    // connections of all ports in ESTABLISHED or CLOSE_WAIT
	Accepted    uint64 // connections that came from outside, since boot
}

// ParseCounters reads the texts of /proc/net/netstat and /proc/net/snmp.
//
// ListenDrops is left alone: it counts SYNs thrown away for any reason (no
// memory, no route), and alone says nothing of full queues.
func ParseCounters(netstat, snmp []byte) (Counters, error) {
	over, err := counter(netstat, "TcpExt", "ListenOverflows")
	if err != nil {
		return Counters{}, err
	}
	open, err := counter(snmp, "Tcp", "CurrEstab")
	if err != nil {
		return Counters{}, err
	}
	came, err := counter(snmp, "Tcp", "PassiveOpens")
	return Counters{over, int(open), came}, err
}

// counter finds one number in the kernel's form, where a line of names is
// followed by a line of numbers and both begin with the group. Columns differ
// between kernels, so they go by name.
func counter(text []byte, group, name string) (uint64, error) {
	names, text := section(text, group)
	values, _ := section(text, group)
	for len(names) > 0 {
		var n, v []byte
		n, names = word(names)
		v, values = word(values)
		if string(n) != name {
			continue
		}
		x, err := strconv.ParseUint(string(v), 10, 63)
		if err != nil {
			return 0, fmt.Errorf("sockdiag: %s %s: %w", group, name, err)
		}
		return x, nil
	}
	return 0, fmt.Errorf("sockdiag: %s has no %s", group, name)
}

// section returns the next line of the group, without its name, and what
// stands behind that line.
func section(text []byte, group string) (line, rest []byte) {
	for len(text) > 0 {
		line, text, _ = bytes.Cut(text, []byte("\n"))
		if head, tail, ok := bytes.Cut(line, []byte(":")); ok && string(head) == group {
			return tail, text
		}
	}
	return nil, nil
}

// word takes the first word off a line.
func word(line []byte) (first, rest []byte) {
	first, rest, _ = bytes.Cut(bytes.TrimLeft(line, " "), []byte(" "))
	return first, rest
}
