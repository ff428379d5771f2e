package throttle

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Domain is one of Active Directory under its two names, both in lower case
// and without a dot at the end.
type Domain struct {
	Short string // as in CONTOSO\anna (NetBIOS)
	Full  string // as in anna@contoso.example (DNS)
}

// maxAccount is the most bytes of an account's name as it comes: Active
// Directory allows 1,024 characters in a userPrincipalName, and 256 in what is
// typed at a logon.
const maxAccount = 256

// Account is the one name of an account, however it is written: in lower case,
// as USER@DOMAIN. DOMAIN\user is turned around, the short name of a domain is
// replaced by its full one, and a name without a domain is of the first; without
// domains it stays alone. A SID (S-1-…) is in capitals. It is empty where name
// cannot be one: longer than 256 bytes, no UTF-8, or with control characters, or
// with more of domains than one.
//
// Budgets and policies both go by it, so that who is known to the one is known
// to the other. The name of an account is its own.
func Account(name string, domains []Domain) string {
	if len(name) > maxAccount {
		return ""
	}
	return account(name, domains)
}

// account is [Account] for what was one before as well, with a domain that made
// it longer. A name as it returns it is not copied.
func account(name string, domains []Domain) string {
	name = strings.TrimSpace(name)
	if isSID(name) {
		return strings.ToUpper(name)
	}
	if !isPlain(name) {
		if !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl) {
			return ""
		}
		name = strings.ToLower(name)
	}
	user, domain := splitAccount(name)
	if domain == "" && len(domains) > 0 {
		domain = domains[0].Full
	}
	switch {
	case user == "" || strings.Contains(user, `\`) || strings.ContainsFunc(domain, noDomain):
		return ""
	case domain == "" && strings.Contains(user, "@"): // a@b@
		return ""
	case domain == "":
		return user
	}
	full := fullName(domain, domains)
	if len(name) == len(user)+1+len(full) && name[len(user)] == '@' && name[len(user)+1:] == full {
		return name
	}
	return user + "@" + full
}

// isPlain says that name is printable ASCII without capitals or blanks, as most
// are that come again.
func isPlain(name string) bool {
	for i := range len(name) {
		if c := name[i]; c <= ' ' || c > '~' || 'A' <= c && c <= 'Z' {
			return false
		}
	}
	return true
}

// isSID says that name is a security identifier.
func isSID(name string) bool {
	return len(name) > 4 && name[0]|0x20 == 's' && name[1:4] == "-1-" && strings.Trim(name[4:], "0123456789-") == ""
}

// noDomain are characters that no domain has, under either of its names.
func noDomain(c rune) bool { return c == '@' || c == '\\' || unicode.IsSpace(c) }

// splitAccount takes the domain off a name. A backslash in front, by which some
// clients say that they name no domain, is none.
func splitAccount(name string) (user, domain string) {
	name = strings.TrimSpace(strings.TrimPrefix(name, `\`))
	if domain, user, found := strings.Cut(name, `\`); found {
		return strings.TrimSpace(user), strings.TrimRight(domain, ".")
	}
	if i := strings.LastIndexByte(name, '@'); i >= 0 {
		return strings.TrimSpace(name[:i]), strings.TrimRight(name[i+1:], ".")
	}
	return name, ""
}

// fullName is a domain's name in the DNS, or what is known of it.
func fullName(domain string, domains []Domain) string {
	for _, d := range domains {
		if d.Short == domain {
			return d.Full
		}
	}
	return domain
}

// bare is what of an account's name is not its domain.
func bare(account string) string {
	if i := strings.LastIndexByte(account, '@'); i >= 0 {
		return account[:i]
	}
	return account
}
