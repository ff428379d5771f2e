package diagnose

import (
	"cmp"
	"slices"

	"evenkeel/queue/maillog"
)

// A quest is what is looked for, and which logs show it.
type quest struct {
	kind  Kind
	logs  kindSet // any of these
	clear string  // said when it was looked for and nothing was seen of it
	blind string  // said when none of the logs is there
}

func quests() []quest {
	errs, proxy, mapi := kindsOf(maillog.HTTPErr), kindsOf(maillog.HTTPProxy), kindsOf(maillog.MapiHTTP, maillog.RPCAccess)
	iis, ews := kindsOf(maillog.IIS), kindsOf(maillog.EWS)
	return []quest{
		{QueueFull, errs, "No pool's queue was full.", "Full queues, pools that are off, stalls and recycles: only HTTPERR shows them (C:\\Windows\\System32\\LogFiles\\HTTPERR)."},
		{PoolDown, errs, "No pool was off.", ""},
		{Stall, errs, "No pool stood still.", ""},
		{Recycle, errs, "No recycle of a pool was felt.", ""},
		{Skew, proxy | mapi | iis, "The sessions were spread over the nodes.", "How sessions are spread: HttpProxy\\Mapi, MapiHttp or the IIS log of the front end shows it."},
		{SlowAuthentication, proxy, "Logging on was not slow.", "How long logging on takes: HttpProxy shows it (Logging\\HttpProxy)."},
		{SlowBackend, proxy | mapi | ews, "No mailbox server was slow.", "How fast mailbox servers are: HttpProxy, MapiHttp and EWS show it."},
		{ProbeFlap, iis, "No balancer's probe flapped.", "Probes of balancers: the IIS log of the front end shows them."},
		{IdleTimeout, iis | proxy, "No device was seen to cut connections of one age.", ""},
		{LockedOut, ews | iis | proxy, "No user was locked out.", ""},
		{Throttled, ews | iis | proxy, "No user was held back by throttling so long that it is felt.", "Budgets of web services: the EWS log of the mailbox servers shows them (Logging\\Ews)."},
		{DeletedPolicy, ews | iis, "No deleted throttling policy was asked for.", ""},
		{Monopoly, iis | proxy, "No client asked for a large part of a node.", "Who asks for most: the IIS log of the front end shows it."},
	}
}

// clear is what was looked for and not found, or what there was of it.
func (f *farm) clear(found []Finding) (out []string) {
	for _, q := range quests() {
		has := slices.ContainsFunc(found, func(x Finding) bool { return x.Kind == q.kind })
		if has || f.kinds&q.logs == 0 || q.kind == Skew && len(f.told()) < 2 {
			continue
		}
		out = append(out, cmp.Or(f.seen(q.kind), q.clear))
	}
	return out
}

// blind is what could not be looked for.
func blind(f *farm) (out []string) {
	for _, q := range quests() {
		switch {
		case q.blind == "":
		case q.kind == Throttled && f.kinds&kindsOf(maillog.EWS) == 0:
			out = append(out, q.blind)
		case f.kinds&q.logs == 0:
			out = append(out, q.blind)
		case q.kind == Skew && len(f.told()) == 1:
			out = append(out, "How sessions are spread: there are logs of one node alone.")
		}
	}
	return slices.Concat(out, f.mute(), f.blurred())
}

// blurred is what too many or too much at once hides.
func (f *farm) blurred() (out []string) {
	if f.coarse() {
		out = append(out, "How sessions go from node to node: the time of the logs is too long for it; look at a part of it.")
	}
	for _, n := range f.nodes {
		if slices.ContainsFunc(n.streams, func(s *stream) bool { return s.unnamed }) {
			out = append(out, "More than "+num(maxServers)+" servers that the logs of "+n.name+" name: those that come later are left out.")
		}
	}
	return out
}

// mute are the nodes whose HTTPERR is missing while others have theirs.
func (f *farm) mute() (out []string) {
	errs := kindsOf(maillog.HTTPErr)
	for _, n := range f.nodes {
		if f.kinds&errs != 0 && n.kinds&errs == 0 && n.kinds != 0 {
			out = append(out, "What was refused on "+n.name+": its HTTPERR log is missing.")
		}
	}
	return out
}
