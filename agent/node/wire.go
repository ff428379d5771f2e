package node

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"net/netip"
	"time"

	"evenkeel/policy/balance"
)

// A Fact travels as bytes: a version, then fields in a fixed order, numbers as
// varints. Later versions of the same number may append fields; a decoder
// ignores what it does not know. Name and beat travel outside, on the envelope.
const (
	factVersion = 1

	// MaxAddrs is how many addresses of a node travel; more are not told.
	MaxAddrs = 8
	// MaxFact is the length that no encoded Fact exceeds. A test holds it, so
	// that a Fact always fits a gossip packet beside others.
	MaxFact = 650

	steadyMost = 255 // s of Steady, or longer: it ends no answer's life

	maxWhy   = 15 // bytes of a reason
	maxLacks = 16 // services that a node lacks; more are not told, and there are no more (see agent/config)
	maxLack  = 15 // bytes of the name of one
	maxName  = 63 // bytes of a node's name: a DNS label (RFC 1035, 2.3.4)
	maxCount = 1 << 30
	maxLoad  = 60 // times the limit, in a load that travels
)

// ErrFact is wrapped by every error of a Fact that cannot be read or written.
var ErrFact = errors.New("fact")

// A Fact is what a node says of itself and no other node may say of it.
type Fact struct {
	balance.Fact
	Addrs []netip.Addr // what DNS hands out for it
	Ask   Ask          // what it asks of another node

	Serial uint32   // the highest of the zone's SOA that it knows (RFC 1982); 0: none, as from versions that did not tell
	Lacks  []string // services that it does not carry now
}

// appendFact encodes f. What is out of range is brought into it; a name too
// long to travel is an error, since cutting it would name another node.
func appendFact(b []byte, f Fact) ([]byte, error) {
	if len(f.Grant.Node) > maxName {
		return nil, fmt.Errorf("%w: grant to %q: name over %d bytes", ErrFact, f.Grant.Node, maxName)
	}
	b = append(b, factVersion, byte(statusOf(f.Status)))
	b = binary.AppendUvarint(b, count(min(f.Connections, maxCount)+1)) // 0 is not measured
	b = binary.AppendUvarint(b, count(f.Limit))
	b = binary.AppendUvarint(b, count(f.Queue))
	b = binary.AppendUvarint(b, count(f.QueueLimit))
	b = binary.AppendUvarint(b, permille(f.Load, maxLoad))
	b = binary.AppendUvarint(b, permille(f.Arrivals, 1e6))
	b = binary.AppendUvarint(b, count(int(f.Up/(100*time.Millisecond))))
	b = append(b, byte(min(steadyMost, max(0, f.Steady/time.Second))))
	b = appendText(b, f.Why[:min(len(f.Why), maxWhy)])
	b = appendAddrs(b, f.Addrs)
	b = binary.AppendUvarint(b, f.Wish.Beat)
	b = binary.AppendUvarint(b, permille(f.Wish.Load, maxLoad))
	b = appendText(b, f.Grant.Node)
	b = binary.AppendUvarint(b, f.Grant.Beat)
	b = appendAsk(b, f.Ask)
	b = binary.AppendUvarint(b, permille(f.Caches, 1e6))
	b = binary.AppendUvarint(b, f.Arrived)
	b = binary.BigEndian.AppendUint32(b, f.Serial)
	return appendLacks(b, f.Lacks), nil
}

// appendLacks leaves out names that nobody would take for a service.
func appendLacks(b []byte, names []string) []byte {
	at := len(b)
	b = append(b, 0)
	for _, name := range names {
		if len(name) <= maxLack && label(name) && b[at] < maxLacks {
			b[at]++
			b = appendText(b, name)
		}
	}
	return b
}

// appendAsk adds an empty name for the zero Ask.
func appendAsk(b []byte, a Ask) []byte {
	if a.Node == "" || len(a.Node) > maxName {
		return appendText(b, "")
	}
	b = appendText(b, a.Node)
	b = binary.AppendUvarint(b, a.ID)
	b = binary.AppendUvarint(b, a.Beat)
	b = append(b, flag(a.Resume))
	return binary.AppendUvarint(b, count(int(a.Over/time.Second)))
}

func flag(set bool) byte {
	if set {
		return 1
	}
	return 0
}

// statusOf is s, or Unknown where it is none that a node may have of itself.
func statusOf(s balance.Status) balance.Status {
	if s >= balance.Down {
		return balance.Unknown
	}
	return s
}

func count(n int) uint64 { return uint64(min(maxCount, max(0, n))) }

func permille(x, most float64) uint64 {
	if math.IsNaN(x) {
		return 0
	}
	return uint64(math.Round(1000 * min(most, max(0, x))))
}

