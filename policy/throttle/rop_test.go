package throttle

import (
	"bytes"
	"errors"
	"math"
	"reflect"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// MS-OXCROPS 2.2.15.2.1, field by field: RopId, LogonId, Duration,
// BackoffRopCount, BackoffRopData, AdditionalDataSize, AdditionalData.
func TestRopBackoffBytes(t *testing.T) {
	for _, tt := range []struct {
		r    RopBackoff
		want []byte
	}{
		{RopBackoff{}, []byte{0xF9, 0, 0, 0, 0, 0, 0, 0, 0}},
		{RopBackoff{LogonID: 3, Duration: 100 * time.Millisecond}, []byte{0xF9, 3, 100, 0, 0, 0, 0, 0, 0}},
		{RopBackoff{LogonID: 1, Duration: 2 * time.Second}, []byte{0xF9, 1, 0xD0, 0x07, 0, 0, 0, 0, 0}}, // 2000, little-endian
		{RopBackoff{Duration: 69500 * time.Microsecond}, []byte{0xF9, 0, 70, 0, 0, 0, 0, 0, 0}},         // never too early
		{RopBackoff{LogonID: 2, Duration: 0, Rops: []BackoffRop{{0x15, 1500 * time.Millisecond}, {0x04, time.Millisecond}}, Additional: []byte{0xAA, 0xBB}},
			[]byte{0xF9, 2, 0, 0, 0, 0, 2, 0x15, 0xDC, 0x05, 0, 0, 0x04, 1, 0, 0, 0, 2, 0, 0xAA, 0xBB}},
	} {
		got, err := tt.r.AppendBinary([]byte("in front"))
		if want := append([]byte("in front"), tt.want...); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%+v: % X, %v; want % X", tt.r, got, err, want)
		}
	}
}

// What does not fit into its field is refused, and nothing is appended.
func TestRopBackoffTooMuch(t *testing.T) {
	for _, r := range []RopBackoff{
		{Duration: -1},
		{Duration: (math.MaxUint32 + 1) * time.Millisecond},
		{Duration: math.MaxUint32*time.Millisecond + 1}, // would round up to 0
		{Rops: make([]BackoffRop, 256)},
		{Rops: []BackoffRop{{Duration: -1}}},
		{Additional: make([]byte, 65536)},
	} {
		if got, err := r.AppendBinary([]byte{7}); err == nil || len(got) != 1 {
			t.Errorf("%d ROPs, %s: % X, %v; want an error", len(r.Rops), r.Duration, got, err)
		}
	}
}

// Every way to cut a RopBackoff short is told, and none is believed.
func TestRopBackoffShort(t *testing.T) {
	whole, err := RopBackoff{LogonID: 1, Duration: time.Second, Rops: make([]BackoffRop, 3), Additional: make([]byte, 5)}.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	for n := range whole {
		if r, rest, err := ParseRopBackoff(whole[:n:n]); !errors.Is(err, ErrShort) || len(rest) != n {
			t.Errorf("%d of %d bytes: %+v, %v", n, len(whole), r, err)
		}
	}
	if _, _, err := ParseRopBackoff(append([]byte{0xFE}, whole[1:]...)); err == nil || errors.Is(err, ErrShort) {
		t.Errorf("of another RopId: %v, want an error of its own", err)
	}
}

func TestRopBackoffRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		wire := rapid.Custom(func(t *rapid.T) time.Duration {
			return time.Duration(rapid.Uint32().Draw(t, "ms")) * time.Millisecond
		})
		want := RopBackoff{LogonID: rapid.Byte().Draw(t, "logon"), Duration: wire.Draw(t, "duration")}
		for range rapid.IntRange(0, 255).Draw(t, "rops") {
			want.Rops = append(want.Rops, BackoffRop{rapid.Byte().Draw(t, "rop"), wire.Draw(t, "of rop")})
		}
		want.Additional = append(want.Additional, rapid.SliceOfN(rapid.Byte(), 0, 300).Draw(t, "additional")...)
		behind := rapid.SliceOf(rapid.Byte()).Draw(t, "behind")

		b, err := want.AppendBinary(nil)
		if err != nil {
			t.Fatal(err)
		}
		got, rest, err := ParseRopBackoff(append(b, behind...))
		if err != nil || !reflect.DeepEqual(got, want) || !bytes.Equal(rest, behind) {
			t.Fatalf("%+v and %d bytes, %v; want %+v and %d bytes", got, len(rest), err, want, len(behind))
		}
	})
}

