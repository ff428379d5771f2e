package maillog

import (
	"errors"
	"strings"
	"testing"
)

// What each log says, as each version writes it.
func TestForms(t *testing.T) {
	for _, c := range []struct{ promise, file, want string }{
		{"HTTPERR of 2012", httperrHead(httperr2012) + "2025-03-14 09:15:07 192.0.2.13 50201 192.0.2.1 443 HTTP/1.1 POST /mapi/emsmdb/?MailboxId=7f@contoso.test 503 1 QueueFull MSExchangeMapiFrontEndAppPool\r\n",
			"httperr Mapi at=09:15:07 server=192.0.2.1:443 client=192.0.2.13:50201 method=POST path=/mapi/emsmdb/ query=MailboxId=7f@contoso.test status=503 reason=QueueFull site=1 pool=MSExchangeMapiFrontEndAppPool session=7f@contoso.test"},
		{"HTTPERR of 2025, idle", httperrHead(httperr2025) + "2025-03-14 09:15:07 2001:db8::5%12 50200 2001:db8::1 443 - - - - - - - Timer_ConnectionIdle - TCP\r\n",
			"httperr at=09:15:07 server=[2001:db8::1]:443 client=[2001:db8::5%12]:50200 reason=Timer_ConnectionIdle"},
		{"HTTPERR, a pool that is off, no reason but N/A", httperrHead(httperr2025) + "2025-03-14 09:15:07 192.0.2.10 50000 192.0.2.20 444 HTTP/1.1 M-POST /EWS/Exchange.asmx - - 503 447434323 N/A MSExchangeServicesAppPool TCP\r\n",
			"httperr Ews at=09:15:07 server=192.0.2.20:444 client=192.0.2.10:50000 method=M-POST path=/EWS/Exchange.asmx status=503 reason=N/A site=447434323 pool=MSExchangeServicesAppPool behind"},
		{"HTTPERR with few columns", httperrHead("date time cs-version cs-method cs-uri sc-status s-reason ") + "2025-03-14 09:15:07 HTTP/1.1 GET /owa/x?y?z 400 FieldLength\r\n",
			"httperr Owa at=09:15:07 method=GET path=/owa/x query=y?z status=400 reason=FieldLength"},
		{"HTTPERR, an address and a port that are none", httperrHead(httperr2012) + "2025-03-14 09:15:07 293.217.138.127 12052 10.1.2.5 70000 HTTP/1.1 GET / 503 - N/A -\r\n",
			"httperr at=09:15:07 server=10.1.2.5:0 method=GET path=/ status=503 reason=N/A"},
		{"IIS of 2010, EWS with its budget", iisHead(iis2010) + "2025-03-14 15:15:12 192.0.2.10 POST /ews/Exchange.asmx ;RC:bfe3;Init>>Conn:0,AD:30000/30000/0%;SoapAction=m:GetDelegate;End(17156.25ms)>>Conn:3,AD:30000/30000/0%; 443 Contoso\\anna 192.0.2.77 - 200 0 0 17468\r\n",
			"iis Ews at=15:15:12 took=17.468s server=192.0.2.10:443 client=192.0.2.77:0 user=Contoso\\anna method=POST path=/ews/Exchange.asmx query=;RC:bfe3;Init>>Conn:0,AD:30000/30000/0%;SoapAction=m:GetDelegate;End(17156.25ms)>>Conn:3,AD:30000/30000/0%; status=200 substatus=0 type=GetDelegate budget=;RC:bfe3;Init>>Conn:0,AD:30000/30000/0%;SoapAction=m:GetDelegate;End(17156.25ms)>>Conn:3,AD:30000/30000/0%;"},
		{"IIS, MAPI of the front", iisHead(iis2019) + "2025-03-14 15:15:12 192.0.2.10 POST /mapi/emsmdb/ MailboxId=7f@contoso.test&CorrelationID=<empty>;&cafeReqId=1; 443 CONTOSO\\anna 192.0.2.31 Microsoft+Office/16.0 - 200 0 64 300012\r\n",
			"iis Mapi at=15:15:12 took=5m0.012s server=192.0.2.10:443 client=192.0.2.31:0 user=CONTOSO\\anna agent=Microsoft+Office/16.0 method=POST path=/mapi/emsmdb/ query=MailboxId=7f@contoso.test&CorrelationID=<empty>;&cafeReqId=1; status=200 substatus=0 win32=64 session=7f@contoso.test waits"},
		{"IIS, a phone at the back, all columns", iisHead(iisAll) + "2025-03-14 07:03:38 W3SVC2 ex1 10.0.2.216 POST /Microsoft-Server-ActiveSync/Proxy/default.eas User=anna&Cmd=Ping&Log=Hb:600_Budget:(A)Conn%3a0_ 444 contoso\\anna 10.0.12.18 HTTP/1.1 Phone/1 - - ex1:444 200 0 0 600013 192.0.2.51,+10.0.11.6\r\n",
			"iis Eas at=07:03:38 took=10m0.013s node=ex1 server=10.0.2.216:444 client=10.0.12.18:0 forwarded=192.0.2.51,+10.0.11.6 user=contoso\\anna agent=Phone/1 method=POST path=/Microsoft-Server-ActiveSync/Proxy/default.eas query=User=anna&Cmd=Ping&Log=Hb:600_Budget:(A)Conn%3a0_ status=200 substatus=0 site=2 type=Ping budget=User=anna&Cmd=Ping&Log=Hb:600_Budget:(A)Conn%3a0_ waits behind"},
		{"IIS, PowerShell with two blanks, and a number beyond 32 bits", iisHead(iis2019) + "2025-03-14 00:01:24 ::1 POST /powershell clientApplication=ActiveMonitor;PSVersion=5.1 444  contoso\\anna ::1 Microsoft+WinRM+Client - 200 0 214784354254 15\r\n",
			"iis PowerShell at=00:01:24 took=15ms server=[::1]:444 client=[::1]:0 user=contoso\\anna agent=Microsoft+WinRM+Client method=POST path=/powershell query=clientApplication=ActiveMonitor;PSVersion=5.1 status=200 substatus=0 win32=214784354254 probe behind"},
		{"HttpProxy of SE", exchangeHead("HttpProxy Logs", proxySE) + commas(proxySE, map[string]string{
			"DateTime": "2025-03-14T01:00:04.124Z", "ClientRequestId": "R:1b:2;RT:Execute;CI:97c0:1;CID:4553", "Protocol": "Mapi", "UrlStem": "/mapi/emsmdb/", "AuthenticatedUser": "CONTOSO\\anna", "UserAgent": "Microsoft Office/16.0 (Windows NT 10.0)", "ClientIpAddress": "10.128.53.11",
			"ServerHostName": "EX1", "HttpStatus": "200", "Method": "POST", "TargetServer": "ex2.contoso.test", "BackendProcessingLatency": "9", "KerberosAuthHeaderLatency": "3", "TotalRequestTime": "12", "UrlQuery": "?mailboxId=7f@contoso.test", "GenericErrors": "x=y"}),
			"httpproxy Mapi at=01:00:04.124 took=12ms node=EX1 client=10.128.53.11:0 user=CONTOSO\\anna agent=Microsoft Office/16.0 (Windows NT 10.0) method=POST path=/mapi/emsmdb/ query=mailboxId=7f@contoso.test status=200 type=Execute session=97c0:1 back=ex2.contoso.test authenticating=3ms backend=9ms errors=x=y"},
		{"HttpProxy of 2013: a wait without a context, an address that is none", proxy2013 + "\r\n" + exchangeHead("HttpProxy Logs", proxy2013) + commas(proxy2013, map[string]string{
			"DateTime": "2025-03-14T01:00:04.124Z", "ClientRequestId": "R:{1b}:2;RT:NotificationWait;CI:<null>;CID:<null>", "Protocol": "Mapi", "ClientIpAddress": "fe80::1234:5678:123abc:245e%3", "HttpStatus": "503", "ErrorCode": "ServerNotFound", "AuthModulePerfContext": "2", "KerberosAuthHeaderLatency": "1", "TotalRequestTime": "300004.5"}),
			"httpproxy Mapi at=01:00:04.124 took=5m0.0045s status=503 reason=ServerNotFound type=NotificationWait authenticating=3ms waits"},
		{"HttpProxy of a phone", exchangeHead("HttpProxy Logs", proxySE) + commas(proxySE, map[string]string{"DateTime": "2025-03-14T01:00:04.124Z", "Protocol": "Eas", "UrlStem": "/Microsoft-Server-ActiveSync/default.eas", "UrlQuery": "?Cmd=Ping&User=anna", "TotalRequestTime": "12"}),
			"httpproxy Eas at=01:00:04.124 took=12ms path=/Microsoft-Server-ActiveSync/default.eas query=Cmd=Ping&User=anna type=Ping waits"},
		{"MapiHttp", exchangeHead("MapiHttp Logs", mapi2016) + commas(mapi2016, map[string]string{
			"DateTime": "2025-03-14T01:00:04.124Z", "RequestType": "Connect", "HttpStatusCode": "200", "ResponseCode": "0", "StatusCode": "15", "TotalRequestLatency": "31", "UPN": "anna@contoso.test", "ClientIP": "192.0.2.7", "SourceCafeServer": "EX2.contoso.test", "SessionCookie": "MAPIAAAA7", "ClientSoftware": "OUTLOOK.EXE", "AuthModuleLatency": "4"}),
			"mapihttp Mapi at=01:00:04.124 took=31ms client=192.0.2.7:0 user=anna@contoso.test agent=OUTLOOK.EXE status=200 reason=15 type=Connect session=MAPIAAAA7 front=EX2.contoso.test authenticating=4ms behind"},
		{"EWS of 2013, streaming", ews2013 + "\r\n" + exchangeHead("EWS Logs", ews2013) + commas(ews2013, map[string]string{
			"DateTime": "2025-03-14T01:00:04.124Z", "AuthenticatedUser": "anna@contoso.test", "UserAgent": "OC/16.0 (Skype)", "ClientIpAddress": "10.43.162.194", "ServerHostName": "EX1", "FrontEndServer": "EX2.CONTOSO.TEST", "SoapAction": "GetStreamingEvents", "HttpStatus": "200", "ErrorCode": "NoError", "ThrottlingPolicy": "Global_1", "ThrottlingDelay": "0.5", "AuthModuleLatency": "0", "TotalRequestTime": "900002", "GenericInfo": "'S:AS.ReqStats=a;b;';S:BudgetMetadata.MaxConn=27"}),
			"ews Ews at=01:00:04.124 took=15m0.002s node=EX1 client=10.43.162.194:0 user=anna@contoso.test agent=OC/16.0 (Skype) status=200 type=GetStreamingEvents front=EX2.CONTOSO.TEST authenticating=0s delay=500µs policy=Global_1 budget='S:AS.ReqStats=a;b;';S:BudgetMetadata.MaxConn=27 waits behind"},
		{"EWS, a connection's state, nearly empty", exchangeHead("EWS Logs", ews2013) + commas(ews2013, map[string]string{"DateTime": "2025-03-14T01:00:04.124Z", "ServerHostName": "EX1", "SoapAction": "Sbsc_ConnStatus", "GenericInfo": "tid=7;"}),
			"ews Ews at=01:00:04.124 node=EX1 type=Sbsc_ConnStatus waits"},
		{"EWS of 2016, a probe with a balance alone", exchangeHead("EWS Logs", ews2013) + commas(ews2013, map[string]string{"DateTime": "2025-03-14T01:00:04.124Z", "AuthenticatedUser": "HealthMailbox3a@contoso.test", "UserAgent": "Ews_AM_Probe/Local (ExchangeServicesClient/15.01)", "ClientIpAddress": "::1", "SoapAction": "GetFolder", "GenericInfo": "S:WLM.Bal=299999"}),
			"ews Ews at=01:00:04.124 client=[::1]:0 user=HealthMailbox3a@contoso.test agent=Ews_AM_Probe/Local (ExchangeServicesClient/15.01) type=GetFolder budget=S:WLM.Bal=299999 probe"},
		{"RPC Client Access", exchangeHead("RPC Client Access Logs", rpcAccess) + "2025-03-14T01:00:04.124Z,7,0,/o=C/cn=Recipients/cn=anna,,OUTLOOK.EXE,15.0,Cached,192.0.2.7,fe80::1%12,ncacn_http,,OwnerLogon,1144 (0x00000478),1.00:00:00.5,,why\r\n",
			"rpcaccess RpcHttp at=01:00:04.124 took=24h0m0.5s server=[fe80::1%12]:0 client=192.0.2.7:0 user=/o=C/cn=Recipients/cn=anna agent=OUTLOOK.EXE reason=1144 (0x00000478) type=OwnerLogon session=7 errors=why"},
		{"MAPI Client Access of 2013, all well", exchangeHead("MAPI Client Access Logs", rpcAccess) + "2025-03-14T01:00:04.124Z,7,0,/o=C/cn=R/cn=0123456789abcdef0123456789abcdef-HealthMailbox9,,X,15.0,Cached,192.0.2.7,192.0.2.8,MapiHttp,,Connect,0 (0x00000000),00:00:00.0310000,,\r\n",
			"rpcaccess Mapi at=01:00:04.124 took=31ms server=192.0.2.8:0 client=192.0.2.7:0 user=/o=C/cn=R/cn=0123456789abcdef0123456789abcdef-HealthMailbox9 agent=X type=Connect session=7 probe"},
		{"another log of Exchange", exchangeHead("Rps Cmdlet Logs", "DateTime,Cmdlet,Parameters") + "2025-03-14T01:00:04.124Z,Get-Mailbox,\"-ResultSize \"\"1\"\"\"\r\n", "other at=01:00:04.124"},
	} {
		if got := one(t, c.file); got != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", c.promise, got, c.want)
		}
		if got := one(t, inUTF16(c.file)); got != c.want {
			t.Errorf("%s, in UTF-16:\ngot  %s\nwant %s", c.promise, got, c.want)
		}
	}
}

