package exlog

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// The columns of some logs, as Exchange has named them over the years.
const (
	proxyFields = "DateTime,RequestId,MajorVersion,MinorVersion,BuildVersion,RevisionVersion,ClientRequestId,Protocol,UrlHost,UrlStem,ProtocolAction,AuthenticationType,IsAuthenticated,AuthenticatedUser,Organization,AnchorMailbox,UserAgent,ClientIpAddress,ServerHostName,HttpStatus,BackEndStatus,ErrorCode,Method,ProxyAction,TargetServer,TargetServerVersion,RoutingType,RoutingHint,BackEndCookie,ServerLocatorHost,ServerLocatorLatency,RequestBytes,ResponseBytes,TargetOutstandingRequests,AuthModulePerfContext,HttpPipelineLatency,CalculateTargetBackEndLatency,GlsLatencyBreakup,TotalGlsLatency,AccountForestLatencyBreakup,TotalAccountForestLatency,ResourceForestLatencyBreakup,TotalResourceForestLatency,ADLatency,SharedCacheLatencyBreakup,TotalSharedCacheLatency,ActivityContextLifeTime,ModuleToHandlerSwitchingLatency,ClientReqStreamLatency,BackendReqInitLatency,BackendReqStreamLatency,BackendProcessingLatency,BackendRespInitLatency,BackendRespStreamLatency,ClientRespStreamLatency,KerberosAuthHeaderLatency,HandlerCompletionLatency,RequestHandlerLatency,HandlerToModuleSwitchingLatency,ProxyTime,CoreLatency,RoutingLatency,HttpProxyOverhead,TotalRequestTime,RouteRefresherLatency,UrlQuery,BackEndGenericInfo,GenericInfo,GenericErrors,EdgeTraceId,DatabaseGuid,UserADObjectGuid,PartitionEndpointLookupLatency,RoutingStatus"
	rcaFields   = "date-time,session-id,seq-number,client-name,organization-info,client-software,client-software-version,client-mode,client-ip,server-ip,protocol,application-id,operation,rpc-status,processing-time,operation-specific,failures"
	cmdFields   = "DateTime,StartTime,ServerHostName,AuthenticatedUser,Cmdlet,Parameters,TotalTime,GenericErrors"
	ecpFields   = "TimeStamp,ServerName,EventId,EventData"
)

// What is looked up of each where we read logs.
func proxyWanted() []string {
	return []string{"Protocol", "AuthenticatedUser", "UserAgent", "ClientIpAddress", "HttpStatus", "TargetServer", "TotalRequestTime", "ClientRequestId", "GenericInfo"}
}

func rcaWanted() []string {
	return []string{"session-id", "client-name", "client-software", "client-ip", "operation", "rpc-status", "processing-time", "failures"}
}

func cmdWanted() []string {
	return []string{"AuthenticatedUser", "Cmdlet", "Parameters", "TotalTime", "GenericErrors"}
}

// header is what Exchange writes before the rows of a file.
func header(kind, fields string) string {
	return "#Software: Microsoft Exchange Server\r\n#Version: 15.02.1544.004\r\n#Log-type: " + kind + "\r\n#Date: 2025-03-14T08:00:00.124Z\r\n#Fields: " + fields + "\r\n"
}

// generate makes a log of at least size bytes.
func generate(head string, size int, row func(*rand.Rand) string) []byte {
	r := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	b.Grow(size + 8192)
	b.WriteString(head)
	for ms := 0; b.Len() < size; ms += r.IntN(300) {
		fmt.Fprintf(&b, "2025-03-%02dT%02d:%02d:%02d.%03dZ,%s\r\n", 1+ms/86400_000%28, ms/3600_000%24, ms/60_000%60, ms/1000%60, ms%1000, row(r))
	}
	return []byte(b.String())
}

