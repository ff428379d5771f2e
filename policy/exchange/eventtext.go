package exchange

import "strconv"

// eventWords say what an event means, and what to do.
func eventWords(event int) (means, advice string) {
	switch event {
	case eventNoDefault:
		return "the organization has no default policy: who has none of his own has what is built in, which cannot be changed",
			"Get-ThrottlingPolicy | fl Name, IsDefault; then Set-ThrottlingPolicy -Identity NAME -IsDefault $true for the one that is to be the default"
	case eventSeveralDefaults:
		return "several policies are marked as the default: which of them counts is left to chance",
			"Get-ThrottlingPolicy | where {$_.IsDefault}; then Set-ThrottlingPolicy -Identity NAME -IsDefault $false for all but one"
	case eventNoCounters:
		return "the performance counters of throttling could not be started: throttling works, and is not seen in counters",
			"register the counters anew (New-PerfCounters) and restart the process, when there is time"
	case eventDeletedPolicy:
		return "an account has a policy that was deleted: the default counts meanwhile, and nobody is blocked",
			"assign another, or $null for the default, to every mailbox that has it (evenkeel policy check names them); a change counts after up to 15 minutes, so do not take it for a failure before"
	case eventUserOver:
		return "one user was over budget so many times in a minute. The threshold is only when that is logged, and no limit of a policy",
			"look at the part that Info names and at what the user runs; phones, add-ins and migrations are the usual ones"
	case eventManyOver:
		return "so many users were over budget within a minute: when it is a good part of all, the server or a policy is to blame and not the users",
			"compare with the time before: a slow mailbox store or directory makes everyone's requests longer, and so their budgets short"
	case eventLongCharge:
		return "a request was charged for longer than expected: for information. The number is how many minutes it was open when it was found, and no limit", ""
	case eventLockedOut:
		return "the user's debt reached the cutoff: all of his requests are refused until then, for five minutes, and judged anew after that. It is logged where the mailbox is, and not on the front end",
			"see what the user runs, such as a migration; give its account a policy of its own before limits are raised for all"
	}
	return "", ""
}

// percent is a share of a hundred, as people read it.
func percent(n float64) string { return strconv.FormatFloat(n, 'f', 0, 64) + " %" }
