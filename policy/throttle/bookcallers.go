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

// none is the standing of who is said to have no policy: that of who is not
// spoken of, but for what is said of his name without its domain.
const none = -1

// standing is the number of what a caller has, and how he comes to it. What is
// said of a whole name goes before what is said of the name without its domain,
// and a policy before being outside. It allocates nothing for a name as
// [Account] writes it.
func (b *Book) standing(caller string) (int, reason) {
	i, said := b.users[caller]
	if said && i != none { // as most are written
		return i, assigned
	}
	name := account(caller, b.domains)
	if name != caller {
		i, said = b.users[name]
	}
	if b.bare && !said && !b.listed(name) {
		i, said = b.users[bare(name)]
	}
	switch {
	case said && i != none:
		return i, assigned
	case isComputer(name):
		return 0, computer
	case b.isOutside(name):
		return 0, outsider
	}
	return b.first, byDefault
}

// isOutside says that a caller is not of the organization, by his name or by
// the list.
func (b *Book) isOutside(name string) bool {
	return isComputer(name) || b.listed(name) || b.listed(bare(name))
}

// listed says that the list of outsiders has just that name.
func (b *Book) listed(name string) bool {
	_, ok := b.outside[name]
	return ok
}

// isComputer says that a name is that of a computer's account.
func isComputer(name string) bool { return strings.HasSuffix(bare(name), "$") }

// Fold is how names of policies are compared: with their ASCII letters made
// small. A directory compares few others in other ways.
func Fold(name string) string {
	if !strings.ContainsFunc(name, func(r rune) bool { return 'A' <= r && r <= 'Z' }) {
		return name
	}
	b := []byte(name)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c | 0x20
		}
	}
	return string(b)
}
