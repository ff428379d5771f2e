package w3c

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// The headers of the two kinds, as servers of 2025 write them.
const (
	httperrFields = "date time c-ip c-port s-ip s-port cs-version cs-method cs-uri streamid streamid_ex sc-status s-siteid s-reason s-queuename transport"
	siteFields    = "date time s-ip cs-method cs-uri-stem cs-uri-query s-port cs-username c-ip cs(User-Agent) cs(Referer) sc-status sc-substatus sc-win32-status time-taken"
)

// What is looked up of each where we read logs.
func httperrWanted() []string {
	return []string{"c-ip", "sc-status", "s-siteid", "s-reason", "s-queuename"}
}

func siteWanted() []string {
	return []string{"cs-method", "cs-uri-stem", "cs-uri-query", "cs-username", "c-ip", "cs(User-Agent)", "sc-status", "sc-win32-status", "time-taken"}
}

// header is what HTTP.sys writes before the rows of a file.
func header(software, fields string) string {
	return "#Software: " + software + "\r\n#Version: 1.0\r\n#Date: 2025-03-14 08:00:00\r\n#Fields: " + fields + "\r\n"
}

// generate makes a log of at least size bytes: two rows a second in the mean.
func generate(head string, size int, row func(*rand.Rand) string) []byte {
	r := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	b.Grow(size + 4096)
	b.WriteString(head)
	for half := 0; b.Len() < size; half += r.IntN(3) {
		sec := half / 2
		fmt.Fprintf(&b, "2025-03-%02d %02d:%02d:%02d %s\r\n", 1+sec/86400%28, sec/3600%24, sec/60%60, sec%60, row(r))
	}
	return []byte(b.String())
}

// httperr makes a file of HTTPERR: half of it connections that went idle.
func httperr(size int) []byte {
	return generate(header("Microsoft HTTP API 2.0", httperrFields), size, func(r *rand.Rand) string {
		ip, port := fmt.Sprintf("10.%d.%d.%d", r.IntN(4), r.IntN(256), r.IntN(256)), 1024+r.IntN(64000)
		from := fmt.Sprintf("%s %d 192.0.2.21 443", ip, port)
		switch k := r.IntN(20); {
		case k < 10:
			return from + " - - - - - - - Timer_ConnectionIdle - TCP"
		case k < 14:
			return from + fmt.Sprintf(" HTTP/1.1 POST /mapi/emsmdb/?MailboxId=%08x-0000-4000-8000-%012x@contoso.test - - 503 1 QueueFull MSExchangeMapiFrontEndAppPool TCP", r.Uint32(), r.IntN(16000))
		case k < 17:
			return from + " HTTP/1.1 POST /EWS/Exchange.asmx - - - 1 Connection_Dropped MSExchangeServicesAppPool TCP"
		default:
			return from + " HTTP/2 GET /owa/ 7 - 400 1 BadRequest - TCP"
		}
	})
}

// site makes a log of IIS: mostly Outlook over MAPI.
func site(size int) []byte {
	return generate(header("Microsoft Internet Information Services 10.0", siteFields), size, func(r *rand.Rand) string {
		ip, user := fmt.Sprintf("10.%d.%d.%d", r.IntN(4), r.IntN(256), r.IntN(256)), r.IntN(16000)
		switch k := r.IntN(10); {
		case k < 6:
			return fmt.Sprintf("192.0.2.21 POST /mapi/emsmdb/ MailboxId=%08x-0000-4000-8000-%012x@contoso.test&CorrelationID=<empty>;&cafeReqId=%08x-1111-4111-8111-%012x; 443 CONTOSO\\user%d %s Microsoft+Office/16.0+(Windows+NT+10.0;+Microsoft+Outlook+16.0.17932;+Pro) - 200 0 0 %d",
				user, user, r.Uint32(), r.Uint64()&(1<<48-1), user, ip, r.IntN(300_000))
		case k < 8:
			return fmt.Sprintf("192.0.2.21 POST /EWS/Exchange.asmx &CorrelationID=<empty>;&cafeReqId=%08x-2222-4222-8222-%012x; 443 CONTOSO\\svc-room %s MacOutlook/16.89.24090815+(Intelx64+Mac+OS+X+Version+14.6.1+(Build+23G93)) - 200 0 0 %d",
				r.Uint32(), r.Uint64()&(1<<48-1), ip, r.IntN(2000))
		default:
			return fmt.Sprintf("192.0.2.21 GET /owa/healthcheck.htm - 443 - %s AMProbe/Local/ClientAccess - 200 0 64 %d", ip, r.IntN(20))
		}
	})
}