// inUTF16 is an ASCII file as PowerShell saves it.
func inUTF16(file string) string {
	var b strings.Builder
	b.WriteString("\xff\xfe")
	for i := range len(file) {
		b.WriteString(file[i:i+1] + "\x00")
	}
	return b.String()
}

// How a file is told, and what is said of one that is none.
func TestKind(t *testing.T) {
	rpc := "date-time,session-id,operation,rpc-status\r\n2025-03-14T01:00:04Z,7,Connect,0\r\n"
	for _, c := range []struct {
		promise, file string
		kind          Kind
		rows          int
		err           string // part of it; empty for none
	}{
		{"blank lines, a mark and NULs ahead", "\r\n\r\n\xef\xbb\xbf" + strings.Repeat("\x00", 200_000) + httperrHead(httperr2012) + "2025-03-14 09:15:07 - - - - - - - - - Timer_ConnectionIdle -\r\n", HTTPErr, 1, ""},
		{"more NULs than are kept", strings.Repeat("\x00", 3<<20) + iisHead(iis2019) + blanks(iis2019, map[string]string{"date": "2025-03-14"}), IIS, 1, ""},
		{"no #Software", "#Fields: " + iis2019 + "\n" + blanks(iis2019, nil), IIS, 1, ""},
		{"columns before software: an HTTP.sys that writes a site's log", systemHead("Microsoft HTTP API 2.0", iis2019) + blanks(iis2019, nil), IIS, 1, ""},
		{"few columns, told by the software", systemHead("Microsoft HTTP API 1.0", "date time cs-method sc-status") + "2025-03-14 01:00:00 GET 503\r\n", HTTPErr, 1, ""},
		{"a header row alone", rpc, RPCAccess, 1, ""},
		{"other names, letters in any case", strings.ToUpper(rpc), RPCAccess, 1, ""},
		{"a log type that is not understood", "#Log-type: Message Tracking Log\n#Fields: date-time,client-ip\n2025-03-14T01:00:04Z,::1\n", Other, 1, ""},
		{"a header and nothing else", httperrHead(httperr2012), HTTPErr, 0, ""},
		{"a header that is cut", "#Software: Microsoft Exchange Server\r\n#Vers", Other, 0, ""},
		{"the start of a header", "#Software: Microsoft HTTP API 2.0", HTTPErr, 0, ""},
		{"nothing", "", Unknown, 0, ""},
		{"nothing but NULs", strings.Repeat("\x00", 300_000), Unknown, 0, ""},
		{"nothing but blank lines", "\r\n\n \n", Unknown, 0, ""},
		{"text, then NULs", "text\r\n" + strings.Repeat("\x00", 300_000), Unknown, 0, `it begins "text"`},
		{"a part of a line, then NULs", "te" + strings.Repeat("\x00", 300_000), Unknown, 0, `it begins "te"`},
		{"text, NULs, a header", "text\r\nte" + strings.Repeat("\x00", 300_000) + httperrHead(httperr2012) + "2025-03-14 09:15:07 - - - - - - - - - Timer_ConnectionIdle -\r\n", HTTPErr, 1, ""},
		{"half a row, some NULs, a header", "2025-03-14 08:0\x00\x00\x00\x00" + "#Fields: " + httperr2012 + "\r\n2025-03-14 09:15:07 - - - - - - - - - Timer_ConnectionIdle -\r\n", HTTPErr, 1, ""},
		{"half a header, some NULs, another", "#Software: Microsoft Exch\x00\x00\x00\x00" + iisHead(iis2019) + blanks(iis2019, nil), IIS, 1, ""},
		{"too much text among NULs, then a header", strings.Repeat("text"+strings.Repeat(" ", 1000)+"\n\x00\x00\x00\x00", scoutLen/1000+1) + httperrHead(httperr2012), Unknown, 0, `it begins "text `},
		{"another's log", systemHead("Microsoft Windows Firewall", "date time action src-ip") + "2025-03-14 01:00:00 ALLOW ::1\r\n", Unknown, 0, `its header says "Microsoft Windows Firewall, date time action src-ip"`},
		{"rows without a header", "2025-03-14 19:10:31  443 HTTP/1.1 GET / 400 - Header -\r\n", Unknown, 0, `it begins "2025-03-14 19:10:31  443 HTTP/1.1 GET / 400 - Header -"`},
		{"a table of others", "Time,Message\n2025-03-14T01:00:04Z,no\n", Unknown, 0, `it begins "Time,Message"`},
		{"a picture", "\x89PNG\r\n\x1a\n\xff\xfe", Unknown, 0, `it begins "`},
		{"a header that comes too late", strings.Repeat("text\n", scoutLen/5) + httperrHead(httperr2012), Unknown, 0, `it begins "text"`},
	} {
		rows, kind, stats, err := read(c.file)
		if kind != c.kind || len(rows) != c.rows || stats.Foreign != 0 {
			t.Errorf("%s: got %v, %d rows, %+v %v", c.promise, kind, len(rows), stats, err)
		}
		if (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s: got error %v, want %q", c.promise, err, c.err)
		}
		f := follower{tail: NewTail(Position{})}
		for range 70 {
			if f.poll(c.file, 5000); !f.tail.Waiting() {
				break
			}
			f.tail.GiveUp()
		}
		f.finish(c.file)
		if len(f.rows) != c.rows {
			t.Errorf("%s: followed, got %d rows", c.promise, len(f.rows))
		}
	}
}