func FuzzParseRopBackoff(f *testing.F) {
	f.Add([]byte{0xF9, 0, 0, 0, 0, 0, 0, 0, 0})
	f.Add([]byte{0xF9, 2, 0, 0, 0, 0, 2, 0x15, 0xDC, 0x05, 0, 0, 0x04, 1, 0, 0, 0, 2, 0, 0xAA, 0xBB, 0xCC})
	f.Fuzz(func(t *testing.T, b []byte) {
		r, rest, err := ParseRopBackoff(b)
		if err != nil {
			return
		}
		again, err := r.AppendBinary(nil)
		if err != nil || !bytes.Equal(again, b[:len(b)-len(rest)]) {
			t.Errorf("% X was read as %+v, which is % X, %v", b, r, again, err)
		}
	})
}

// MS-OXCROPS 3.2.4.2 and MS-OXCMAPIHTTP 2.2.4.2.3: the StatusCode of a client
// that does not know RopBackoff is 0x000006BB, before an empty buffer.
func TestExecuteFailureBytes(t *testing.T) {
	if ServerTooBusy != 1723 {
		t.Errorf("RPC_S_SERVER_TOO_BUSY is %d, want 1723", ServerTooBusy)
	}
	got, err := ExecuteFailure{StatusCode: ServerTooBusy}.AppendBinary(nil)
	if want := []byte{0xBB, 0x06, 0, 0, 0, 0, 0, 0}; err != nil || !bytes.Equal(got, want) {
		t.Errorf("too busy: % X, %v; want % X", got, err, want)
	}
	if got, err := (ExecuteFailure{}).AppendBinary([]byte{7}); err == nil || len(got) != 1 {
		t.Errorf("status 0, which is success: % X, %v; want an error", got, err)
	}
}

func TestExecuteFailureRead(t *testing.T) {
	for _, tt := range []struct {
		b    []byte
		want ExecuteFailure
		ok   bool
	}{
		{[]byte{0xBB, 0x06, 0, 0, 0, 0, 0, 0}, ExecuteFailure{StatusCode: ServerTooBusy}, true},
		{[]byte{0xBB, 0x06, 0, 0}, ExecuteFailure{StatusCode: ServerTooBusy}, true},
		{[]byte{0xBB, 0x06, 0, 0, 2, 0, 0, 0, 8, 9}, ExecuteFailure{ServerTooBusy, []byte{8, 9}}, true},
		{[]byte{0xBB, 0x06, 0, 0, 2, 0, 0, 0, 8}, ExecuteFailure{}, false},
		{[]byte{0xBB, 0x06, 0, 0, 1, 0, 0, 0, 8, 9}, ExecuteFailure{}, false},
		{[]byte{0xBB, 0x06, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF}, ExecuteFailure{}, false},
		{[]byte{0xBB, 0x06, 0, 0, 0}, ExecuteFailure{}, false},
		{[]byte{0xBB, 0x06, 0}, ExecuteFailure{}, false},
		{make([]byte, 8), ExecuteFailure{}, false},
	} {
		got, err := ParseExecuteFailure(tt.b)
		if !reflect.DeepEqual(got, tt.want) || (err == nil) != tt.ok {
			t.Errorf("% X: %+v, %v; want %+v, ok %v", tt.b, got, err, tt.want, tt.ok)
		}
	}
}

func FuzzParseExecuteFailure(f *testing.F) {
	f.Add([]byte{0xBB, 0x06, 0, 0, 2, 0, 0, 0, 8, 9})
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := ParseExecuteFailure(b)
		if err != nil {
			return
		}
		again, err := r.AppendBinary(nil)
		if len(b) == 4 { // without the size of the buffer
			b = append(b[:4:4], 0, 0, 0, 0)
		}
		if err != nil || !bytes.Equal(again, b) {
			t.Errorf("% X was read as %+v, which is % X, %v", b, r, again, err)
		}
	})
}
