package gate

import (
	"encoding/base64"
	"net/url"
	"path"
	"strings"

	"evenkeel/policy/throttle"
)

// folders are the first segments of the paths that Exchange serves, and the
// components that judge them. Where Exchange has no component of that name, it
// is the one whose budget its own services of the kind use, or EWS.
var folders = []struct {
	name      string
	component throttle.Component
}{
	{"ews", throttle.EWS},
	{"mapi", throttle.RCA},
	{"rpc", throttle.RCA},
	{"rpcwithcert", throttle.RCA},
	{"owa", throttle.OWA},
	{"ecp", throttle.OWA}, // the settings of Outlook on the web
	{"microsoft-server-activesync", throttle.EAS},
	{"powershell", throttle.PowerShell},
	{"powershell-liveid", throttle.PowerShell},
	{"psws", throttle.PSWS},
	{"api", throttle.OutlookService},
	{"pushnotifications", throttle.PushNotification},
	{"autodiscover", throttle.EWS},
	{"oab", throttle.EWS},
}

// component judges what is served at uri, the path that a client asked for,
// with its query or without. It is EWS where the path says nothing: it is never
// empty of limits, and a stranger's path gives nobody a budget of his own.
func component(uri string) throttle.Component {
	first := firstFolder(uri)
	for _, f := range folders {
		if strings.EqualFold(f.name, first) {
			return f.component
		}
	}
	return throttle.EWS
}

// firstFolder is the first segment of a path as the server will understand it:
// a client that writes /%6Fwa/, /x/../owa/ or \owa gets no other budget for it.
func firstFolder(uri string) string {
	p, _, _ := strings.Cut(uri, "?")
	if strings.HasPrefix(p, "http") { // RFC 9112, 3.2.2: the whole of the URI
		if u, err := url.Parse(p); err == nil {
			p = u.EscapedPath()
		}
	}
	if strings.ContainsAny(p, `%\`) || strings.Contains(p, "//") || strings.Contains(p, "/.") {
		p = plainPath(p)
	}
	first, _, _ := strings.Cut(strings.TrimPrefix(p, "/"), "/")
	return first
}

// plainPath is p without detours.
func plainPath(p string) string {
	if u, err := url.PathUnescape(p); err == nil {
		p = u
	}
	return path.Clean("/" + strings.ReplaceAll(p, `\`, "/"))
}

// waits says that a request is known to wait for news and not to work: the Ping
// of ActiveSync (MS-ASCMD 2.2.1.13), in the plain form of its query or in the
// encoded one (MS-ASHTTP 2.2.1.1.1.1); NotificationWait of MAPI over HTTP
// (MS-OXCMAPIHTTP 2.2.4.4). In both it is what the mail server goes by itself.
// What an EWS request is stands in its body: a SOAPAction says what its client
// likes, and the server does not look at it.
func waits(c throttle.Component, uri, requestType string) bool {
	switch c {
	case throttle.EAS:
		_, query, _ := strings.Cut(uri, "?")
		return isPing(query)
	case throttle.RCA:
		return strings.EqualFold(requestType, "NotificationWait")
	}
	return false
}

// ping is the command's code in the encoded form.
const ping = 18

func isPing(query string) bool {
	for query != "" {
		var pair string
		pair, query, _ = strings.Cut(query, "&")
		if key, value, found := strings.Cut(pair, "="); found && strings.EqualFold(key, "Cmd") {
			return strings.EqualFold(value, "Ping")
		}
		if query == "" && len(pair) >= 4 { // base64: protocol version, command, locale …
			var b [3]byte
			n, err := base64.StdEncoding.Decode(b[:], []byte(pair[:4]))
			return err == nil && n == len(b) && b[1] == ping
		}
	}
	return false
}
