package maillog

import (
	"net/netip"

	"evenkeel/queue/lines"
)

// near keeps the addresses of the row before: most rows have the same server,
// and behind a balancer the same client.
type near struct{ client, server known }

// A known is an address that was read last.
type known struct {
	text [40]byte
	n    int // bytes of text; 0: none
	is   netip.Addr
}

// addr reads an address; the zero Addr for what is none.
func (k *known) addr(v []byte) netip.Addr {
	if len(v) == 0 {
		return netip.Addr{}
	}
	if string(v) == string(k.text[:k.n]) {
		return k.is
	}
	a, ok := lines.ParseAddr(v)
	if !ok {
		return netip.Addr{}
	}
	a = a.Unmap()
	if len(v) <= len(k.text) {
		k.n, k.is = copy(k.text[:], v), a
	}
	return a
}
