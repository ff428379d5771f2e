package dnsrr

import (
	"net/netip"

	"evenkeel/dnsrr/cookie"
	"evenkeel/dnsrr/ratelimit"
)

// Options are how a [Server] behaves, whatever its table says. The zero
// Options name nobody, limit nobody and transfer nothing.
type Options struct {
	Identity string // what NSID (RFC 5001), id.server and hostname.bind say; at most 255 octets, empty = nothing
	Version  string // what version.server and version.bind say (RFC 4892); at most 255 octets, empty = nothing

	Cookies  *cookie.Jar        // nil: cookies are not answered
	Limiter  *ratelimit.Limiter // of replies over UDP; nil = none
	Transfer Transfer
}

// Transfer is who may have the zone whole (RFC 5936).
type Transfer struct {
	Allow  []netip.Prefix   // askers that need no key
	Keys   []TransferKey    // askers that show one of these need no address
	Notify []netip.AddrPort // secondaries that are told of every new serial (RFC 1996)
}

// A TransferKey is a shared secret (TSIG, RFC 8945).
type TransferKey struct {
	Name      string // fully qualified, any case
	Algorithm string // hmac-sha256, hmac-sha384, hmac-sha512 (RFC 8945, section 6)
	Secret    []byte
}
