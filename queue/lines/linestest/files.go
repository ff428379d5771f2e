package linestest

import (
	"errors"
	"strings"
	"testing"

	"evenkeel/queue/lines"
	"pgregory.net/rapid"
)

// InUTF16 is a text that has no surrogates in UTF-16 with its mark, the high
// byte first if it is big.
func InUTF16(text string, big bool) string {
	var b strings.Builder
	for _, r := range "\ufeff" + text {
		if big {
			b.WriteString(string([]byte{byte(r >> 8), byte(r)}))
		} else {
			b.WriteString(string([]byte{byte(r), byte(r >> 8)}))
		}
	}
	return b.String()
}

// Encodings: a file that somebody saved again has the rows told. A CR within a
// row is of no matter here.
func (f Format[P]) Encodings(t *testing.T, file string, told []string, want ...string) {
	t.Helper()
	nuls := strings.Replace(file, "\n", "\n\x00\x00\x00", 5)
	for name, data := range map[string]string{
		"as it was":           file,
		"CR LF":               strings.ReplaceAll(file, "\n", "\r\n"),
		"UTF-8 with a mark":   BOM + file,
		"UTF-16LE":            InUTF16(file, false),
		"UTF-16BE":            InUTF16(file, true),
		"UTF-16LE, CR LF":     InUTF16(strings.ReplaceAll(file, "\n", "\r\n"), false),
		"UTF-16LE, no mark":   InUTF16(file, false)[2:],
		"UTF-16BE, no mark":   InUTF16(file, true)[2:],
		"UTF-16LE, half unit": InUTF16(file, false) + "x",
		"UTF-16LE with NULs":  InUTF16(nuls, false),
		"UTF-16BE with NULs":  InUTF16(nuls, true),
	} {
		got, stats := f.Told(data, want...)
		if strings.ReplaceAll(strings.Join(got, "\n"), "\r", "") != strings.Join(told, "\n") || stats.Rejected != 0 {
			t.Errorf("%s: got %q, %+v", name, got, stats)
		}
	}
	for units, want := range map[string]string{"\xc0\x03": "π", "\x3d\xd8\x00\xde": "😀", "\x3d\xd8z\x00": "\ufffdz", "\x00\xde\x3d\xd8": "\ufffd\ufffd"} {
		if got, _ := f.Told(InUTF16("#Fields: a\n", false)+units+"\n\x00", "a"); strings.Join(got, "") != "2 "+f.Value([]byte(want)) {
			t.Errorf("units %x: got %q, want %q", units, got, want)
		}
	}
}

// Encoded is the file as one of its kinds, or with long parts, so that blocks
// end everywhere in it.
func (f Format[P]) Encoded(t *rapid.T, data string, parts ...string) string {
	switch rapid.IntRange(0, 4).Draw(t, "encoding") {
	case 0:
		return InUTF16(strings.ToValidUTF8(data, "?"), false)
	case 1:
		return InUTF16(strings.ToValidUTF8(data, "?"), true)
	case 2:
		return f.Lengthened(t, data, parts...)
	}
	return data
}

// Lengthened is the file twice, with one of the parts many times in between or
// nothing: as long as a line may be and a little more, or more than a block.
func (f Format[P]) Lengthened(t *rapid.T, data string, parts ...string) string {
	n := rapid.SampledFrom([]int{0, 0, f.Max - 100, f.Max, 100_000, lines.Block + 10_000}).Draw(t, "length") + rapid.IntRange(0, 100).Draw(t, "more")
	part := rapid.SampledFrom(parts).Draw(t, "part")
	return data + strings.Repeat(part, n/len(part)+1)[:n] + data
}

// An Endless file is a head and then the same again and again for some bytes,
// until it cannot be read on.
type Endless struct {
	Head string
	Left int
	With string
	done int
}

// Read reads on.
func (e *Endless) Read(b []byte) (n int, err error) {
	if e.Head != "" {
		n = copy(b, e.Head)
		e.Head = e.Head[n:]
		return n, nil
	}
	b = b[:min(len(b), e.Left)]
	for i := range b {
		b[i] = e.With[(e.done+i)%len(e.With)]
	}
	e.done += len(b)
	if e.Left -= len(b); len(b) == 0 {
		err = errors.New("the disk is gone")
	}
	return len(b), err
}
