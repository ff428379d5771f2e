// Package maillog reads the logs that a mail node writes, whichever they are:
// HTTPERR, IIS, and Exchange's HttpProxy, MapiHttp, EWS and client access logs.
// It finds out by itself which log a file is, and says the same of every row, in
// the same words: a [Record].
//
// Start with [NewReader] for a file that is finished, or with [NewTail] for one
// that is still written.
package maillog

import (
	"net/netip"
	"time"
)

// A Kind is a log that this package understands.
type Kind uint8

// The kinds of logs.
const (
	Unknown   Kind = iota // it cannot be told yet, or it is no log
	HTTPErr               // HTTP.sys: requests and connections that it refused or broke
	IIS                   // the W3C log of a site
	HTTPProxy             // Exchange's front end, one folder a protocol
	MapiHTTP              // MAPI over HTTP, where the mailbox is
	EWS                   // Exchange Web Services, where the mailbox is
	RPCAccess             // RPC Client Access, and MAPI Client Access of 2013
	Other                 // a log of Exchange that is read and not understood: its rows have a time and nothing else
)

// A Protocol is what a client speaks, as the folder of a path has it.
type Protocol uint8

// The protocols of a mail node.
const (
	NoProtocol Protocol = iota // it cannot be told
	MAPI
	RPC
	EWSProtocol
	EAS
	OWA
	ECP
	OAB
	Autodiscover
	PowerShell
	REST
)

// A Record is what one row says. What its log does not have, or the row leaves
// empty, is nil, zero or, of durations, negative. Its slices are parts of the
// reader's buffer: they may be used until the next row.
type Record struct {
	Kind     Kind
	Protocol Protocol

	At   time.Time     // when the row was written, UTC: the request's end. Zero: it has none that can be read
	Took time.Duration // from the request's start to its end

	Node      []byte         // what the row calls the server that wrote it
	Server    netip.AddrPort // the address that was asked
	Client    netip.AddrPort // who asked: the peer of the connection, or whom the front end says; port 0 if that is not logged
	Forwarded []byte         // whom the peer says it asks for (X-Forwarded-For), as it stands
	User      []byte         // as it stands: "CONTOSO\anna", "anna@contoso.example"
	Agent     []byte         // the client's software, blanks as they stand in the log

	Method, Path, Query []byte

	Status    int    // of HTTP; 0: none was sent, or none is logged
	Substatus int    // of IIS; -1: not logged
	Win32     uint64 // of IIS
	Reason    []byte // why it failed: HTTP.sys' reason, an Exchange error code; nil where nothing failed
	Site      int    // of IIS and HTTP.sys; 0: none
	Pool      []byte // the application pool in whose queue it was

	Type     []byte // of MAPI the request type ("NotificationWait"), of EWS the action, of EAS the command
	Session  []byte // tells the client's session from others of the same kind of log: MAPI's context, else the mailbox
	FrontEnd []byte // the server that passed it on, as the back end says
	BackEnd  []byte // the server that it was passed on to, as the front end says

	Authenticating time.Duration // of Took
	Backend        time.Duration // of Took, what the back end needed
	Delay          time.Duration // of Took, what throttling added

	Policy []byte // the throttling policy that was applied
	Budget []byte // a text that policy/exchange can decode
	Errors []byte // further words about what failed, as they stand

	Waits  bool // it was answered when something happened, or after minutes: how long it took says nothing about the server
	Probe  bool // asked by a monitor or a balancer, by the names and addresses that these have; clients of the machine itself are clients
	Behind bool // asked by a front end: another row, of that, is of the same client's request
}
