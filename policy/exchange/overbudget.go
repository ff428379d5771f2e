package exchange

import (
	"strconv"
	"time"

	"evenkeel/policy/throttle"
)

// overBudget explains the text of an error. It tells of the client: the server
// is well, and no weight is to change for it.
func overBudget(number int, o throttle.OverBudget) Decoded {
	d := Decoded{Form: FormError, Line: number, Fields: Fields{}}
	if o.Word != "" {
		d.Fields.add("policy part", o.Word, "", "what was exceeded")
	}
	if o.Valued {
		d.Fields.add("policy value", strconv.FormatInt(o.Value, 10), partUnit(o.Part), "what the policy allows")
	}
	if o.Type != "" {
		d.Fields.add("Budget type", o.Type, "", "of which component")
	}
	if o.WaitSet {
		d.Fields.add("Suggested backoff time", strconv.FormatInt(o.Wait.Milliseconds(), 10), "ms", waitMeans(o.Wait))
	}
	d.Means, d.Advice = partWords(o)
	return d
}

func partUnit(p throttle.Part) string {
	switch p {
	case throttle.AD, throttle.CAS, throttle.AB, throttle.RPC, throttle.LocalTime:
		return "ms"
	}
	return ""
}

func waitMeans(wait time.Duration) string {
	if wait == 0 {
		return "at once, when one of its requests has ended"
	}
	return "come again after " + wait.String()
}

// partWords say what was exceeded and what to do.
func partWords(o throttle.OverBudget) (means, advice string) {
	const well = "; it is the client that was throttled, the server is well"
	switch o.Part {
	case throttle.Concurrency, throttle.Hanging:
		return "too many requests at once" + well, "have the client send fewer at a time, or give its account a policy with a higher limit"
	case throttle.Subscriptions:
		return "too many subscriptions" + well, "have the client end those that it does not need"
	case throttle.FindCount:
		return "a search returned more than is allowed in one response" + well, "have the client ask page by page"
	case throttle.AD, throttle.CAS, throttle.AB, throttle.RPC, throttle.LocalTime:
		return "too much time was used" + well, "see what the account does so much of; it may come again after the back-off time"
	}
	if o.Word != "" {
		return "more of " + o.Word + " at once or over time than is allowed" + well, "have the client send fewer at a time"
	}
	return "the client was told to wait: by a budget, or by a queue of the server that is full; the text is the same for both", "look for QueueFull in HTTPERR before it is taken for a budget"
}