// A file of IIS' other service has no requests of the web's: its rows are passed
// over, and without #Software it is no log.
func TestFTP(t *testing.T) {
	const fields = "date time c-ip cs-username s-ip s-port cs-method cs-uri-stem sc-status sc-win32-status sc-substatus x-session x-fullpath"
	file := iisHead(fields) + blanks(fields, nil)
	if rows, _, stats, err := read(file); len(rows) > 0 || stats.Foreign != 1 || err != nil {
		t.Errorf("got %v %+v %v", rows, stats, err)
	}
	if rows, _, _, err := read(file[strings.Index(file, "#Fields"):]); len(rows) > 0 || !errors.Is(err, ErrKind) {
		t.Errorf("got %v %v", rows, err)
	}
}

// However many NULs a file has before its kind is known, few are kept, and so each
// is looked at a few times.
func TestNulsAreNotKept(t *testing.T) {
	for _, ahead := range []string{"", "x\n", "x", "\xff\xfex\x00"} {
		r := NewReader(strings.NewReader(ahead+strings.Repeat("\x00", 4<<20)), Position{})
		if r.Next() || cap(r.head.kept) > 4*scoutLen || (r.Err() == nil) != (ahead == "") {
			t.Errorf("%q: %d bytes are kept, %v", ahead, cap(r.head.kept), r.Err())
		}
	}
}

