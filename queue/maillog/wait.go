package maillog

import (
	"bytes"
	"time"
)

// longWait is from when on a request whose type is not logged is taken for one
// that waited, where the protocol has such: well over what work takes, below the
// shortest full wait of any of them.
const longWait = time.Minute

// waits reports that a request is answered when something happens, or after
// minutes: by its type where that says it, else by how long it took.
func waits(r *Record) bool {
	if r.Protocol == NoProtocol || r.Status == 401 { // it is asked to authenticate, and asks again
		return false
	}
	long := r.Took >= longWait
	switch r.Protocol {
	case MAPI:
		return string(r.Type) == "NotificationWait" || r.Type == nil && long
	case RPC:
		return string(r.Method) == "RPC_IN_DATA" || string(r.Method) == "RPC_OUT_DATA"
	case EAS:
		return bytes.EqualFold(r.Type, []byte("Ping")) || long && (r.Type == nil || bytes.EqualFold(r.Type, []byte("Sync")))
	case EWSProtocol:
		return waitsEWS(r.Type) || long && (r.Type == nil || string(r.Type) == "GetEvents")
	case OWA:
		return bytes.EqualFold(value(r.Query, "ev="), []byte("PendingNotificationRequest"))
	case PowerShell:
		return long
	}
	return false
}

// waitsEWS reports that an action, or what the log has in its place, is of a
// connection for notifications: "GetStreamingEvents", "Sbsc_ConnStatus".
func waitsEWS(action []byte) bool {
	return string(action) == "GetStreamingEvents" || bytes.HasPrefix(action, []byte("Sbsc_"))
}
