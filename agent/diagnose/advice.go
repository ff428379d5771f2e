package diagnose

import (
	"fmt"

	"evenkeel/policy/exchange"
)

const (
	adviceSkew = "Now: give the other nodes the new clients, by weight and in steps, and do not fail over by hand. For good: spread sessions with weighted DNS or round robin instead of least connection, " +
		"and let the balancer probe a service that does not share the pool, since a full queue must not empty a node. A longer queue takes in more requests that wait, not more that are served."
	adviceFull    = "Now: look whether the pool's worker is busy, waits, or stands still; a longer queue only makes clients wait longer. For good: fewer sessions a node, and a probe that does not share the pool."
	adviceStorm   = "Let clients come back in portions: raise a node's weight in steps after it was away (slow start), and recycle pools one node at a time, out of working hours."
	adviceStall   = "Now: take a dump of the worker before it is recycled (procdump -ma), and look at garbage collection, domain controllers and the mailbox server in that minute. For good: gcServer=true for the pool where the server has much memory."
	adviceCascade = "Do not let the probe of one protocol's pool empty a whole node: probe a service that answers while the queue is full, and never let more nodes fail their probe for load than the others can carry."
	adviceFlap    = "Look at what the probe asks for and how fast it is answered. Let the balancer wait for three failures, hold a node down for minutes and raise its share slowly: each flap moves all of its clients."
	adviceIdle    = "Find the device on their way (firewall, balancer, proxy) whose idle timeout is that long, and raise it above the longest wait, with TCP KeepAliveTime of the servers below it: 15 to 30 minutes " +
		"(HKLM\\SYSTEM\\CurrentControlSet\\Services\\Tcpip\\Parameters, KeepAliveTime=1800000)."
	adviceAuth = "Now: nltest /sc_query:DOMAIN on the node says which domain controller it uses, nltest /sc_reset:DOMAIN\\DC moves it to another; look at the counters Netlogon\\Semaphore Waiters and Timeouts. " +
		"For good: Kerberos for the namespace (alternate service account), and MaxConcurrentApi raised if waiters stay above zero."
	adviceThrottled = "Say whether the software needs to ask so much; evenkeel policy size finds the smallest policy that does not throttle it, and Set-ThrottlingPolicyAssociation gives it to this account alone."
	adviceDeleted   = "Exchange uses the default policy instead; nobody is refused for it. Give the accounts another one: Get-Mailbox -ResultSize Unlimited | Where-Object { \"$($_.ThrottlingPolicy)\" -match 'DEL:' } | Set-Mailbox -ThrottlingPolicy $null; " +
		"the same with Get-ThrottlingPolicyAssociation for accounts without a mailbox. It takes up to 15 minutes to act."
)

func adviceRecycle(pool string) string {
	return fmt.Sprintf("Find who recycled it: events of WAS in the System log, Managed Availability (Microsoft-Exchange-ManagedAvailability/RecoveryActionResults), a deployment, or a timed recycle (appcmd list apppool %q /text:recycling.periodicRestart.time). "+
		"For good: recycle out of working hours and one node at a time, after its weight was lowered.", pool)
}

func adviceDown(pool string) string {
	return fmt.Sprintf("Now: appcmd start apppool /apppool.name:%q, after looking in the System log for events of WAS that say why it was stopped (5002: rapid-fail protection; 5021 and 5059: its identity). "+
		"Disabled means that somebody, or rapid-fail protection, stopped it; it does not start by itself.", pool)
}

func adviceBackend(server string) string {
	return fmt.Sprintf("Now: look at the disks and at the processor of %s, and move its active databases if another server is well: Move-ActiveMailboxDatabase -Server %s. The front ends only wait for it: changing the balance does not help.", server, exchange.Quote(server))
}

func adviceLocked(user string) string {
	return fmt.Sprintf("Now: stop or slow the software that asks in this name; the lock ends by itself five minutes after the last overdraft. For good: evenkeel policy size says which policy it needs; "+
		"New-ThrottlingPolicy makes it, and Set-ThrottlingPolicyAssociation -Identity %s -ThrottlingPolicy NAME gives it to this account alone. Never make the account unlimited.", exchange.Quote(plain(user)))
}

func adviceHog(user string) string {
	return fmt.Sprintf("Find out what software asks in this name, and why so much. Until that is mended, bound it: a throttling policy with a low MaxConcurrency for it alone (Set-ThrottlingPolicyAssociation -Identity %s -ThrottlingPolicy NAME).", exchange.Quote(plain(user)))
}

func adviceHidden(forwarded bool) string {
	if forwarded {
		return "Nothing is wrong with it: the logs have X-Forwarded-For. Count clients by that or by user, never by address."
	}
	return "Let the balancer insert X-Forwarded-For, and IIS log it (a custom field of the site): without it, what one client does cannot be told from what another does."
}

// adviceReason is for a 503 with a reason of HTTP.sys, or a code of IIS.
func adviceReason(reason string) string {
	switch reason {
	case "ConnLimit":
		return "The site's connection limit was reached: appcmd list site /text:limits.maxConnections shows it. It is no pool's queue."
	case connectionsRefused:
		return "Now: restart the server at a quiet time, its clients moved away before. For good: the kernel's non-paged pool was used up, so find the driver that leaks it (poolmon -b, counter Memory\\Pool Nonpaged Bytes). It is no pool's queue, and a longer one changes nothing."
	case "AppPoolTimer":
		return "The pool's worker was too slow to take the request: look at its processor and its start-up."
	case "503.2":
		return codeAdvice("503.2")
	case "503.3":
		return codeAdvice("503.3")
	}
	return "The service was not there: the server or IIS was starting or stopping, or nobody had reserved the address. Look in the System log at that time."
}

func codeMeans(code string) string {
	switch code {
	case "400.2":
		return "a wrong Depth header of WebDAV, and not a full queue"
	case "503.2":
		return "more requests at once than appConcurrentRequestLimit allows, and not a full queue of the pool"
	case "503.3":
		return "ASP.NET's own queue is full, and not that of the pool in HTTP.sys"
	}
	return "not enough memory or quota for the request (ERROR_NOT_ENOUGH_MEMORY)"
}

func codeAdvice(code string) string {
	switch code {
	case "400.2":
		return "Nothing for load: some client or scanner asks with WebDAV. A full queue is 503 QueueFull in HTTPERR."
	case "503.2":
		return "Compare serverRuntime appConcurrentRequestLimit of the path with what Exchange sets up (65535 for /mapi): a lower value is not Exchange's."
	case "503.3":
		return "Look for what the worker's threads wait for; processModel requestQueueLimit is only how long it shows late."
	}
	return "Look at the memory of the pool's worker and at its limits."
}