// What waits is told by its type, and by its length only where there is none.
func TestWaits(t *testing.T) {
	iis := func(values map[string]string) string {
		values["sc-status"] = "200"
		return iisHead(iis2019) + blanks(iis2019, values)
	}
	proxy := func(values map[string]string) string {
		return exchangeHead("HttpProxy Logs", proxySE) + commas(proxySE, values)
	}
	for _, c := range []struct {
		promise, file string
		want          bool
	}{
		{"MAPI's wait, however short", proxy(map[string]string{"Protocol": "Mapi", "ClientRequestId": "RT:NotificationWait", "TotalRequestTime": "3"}), true},
		{"work, however long", proxy(map[string]string{"Protocol": "Mapi", "ClientRequestId": "RT:Execute", "TotalRequestTime": "300000"}), false},
		{"MAPI without a type, a minute", iis(map[string]string{"cs-uri-stem": "/mapi/emsmdb/", "time-taken": "60000"}), true},
		{"MAPI without a type, less", iis(map[string]string{"cs-uri-stem": "/mapi/emsmdb/", "time-taken": "59999"}), false},
		{"a phone's ping", iis(map[string]string{"cs-uri-stem": "/Microsoft-Server-ActiveSync/default.eas", "cs-uri-query": "Cmd=Ping&x=1", "time-taken": "1"}), true},
		{"a phone's sync that waits", iis(map[string]string{"cs-uri-stem": "/microsoft-server-activesync/", "cs-uri-query": "User=a&cmd=Sync", "time-taken": "60000"}), true},
		{"a phone's sync", iis(map[string]string{"cs-uri-stem": "/microsoft-server-activesync/", "cs-uri-query": "User=a&cmd=Sync", "time-taken": "6000"}), false},
		{"a phone's search, however long", iis(map[string]string{"cs-uri-stem": "/microsoft-server-activesync/", "cs-uri-query": "Cmd=Search&User=a", "time-taken": "600000"}), false},
		{"OWA's notifications", iis(map[string]string{"cs-uri-stem": "/owa/ev.owa2", "cs-uri-query": "ns=PendingRequest&ev=PendingNotificationRequest&UA=0", "time-taken": "1"}), true},
		{"OWA's end of them", iis(map[string]string{"cs-uri-stem": "/owa/ev.owa2", "cs-uri-query": "ns=PendingRequest&ev=FinishNotificationRequest", "time-taken": "70000"}), false},
		{"OWA that is slow", iis(map[string]string{"cs-uri-stem": "/owa/service.svc", "time-taken": "70000"}), false},
		{"RPC's two ways", iis(map[string]string{"cs-method": "RPC_OUT_DATA", "cs-uri-stem": "/rpc/rpcproxy.dll", "time-taken": "4"}), true},
		{"RPC's preparation", iis(map[string]string{"cs-method": "GET", "cs-uri-stem": "/rpc/rpcproxy.dll", "time-taken": "70000"}), false},
		{"PowerShell's open pipe", iis(map[string]string{"cs-method": "POST", "cs-uri-stem": "/PowerShell", "time-taken": "180000"}), true},
		{"asked to authenticate", strings.Replace(iis(map[string]string{"cs-method": "RPC_IN_DATA", "cs-uri-stem": "/rpc/rpcproxy.dll"}), " 200 ", " 401 ", 1), false},
		{"EWS polled", exchangeHead("EWS Logs", ews2013) + commas(ews2013, map[string]string{"SoapAction": "GetEvents", "TotalRequestTime": "15"}), false},
		{"EWS polled for a minute", exchangeHead("EWS Logs", ews2013) + commas(ews2013, map[string]string{"SoapAction": "GetEvents", "TotalRequestTime": "60000"}), true},
		{"EWS, work, however long", exchangeHead("EWS Logs", ews2013) + commas(ews2013, map[string]string{"SoapAction": "FindItem", "TotalRequestTime": "600000"}), false},
	} {
		if got := strings.Contains(one(t, c.file)+" ", " waits "); got != c.want {
			t.Errorf("%s: got %v, want %v", c.promise, got, c.want)
		}
	}
}

