package exchange

import (
	"strconv"
	"strings"

	"evenkeel/policy/throttle"
)

// An account is one of Get-Mailbox or Get-ThrottlingPolicyAssociation.
type account struct {
	caller string // as front ends name it, as far as the export tells
	id     string // that leads a cmdlet to this object alone, as far as the export tells
	link   string // to its policy, as it stands; empty: it has none
	set    setter
	file   string
	line   int
}

// A setter is the cmdlet that assigns a policy to an account.
type setter uint8

const (
	setMailbox     setter = iota // Set-Mailbox
	setAssociation               // Set-ThrottlingPolicyAssociation, since 2010 SP1, for objects without a mailbox too
)

// account adds who has which policy. An object may be in several files, and has
// the same policy in each.
func (r *reading) account(o *object, link property, set setter) {
	a := account{caller: o.callerName(), id: o.identity(), set: set, file: r.file, line: o.line}
	if a.caller == "" {
		r.spoilt(o.line, "Name", "want the account's name")
		return
	}
	if strings.ContainsRune(a.id, '\uFFFD') {
		r.spoilt(o.line, "Name", strconv.Quote(a.id)+" lost letters on the way: export again with -Encoding UTF8")
		return
	}
	if !link.nothing() {
		if len(link.value) > mostName {
			r.spoilt(link.line, link.name, "want the name of a policy")
			return
		}
		a.link = r.intern(link.value)
	}
	r.assigned = true
	key := throttle.Fold(o.key())
	if r.byKey == nil {
		r.byKey = map[string]int{}
	}
	if i, known := r.byKey[key]; known {
		r.again(&r.accounts[i], a, link.name)
		return
	}
	r.byKey[key] = len(r.accounts)
	r.accounts = append(r.accounts, a)
}

// again is for an account that was read before. What a mailbox is called is known
// better to front ends.
func (r *reading) again(first *account, a account, property string) {
	if r.target(first.link) != r.target(a.link) {
		r.spoilt(a.line, property, strconv.Quote(shown(a.caller))+" has another policy in "+Mistake{File: first.file, Line: first.line}.where())
	} else if a.set < first.set {
		*first = a
	}
}

// intern keeps one text of a link that thousands have.
func (r *reading) intern(link string) string {
	if r.links == nil {
		r.links = map[string]string{}
	}
	if kept, ok := r.links[link]; ok {
		return kept
	}
	link = strings.Clone(link)
	r.links[link] = link
	return link
}

// callerName is how front ends know the account, or people if need be.
func (o *object) callerName() string {
	return o.best("UserPrincipalName", "PrimarySmtpAddress", "WindowsEmailAddress", "SamAccountName", "Alias", "Name", "Identity")
}

// identity is what cmdlets find the object by: what is unique first.
func (o *object) identity() string {
	return o.best("PrimarySmtpAddress", "UserPrincipalName", "Guid", "DistinguishedName", "Identity", "ObjectId", "SamAccountName", "Alias", "Name")
}

// key is the same for an object in both cmdlets' exports.
func (o *object) key() string {
	return o.best("DistinguishedName", "Identity", "Guid", "UserPrincipalName", "PrimarySmtpAddress", "SamAccountName", "Alias", "Name")
}

// best is the first of the properties that is whole: no line break may have
// added or taken a blank, and no byte was lost. Where there is none such, it is
// the first that there is.
func (o *object) best(names ...string) string {
	for _, sure := range [...]bool{true, false} {
		for _, name := range names {
			p, ok := o.find(name)
			if !ok || p.nothing() || len(p.value) > mostName || sure && (p.wrapped || strings.ContainsRune(p.value, '\uFFFD')) {
				continue
			}
			return strings.Clone(p.value)
		}
	}
	return ""
}

// deletedLink is [throttle.DeletedLink], and knows the same where the line feed
// was lost on the way, or the folder alone is left.
func deletedLink(link string) (name string, deleted bool) {
	if name, deleted := throttle.DeletedLink(link); deleted {
		return name, true
	}
	folded := throttle.Fold(link)
	if i := strings.LastIndex(folded, " del:"); i >= 0 && isGUID(folded[i+len(" del:"):]) {
		return linkName(link[:i]), true
	}
	if strings.Contains(folded, "/deleted objects/") || strings.Contains(folded, ",cn=deleted objects,") {
		return linkName(link), true
	}
	return "", false
}

// isGUID says that text begins with one: 8, 4, 4, 4 and 12 digits.
func isGUID(text string) bool {
	if len(text) < 36 {
		return false
	}
	for i, c := range []byte(text[:36]) {
		hyphen := i == 8 || i == 13 || i == 18 || i == 23
		digit := '0' <= c && c <= '9' || 'a' <= c && c <= 'f'
		if hyphen && c != '-' || !hyphen && !digit {
			return false
		}
	}
	return true
}

// linkName is the last name of a canonical path, or the first of a
// distinguished one.
func linkName(link string) string {
	if len(link) > 3 && strings.EqualFold(link[:3], "CN=") {
		end := 3
		for end < len(link) && link[end] != ',' {
			if link[end] == '\\' {
				end++
			}
			end++
		}
		return strings.ReplaceAll(link[3:min(end, len(link))], `\`, "")
	}
	at := len(link)
	for at > 0 && (link[at-1] != '/' || at > 1 && link[at-2] == '\\') {
		at--
	}
	return strings.ReplaceAll(link[at:], `\/`, "/")
}

// target is the name of the policy that a link means, or the link where it was
// not read.
func (x *Export) target(link string) string {
	if i, ok := x.find(link); ok {
		return x.policies[i].Name
	}
	return link
}

// find is the policy of a link. A list may have broken its name where no blank
// was, or lost one.
func (x *Export) find(link string) (int, bool) {
	if link == "" {
		return 0, false
	}
	if _, deleted := deletedLink(link); deleted {
		return 0, false
	}
	for _, name := range [...]string{link, linkName(link), strings.Join(strings.Fields(linkName(link)), "")} {
		for _, by := range [...]map[string]int{x.byName, x.aliases} {
			if i, ok := by[throttle.Fold(name)]; ok {
				return i, true
			}
		}
	}
	return 0, false
}
