package logs

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
)

// A server has each of its files once: two of a name, that are no copies, are of
// two servers.

// file is what a server has once. A folder that is a number or a date says nothing
// of what is in it.
func (f find) file() string {
	folder := f.folder
	if isDigits(folder) {
		folder = ""
	}
	return strings.ToLower(fmt.Sprintf("%d/%s/%s", f.kind, folder, f.base()))
}

// path is that of the folders which may be servers'.
func (f find) path() string { return strings.ToLower(strings.Join(f.above, "/")) }

// settleNumbers gives folders back that are numbers ("1", "2") and hold the same
// file, where nothing else sets servers apart or their addresses do.
func settleNumbers(finds []find) {
	seen, apart := map[string]find{}, map[string]bool{}
	for _, f := range finds {
		key := f.path() + "/" + f.file()
		other, ok := seen[key]
		if !ok {
			seen[key] = f
			continue
		}
		alone := f.usual && len(f.above) <= f.outer
		if !slices.Equal(f.numbered, other.numbered) && (alone || f.server != other.server) {
			apart[f.path()] = true
		}
	}
	for i, f := range finds {
		if apart[f.path()] {
			finds[i].above = f.numbered
		}
	}
}

// settleFolders takes folders away that have the same name and are of different
// servers ("EX01/export", "EX02/export"): a server has each of its files once.
func settleFolders(finds []find) {
	for {
		type key struct{ last, file string }
		seen, shared := map[key]string{}, map[string]bool{}
		for _, f := range finds {
			if len(f.above) == 0 {
				continue
			}
			k := key{strings.ToLower(f.last()), f.file()}
			path := f.path()
			if other, ok := seen[k]; ok && other != path {
				shared[k.last] = true
			}
			seen[k] = path
		}
		if len(shared) == 0 {
			return
		}
		for i, f := range finds {
			if shared[strings.ToLower(f.last())] && len(f.above) > 0 {
				finds[i].above = f.above[:len(f.above)-1]
			}
		}
	}
}

// cutDomains leaves the host of the servers' names where one server alone has it:
// "mail.site1.corp" and "mail.site2.corp" are two, "ex01.corp" and "EX01" one.
func cutDomains(finds []find) {
	whole := map[string]string{}
	several := map[string]bool{}
	each := func(do func(name *string)) {
		for i := range finds {
			do(&finds[i].own)
			if n := len(finds[i].above); n > 0 {
				do(&finds[i].above[n-1])
			}
		}
	}
	each(func(name *string) {
		host, low := strings.ToLower(short(*name)), strings.ToLower(*name)
		if host == low {
			return
		}
		if other, ok := whole[host]; ok && other != low {
			several[host] = true
		}
		whole[host] = low
	})
	each(func(name *string) {
		if host := short(*name); !several[strings.ToLower(host)] {
			*name = host
		}
	})
}

// longest is how many bytes the name of a server may have: that of a name in DNS.
const longest = 253

// plainName is a name as rows or folders have it, bounded.
func plainName(name string) string {
	name = strings.TrimLeft(strings.TrimSpace(name), `\`)
	return strings.ToValidUTF8(name[:min(len(name), longest)], "")
}

// short is the name of a host without its domain. What has no host is no name
// with a domain.
func short(name string) string {
	if _, err := netip.ParseAddr(name); err == nil {
		return name
	}
	if host, _, _ := strings.Cut(name, "."); host != "" {
		return host
	}
	return name
}
