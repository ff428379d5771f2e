package throttle

import "strings"

// A Scope says whom a policy is for (ThrottlingPolicyScope). In 2010 there are
// only assigned policies and the one default.
type Scope uint8

const (
	Regular      Scope = iota // who is assigned to it
	Organization              // everyone of the organization who has no policy, and what theirs leave open
	Global                    // the same, behind the organization's

	scopes // how many there are
)

// scopeNames are the words of the enumeration.
var scopeNames = [scopes]string{Regular: "regular", Organization: "organization", Global: "global"}

// String is the word of policy files.
func (s Scope) String() string {
	if s < scopes {
		return scopeNames[s]
	}
	return "unknown"
}

// Scopes are all of them.
func Scopes() []Scope { return []Scope{Regular, Organization, Global} }

// A Policy is what an administrator wrote or Exchange exported. A Policy that
// cannot be used is kept, since who is assigned to it falls back and is to be
// told why.
type Policy struct {
	Name       string // unique, whatever the letter case
	Scope      Scope
	Generation Generation
	Values     map[Parameter]Value // what is not in it is inherited; not written to once compiled
	Invalid    error               // why it cannot be used; nil: it can
	Deleted    bool                // it is gone, and links to it are left
}

// Value is what the policy says of a parameter.
func (p Policy) Value(of Parameter) Value { return p.Values[of] }

// unusable says in words why nobody can have the policy; empty: he can.
func (p Policy) unusable() string {
	switch {
	case p.Deleted:
		return "it was deleted while it was assigned: assign another"
	case p.Invalid != nil:
		return "it cannot be used: " + p.Invalid.Error()
	}
	return ""
}

// DeletedLink reports whether a link leads to a deleted object: Active Directory
// renames one to NAME, a line feed and DEL:GUID, which distinguished names write
// \0A and CLIXML _x000A_ (document 000, event 2914). name is the policy's own.
func DeletedLink(link string) (name string, deleted bool) {
	for _, mark := range [...]string{`\0ADEL:`, "\nDEL:", "_x000A_DEL:"} {
		if before, _, found := cutFold(link, mark); found {
			return linkName(before), true
		}
	}
	return "", false
}

// linkName is the last part of a canonical name (domain/folder/NAME), or the
// first of a distinguished one (CN=NAME,…).
func linkName(link string) string {
	link = strings.TrimRight(link, "\r\n")
	if len(link) >= 3 && strings.EqualFold(link[:3], "CN=") {
		return link[3:]
	}
	return link[strings.LastIndexByte(link, '/')+1:]
}

// cutFold is strings.Cut without regard to the case of ASCII letters.
func cutFold(s, sep string) (before, after string, found bool) {
	for i := 0; i+len(sep) <= len(s); i++ {
		if strings.EqualFold(s[i:i+len(sep)], sep) {
			return s[:i], s[i+len(sep):], true
		}
	}
	return s, "", false
}