// Who monitors is told by whole names in their place.
func TestProbe(t *testing.T) {
	for _, c := range []struct {
		user, agent, client, path string
		want                      bool
	}{
		{user: `CONTOSO\HealthMailboxa1b2`, want: true},
		{user: "healthmailbox5e0f@contoso.test", want: true},
		{user: `CONTOSO\extest_5e0f`, want: true},
		{user: `CONTOSO\HealthMailbox`, want: true},
		{user: "HealthMailbox-EX1-001@contoso.test", want: true},
		{user: `CONTOSO\healthmailboxadmin`},
		{user: `CONTOSO\HealthMailbox.anna`},
		{user: `CONTOSO\anna.HealthMailbox`},
		{user: `HealthMailbox\anna`},
		{user: "anna@healthmailbox.test"},
		{agent: "AMProbe/Local/ClientAccess", want: true},
		{agent: "Ews_AM_Probe/Local+(ExchangeServicesClient/15.01)", want: true},
		{agent: "Odata_PC_Probe/Local", want: true},
		{agent: "AMPROBE/LOCAL/CLIENTACCESS", want: true},
		{agent: "HttpProxy.ClientAccessServer2010Ping", want: true},
		{agent: "HttpProxy.ClientAccessServer2010PingX"},
		{agent: "Space_Probe/1.0"},
		{agent: "MyApp/1.0+(talks+to+AMProbe/Local)"},
		{agent: "AMProbes/1.0"},
		{agent: "Mozilla/4.0+(compatible;+MSIE+12.0;+MSEXCHMON;+ACTIVEMONITORING)", want: true},
		{agent: "Mozilla/4.0+(compatible;+MSIE+9.0;+Windows+NT+6.1;+ACTIVEMONITORING;+OWACTP)", want: true},
		{agent: "Mozilla/5.0+(Windows+NT+10.0)", client: "::1"},
		{agent: "MapiHttpClient", client: "127.0.0.1", want: true},
		{agent: "MapiHttpClient", client: "::ffff:127.0.0.1", want: true},
		{agent: "MapiHttpClient", client: "fe80::1%3", want: true},
		{agent: "MapiHttpClient", client: "fe80::1%3", user: `CONTOSO\anna`},
		{agent: "MapiHttpClient", client: "192.0.2.7"},
		{agent: "TestActiveSyncConnectivity", want: true},
		{client: "168.63.129.16", want: true},
		{client: "::ffff:168.63.129.16", want: true},
		{client: "168.63.129.160"},
		{path: "/mapi/healthcheck.htm", want: true},
		{path: "/OWA/HealthCheck.htm", want: true},
		{path: "/health/mapi/healthcheck.htm", want: true},
		{path: "/owa/healthcheck.htm/x"},
		{path: "/owa/myhealthcheck.htm"},
	} {
		file := iisHead(iis2019) + blanks(iis2019, map[string]string{"cs-username": or(c.user, "-"), "cs(User-Agent)": or(c.agent, "-"), "c-ip": or(c.client, "192.0.2.7"), "cs-uri-stem": or(c.path, "/owa/")})
		if got := strings.Contains(one(t, file)+" ", " probe "); got != c.want {
			t.Errorf("%+v: got %v", c, got)
		}
	}
}

