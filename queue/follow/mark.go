package follow

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io"
)

// How much of a file's start, and of what stands before its position, a mark has.
const (
	headLen = 4 << 10
	footLen = 512
)

// A mark is by what a file is known again: its first bytes up to a NUL, and
// those before its position, back to a NUL: NULs may be filled yet.
type mark struct{ head, foot []byte }

// add makes m the mark of a later position: b was consumed at the offset.
func (m *mark) add(offset int64, b []byte) {
	if int64(len(m.head)) == offset { // or a NUL ended it
		part := b[:min(len(b), headLen-len(m.head))]
		if i := bytes.IndexByte(part, 0); i >= 0 {
			part = part[:i]
		}
		m.head = append(m.head, part...)
	}
	foot := append(m.foot, b[max(0, len(b)-footLen):]...)
	foot = foot[max(0, len(foot)-footLen):]
	m.foot = append([]byte(nil), foot[bytes.LastIndexByte(foot, 0)+1:]...)
}

// holds reports whether the file still has m before the offset.
func (m *mark) holds(f io.ReaderAt, offset int64) bool {
	return reaches(f, offset) && has(f, 0, m.head) && has(f, offset-int64(len(m.foot)), m.foot)
}

// reaches: a mark may be empty, where NULs are, and would hold in a shorter file.
func reaches(f io.ReaderAt, offset int64) bool {
	_, ok := part(f, offset-1, int(min(offset, 1)))
	return ok
}

func has(f io.ReaderAt, at int64, want []byte) bool {
	got, ok := part(f, at, len(want))
	return ok && bytes.Equal(got, want)
}

// part is a part of the file, if it has that.
func part(f io.ReaderAt, at int64, n int) ([]byte, bool) {
	if n == 0 {
		return nil, true
	}
	b := make([]byte, n)
	got, _ := f.ReadAt(b, at) // what could not be read is not there
	return b, got == n
}

// markAt is the mark of the file at an offset.
func markAt(f io.ReaderAt, offset int64) (m mark, ok bool) {
	head, ok := part(f, 0, int(min(offset, headLen)))
	foot, too := part(f, offset-min(offset, footLen), int(min(offset, footLen)))
	m.add(0, head)
	m.foot = foot[bytes.LastIndexByte(foot, 0)+1:]
	return m, ok && too
}

// A Mark tells files apart by what stands in them, where names do not: by their
// first bytes and those before the position, as lengths and hashes.
type Mark struct {
	Head, Foot       int // bytes, 4096 and 512 at most
	HeadSum, FootSum string
}

// sum is m as it can be written down: what users did does not belong there.
func (m *mark) sum() Mark { return Mark{len(m.head), len(m.foot), sum(m.head), sum(m.foot)} }

func sum(b []byte) string {
	s := sha256.Sum256(b)
	return hex.EncodeToString(s[:12])
}

// load is the mark that was written down as m, if the file has it.
func (m Mark) load(f io.ReaderAt, offset int64) (out mark, ok bool) {
	head, ok := part(f, 0, m.Head)
	if !ok || sum(head) != m.HeadSum || !reaches(f, offset) {
		return mark{}, false
	}
	foot, ok := part(f, offset-int64(m.Foot), m.Foot)
	if !ok || sum(foot) != m.FootSum {
		return mark{}, false
	}
	return mark{head, foot}, true
}
