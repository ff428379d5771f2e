//go:build !race

package farmlog

import (
	"strings"
	"testing"
	"time"
)

// signs are what stories are about, as the logs show it.
func signs() map[string]func(node, kind string, r row) bool {
	return map[string]func(node, kind string, r row) bool{
		"a leg of seconds": func(_, kind string, r row) bool {
			return kind == "HttpProxy" && r.number("KerberosAuthHeaderLatency") > 3000
		},
		"locked out of EWS": func(_, kind string, r row) bool {
			return kind == "Ews" && r.get("ErrorCode") == "ErrorServerBusy" && strings.Contains(r.get("GenericInfo"), "EndBalance=-2")
		},
		"locked out of EAS": func(_, kind string, r row) bool {
			return kind == "W3SVC2" && r.get("sc-status") == "503" && strings.Contains(r.get("cs-uri-query"), "Balance%3a-5")
		},
		"a delay": func(_, kind string, r row) bool { return kind == "Ews" && r.number("ThrottlingDelay") > 1000 },
		"a deleted policy in EWS": func(_, kind string, r row) bool {
			return kind == "Ews" && strings.Contains(r.get("ThrottlingPolicy"), `\0ADEL:`)
		},
		"a deleted policy in EAS": func(_, kind string, r row) bool {
			return kind == "W3SVC2" && strings.Contains(r.get("cs-uri-query"), "%5c0ADEL%3a")
		},
		"cut at five minutes": func(_, kind string, r row) bool {
			took := r.number("time-taken")
			return kind == "W3SVC1" && r.get("sc-win32-status") == "64" && took >= 300_000 && took < 301_000 && strings.HasPrefix(r.get("c-ip"), "10.30.")
		},
		"the add-in": func(_, kind string, r row) bool {
			return kind == "HttpProxy" && strings.Contains(r.get("UserAgent"), "CrmAddin")
		},
		"a probe answered 503": func(_, kind string, r row) bool {
			return kind == "W3SVC1" && r.get("cs-uri-stem") == "/mapi/healthcheck.htm" && r.get("sc-status") == "503"
		},
		"a pool disabled": func(_, kind string, r row) bool {
			return kind == "HTTPERR" && r.get("s-reason") == "Disabled" && r.get("s-queuename") == pEws.pool()
		},
		"a slow mailbox": func(node, kind string, r row) bool {
			return kind == "MapiHttp" && node == "EX2" && r.get("RequestType") == "Execute" && r.number("TotalRequestLatency") > 4000
		},
		"a recycle by day": func(_, kind string, r row) bool {
			return kind == "HTTPERR" && r.get("s-reason") == "Connection_Abandoned_By_AppPool" && r.get("time") > "06"
		},
		"a full queue": func(_, kind string, r row) bool { return kind == "HTTPERR" && r.get("s-reason") == "QueueFull" },
	}
}

// signsOf says which of them a story has; it has no other.
func signsOf(story string) []string {
	return map[string][]string{
		"incident": {"a full queue"}, "recycle": {"a full queue", "a recycle by day"}, "slow-netlogon": {"a full queue", "a leg of seconds"},
		"lockout": {"locked out of EWS", "locked out of EAS", "a delay"}, "deleted-policy": {"a deleted policy in EWS", "a deleted policy in EAS"},
		"idle-timeout": {"cut at five minutes"}, "runaway": {"the add-in"}, "probe-flap": {"a probe answered 503"}, "pool-disabled": {"a pool disabled"},
		"slow-backend": {"a slow mailbox"}, "healthy": nil,
	}[story]
}

// Stories say of themselves what their readers need.
func TestStories(t *testing.T) {
	names := map[string]bool{}
	for _, s := range Stories() {
		if names[s.Name] || s.About == "" || (s.Cause == "") != (s.Name == "healthy") || len(s.Nodes) > 4 || s.Length%(24*time.Hour) != 0 {
			t.Errorf("got %+v", s)
		}
		names[s.Name] = true
	}
	if len(names) != 11 {
		t.Errorf("%d stories", len(names))
	}
}