func appendText(b []byte, s string) []byte { return append(append(b, byte(len(s))), s...) }

func appendAddrs(b []byte, addrs []netip.Addr) []byte {
	at := len(b)
	b = append(b, 0)
	for _, a := range addrs {
		if a = a.Unmap(); usable(a) && b[at] < MaxAddrs {
			b[at]++
			b = appendText(b, string(a.AsSlice()))
		}
	}
	return b
}

// usable addresses are those that DNS may hand out. One that is not would make
// every node of the farm refuse its table, so none travels and none is believed.
func usable(a netip.Addr) bool { return a.IsValid() && !a.IsUnspecified() && !a.IsMulticast() }

// decodeFact reads a Fact. b may hold anything: lengths are checked before
// they are believed.
func decodeFact(b []byte) (Fact, error) {
	if len(b) == 0 || b[0] != factVersion {
		return Fact{}, fmt.Errorf("%w: version not known", ErrFact)
	}
	r := reader{b: b[1:]}
	var f Fact
	f.Status = balance.Status(r.byte())
	f.Connections = r.count() - 1
	f.Limit = max(1, r.count())
	f.Queue = r.count()
	f.QueueLimit = r.count()
	f.Load = r.permille(maxLoad)
	f.Arrivals = r.permille(1e6)
	f.Up = time.Duration(r.count()) * 100 * time.Millisecond
	if f.Steady = time.Duration(r.byte()) * time.Second; f.Steady == steadyMost*time.Second {
		f.Steady = math.MaxInt64
	}
	f.Why = r.text(maxWhy)
	f.Addrs = r.addrs()
	f.Wish.Beat = r.uvarint()
	f.Wish.Load = r.permille(maxLoad)
	f.Grant.Node = r.text(maxName)
	f.Grant.Beat = r.uvarint()
	f.Ask = r.ask()
	f.Caches = r.permille(1e6)
	f.Arrived = r.uvarint()
	if len(r.b) > 0 { // an older version ends here
		f.Serial = r.uint32()
		f.Lacks = r.lacks()
	}
	if f.Status >= balance.Down { // nobody says this of himself
		r.bad = true
	}
	if r.bad {
		return Fact{}, fmt.Errorf("%w: cut short or out of range", ErrFact)
	}
	return f, nil
}

// A reader takes fields from b; after one that is not there it is bad, and
// gives only zeros.
type reader struct {
	b   []byte
	bad bool
}

func (r *reader) take(n int) []byte {
	if r.bad || n > len(r.b) {
		r.bad = true
		return nil
	}
	out := r.b[:n]
	r.b = r.b[n:]
	return out
}

func (r *reader) byte() byte {
	b := r.take(1)
	if r.bad {
		return 0
	}
	return b[0]
}

func (r *reader) uvarint() uint64 {
	v, n := binary.Uvarint(r.b)
	if r.bad || n <= 0 {
		r.bad = true
		return 0
	}
	r.b = r.b[n:]
	return v
}

func (r *reader) uint32() uint32 {
	b := r.take(4)
	if r.bad {
		return 0
	}
	return binary.BigEndian.Uint32(b)
}

func (r *reader) lacks() (names []string) {
	n := int(r.byte())
	if n > maxLacks {
		r.bad = true
		return nil
	}
	for range n {
		if name := r.text(maxLack); label(name) {
			names = append(names, name)
		}
	}
	return names
}

func (r *reader) count() int {
	v := r.uvarint()
	if v > maxCount {
		r.bad = true
		return 0
	}
	return int(v)
}

func (r *reader) permille(most float64) float64 {
	x := float64(r.uvarint()) / 1000
	if x > most {
		r.bad = true
		return 0
	}
	return x
}

func (r *reader) text(most int) string {
	n := int(r.byte())
	if n > most {
		r.bad = true
		return ""
	}
	return string(r.take(n))
}

func (r *reader) ask() (a Ask) {
	if a.Node = r.text(maxName); a.Node == "" {
		return Ask{}
	}
	a.ID = r.uvarint()
	a.Beat = r.uvarint()
	a.Resume = r.byte() == 1
	a.Over = time.Duration(r.count()) * time.Second
	return a
}

func (r *reader) addrs() []netip.Addr {
	n := int(r.byte())
	if n > MaxAddrs {
		r.bad = true
		return nil
	}
	var out []netip.Addr
	for range n {
		a, _ := netip.AddrFromSlice(r.take(int(r.byte())))
		if a = a.Unmap(); !usable(a) {
			r.bad = true
			return nil
		}
		out = append(out, a)
	}
	return out
}
