package maillog

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// The columns of the logs, as versions of Exchange and Windows write them.
const (
	httperr2012 = "date time c-ip c-port s-ip s-port cs-version cs-method cs-uri sc-status s-siteid s-reason s-queuename"
	httperr2016 = "date time c-ip c-port s-ip s-port cs-version cs-method cs-uri streamid sc-status s-siteid s-reason s-queuename"
	httperr2025 = "date time c-ip c-port s-ip s-port cs-version cs-method cs-uri streamid streamid_ex sc-status s-siteid s-reason s-queuename transport"
	iis2010     = "date time s-ip cs-method cs-uri-stem cs-uri-query s-port cs-username c-ip cs(User-Agent) sc-status sc-substatus sc-win32-status time-taken"
	iis2019     = "date time s-ip cs-method cs-uri-stem cs-uri-query s-port cs-username c-ip cs(User-Agent) cs(Referer) sc-status sc-substatus sc-win32-status time-taken"
	iisAll      = "date time s-sitename s-computername s-ip cs-method cs-uri-stem cs-uri-query s-port cs-username c-ip cs-version cs(User-Agent) cs(Cookie) cs(Referer) cs-host sc-status sc-substatus sc-win32-status time-taken X-Forwarded-For"
	proxySE     = "DateTime,RequestId,MajorVersion,MinorVersion,BuildVersion,RevisionVersion,ClientRequestId,Protocol,UrlHost,UrlStem,ProtocolAction,AuthenticationType,IsAuthenticated,AuthenticatedUser,Organization,AnchorMailbox,UserAgent,ClientIpAddress,ServerHostName,HttpStatus,BackEndStatus,ErrorCode,Method,ProxyAction,TargetServer,TargetServerVersion,RoutingType,RoutingHint,BackEndCookie,ServerLocatorHost,ServerLocatorLatency,RequestBytes,ResponseBytes,TargetOutstandingRequests,AuthModulePerfContext,HttpPipelineLatency,CalculateTargetBackEndLatency,GlsLatencyBreakup,TotalGlsLatency,AccountForestLatencyBreakup,TotalAccountForestLatency,ResourceForestLatencyBreakup,TotalResourceForestLatency,ADLatency,SharedCacheLatencyBreakup,TotalSharedCacheLatency,ActivityContextLifeTime,ModuleToHandlerSwitchingLatency,ClientReqStreamLatency,BackendReqInitLatency,BackendReqStreamLatency,BackendProcessingLatency,BackendRespInitLatency,BackendRespStreamLatency,ClientRespStreamLatency,KerberosAuthHeaderLatency,HandlerCompletionLatency,RequestHandlerLatency,HandlerToModuleSwitchingLatency,ProxyTime,CoreLatency,RoutingLatency,HttpProxyOverhead,TotalRequestTime,RouteRefresherLatency,UrlQuery,BackEndGenericInfo,GenericInfo,GenericErrors,EdgeTraceId,DatabaseGuid,UserADObjectGuid,PartitionEndpointLookupLatency,RoutingStatus"
	proxy2013   = "DateTime,RequestId,MajorVersion,MinorVersion,BuildVersion,RevisionVersion,ClientRequestId,Protocol,UrlStem,ProtocolAction,AuthenticationType,IsAuthenticated,AuthenticatedUser,Organization,AnchorMailbox,UserAgent,ClientIpAddress,ServerHostName,HttpStatus,BackEndStatus,ErrorCode,Method,ProxyAction,TargetServer,TargetServerVersion,TargetOutstandingRequests,AuthModulePerfContext,BackendProcessingLatency,KerberosAuthHeaderLatency,TotalRequestTime,UrlQuery,GenericInfo,GenericErrors"
	mapi2016    = "DateTime,RequestId,MapiRequestId,ClientRequestId,RequestType,HttpStatusCode,ResponseCode,StatusCode,ReturnCode,TotalRequestLatency,DeploymentRing,MajorVersion,MinorVersion,BuildVersion,RevisionVersion,AuthenticatedUserEmail,UPN,Puid,TenantGuid,MailboxId,MDBGuid,ActAsUserEmail,ClientIP,SourceCafeServer,EdgeInfo,NetworkDeviceInfo,SessionCookie,SequenceCookie,MapiClientInfo,ClientSoftware,ClientSoftwareVersion,ClientMode,AuthenticationType,AuthModuleLatency,LiveIdBasicLog,LiveIdBasicError,LiveIdNegotiateError,OAuthLatency,OAuthError,OAuthErrorCategory,OAuthExtraInfo,AuthenticatedUser,RopIds,OperationSpecific,GenericInfo,GenericErrors"
	ews2013     = "DateTime,RequestId,MajorVersion,MinorVersion,BuildVersion,RevisionVersion,ClientRequestId,AuthenticationType,IsAuthenticated,AuthenticatedUser,Organization,UserAgent,VersionInfo,ClientIpAddress,ServerHostName,FrontEndServer,SoapAction,HttpStatus,RequestSize,ResponseSize,ErrorCode,ImpersonatedUser,ProxyAsUser,ActAsUser,Cookie,CorrelationGuid,PrimaryOrProxyServer,TaskType,RemoteBackendCount,LocalMailboxCount,RemoteMailboxCount,LocalIdCount,RemoteIdCount,BeginBudgetConnections,EndBudgetConnections,BeginBudgetHangingConnections,EndBudgetHangingConnections,BeginBudgetAD,EndBudgetAD,BeginBudgetCAS,EndBudgetCAS,BeginBudgetRPC,EndBudgetRPC,BeginBudgetFindCount,EndBudgetFindCount,BeginBudgetSubscriptions,EndBudgetSubscriptions,MDBResource,MDBHealth,MDBHistoricalLoad,ThrottlingPolicy,ThrottlingDelay,ThrottlingRequestType,TotalDCRequestCount,TotalDCRequestLatency,TotalMBXRequestCount,TotalMBXRequestLatency,RecipientLookupLatency,ExchangePrincipalLatency,HttpPipelineLatency,CheckAccessCoreLatency,AuthModuleLatency,CallContextInitLatency,PreExecutionLatency,CoreExecutionLatency,TotalRequestTime,DetailedExchangePrincipalLatency,ClientStatistics,GenericInfo,AuthenticationErrors,GenericErrors,Puid"
	rpcAccess   = "date-time,session-id,seq-number,client-name,organization-info,client-software,client-software-version,client-mode,client-ip,server-ip,protocol,application-id,operation,rpc-status,processing-time,operation-specific,failures"
)

