package config

import (
	"path/filepath"
	"strings"
)

// The words in place of a folder of logs.
const (
	auto = "auto" // where the system puts them; elsewhere than on Windows none
	none = "none"
)

// logs finds the folders of logs. A source of which nothing is said but its name is
// wanted from its usual place.
func (r *reader) logs(s *Sources, system string, getenv func(string) string) {
	for _, l := range []struct {
		key  string
		path *string
	}{
		{"sources.httperr", &s.HTTPErr.Path},
		{"sources.iis", &s.IIS},
		{"sources.exchange_logs", &s.ExchangeLogs},
	} {
		usual := ""
		if system == "windows" {
			usual = usualFolder(l.key, getenv)
		}
		at, named := r.given[l.key]
		switch {
		case named && usual == "":
			r.refuse(at, "want the folder of the logs", "path: '"+`C:\...`+"'")
		case named, *l.path == auto:
			*l.path = usual
		case *l.path == none:
			*l.path = ""
		case rooted(*l.path):
		default:
			*l.path = r.beside(*l.path)
		}
	}
}

// usualFolder is where Windows, IIS and Exchange put their logs.
func usualFolder(key string, getenv func(string) string) string {
	under := func(variable, folder string) string {
		if root := strings.TrimRight(getenv(variable), `\`); root != "" {
			return root + `\` + folder
		}
		return ""
	}
	switch key {
	case "sources.httperr":
		return under("SystemRoot", `System32\LogFiles\HTTPERR`)
	case "sources.iis":
		return under("SystemDrive", `inetpub\logs\LogFiles`)
	}
	return under("ExchangeInstallPath", "Logging")
}

// rooted reports that a folder is named from its root: also one of Windows, for
// who checks a configuration on another system.
func rooted(name string) bool {
	return filepath.IsAbs(name) || len(name) > 2 && name[1] == ':' && (name[2] == '\\' || name[2] == '/') || strings.HasPrefix(name, `\\`)
}
