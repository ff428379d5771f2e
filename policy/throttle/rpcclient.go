package throttle

import (
	"fmt"
	"strconv"
	"strings"
)

// A ClientVersion is what a MAPI client calls itself: major, minor, build and
// revision. The zero ClientVersion is a client that did not say, and is taken
// for an old one, since old words are understood by all.
type ClientVersion [4]uint16

// ParseClientVersion reads "12.00.4228.0000", or fewer numbers from the left.
func ParseClientVersion(text string) (ClientVersion, error) {
	var v ClientVersion
	words := strings.Split(text, ".")
	if len(words) > len(v) {
		return ClientVersion{}, fmt.Errorf("client version %q: more than %d numbers", text, len(v))
	}
	for i, w := range words {
		n, err := strconv.ParseUint(w, 10, 16)
		if err != nil {
			return ClientVersion{}, fmt.Errorf("client version %q: %q is no number up to 65535", text, w)
		}
		v[i] = uint16(n)
	}
	return v, nil
}

// TakesRopBackoff says whether the client understands [RopBackoff]: from
// 12.00.4228.0000 on, which is Outlook 2007 (MS-OXCROPS 3.1.5.1.1).
func (v ClientVersion) TakesRopBackoff() bool {
	first := ClientVersion{12, 0, 4228, 0}
	for i := range v {
		if v[i] != first[i] {
			return v[i] > first[i]
		}
	}
	return true
}
