package logs

import (
	"net/netip"
	"slices"
	"strings"
)

// A place is where a log was found, as far as it tells servers apart.
type place struct {
	folder   string   // the last of its folders, in lower case
	above    []string // what is left of its path without the folders that every server has
	numbered []string // the same, with folders that are numbers and may be servers'
	outer    int      // how many of above the operator named, or are above that
	usual    bool     // its file has a name as the server gives it
}

// common are folders that every server has: of Windows, IIS and Exchange, and
// those in which people gather logs.
var common = []string{
	"windows", "system32", "logfiles", "httperr", "inetpub", "logs", "log", "iis",
	"program files", "microsoft", "exchange server", "exchange", "exchsrvr", "logging",
	"httpproxy", "mapihttp", "mailbox", "mapi", "ews", "eas", "owa", "ecp", "oab", "autodiscover", "rpchttp", "powershell", "rest",
	"rpc client access", "mapi client access",
}

// placeOf takes the path of a log apart. From the part below on, it was found.
func placeOf(parts []string, below int) (p place) {
	folders, file := parts[:len(parts)-1], parts[len(parts)-1]
	if len(folders) > 0 {
		p.folder = strings.ToLower(folders[len(folders)-1])
	}
	for i, f := range folders {
		if f = bare(f); f == "" {
			continue
		}
		if i >= below && isNumber(f) && !slices.ContainsFunc(folders[max(0, i-2):i], isYear) { // "2026/03/02" is a date
			p.numbered = append(p.numbered, f)
		}
		if isCommon(f) {
			continue
		}
		p.numbered = append(p.numbered, f)
		if p.above = append(p.above, f); i < below {
			p.outer = len(p.above)
		}
	}
	prefix, usual := usualName(file)
	if prefix = strings.TrimRight(prefix, "-_. "); prefix != "" { // "EX01_httperr1.log"
		p.above, p.numbered = append(p.above, prefix), append(p.numbered, prefix)
	}
	p.usual = usual
	return p
}

// stems are what servers call their logs, up to a number.
var stems = []string{"httperr", "u_ex", "u_in", "u_nc", "httpproxy_", "mapihttp_", "ews_", "rca_", "ex"}

// usualName says that a file is called as the server calls it, and what somebody
// put before that.
func usualName(file string) (prefix string, ok bool) {
	name := strings.ToLower(file)
	for _, stem := range stems {
		i := strings.LastIndex(name, stem)
		if i < 0 || len(name) != len(file) {
			continue
		}
		number, ending, _ := strings.Cut(name[i+len(stem):], ".")
		if isDigits(strings.TrimSuffix(number, "_x")) && strings.HasPrefix(ending, "log") {
			return file[:i], true
		}
	}
	return "", false
}

// bare is a folder's name without a date behind it, and without the ending of an
// archive.
func bare(folder string) string {
	folder = plainName(folder)
	for _, ending := range []string{".zip", ".gz"} {
		if n := len(folder) - len(ending); n > 0 && strings.EqualFold(folder[n:], ending) {
			folder = folder[:n]
			break
		}
	}
	if i := strings.LastIndexByte(folder, '.'); i > 0 && isDate(folder[i+1:]) {
		return folder[:i]
	}
	return folder
}

// isDate says that it is one, from its year on ("2026-03-02", "20260302").
func isDate(s string) bool { return len(s) >= 8 && isDigits(s) }

// isCommon says that a folder tells no server from another: it is among common,
// a drive, a site, a version or a date.
func isCommon(folder string) bool {
	if _, err := netip.ParseAddr(folder); err == nil {
		return false
	}
	f := strings.ToLower(folder)
	switch {
	case slices.Contains(common, f):
	case len(f) == 2 && (f[1] == ':' || f[1] == '$'):
	case strings.HasPrefix(f, "w3svc") && isDigits(f[5:]):
	case strings.HasPrefix(f, "v") && isDigits(f[1:]):
	case isDigits(f):
	default:
		return false
	}
	return true
}

// isNumber says that a folder's name is a number, and no year or date.
func isNumber(folder string) bool {
	return len(folder) <= 3 && strings.Trim(folder, "0123456789") == ""
}

func isYear(folder string) bool { return len(folder) == 4 && isDigits(folder) }

// isDigits says that there are only digits, and what stands between those of a
// date.
func isDigits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789-_.: ") == ""
}