// systemHead is what HTTP.sys writes before rows.
func systemHead(software, fields string) string {
	return "#Software: " + software + "\r\n#Version: 1.0\r\n#Date: 2025-03-14 08:00:00\r\n#Fields: " + fields + "\r\n"
}

func httperrHead(fields string) string { return systemHead("Microsoft HTTP API 2.0", fields) }
func iisHead(fields string) string {
	return systemHead("Microsoft Internet Information Services 10.0", fields)
}

// exchangeHead is what Exchange writes before rows.
func exchangeHead(logType, fields string) string {
	return "#Software: Microsoft Exchange Server\r\n#Version: 15.02.1544.004\r\n#Log-type: " + logType + "\r\n#Date: 2025-03-14T08:00:00.124Z\r\n#Fields: " + fields + "\r\n"
}

// commas is a row under a header of Exchange's, with these values by name.
func commas(fields string, values map[string]string) string { return row(fields, ",", "", values) }

// blanks is likewise a row of HTTP.sys.
func blanks(fields string, values map[string]string) string { return row(fields, " ", "-", values) }

func row(fields, sep, missing string, values map[string]string) string {
	var cells []string
	for _, name := range strings.Split(fields, sep) {
		v, ok := values[name]
		if !ok {
			v = missing
		}
		cells = append(cells, v)
	}
	return strings.Join(cells, sep) + "\r\n"
}

// generate makes a log of at least size bytes: two rows a second in the mean.
// What stands for the time in a row is replaced by it.
func generate(head string, size int, stamp string, row func(*rand.Rand) string) []byte {
	r := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	b.Grow(size + 8192)
	b.WriteString(head)
	for half := 0; b.Len() < size; half += r.IntN(3) {
		sec := half / 2
		fmt.Fprintf(&b, stamp, 1+sec/86400%28, sec/3600%24, sec/60%60, sec%60)
		b.WriteString(row(r))
	}
	return []byte(b.String())
}

const (
	systemStamp   = "2025-03-%02d %02d:%02d:%02d "
	exchangeStamp = "2025-03-%02dT%02d:%02d:%02d.124Z,"
)

// guid is one of many.
func guid(r *rand.Rand) string {
	return fmt.Sprintf("%08x-%04x-4%03x-8%03x-%012x", r.Uint32(), r.IntN(1<<16), r.IntN(1<<12), r.IntN(1<<12), r.Uint64()&(1<<48-1))
}

func address(r *rand.Rand) string {
	return fmt.Sprintf("10.%d.%d.%d", r.IntN(4), r.IntN(256), r.IntN(256))
}

