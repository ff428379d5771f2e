// Package gossip carries what nodes say of themselves to all the others. It is
// hashicorp/memberlist behind two verbs: [Cluster.Tell] and [Cluster.Heard].
//
// A node tells a Fact: some bytes, and a beat that rises. Every other node
// hears it, passes it on, and keeps the Fact of the highest beat. This package
// knows no meaning: what is in a Fact, and what to think of a silent node, is
// its caller's business. It knows names, beats, ages, and who is a member.
//
// No clock crosses the network. What travels with a Fact is its age, and a
// hearer counts back from its own clock to say when the Fact was new.
//
// Start with [Start] and [Cluster.Run]. The rules of hearing are in book.go,
// the bytes in wire.go; the reasons for both are in DESIGN.md.
package gossip

import (
	"errors"
	"log/slog"
	"net/netip"
	"sync"
	"time"

	"github.com/hashicorp/memberlist"
)

// Options say who this node is and where its peers are.
type Options struct {
	Name      string         // this node's name, unique in the farm, 1 to [MaxName] bytes
	Bind      netip.AddrPort // where to listen, TCP and UDP; port 0 takes a free one
	Advertise netip.AddrPort // the address peers use for us; zero = see [Cluster.Addr]
	Join      []string       // host:port of any peers; tried at once, and again every minute while any of them is not a member
	Key       []byte         // AES key of 16, 24 or 32 bytes; none = everyone may read and write
	Label     string         // keeps two farms apart that meet by accident, up to 255 bytes
	Log       *slog.Logger   // nil = silence

	// Slept is how long this machine slept so far that its monotonic clock did
	// not count; it only grows, must not block, and nil = never. All ages hold it.
	Slept func() time.Duration

	// Transport is the network; nil = TCP and UDP on Bind. Tests give a port of
	// package fabric. It then decides the advertised address, and Bind is unused.
	Transport memberlist.Transport
}

// A Heard is all that is known here of one other node.
type Heard struct {
	Name   string
	Member bool      // alive or suspect just now; false: it left, failed, or was never a member here
	Left   bool      // not a member, and the last that was heard from it is that it goes
	Beat   uint64    // of Fact; 0 = no Fact yet
	Born   time.Time // when the Fact was new, by this machine's monotonic clock and Options.Slept; zero = no Fact yet
	Fact   []byte    // never changed by anyone; nil = no Fact yet
}

// A Member is a node that is, or once was, in the farm.
type Member struct {
	Name  string
	Addr  netip.AddrPort
	State string // alive, left (it said so) or failed
}

// A Conflict is one name that two machines use.
type Conflict struct {
	Name  string
	Own   bool              // it is this node's own name
	Addrs [2]netip.AddrPort // of the two machines; this one's first if the name is its own
	Seen  time.Time         // when the two were last seen to clash, by the clock of Heard.Born
}

// Errors that Tell and Leave wrap.
var (
	// ErrConflict says that another machine uses this node's name, so that
	// nothing may be said under it. See [Cluster.Conflict].
	ErrConflict = errors.New("another machine uses this name")
	// ErrTooLarge says that a Fact is longer than [MaxFact].
	ErrTooLarge = errors.New("fact too large")
	// ErrOldBeat says that a beat is not above the last one told.
	ErrOldBeat = errors.New("beat does not rise")
	// ErrLeft says that this node has said goodbye, or is closed.
	ErrLeft = errors.New("left the farm")
)

// A Cluster is this node's place among its peers. All its methods may be called
// from any goroutine, and none but Run, Leave and Close ever waits for the
// network.
type Cluster struct {
	options Options
	log     *slog.Logger
	list    *memberlist.Memberlist
	queue   *memberlist.TransmitLimitedQueue // has a lock of its own, taken under mu; never the other way
	peers   hush                             // about peers of Join that are not found
	count   counters
	woken   chan struct{} // asks Run to join at once, whoever is thought to be a member

	mu   sync.Mutex // guards book; taken under memberlist's locks, so never call memberlist holding it
	book *book

	life   sync.Mutex // one Leave or Close at a time; guards closed
	closed bool
}

// Tell makes fact the newest Fact of this node and sends it to all soon. It
// never blocks and keeps no reference to fact.
//
// The beat must be above the last one told, and above [Cluster.OwnBeat], or
// peers keep the Fact they have. It refuses with [ErrTooLarge], [ErrOldBeat],
// [ErrLeft], or [ErrConflict] while another machine uses this node's name;
// then nothing of this node travels.
func (c *Cluster) Tell(beat uint64, fact []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	r, err := c.book.tell(beat, fact, c.now())
	if err != nil {
		return err
	}
	c.spread(r)
	c.count.told.Add(1)
	return nil
}

// now is what all ages are counted by. Most systems stop their monotonic clock
// while they sleep; without the time slept, what was heard before would look new.
func (c *Cluster) now() time.Time {
	now := time.Now()
	if c.options.Slept == nil {
		return now
	}
	return now.Add(c.options.Slept())
}

// spread has a rumour sent to all.
func (c *Cluster) spread(r rumour) { c.queue.QueueBroadcast(broadcast{r, c.now}) }

// Heard returns everyone else that is known, members or not, sorted by name. A
// node that is no member and of which nothing new was heard for 24 hours is
// forgotten.
func (c *Cluster) Heard() []Heard {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.book.heard()
}

// OwnBeat returns the highest beat heard under this node's own name that it did
// not tell itself since it started; 0 = none. It comes from this node's former
// self: whose clock was set back between must jump above it, or peers go on
// believing the former self.
func (c *Cluster) OwnBeat() uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.book.ownBeat
}

// Conflict returns a name that two machines use, this node's own first, and
// whether there is one. A conflict lasts until it was not seen for 60 seconds.
// As long as it lasts no Fact of that name is told, heard or passed on.
func (c *Cluster) Conflict() (Conflict, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := c.book.conflicts(c.now())
	if len(all) == 0 {
		return Conflict{}, false
	}
	return all[0], true
}

// Members returns this node and all others that are or were members, sorted by
// name.
func (c *Cluster) Members() []Member {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.book.members()
}

// Addr returns the address that peers use for this node. It is Options.Advertise
// if given; else Bind, unless that is the unspecified address; else the address
// from which the first of Join that can be routed to is reached; else the one
// that leads to the rest of the world.
func (c *Cluster) Addr() netip.AddrPort {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.book.addr
}
