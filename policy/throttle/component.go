package throttle

import "strings"

// A Component is a protocol or service of a mail server, as Exchange's
// throttling divides it (Set-ThrottlingPolicy).
type Component uint8

const (
	Anonymous           Component = iota // the zero Component is the tightest one: callers without a name
	EWS                                  // Exchange Web Services
	EAS                                  // Exchange ActiveSync
	OWA                                  // Outlook on the web
	POP                                  // Post Office Protocol
	IMAP                                 // Internet Message Access Protocol
	RCA                                  // RPC Client Access: Outlook, MAPI over HTTP too
	CPA                                  // cross-premises access
	PowerShell                           // remote PowerShell, by which administrators work
	OutlookService                       // since 2016
	OWAVoice                             // voice of Outlook on the web
	PSWS                                 // PowerShell web services
	PushNotification                     // notes to phones
	EncryptionSender                     // who sends encrypted mail
	EncryptionRecipient                  // who opens it
	Discovery                            // searches across mailboxes
	Compliance                           // expansion of groups in searches
	RCAShared                            // all callers of RCA together; its one Caller has no name
	Submission                           // messages handed in, through whatever component

	components // how many there are
)

// String is the component's name in the parameters of a throttling policy.
func (c Component) String() string {
	if c < components {
		return componentNames[c]
	}
	return "unknown"
}

// ParseComponent finds a component by its name, in any letter case.
func ParseComponent(name string) (Component, bool) {
	for c := range components {
		if strings.EqualFold(componentNames[c], name) {
			return c, true
		}
	}
	return Anonymous, false
}

// componentNames are the words of the enumeration, as the parameters of 2013
// and later spell them; Exchange 2010 writes EWS, EAS, OWA and so on in
// capitals, and names are compared without regard to case.
var componentNames = [components]string{
	Anonymous: "Anonymous", EWS: "Ews", EAS: "Eas", OWA: "Owa", POP: "Pop", IMAP: "Imap", RCA: "Rca", CPA: "Cpa",
	PowerShell: "PowerShell", OutlookService: "OutlookService", OWAVoice: "OwaVoice", PSWS: "Psws",
	PushNotification: "PushNotification", EncryptionSender: "EncryptionSender", EncryptionRecipient: "EncryptionRecipient",
	Discovery: "Discovery", Compliance: "Compliance", RCAShared: "RcaShared", Submission: "Submission",
}
