package throttle

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
)

// ServerTooBusy is RPC_S_SERVER_TOO_BUSY, 1723. A client that does not know
// [RopBackoff] gets it as the fault of EcDoRpcExt2, or, over HTTP, as the
// StatusCode of an [ExecuteFailure] (MS-OXCROPS 3.2.4.2).
const ServerTooBusy = 0x6BB

// An ExecuteFailure is the body of a failed Execute request over HTTP
// (MS-OXCMAPIHTTP 2.2.4.2.3). The HTTP status is 200 and the header
// X-ResponseCode is 0 all the same: those say that the request was carried,
// and not what became of it. [Verdict.Reply] has them.
//
// In a whole reply it stands behind the lines that say how far the server is,
// and the further headers (2.2.2.2).
type ExecuteFailure struct {
	StatusCode uint32 // never 0, which is success
	Auxiliary  []byte // an auxiliary buffer (MS-OXCRPC 3.1.4.2.1); may be empty
}

// AppendBinary appends f as it goes over the wire: StatusCode and
// AuxiliaryBufferSize, 4 bytes each and little-endian, and the buffer.
func (f ExecuteFailure) AppendBinary(b []byte) ([]byte, error) {
	if f.StatusCode == 0 || uint64(len(f.Auxiliary)) > math.MaxUint32 {
		return b, fmt.Errorf("execute failure: status %d, %d bytes", f.StatusCode, len(f.Auxiliary))
	}
	b = binary.LittleEndian.AppendUint32(b, f.StatusCode)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(f.Auxiliary)))
	return append(b, f.Auxiliary...), nil
}

// ParseExecuteFailure reads the body of a failed Execute request, all of b. A
// body without the auxiliary buffer's size is read as one with an empty buffer.
func ParseExecuteFailure(b []byte) (ExecuteFailure, error) {
	if len(b) < 4 {
		return ExecuteFailure{}, fmt.Errorf("execute failure: %d bytes: %w", len(b), ErrShort)
	}
	f := ExecuteFailure{StatusCode: binary.LittleEndian.Uint32(b)}
	b = b[4:]
	if f.StatusCode == 0 {
		return ExecuteFailure{}, fmt.Errorf("execute failure: status 0 is success")
	}
	if len(b) == 0 {
		return f, nil
	}
	return f.parseAuxiliary(b)
}

func (f ExecuteFailure) parseAuxiliary(b []byte) (ExecuteFailure, error) {
	if len(b) < 4 {
		return ExecuteFailure{}, fmt.Errorf("execute failure: %d bytes for the buffer's size: %w", len(b), ErrShort)
	}
	size := uint64(binary.LittleEndian.Uint32(b))
	switch b = b[4:]; {
	case uint64(len(b)) < size:
		return ExecuteFailure{}, fmt.Errorf("execute failure: %d bytes for a buffer of %d: %w", len(b), size, ErrShort)
	case uint64(len(b)) > size:
		return ExecuteFailure{}, fmt.Errorf("execute failure: %d bytes behind the buffer", uint64(len(b))-size)
	case size > 0:
		f.Auxiliary = slices.Clone(b)
	}
	return f, nil
}
