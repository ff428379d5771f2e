package gate

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Domain is one of Active Directory under its two names.
type Domain struct {
	Short string // as in CONTOSO\anna (NetBIOS), in lower case
	Full  string // as in anna@contoso.example (DNS), in lower case
}

// maxName is the most bytes of an account's name: Active Directory allows 1,024
// characters in a userPrincipalName, and 256 in what is typed at a logon.
const maxName = 256

// Account is the one name of an account, however it is written: in lower case,
// as USER@DOMAIN. DOMAIN\user is turned around, the short name of a domain is
// replaced by its full one, and a name without a domain is of the first; without
// domains it stays alone. A SID (S-1-…) is in capitals. It is empty where name
// cannot be one: longer than 256 bytes, no UTF-8, or with control characters, or
// with more of domains than one.
func Account(name string, domains []Domain) string {
	name = strings.TrimSpace(name)
	if name == "" || len(name) > maxName || !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl) {
		return ""
	}
	if len(name) > 4 && strings.EqualFold(name[:4], "S-1-") && strings.Trim(name[4:], "0123456789-") == "" {
		return strings.ToUpper(name)
	}
	name = strings.ToLower(name)
	user, domain := split(name)
	switch {
	case user == "" || strings.Contains(user, `\`) || strings.ContainsFunc(domain, noDomain):
		return ""
	case domain == "" && len(domains) == 0:
		return user
	case domain == "":
		return user + "@" + domains[0].Full
	}
	full := fullName(domain, domains)
	if strings.HasSuffix(name, full) && len(name) == len(user)+1+len(full) && name[len(user)] == '@' {
		return name // as most are written: no copy
	}
	return user + "@" + full
}

// noDomain are characters that no domain has, under either of its names.
func noDomain(c rune) bool { return c == '@' || c == '\\' || unicode.IsSpace(c) }

// split takes the domain off a name.
func split(name string) (user, domain string) {
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