// guid is one of many.
func guid(r *rand.Rand) string {
	return fmt.Sprintf("%08x-%04x-4%03x-8%03x-%012x", r.Uint32(), r.IntN(1<<16), r.IntN(1<<12), r.IntN(1<<12), r.Uint64()&(1<<48-1))
}

// proxy makes a log of HttpProxy: Outlook over MAPI.
func proxy(size int) []byte {
	return generate(header("HttpProxy Logs", proxyFields), size, func(r *rand.Rand) string {
		user, taken, node := r.IntN(16000), r.IntN(300_000), 1+r.IntN(4)
		kind := []string{"Execute", "Execute", "NotificationWait", "Connect", "Disconnect"}[r.IntN(5)]
		return fmt.Sprintf("%s,15,2,1544,4,R:%s:%d;RT:%s;CI:%s:1;CID:%s,Mapi,mail.contoso.test,/mapi/emsmdb/,,Negotiate,true,CONTOSO\\user%d,contoso.test,MailboxGuid~%08x-0000-4000-8000-%012x,Microsoft Office/16.0 (Windows NT 10.0; Microsoft Outlook 16.0.17932; Pro),10.%d.%d.%d,EX%d,200,200,,POST,Proxy,ex%d.contoso.test,15.02.1544.000,IntraForest,MailboxGuidWithDomain,,,,371,443,%d,,0,1,,0,,0,,0,0,,0,%d,0,0,1,1,%d,0,0,0,0,0,%d,0,12,3,4,4,%d,,?mailboxId=%08x-0000-4000-8000-%012x@contoso.test,,BeginRequest=2025-03-14T08:00:04.107Z;CorrelationID=<empty>;ProxyState-Run=None;FEAuth=BEVersion-1942063431;BeginGetRequestStream=2025-03-14T08:00:04.110Z;OnRequestStreamReady=2025-03-14T08:00:04.111Z;BeginGetResponse=2025-03-14T08:00:04.111Z;OnResponseReady=2025-03-14T08:00:04.123Z;EndGetResponse=2025-03-14T08:00:04.123Z;ProxyState-Complete=ProxyResponseData;SharedCacheGuard=0;EndRequest=2025-03-14T08:00:04.124Z;,,,|RoutingDB:%s,,,CafeV1",
			guid(r), guid(r), r.IntN(100), kind, guid(r), guid(r), user, user, user, r.IntN(4), r.IntN(256), r.IntN(256), node, node, r.IntN(40), taken, taken, taken, taken, user, user, guid(r))
	})
}

// rca makes a log of RPC Client Access, whose rows are short.
func rca(size int) []byte {
	return generate(header("RPC Client Access Logs", rcaFields), size, func(r *rand.Rand) string {
		op := []string{"Connect", "OwnerLogon", "Disconnect", "DelegateLogon"}[r.IntN(4)]
		return fmt.Sprintf("%d,%d,/o=Contoso/ou=Exchange Administrative Group/cn=Recipients/cn=user%d,,OUTLOOK.EXE,15.0.4911.1000,Cached,10.1.%d.%d,fe80::1%%12,ncacn_http,,%s,0,00:00:00.0310000,,",
			r.IntN(10_000), r.IntN(100), r.IntN(16000), r.IntN(256), r.IntN(256), op)
	})
}

// cmd makes a log of cmdlets: quotes in every row, and more than one line in some.
func cmd(size int) []byte {
	return generate(header("Rps Cmdlet Logs", cmdFields), size, func(r *rand.Rand) string {
		errors := ""
		if r.IntN(10) == 0 {
			errors = "\"System.Exception: no such \"\"user\"\"\r\n   at A.B(C c)\r\n   at D.E()\""
		}
		return fmt.Sprintf("2025-03-14T08:00:00.100Z,EX1,CONTOSO\\admin%d,Get-Mailbox,\"-ResultSize \"\"%d\"\" -Identity \"\"user%d, of sales\"\"\",%d,%s", r.IntN(9), r.IntN(1000), r.IntN(16000), r.IntN(5000), errors)
	})
}
