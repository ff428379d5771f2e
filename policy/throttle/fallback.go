package throttle

// A Status says how sure a built-in value is.
type Status uint8

const (
	Stated    Status = iota // the zero Status: not built in, a policy says it
	Confirmed               // a fresh install or its documentation has it
	Assumed                 // from a single weak source, or carried over from another version
	Disputed                // good sources differ

	statuses // how many there are
)

// statusNames are the words of the enumeration.
var statusNames = [statuses]string{Stated: "stated", Confirmed: "confirmed", Assumed: "assumed", Disputed: "disputed"}

// String is the word of tables and JSON.
func (s Status) String() string {
	if s < statuses {
		return statusNames[s]
	}
	return "unknown"
}

// A Fresh is the value of a parameter right after Exchange was installed, which
// is its value in the fallback policy too (document 000). Each can be overridden
// by a policy.
type Fresh struct {
	Value  Value
	Status Status // never Stated
	Source string // where it is from, in a few words
}

// Fresh is the built-in value of p in g. It is never inherited, and for 2013
// and later never unset.
func (p Parameter) Fresh(g Generation) Fresh {
	name := parameters[p].name
	switch g {
	case Exchange2010:
		if f, ok := freshOf2010[name]; ok {
			return f
		}
		return Fresh{Value{State: Unset}, Assumed, unpublished}
	case Exchange2010RTM:
		if f, ok := freshOfRTM[name]; ok {
			return f
		}
		return Fresh{Value{State: Unset}, Confirmed, "null or absent in a policy of 2010 RTM"}
	}
	if f, ok := freshOf2013[name]; ok {
		return f
	}
	return Fresh{Value{State: NoLimit}, Assumed, unpublished}
}

// Where the built-in values are from.
const (
	setThrottlingPolicy = "Set-ThrottlingPolicy"
	policyOf2013        = "GlobalThrottlingPolicy of a server with 2013 CU23"
	policyOfRTM         = "DefaultThrottlingPolicy of a server with 2010 RTM"
	budgetOf2010        = "budget in an IIS log, March 2010"
	tablesOfSP1         = "tables of the defaults of 2010 SP1"
	recalled            = "recollected, in no text that we found"
	unpublished         = "no value published"
)

// freshOf2010 is what a default policy of 2010 SP1 begins with. What is not in
// it is unset there as far as is known.
var freshOf2010 = map[string]Fresh{
	"AnonymousMaxConcurrency":         {Number(1), Confirmed, setThrottlingPolicy},
	"CpaMaxConcurrency":               {Number(20), Assumed, "20 since 2013"},
	"CpaPercentTimeInCAS":             {Number(205), Assumed, recalled},
	"CpaPercentTimeInMailboxRPC":      {Number(200), Assumed, recalled},
	"EasMaxConcurrency":               {Number(10), Confirmed, setThrottlingPolicy},
	"EasPercentTimeInAD":              {Value{State: Unset}, Confirmed, tablesOfSP1},
	"EasPercentTimeInCAS":             {Value{State: Unset}, Confirmed, tablesOfSP1},
	"EasPercentTimeInMailboxRPC":      {Value{State: Unset}, Confirmed, tablesOfSP1},
	"EasMaxDevices":                   {Number(10), Disputed, "10 in tables of 2010 SP1, 100 in Set-ThrottlingPolicy"},
	"EasMaxDeviceDeletesPerMonth":     {Value{State: Unset}, Disputed, "none in tables of 2010 SP1, 20 in Set-ThrottlingPolicy"},
	"EwsMaxConcurrency":               {Number(10), Confirmed, setThrottlingPolicy},
	"EwsPercentTimeInAD":              {Number(50), Confirmed, budgetOf2010},
	"EwsPercentTimeInCAS":             {Number(90), Confirmed, budgetOf2010},
	"EwsPercentTimeInMailboxRPC":      {Number(60), Confirmed, budgetOf2010},
	"EwsPercentTimeInAddressBook":     {Number(50), Confirmed, budgetOf2010},
	"EwsMaxSubscriptions":             {Number(5000), Assumed, "5000 since 2013; a budget of March 2010 shows 20"},
	"EwsHangingConnectionLimit":       {Number(10), Assumed, "no value published; streaming has a budget of its own (EWS throttling in Exchange), taken to be as large as that of EwsMaxConcurrency"},
	"EwsFindCountLimit":               {Number(1000), Confirmed, budgetOf2010},
	"EwsFastSearchTimeoutInSeconds":   {Number(60), Confirmed, setThrottlingPolicy},
	"OwaMaxConcurrency":               {Number(5), Confirmed, setThrottlingPolicy},
	"OwaPercentTimeInAD":              {Number(30), Confirmed, tablesOfSP1},
	"OwaPercentTimeInCAS":             {Number(150), Confirmed, tablesOfSP1},
	"OwaPercentTimeInMailboxRPC":      {Number(150), Confirmed, tablesOfSP1},
	"PopMaxConcurrency":               {Number(20), Confirmed, setThrottlingPolicy},
	"PowerShellMaxConcurrency":        {Number(18), Confirmed, policyOfRTM},
	"PowerShellMaxTenantConcurrency":  {Number(9), Disputed, "9 in Set-ThrottlingPolicy, unlimited in a policy of 2013 CU23"},
	"PowerShellMaxDestructiveCmdlets": {Value{State: Unset}, Confirmed, "Set-ThrottlingPolicy: not on by default"},
	"RcaMaxConcurrency":               {Number(20), Confirmed, policyOfRTM},
	"RcaPercentTimeInAD":              {Number(5), Assumed, recalled},
	"RcaPercentTimeInCAS":             {Number(205), Assumed, recalled},
	"RcaPercentTimeInMailboxRPC":      {Number(200), Assumed, recalled},
	"MessageRateLimit":                {Value{State: Unset}, Confirmed, policyOfRTM},
	"RecipientRateLimit":              {Value{State: Unset}, Confirmed, policyOfRTM},
	"ForwardeeLimit":                  {Value{State: Unset}, Confirmed, policyOfRTM},
	"CpuStartPercent":                 {Number(75), Assumed, "75 in a policy of 2010 RTM"},
}

// freshOfRTM is the same for 2010 as first shipped, which left nearly all
// unlimited.
var freshOfRTM = map[string]Fresh{
	"EasMaxConcurrency":             {Number(10), Confirmed, policyOfRTM},
	"EwsMaxConcurrency":             {Number(10), Confirmed, policyOfRTM},
	"EwsFastSearchTimeoutInSeconds": {Number(60), Confirmed, policyOfRTM},
	"OwaMaxConcurrency":             {Number(5), Confirmed, policyOfRTM},
	"PopMaxConcurrency":             {Number(20), Confirmed, policyOfRTM},
	"PowerShellMaxConcurrency":      {Number(18), Confirmed, policyOfRTM},
	"RcaMaxConcurrency":             {Number(20), Confirmed, policyOfRTM},
	"CpuStartPercent":               {Number(75), Confirmed, policyOfRTM},
}
