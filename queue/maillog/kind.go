package maillog

import (
	"fmt"
	"slices"
	"strings"

	"evenkeel/queue/exlog"
	"evenkeel/queue/lines"
)

// String is a short word for the log: "httperr".
func (k Kind) String() string {
	switch k {
	case HTTPErr:
		return "httperr"
	case IIS:
		return "iis"
	case HTTPProxy:
		return "httpproxy"
	case MapiHTTP:
		return "mapihttp"
	case EWS:
		return "ews"
	case RPCAccess:
		return "rpcaccess"
	case Other:
		return "other"
	}
	return "unknown"
}

// MarshalText is [Kind.String], so that a position that was written down stays
// right when kinds are added.
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText reads what [Kind.MarshalText] wrote.
func (k *Kind) UnmarshalText(text []byte) error {
	for is := Unknown; is <= Other; is++ {
		if is.String() == string(text) {
			*k = is
			return nil
		}
	}
	return fmt.Errorf("kind of log %q: unknown", text)
}

// system reports that HTTP.sys writes such logs, with blanks between columns;
// the others are Exchange's, with commas.
func (k Kind) system() bool { return k == HTTPErr || k == IIS }

// ofSystem is the kind of log that has this header in the format of HTTP.sys;
// [Unknown] for what it does not write. The columns decide where they can.
func ofSystem(software, fields string) Kind {
	names := strings.Fields(fields)
	has := func(any ...string) bool {
		return slices.ContainsFunc(any, func(n string) bool { return lines.Column(names, n) >= 0 })
	}
	switch {
	case has("s-reason", "s-queuename"):
		return HTTPErr
	case has("x-session", "x-fullpath") && !has("cs-uri-query", "cs(User-Agent)"): // FTP
		return Unknown
	case has("cs-uri-stem", "s-sitename", "time-taken", "cs(User-Agent)", "sc-win32-status"):
		return IIS
	case fields != "" && !has("cs-method", "cs-uri", "sc-status", "c-ip"):
		return Unknown
	case strings.HasPrefix(software, "Microsoft HTTP API"):
		return HTTPErr
	case strings.HasPrefix(software, "Microsoft Internet Information Services"):
		return IIS
	}
	return Unknown
}

// ofExchange is the kind of log that has this header in the format of Exchange:
// by its columns if it is one that is understood, else [Other] if Exchange is
// said to write it, else [Unknown].
func ofExchange(h exlog.Header) Kind {
	names := h.Columns()
	has := func(all ...string) bool {
		return !slices.ContainsFunc(all, func(n string) bool { return lines.Column(names, n) < 0 })
	}
	switch {
	case has("TargetServer", "ProxyAction"), has("TargetServer", "UrlStem"):
		return HTTPProxy
	case has("RequestType", "MapiRequestId"), has("RequestType", "SessionCookie"), has("RequestType", "SourceCafeServer"):
		return MapiHTTP
	case has("SoapAction", "ThrottlingPolicy"), has("SoapAction", "FrontEndServer"):
		return EWS
	case has("operation", "rpc-status"), has("operation", "client-software"):
		return RPCAccess
	case h.LogType != "" || strings.HasPrefix(h.Software, "Microsoft Exchange"):
		return Other
	}
	return Unknown
}
