package throttle

import "strings"

// A reason says how a caller comes to what he has.
type reason uint8

const (
	byDefault reason = iota // he has no policy of his own
	assigned
	computer // outside the organization by his name
	outsider // and by the list
)

// standing is the number of what a caller has, and how he comes to it. It
// allocates nothing for names of up to 256 bytes, and is quickest for one that
// is written as the Book writes it.
func (b *Book) standing(caller string) (int, reason) {
	if i, ok := b.users[caller]; ok {
		return i, assigned
	}
	var buffer [320]byte
	name, account := b.canonical(buffer[:0], caller)
	if i, ok := b.users[string(name)]; ok {
		return i, assigned
	}
	if b.bare && len(account) < len(name) {
		if i, ok := b.users[string(account)]; ok {
			return i, assigned
		}
	}
	if len(account) > 0 && account[len(account)-1] == '$' {
		return 0, computer
	}
	if len(b.outside) > 0 && b.isOutside(name, account) {
		return 0, outsider
	}
	return b.first, byDefault
}

func (b *Book) isOutside(name, account []byte) bool {
	_, whole := b.outside[string(name)]
	_, part := b.outside[string(account)]
	return whole || part
}

// canonical appends the one name of a caller, however it is written, to dst:
// account@domain, folded, with the domain's full name where that is known; and
// what of it is the account.
func (b *Book) canonical(dst []byte, caller string) (name, account []byte) {
	domain, user := "", caller
	if i := strings.IndexByte(caller, '\\'); i >= 0 {
		domain, user = caller[:i], caller[i+1:]
	} else if i := strings.LastIndexByte(caller, '@'); i >= 0 {
		domain, user = caller[i+1:], caller[:i]
	}
	name = append(dst, user...)
	if domain != "" {
		name = append(append(name, '@'), domain...)
	}
	if isSID(name[len(dst):]) {
		return name, name[len(dst):]
	}
	foldBytes(name[len(dst):])
	account = name[len(dst):][:len(user)]
	if len(b.domains) == 0 || domain == "" {
		return name, account
	}
	if full, known := b.domains[string(name[len(name)-len(domain):])]; known {
		name = append(name[:len(name)-len(domain)], full...)
	}
	return name, account
}

// isSID says that name is a security identifier, and writes it as Windows does,
// in capitals.
func isSID(name []byte) bool {
	if len(name) < 4 || name[0]|0x20 != 's' || name[1] != '-' {
		return false
	}
	for _, c := range name[2:] {
		if c != '-' && (c < '0' || c > '9') {
			return false
		}
	}
	name[0] = 'S'
	return true
}

// foldBytes makes ASCII letters small. Others stay: a front end hands on names
// as bytes, and a directory compares few of them in other ways.
func foldBytes(name []byte) {
	for i, c := range name {
		if 'A' <= c && c <= 'Z' {
			name[i] = c | 0x20
		}
	}
}

// Fold is how names of policies and callers are compared: with their ASCII
// letters made small.
func Fold(name string) string {
	if !strings.ContainsFunc(name, func(r rune) bool { return 'A' <= r && r <= 'Z' }) {
		return name
	}
	b := []byte(name)
	foldBytes(b)
	return string(b)
}
