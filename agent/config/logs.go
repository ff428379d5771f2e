package config

import (
	"path/filepath"
	"strings"
)

// The words in place of a folder of logs, in any letter case.
const (
	auto = "auto" // where the system puts them
	none = "none"
)

// logs finds the folders of logs, which are absolute then. A source of which
// nothing is said but its name is wanted from its usual place. That of httperr is
// wanted where nothing is said at all, and so need not be there.
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
		_, named := r.given[l.key]
		wanted := named || strings.EqualFold(*l.path, auto)
		switch {
		case wanted && usual == "" && (named || l.key != "sources.httperr"):
			r.refuse(r.at(l.key+".path", l.key), "want the folder of the logs: no usual one is known here", "path: '"+`C:\...`+"'")
		case wanted:
			*l.path = usual
		case strings.EqualFold(*l.path, none):
			*l.path = ""
		case !rooted(*l.path):
			*l.path = absolute(r.beside(*l.path))
		}
	}
}

// absolute is the name from its root: a state that is kept says by it of which
// folder it is.
func absolute(name string) string {
	if abs, err := filepath.Abs(name); err == nil {
		return abs
	}
	return name
}

// logFolder is a folder of logs, or a word for one.
func logFolder() form[string] {
	return form[string]{"the name of a folder, auto or none", func(s string) (string, error) {
		if variable(s) || s == "~" || strings.HasPrefix(s, "~/") || strings.HasPrefix(s, `~\`) {
			return "", hint("write the folder out: neither %NAME% nor ~ is replaced")
		}
		return printable(4096)(s)
	}}
}

// variable reports a name between percent signs, as Windows has its variables.
func variable(s string) bool {
	part := strings.Split(s, "%")
	for i := 1; i < len(part)-1; i++ {
		if part[i] != "" && !strings.ContainsAny(part[i], `\/:. `) {
			return true
		}
	}
	return false
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
