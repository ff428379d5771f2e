package logs

import (
	"bytes"
	"errors"
)

var (
	errTar     = errors.New("it is a tar archive: unpack it")
	errZip     = errors.New("it is a zip archive in an archive: unpack the outer one")
	errArchive = errors.New("it is an archive of a kind that is not opened (7z, rar, cab, xz, zstd, bzip2): unpack it, or pack it as .zip")
)

// unopened says of what a file begins with that it is an archive which is not
// opened. In those, logs may be: to pass them over in silence would lose them. A zip
// is seen here only if it is packed in another archive.
func unopened(head []byte) error {
	switch {
	case isTar(head):
		return errTar
	case bytes.HasPrefix(head, []byte(zipMagic)):
		return errZip
	}
	for _, magic := range []string{"7z\xbc\xaf\x27\x1c", "Rar!\x1a\x07", "MSCF\x00\x00\x00\x00", "\xfd7zXZ\x00", "\x28\xb5\x2f\xfd", "BZh91AY&SY"} {
		if bytes.HasPrefix(head, []byte(magic)) {
			return errArchive
		}
	}
	return nil
}

// isTar says that a file is an archive of the POSIX format or GNU's.
func isTar(b []byte) bool { return len(b) > 262 && string(b[257:262]) == "ustar" }
