package throttle

import (
	"slices"
	"time"
)

const one = int64(time.Second)
const rateLocal = 4

// gauge is the slot of p in Limits.Max and Budget.Held, or -1: callers of c have
// no such part.
func (c Component) gauge(p Part) int {
	if c >= components || p == NoPart {
		return -1
	}
	return slices.Index(gaugeParts[c][:], p)
}

// rate is the slot of p in Limits.Rate and Budget.Used, or -1: callers of c have
// no such part.
func (c Component) rate(p Part) int {
	if c >= components || p == NoPart {
		return -1
	}
	return slices.Index(rateParts[c][:], p)
}

// gaugeParts are the parts in the slots of a gauge, by component.
var gaugeParts = [components][gauges]Part{
	Anonymous:           {Concurrency, Hanging},
	EWS:                 {Concurrency, Hanging, Subscriptions, FindCount},
	EAS:                 {Concurrency, Hanging, Devices},
	OWA:                 {Concurrency, Hanging},
	POP:                 {Concurrency, Hanging},
	IMAP:                {Concurrency, Hanging},
	RCA:                 {Concurrency, Hanging},
	CPA:                 {Concurrency, Hanging},
	PowerShell:          {Concurrency, Hanging, CmdletQueue},
	OutlookService:      {Concurrency, Hanging, Subscriptions},
	OWAVoice:            {Concurrency, Hanging},
	PSWS:                {Concurrency, Hanging},
	PushNotification:    {Concurrency, Hanging},
	EncryptionSender:    {Concurrency, Hanging},
	EncryptionRecipient: {Concurrency, Hanging},
	Discovery:           {Concurrency, Hanging},
	RCAShared:           {Concurrency, Hanging},
}

// rateParts are the parts in the slots of a rate. Parts of a minute belong to
// the components of 2010, LocalTime to those that 2013 and later give a burst.
var rateParts = [components][rates]Part{
	Anonymous:           {AD, CAS, AB, RPC, LocalTime, NoPart},
	EWS:                 {AD, CAS, AB, RPC, LocalTime, NoPart},
	EAS:                 {AD, CAS, AB, RPC, LocalTime, DeviceDeletes},
	OWA:                 {AD, CAS, AB, RPC, LocalTime, NoPart},
	POP:                 {AD, CAS, AB, RPC, LocalTime, NoPart},
	IMAP:                {AD, CAS, AB, RPC, LocalTime, NoPart},
	RCA:                 {AD, CAS, AB, RPC, LocalTime, NoPart},
	CPA:                 {AD, CAS, AB, RPC, LocalTime, NoPart},
	PowerShell:          {Cmdlets, Destructive, NoPart, NoPart, LocalTime, NoPart},
	OutlookService:      {rateLocal: LocalTime},
	OWAVoice:            {rateLocal: LocalTime},
	PushNotification:    {rateLocal: LocalTime, 5: Notifications},
	EncryptionSender:    {rateLocal: LocalTime},
	EncryptionRecipient: {rateLocal: LocalTime},
	RCAShared:           {rateLocal: LocalTime},
	Submission:          {Messages, Recipients, NoPart, NoPart, NoPart, NoPart},
}
