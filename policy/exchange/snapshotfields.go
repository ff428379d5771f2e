package exchange

import (
	"strings"

	"evenkeel/policy/throttle"
)

// fields are the items of a budget with their units.
func (w written) fields() (f Fields) {
	for _, i := range w.items {
		switch {
		case i.word == "Owner":
			f.add("Owner", i.value, "", ownerMeans(i.value))
		case i.word == "Policy":
			f.add("Policy", i.value, "", "the policy that sets the limits")
		case !i.known:
			f.add(i.word, i.value, "", "not understood, as it stands")
		default:
			w.field(&f, i)
		}
	}
	return f
}

// field adds one that the Snapshot has.
func (w written) field(f *Fields, i item) {
	switch i.word {
	case "Conn":
		w.connections(f, i)
	case "HangingConn":
		f.add(i.word, i.value, "", "requests that wait for something to happen")
	case "AD":
		f.part(i.word, i.value, w.AD, "time in Active Directory: limit, left, share of the minute")
	case "CAS":
		f.part(i.word, i.value, w.CAS, "time of whole requests, the other parts included: limit, left, share of the minute")
	case "AB":
		f.part(i.word, i.value, w.AB, "time in the address book: limit, left, share of the minute")
	case "RPC":
		f.part(i.word, i.value, w.RPC, "time in the mailbox store: limit, left, share of the minute")
	case "FC":
		f.count(i.word, i.value, w.Find, "items and folders in responses that are on their way: limit, in use")
	case "Sub":
		f.count(i.word, i.value, w.Subs, "subscriptions: limit, in use")
	case "Hash":
		f.add(i.word, i.value, "", "tells budgets apart, and is to be ignored")
	default:
		unit, means := tokenWords(i.word)
		f.add(i.word, i.value, unit, means)
	}
}

// connections are requests in flight, with their limit where the form has it.
func (w written) connections(f *Fields, i item) {
	if !w.Tokens {
		f.add(i.word, i.value, "", "requests at that moment, of all that the owner had")
		return
	}
	c := w.Conn
	if w.value("MaxConn") == "" {
		c = throttle.SnapshotCount{Used: c.Used, Unlimited: true}
	}
	f.count(i.word, i.value, c, "requests at that moment, of all that the owner had")
}

// tokenWords are the unit and the meaning of what 2013 and later print.
func tokenWords(word string) (unit, means string) {
	switch word {
	case "MaxConn":
		return "", "requests at once"
	case "MaxBurst":
		return "ms", "the highest balance: time that may be used in one go"
	case "Balance":
		return "ms", "time that may be used now; below zero requests are delayed"
	case "BeginBalance":
		return "ms", "the balance as the request began"
	case "EndBalance":
		return "ms", "the balance as it ended"
	case "Cutoff":
		return "ms", "how far below zero the owner is locked out"
	case "RechargeRate":
		return "ms/hour", "what comes back, bit by bit"
	case "IsServiceAccount", "IsServiceAct":
		return "", "a service's account is slowed when the server is loaded"
	case "LiveTime":
		return "d.hh:mm:ss", "how long the budget has been in use"
	}
	return "", ""
}

// ownerMeans takes an owner apart: Sid~DOMAIN\user~Component~false, or, of a
// phone, SID_DEVICE_TYPE.
func ownerMeans(owner string) string {
	if parts := strings.Split(owner, "~"); len(parts) >= 3 {
		return "the account " + parts[1] + ", for " + parts[2]
	}
	if parts := strings.SplitN(owner, "_", 3); len(parts) == 3 && strings.HasPrefix(parts[0], "S-") {
		return "the account of SID " + parts[0] + ", for its device " + parts[1] + " of type " + parts[2]
	}
	return "whose budget it is"
}