func or(v, missing string) string {
	if v == "" {
		return missing
	}
	return v
}

// Whether a front end asked is told by the port, and where none is logged, by the
// host's or the site.
func TestBehind(t *testing.T) {
	for _, c := range []struct {
		port, host, site string
		want             bool
	}{
		{"443", "ex1:444", "W3SVC2", false}, {"444", "-", "W3SVC1", true}, {"81", "-", "-", true},
		{"-", "ex1:444", "W3SVC1", true}, {"-", "mail.contoso.test", "W3SVC1", false}, {"-", "mail.contoso.test:443", "W3SVC2", false}, {"-", "-", "W3SVC2", true},
	} {
		file := iisHead(iisAll) + blanks(iisAll, map[string]string{"s-port": c.port, "cs-host": c.host, "s-sitename": c.site})
		if got := strings.Contains(one(t, file)+" ", " behind "); got != c.want {
			t.Errorf("%+v: got %v", c, got)
		}
	}
}

// A growing file's kind is known with the end of the first line that says it, and
// nothing is consumed before.
func TestKindOfAFileThatBegins(t *testing.T) {
	tail := NewTail(Position{})
	file := httperrHead(httperr2012)
	for n := range strings.Index(file, "\n") + 1 {
		tail.Feed([]byte(file[:n]))
		if tail.Next() || tail.Kind() != Unknown || tail.Position() != (Position{}) {
			t.Fatalf("after %q: %v at %+v", file[:n], tail.Kind(), tail.Position())
		}
	}
	tail.Feed([]byte(file))
	if tail.Next() || tail.Kind() != HTTPErr || tail.Position().Offset != int64(len(file)) || tail.Position().Kind != HTTPErr {
		t.Fatalf("%v at %+v", tail.Kind(), tail.Position())
	}

	tail = NewTail(Position{})
	tail.Feed([]byte(strings.Repeat("text\n", scoutLen/5+1)))
	if tail.Next() || !errors.Is(tail.Err(), ErrKind) || tail.Position() != (Position{}) {
		t.Fatalf("%v at %+v", tail.Err(), tail.Position())
	}
}