// manyHTTPErr is a file of HTTPERR: half of it connections that went idle.
func manyHTTPErr(size int) []byte {
	return generate(httperrHead(httperr2025), size, systemStamp, func(r *rand.Rand) string {
		from := fmt.Sprintf("%s %d 192.0.2.21 443", address(r), 1024+r.IntN(64000))
		switch k := r.IntN(20); {
		case k < 10:
			return from + " - - - - - - - Timer_ConnectionIdle - TCP\r\n"
		case k < 14:
			return from + fmt.Sprintf(" HTTP/1.1 POST /mapi/emsmdb/?MailboxId=%s@contoso.test - - 503 1 QueueFull MSExchangeMapiFrontEndAppPool TCP\r\n", guid(r))
		case k < 17:
			return from + " HTTP/1.1 POST /EWS/Exchange.asmx - - - 1 Connection_Dropped MSExchangeServicesAppPool TCP\r\n"
		}
		return from + " HTTP/2 GET /owa/ 7 - 400 1 BadRequest - TCP\r\n"
	})
}

// manyIIS is a log of a front end: mostly Outlook over MAPI, and some phones.
func manyIIS(size int) []byte {
	return generate(iisHead(iis2019), size, systemStamp, func(r *rand.Rand) string {
		user := r.IntN(16000)
		switch k := r.IntN(10); {
		case k < 5:
			return fmt.Sprintf("192.0.2.21 POST /mapi/emsmdb/ MailboxId=%s@contoso.test&CorrelationID=<empty>;&cafeReqId=%s; 443 CONTOSO\\user%d %s Microsoft+Office/16.0+(Windows+NT+10.0;+Microsoft+Outlook+16.0.17932;+Pro) - 200 0 0 %d\r\n",
				guid(r), guid(r), user, address(r), r.IntN(300_000))
		case k < 7:
			return fmt.Sprintf("192.0.2.21 POST /EWS/Exchange.asmx &CorrelationID=<empty>;&cafeReqId=%s; 443 CONTOSO\\svc-room %s MacOutlook/16.89.24090815+(Intelx64+Mac+OS+X+Version+14.6.1+(Build+23G93)) - 200 0 0 %d\r\n",
				guid(r), address(r), r.IntN(2000))
		case k < 9:
			return fmt.Sprintf("192.0.2.21 POST /Microsoft-Server-ActiveSync/default.eas Cmd=Sync&User=user%d@contoso.test&DeviceId=%012X&DeviceType=iPhone&CorrelationID=<empty>;&cafeReqId=%s; 443 CONTOSO\\user%d %s Apple-iPhone11C6/1905.258 - 200 0 0 %d\r\n",
				user, r.Uint64()&(1<<48-1), guid(r), user, address(r), r.IntN(2000))
		}
		return fmt.Sprintf("192.0.2.21 GET /owa/healthcheck.htm - 443 - %s AMProbe/Local/ClientAccess - 200 0 64 %d\r\n", address(r), r.IntN(20))
	})
}

// manyHTTPProxy is a log of a front end's MAPI.
func manyHTTPProxy(size int) []byte {
	return generate(exchangeHead("HttpProxy Logs", proxySE), size, exchangeStamp, func(r *rand.Rand) string {
		user, taken, node := r.IntN(16000), r.IntN(300_000), 1+r.IntN(4)
		kind := []string{"Execute", "Execute", "NotificationWait", "Connect", "Disconnect"}[r.IntN(5)]
		return fmt.Sprintf("%s,15,2,1544,4,R:%s:%d;RT:%s;CI:%s:1;CID:%s,Mapi,mail.contoso.test,/mapi/emsmdb/,,Negotiate,true,CONTOSO\\user%d,contoso.test,MailboxGuid~%08x-0000-4000-8000-%012x,Microsoft Office/16.0 (Windows NT 10.0; Microsoft Outlook 16.0.17932; Pro),%s,EX%d,200,200,,POST,Proxy,ex%d.contoso.test,15.02.1544.000,IntraForest,MailboxGuidWithDomain,,,,371,443,%d,,0,1,,0,,0,,0,0,,0,%d,0,0,1,1,%d,0,0,0,2,0,%d,0,12,3,4,4,%d,,?mailboxId=%08x-0000-4000-8000-%012x@contoso.test,,BeginRequest=2025-03-14T08:00:04.107Z;CorrelationID=<empty>;ProxyState-Run=None;FEAuth=BEVersion-1942063431;BeginGetRequestStream=2025-03-14T08:00:04.110Z;OnRequestStreamReady=2025-03-14T08:00:04.111Z;BeginGetResponse=2025-03-14T08:00:04.111Z;OnResponseReady=2025-03-14T08:00:04.123Z;EndGetResponse=2025-03-14T08:00:04.123Z;ProxyState-Complete=ProxyResponseData;SharedCacheGuard=0;EndRequest=2025-03-14T08:00:04.124Z;,,,|RoutingDB:%s,,,CafeV1\r\n",
			guid(r), guid(r), r.IntN(100), kind, guid(r), guid(r), user, user, user, address(r), node, node, r.IntN(40), taken, taken, taken, taken, user, user, guid(r))
	})
}

