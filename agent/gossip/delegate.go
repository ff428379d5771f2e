package gossip

import (
	"errors"
	"net/netip"
	"time"

	"github.com/hashicorp/memberlist"
)

// A delegate is what memberlist sees of a Cluster. Its methods are called under
// memberlist's locks: they take the Cluster's and no other, never wait, never
// log, and never call back.
type delegate struct{ c *Cluster }

var (
	_ memberlist.Delegate         = delegate{}
	_ memberlist.EventDelegate    = delegate{}
	_ memberlist.ConflictDelegate = delegate{}
)

// NodeMeta returns none: what nodes say goes as Facts, which are faster and do
// not slow joins down.
func (d delegate) NodeMeta(int) []byte { return nil }

// NotifyMsg hears one word and passes on what is new; memberlist itself sends
// user messages only one hop.
func (d delegate) NotifyMsg(b []byte) {
	d.c.count.bytesIn.Add(uint64(len(b)))
	d.c.mu.Lock()
	defer d.c.mu.Unlock()
	w, err := readWord(b)
	if r, news := d.c.take(w, err, d.c.now()); news {
		d.c.spread(r)
	}
}

// GetBroadcasts hands out what waits, newest first, as far as it fits.
func (d delegate) GetBroadcasts(overhead, limit int) [][]byte {
	out := d.c.queue.GetBroadcasts(overhead, limit)
	for _, b := range out {
		d.c.count.bytesOut.Add(uint64(len(b)))
	}
	return out
}

// LocalState returns all Facts for a push/pull, with their ages of now.
func (d delegate) LocalState(bool) []byte {
	d.c.mu.Lock()
	defer d.c.mu.Unlock()
	b := d.c.book.appendState(nil, d.c.now())
	d.c.count.bytesOut.Add(uint64(len(b)))
	return b
}

// MergeRemoteState hears all words of a push/pull. They are not passed on: who
// missed one will have its own push/pull, and a joining node would flood.
func (d delegate) MergeRemoteState(b []byte, _ bool) {
	d.c.count.bytesIn.Add(uint64(len(b)))
	d.c.mu.Lock()
	defer d.c.mu.Unlock()
	now := d.c.now()
	for w, err := range words(b) {
		d.c.take(w, err, now)
	}
}

// NotifyJoin is called for this node itself, too, as the first of all.
func (d delegate) NotifyJoin(n *memberlist.Node) {
	d.c.mu.Lock()
	defer d.c.mu.Unlock()
	d.c.book.join(n.Name, addrOf(n), d.c.now())
	d.c.count.members.Store(int64(d.c.book.alive()))
}

// NotifyLeave is called for who left and who failed alike. Which it was cannot
// be told from n, hence the goodbye.
func (d delegate) NotifyLeave(n *memberlist.Node) {
	d.c.mu.Lock()
	defer d.c.mu.Unlock()
	d.c.book.leave(n.Name, d.c.now())
	d.c.count.members.Store(int64(d.c.book.alive()))
}

// NotifyUpdate is about metadata, of which there is none.
func (d delegate) NotifyUpdate(*memberlist.Node) {}

// NotifyConflict is called on whoever sees both machines. The one that had the
// name first need not be among them, so the alarm is passed on like a Fact.
func (d delegate) NotifyConflict(known, other *memberlist.Node) {
	d.c.mu.Lock()
	defer d.c.mu.Unlock()
	r, o := d.c.book.witness(known.Name, addrOf(known), addrOf(other), d.c.now())
	if o == fresh {
		d.c.spread(r)
	}
}

// take hears one word and counts what became of it. The caller holds mu.
func (c *Cluster) take(w word, err error, now time.Time) (rumour, bool) {
	var r rumour
	var o outcome
	if err == nil {
		r, o, err = c.book.hear(w, now)
	}
	switch {
	case errors.Is(err, errUnknown):
		c.count.unknown.Add(1)
	case err != nil:
		c.count.rejected.Add(1)
	default:
		c.count.became[o].Add(1)
	}
	return r, err == nil && o == fresh
}

func addrOf(n *memberlist.Node) netip.AddrPort {
	ip, _ := netip.AddrFromSlice(n.Addr)
	return netip.AddrPortFrom(ip.Unmap(), n.Port)
}
