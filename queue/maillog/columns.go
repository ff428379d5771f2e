package maillog

// The columns that are looked up in logs of HTTP.sys, by their place in
// [systemColumns].
const (
	sysURI = iota // of HTTPERR alone, and so are the next
	sysSite
	sysReason
	sysPool
	sysMethod // of both
	sysStatus
	sysClient
	sysClientPort
	sysServer
	sysServerPort
	sysSiteName // of IIS alone, and so are the next
	sysNode
	sysStem
	sysQuery
	sysUser
	sysAgent
	sysHost
	sysSubstatus
	sysWin32
	sysTook
	sysForwarded // and all that follow: a balancer's name for it is anyone's choice
)

func systemColumns() []string {
	return []string{
		sysClient: "c-ip", sysClientPort: "c-port", sysServer: "s-ip", sysServerPort: "s-port",
		sysMethod: "cs-method", sysStatus: "sc-status",
		sysURI: "cs-uri", sysSite: "s-siteid", sysReason: "s-reason", sysPool: "s-queuename",
		sysSiteName: "s-sitename", sysNode: "s-computername", sysStem: "cs-uri-stem", sysQuery: "cs-uri-query",
		sysUser: "cs-username", sysAgent: "cs(User-Agent)", sysHost: "cs-host",
		sysSubstatus: "sc-substatus", sysWin32: "sc-win32-status", sysTook: "time-taken",
		sysForwarded: "X-Forwarded-For", "cs(X-Forwarded-For)", "X_FORWARDED_FOR", "OriginalIP", "X-Real-IP", "X-Client-IP", "True-Client-IP",
	}
}

// forwardedNames is how many columns may hold the addresses that a balancer
// passes on.
const forwardedNames = 7

// The columns that are looked up in logs of Exchange, by their place in
// [exchangeColumns]. Logs share names.
const (
	exRequestID = iota // of HttpProxy alone, and so are the next
	exStem
	exQuery
	exAction
	exMethod
	exTarget
	exAuthContext
	exAuthHeader
	exBackend
	exAgent // of it and EWS
	exClient
	exNode
	exStatus
	exError
	exTotal
	exUser // and of MapiHttp
	exErrors
	exAuthModule // of EWS and MapiHttp
	exInfo       // of EWS alone, and so are the next
	exSoap
	exFrontEnd
	exPolicy
	exDelay
	exType // of MapiHttp alone, and so are the next
	exMapiStatus
	exResponseCode
	exStatusCode
	exMapiTotal
	exMapiClient
	exCafe
	exSession
	exSoftware
	exMail
	exUPN
	exProtocol   // of client access logs and HttpProxy
	exRPCSession // of client access logs alone, and so are the next
	exRPCUser
	exRPCAgent
	exRPCClient
	exRPCServer
	exOperation
	exRPCStatus
	exRPCTime
	exFailures
	exchangeCount // how many there are
)

func exchangeColumns() []string {
	return []string{
		exRequestID: "ClientRequestId", exProtocol: "Protocol", exStem: "UrlStem", exQuery: "UrlQuery", exAction: "ProtocolAction",
		exUser: "AuthenticatedUser", exAgent: "UserAgent", exClient: "ClientIpAddress", exNode: "ServerHostName",
		exStatus: "HttpStatus", exError: "ErrorCode", exMethod: "Method", exTarget: "TargetServer",
		exAuthContext: "AuthModulePerfContext", exAuthHeader: "KerberosAuthHeaderLatency", exBackend: "BackendProcessingLatency",
		exTotal: "TotalRequestTime", exInfo: "GenericInfo", exErrors: "GenericErrors",
		exSoap: "SoapAction", exFrontEnd: "FrontEndServer", exPolicy: "ThrottlingPolicy", exDelay: "ThrottlingDelay", exAuthModule: "AuthModuleLatency",
		exType: "RequestType", exMapiStatus: "HttpStatusCode", exResponseCode: "ResponseCode", exStatusCode: "StatusCode",
		exMapiTotal: "TotalRequestLatency", exMapiClient: "ClientIP", exCafe: "SourceCafeServer", exSession: "SessionCookie",
		exSoftware: "ClientSoftware", exMail: "AuthenticatedUserEmail", exUPN: "UPN",
		exRPCSession: "session-id", exRPCUser: "client-name", exRPCAgent: "client-software", exRPCClient: "client-ip", exRPCServer: "server-ip",
		exOperation: "operation", exRPCStatus: "rpc-status", exRPCTime: "processing-time", exFailures: "failures",
	}
}

// places are the first and the last place, and one, of the columns that a kind
// has. Some between may be of others.
func places(k Kind) (from, to int) {
	switch k {
	case HTTPErr:
		return sysURI, sysSiteName
	case IIS:
		return sysMethod, sysForwarded + forwardedNames
	case HTTPProxy:
		return exRequestID, exProtocol + 1
	case MapiHTTP:
		return exUser, exProtocol
	case EWS:
		return exAgent, exType
	case RPCAccess:
		return exProtocol, exchangeCount
	}
	return 0, 0
}
