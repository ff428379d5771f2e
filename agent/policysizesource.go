package main

import (
	"evenkeel/policy/throttle"
	"evenkeel/queue/maillog"
)

// A sizeSource is a kind of log; the one nearest to where budgets are kept is the greatest.
type sizeSource uint8

const (
	noSource   sizeSource = iota
	frontIIS              // IIS of a front end
	frontProxy            // HttpProxy
	backIIS               // IIS behind it
	backClient            // RPC Client Access
	backMAPI              // MapiHttp
	backEWS               // EWS

	sizeSources // how many there are
)

// String is the source in words.
func (s sizeSource) String() string {
	switch s {
	case frontIIS:
		return "IIS"
	case frontProxy:
		return "HttpProxy"
	case backIIS:
		return "IIS of the back end"
	case backClient:
		return "client access"
	case backMAPI:
		return "MapiHttp"
	case backEWS:
		return "EWS"
	}
	return "none"
}

func sourceOf(r *maillog.Record) sizeSource {
	switch r.Kind {
	case maillog.IIS:
		if r.Behind {
			return backIIS
		}
		return frontIIS
	case maillog.HTTPProxy:
		return frontProxy
	case maillog.RPCAccess:
		return backClient
	case maillog.MapiHTTP:
		return backMAPI
	case maillog.EWS:
		return backEWS
	}
	return noSource
}

// componentOf is whose budget a protocol's requests count in.
func componentOf(p maillog.Protocol) (throttle.Component, bool) {
	switch p {
	case maillog.EWSProtocol:
		return throttle.EWS, true
	case maillog.EAS:
		return throttle.EAS, true
	case maillog.OWA, maillog.ECP:
		return throttle.OWA, true
	case maillog.MAPI, maillog.RPC:
		return throttle.RCA, true
	case maillog.PowerShell:
		return throttle.PowerShell, true
	case maillog.REST:
		return throttle.OutlookService, true
	}
	return 0, false
}
