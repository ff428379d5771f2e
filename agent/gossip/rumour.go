package gossip

import (
	"time"

	"github.com/hashicorp/memberlist"
)

// A rumour is one word as it is kept and passed on: with the instant, by this
// machine's clock, when it was new. It is never changed once made.
type rumour struct {
	kind kind
	name string
	beat uint64
	born time.Time
	body []byte
}

func (r rumour) append(b []byte, now time.Time) []byte {
	return appendWord(b, r.kind, r.name, r.beat, now.Sub(r.born), r.body)
}

// size is the length of the word, whatever its age.
func (r rumour) size() int { return 24 + len(r.name) + len(r.body) }

// A broadcast is a rumour that waits in memberlist's queue.
type broadcast struct {
	rumour
	now func() time.Time
}

var _ memberlist.NamedBroadcast = broadcast{}

// Message is called by memberlist when the rumour is taken for sending, which
// is the moment its age is counted to. The slice is a new one each time, since
// two senders may hold one at once.
func (b broadcast) Message() []byte { return b.append(make([]byte, 0, b.size()), b.now()) }

// Name makes whatever is newest about a node replace what still waits about
// it: a newer Fact, a goodbye, or the alarm that its name is used twice.
func (b broadcast) Name() string { return b.name }

// Invalidates says the same as Name, for memberlist's interface.
func (b broadcast) Invalidates(other memberlist.Broadcast) bool {
	o, ok := other.(broadcast)
	return ok && o.name == b.name
}

// Finished is of no interest here.
func (b broadcast) Finished() {}