// manyMapiHTTP is a log of MAPI at the mailbox.
func manyMapiHTTP(size int) []byte {
	return generate(exchangeHead("MapiHttp Logs", mapi2016), size, exchangeStamp, func(r *rand.Rand) string {
		kind := []string{"Execute", "Execute", "NotificationWait", "Connect", "Disconnect"}[r.IntN(5)]
		user := r.IntN(16000)
		row := commas(mapi2016, map[string]string{
			"RequestId": guid(r), "MapiRequestId": guid(r) + ":7", "ClientRequestId": guid(r), "RequestType": kind, "HttpStatusCode": "200", "ResponseCode": "0", "StatusCode": "0",
			"TotalRequestLatency": fmt.Sprint(r.IntN(300_000)), "UPN": fmt.Sprintf("user%d@contoso.test", user), "MailboxId": guid(r), "ClientIP": address(r), "SourceCafeServer": fmt.Sprintf("EX%d.contoso.test", 1+r.IntN(4)),
			"SessionCookie": "MAPIAAAA" + guid(r), "SequenceCookie": guid(r), "ClientSoftware": "OUTLOOK.EXE", "ClientSoftwareVersion": "16.0.17932.1000", "ClientMode": "Cached", "AuthenticationType": "Negotiate", "AuthModuleLatency": "3",
			"AuthenticatedUser": fmt.Sprintf("CONTOSO\\user%d", user), "RopIds": ">[24][112]", "GenericInfo": "S:ActivityStandardMetadata.Component=MapiHttp;S:WLM.BT=Rca;S:WLM.Bal=300000;Dbl:BudgUse.T[]=4;I32:ROP.C[EX1.db]=18;I32:MAPI.C[EX1.db]=2",
		})
		return strings.TrimPrefix(row, ",")
	})
}

// manyEWS is a log of EWS at the mailbox.
func manyEWS(size int) []byte {
	return generate(exchangeHead("EWS Logs", ews2013), size, exchangeStamp, func(r *rand.Rand) string {
		return strings.TrimPrefix(commas(ews2013, map[string]string{
			"RequestId": guid(r), "MajorVersion": "15", "MinorVersion": "2", "ClientRequestId": guid(r), "AuthenticationType": "Negotiate", "IsAuthenticated": "true", "AuthenticatedUser": fmt.Sprintf("user%d@contoso.test", r.IntN(16000)),
			"UserAgent": "MacOutlook/16.89.24090815 (Intelx64 Mac OS X Version 14.6.1 (Build 23G93))", "ClientIpAddress": address(r), "ServerHostName": "EX1", "FrontEndServer": "EX2.CONTOSO.TEST", "SoapAction": "SyncFolderItems", "HttpStatus": "200",
			"ThrottlingPolicy": "GlobalThrottlingPolicy_755156ba-bb79-49b3-ae2a-a08357d24244", "ThrottlingDelay": "0.0392", "AuthModuleLatency": "2", "TotalRequestTime": fmt.Sprint(r.IntN(3000)),
			"GenericInfo": fmt.Sprintf("BackEndAuthenticator=WindowsAuthenticator;TotalBERehydrationModuleLatency=0;MailboxTypeCacheSize=426770;S:WLM.Cl=InternalMaintenance;S:ServiceTaskMetadata.ADCount=0;S:WLM.Type=Ews;S:WLM.Int=True;S:WLM.SvcA=False;S:WLM.Bal=299979.3;S:WLM.BT=Ews;S:BudgetMetadata.MaxConn=27;S:BudgetMetadata.MaxBurst=300000;S:BudgetMetadata.BeginBalance=300000;S:BudgetMetadata.Cutoff=3000000;S:BudgetMetadata.RechargeRate=900000;S:BudgetMetadata.IsServiceAct=False;S:BudgetMetadata.LiveTime=00:04:46.0371950;S:BudgetMetadata.EndBalance=299979.%d;Dbl:WLM.TS=15;Dbl:BudgUse.T[]=24.61;Dbl:CCpu.T[CMD]=0", r.IntN(10)),
		}), ",")
	})
}

// manyRPCAccess is a log of RPC Client Access, whose rows are short.
func manyRPCAccess(size int) []byte {
	return generate(exchangeHead("RPC Client Access Logs", rpcAccess), size, exchangeStamp, func(r *rand.Rand) string {
		op := []string{"Connect", "OwnerLogon", "Disconnect", "DelegateLogon"}[r.IntN(4)]
		return fmt.Sprintf("%d,%d,/o=Contoso/ou=Exchange Administrative Group/cn=Recipients/cn=user%d,,OUTLOOK.EXE,15.0.4911.1000,Cached,%s,10.0.0.9,ncacn_http,,%s,0,00:00:00.0310000,,\r\n",
			r.IntN(10_000), r.IntN(100), r.IntN(16000), address(r), op)
	})
}
