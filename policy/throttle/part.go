package throttle

// A Part is one thing that a policy limits.
type Part uint8

const (
	NoPart Part = iota // nothing

	// How many of a thing at once.
	Concurrency   // requests; connections of RCA, POP and IMAP
	Hanging       // streaming and notification requests, which wait
	Subscriptions // of EWS and OutlookService
	FindCount     // items and folders in responses that are not sent yet
	Devices       // of EAS: partnerships
	CmdletQueue   // of PowerShell: cmdlets that wait

	// How much of a thing over time.
	AD            // time in Active Directory, a minute (2010)
	CAS           // time of the whole request, AD and RPC included, a minute (2010)
	AB            // time in the address book, a minute (2010)
	RPC           // time in the mailbox store, a minute (2010)
	LocalTime     // time of the whole request, by burst and recharge (2013 and later), under the name that Exchange's error texts give it
	Messages      // of Submission: a minute
	Recipients    // of Submission: 24 hours
	Cmdlets       // of PowerShell: the policy's own period
	Destructive   // of PowerShell: the policy's own period
	DeviceDeletes // of EAS: a month
	Notifications // of PushNotification: the policy's own period

	CPU  // the node's load, not the caller's
	Full // no room for a budget of the caller's own: he shares one with others

	parts // how many there are
)

// String is the part's word in logs, metrics and replies.
func (p Part) String() string {
	if p < parts {
		return partNames[p]
	}
	return "unknown"
}

// partNames are the words of the enumeration: those that Exchange prints in
// budgets and errors where it has one (document 000), else its parameter's.
var partNames = [parts]string{
	NoPart: "-", Concurrency: "MaxConcurrency", Hanging: "HangingConnectionLimit", Subscriptions: "MaxSubscriptions", FindCount: "FindCountLimit",
	Devices: "MaxDevices", CmdletQueue: "MaxCmdletQueueDepth",
	AD: "AD", CAS: "CAS", AB: "AB", RPC: "RPC", LocalTime: "LocalTime", Messages: "MessageRateLimit", Recipients: "RecipientRateLimit",
	Cmdlets: "MaxCmdlets", Destructive: "MaxDestructiveCmdlets", DeviceDeletes: "MaxDeviceDeletesPerMonth", Notifications: "PushNotification",
	CPU: "CPU", Full: "full",
}
