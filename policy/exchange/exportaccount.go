package exchange

import (
	"cmp"
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

// property is where the account's export has the link.
func (a account) property() string {
	if a.set == setAssociation {
		return "ThrottlingPolicyId"
	}
	return "ThrottlingPolicy"
}

func (a account) where() string { return Mistake{File: a.file, Line: a.line}.where() }

// account adds who has which policy. An object may be in several files, and has
// the same policy in each.
func (r *reading) account(o *object, link property, set setter) {
	r.people = true
	a := account{caller: o.callerName(), id: o.identity(), set: set, file: r.file, line: o.line}
	if a.caller == "" {
		r.spoilt(o.line, "Name", "want the account's name")
		return
	}
	if strings.ContainsRune(a.id, '\uFFFD') {
		r.spoilt(o.line, "Name", strconv.Quote(a.id)+" lost letters on the way: export again with -Encoding UTF8")
		return
	}
	if link.lost {
		r.spoilt(link.line, link.name, "refers to an object that was not kept: export in another form")
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
		r.again(i, a)
		return
	}
	r.byKey[key] = len(r.accounts)
	r.accounts = append(r.accounts, a)
}

// A twin is a link that an account has besides that of the place that counts.
// Whether they lead to two policies is known when all files are read.
type twin struct {
	account int
	link    string
}

// again is for an account that was read before. Of each of its links the place
// is kept that goes before the others, and of those the first counts.
func (r *reading) again(i int, a account) {
	counts := &r.accounts[i]
	if a.link == counts.link {
		if a.compare(*counts) < 0 {
			*counts = a
		}
		return
	}
	if kept, known := r.twins[twin{i, a.link}]; known && kept.compare(a) < 0 {
		return
	}
	if a.compare(*counts) < 0 {
		delete(r.twins, twin{i, a.link})
		*counts, a = a, *counts
	}
	if r.twins == nil {
		r.twins = map[twin]account{}
	}
	r.twins[twin{i, a.link}] = a
}

// compare puts in front of all others that are the same account the one that
// counts, whichever was read first: a mailbox, which front ends know better, then
// what goes by an address.
func (a account) compare(b account) int {
	return cmp.Or(cmp.Compare(a.set, b.set), -cmp.Compare(strings.Count(a.caller, "@"), strings.Count(b.caller, "@")),
		strings.Compare(a.caller, b.caller), strings.Compare(a.id, b.id), strings.Compare(a.file, b.file), cmp.Compare(a.line, b.line))
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
