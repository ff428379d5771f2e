package gossip

import (
	"encoding/binary"
	"errors"
	"iter"
	"math"
	"time"
)

// Limits of what travels. The largest word, of MaxName and MaxFact, is 922
// bytes, so that any fits a packet of 1400, with some ordinary ones beside it;
// one that does not would stay in memberlist's queue for ever.
const (
	MaxFact = 650 // bytes of a Fact
	MaxName = 253 // bytes of a name: the longest name in DNS (RFC 1035, section 2.3.4, less the outer length bytes)
)

// version opens every word and every state. It is raised when an older reader
// would misread; a reader ignores, and counts, what it does not know.
const version = 1

// A kind says what a word is about.
type kind byte

const (
	kindFact  kind = 1 + iota // the name says this of itself
	kindBye                   // the name says it goes
	kindClash                 // someone saw two machines with the name
)

// A word is one message as it came in. It is a view of the bytes it was read
// from, and lives no longer than they do.
type word struct {
	kind kind
	name []byte
	beat uint64
	age  time.Duration // since it was new, whole milliseconds
	body []byte
}

var (
	errMalformed = errors.New("malformed")
	errUnknown   = errors.New("version or kind not known here")
)

// appendWord appends one word:
//
//	version 1 | kind 1 | length of name 1 | name | beat uvarint | age 4, ms | length of body uvarint | body
//
// The age has a fixed width so that a word keeps its length while it waits,
// which memberlist's queue relies on. It is rounded up, so that no hop makes a
// Fact younger, and stops at 49 days.
func appendWord(b []byte, k kind, name string, beat uint64, age time.Duration, body []byte) []byte {
	b = append(b, version, byte(k), byte(len(name)))
	b = append(b, name...)
	b = binary.AppendUvarint(b, beat)
	b = binary.BigEndian.AppendUint32(b, millis(age))
	b = binary.AppendUvarint(b, uint64(len(body)))
	return append(b, body...)
}

func millis(age time.Duration) uint32 {
	const oldest = math.MaxUint32 * time.Millisecond
	age = min(max(age, 0), oldest)
	return uint32((age + time.Millisecond - 1) / time.Millisecond)
}

// readWord reads exactly one word from all of b.
func readWord(b []byte) (word, error) {
	if len(b) < 3 {
		return word{}, errMalformed
	}
	w := word{kind: kind(b[1])}
	if b[0] != version || w.kind < kindFact || w.kind > kindClash {
		return word{}, errUnknown
	}
	n := int(b[2])
	b = b[3:]
	if n == 0 || n > MaxName || n > len(b) {
		return word{}, errMalformed
	}
	w.name, b = b[:n], b[n:]
	return w.readRest(b)
}

func (w word) readRest(b []byte) (word, error) {
	beat, n := binary.Uvarint(b)
	if n <= 0 || len(b)-n < 4 {
		return word{}, errMalformed
	}
	w.beat, b = beat, b[n:]
	w.age, b = time.Duration(binary.BigEndian.Uint32(b))*time.Millisecond, b[4:]
	size, n := binary.Uvarint(b)
	if n <= 0 || size > MaxFact || size != uint64(len(b)-n) {
		return word{}, errMalformed
	}
	w.body = b[n:]
	return w, nil
}

// appendFramed appends a word as a state holds it: behind its length, so that a
// reader can step over what it does not understand.
func appendFramed(b []byte, r rumour, now time.Time) []byte {
	var room [MaxName + MaxFact + 32]byte
	w := r.append(room[:0], now)
	b = binary.AppendUvarint(b, uint64(len(w)))
	return append(b, w...)
}

// words reads a state: a version byte, then framed words. A word that cannot be
// read comes with its error and the next follows; broken framing ends it.
func words(state []byte) iter.Seq2[word, error] {
	return func(yield func(word, error) bool) {
		if len(state) == 0 || state[0] != version {
			yield(word{}, errUnknown)
			return
		}
		for b := state[1:]; len(b) > 0; {
			size, n := binary.Uvarint(b)
			if n <= 0 || size > uint64(len(b)-n) {
				yield(word{}, errMalformed)
				return
			}
			if !yield(readWord(b[n : n+int(size)])) {
				return
			}
			b = b[n+int(size):]
		}
	}
}
