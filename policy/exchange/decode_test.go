package exchange

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// want is what is promised of one that was decoded: fields as "name=value" or
// "name=used/limit", and part of what it means.
type want struct {
	form   Form
	when   string
	event  int
	fields string
	means  string
}

const ews2010 = "2010-03-09 15:15:12 10.0.0.1 POST /EWS/Exchange.asmx ;RC:bfe35012-30fd-499e-90d6-552d0ca89fab;Init>>Conn:0,AD:30000/30000/0%,CAS:54000/54000/0%,AB:30000/30000/0%,RPC:36000/36000/0%,FC:1000/0,Hash:-12,Sub:20/0;" +
	"SoapAction=m:GetFolder;Version=1;RpcC=4;RpcL=120;LdapC=2;LdapL=30;End(1500.25ms)>>Conn:3,AD:30000/29000/1%,CAS:54000/-500/90%,AB:30000/30000/0%,RPC:36000/35000/1%,FC:1000/12,Hash:-12,Sub:20/2; 443 CONTOSO\\anna 10.0.0.9 - 200 0 0 1500"

const phone2010 = "POST /Microsoft-Server-ActiveSync/default.eas Cmd=Sync&User=anna&Log=V141_LdapC1_RpcC28_RpcL40_Ers1_Mbx:ex01_Dc:dc01_Throttle0_" +
	"Budget:(A)Conn%3a1%2cHangingConn%3a0%2cAD%3a%24null%2f%24null%2f0%25%2cCAS%3a%24null%2f%24null%2f7%25%2cAB%3a%24null%2f%24null%2f0%25%2cRPC%3a%24null%2f%24null%2f2%25%2cFC%3a1000%2f5%2cPolicy%3aDefaultThrottlingPolicy%5F1b9c%2cNorm%5fa_ 443 anna"

const phone2016 = "Cmd=Ping&Log=PrxFrom:10.0.0.1_V161_HH:mail.contoso.com_Throttle:0_Budget:(A)Owner:S-1-5-21-1-2-3-1105_ApplDN1234_iPhone,Conn:0,MaxConn:10,MaxBurst:480000,Balance:480000,Cutoff:600000,RechargeRate:1800000," +
	"Policy:GlobalThrottlingPolicy_c0ffee,IsServiceAccount:False,LiveTime:00:00:30.69;(D)Owner:S-1-5-21-1-2-3-1105_ApplDN1234_iPhone,Conn:1,MaxConn:10,MaxBurst:480000,Balance:-1800,Cutoff:600000,RechargeRate:1800000," +
	"Policy:GlobalThrottlingPolicy_c0ffee,IsServiceAccount:False,LiveTime:1.00:00:31_S:WLM.Bal=480000 443"

const warning = "WARNING: Micro delay applied. Actual delayed: 21956 msecs, Enforced: True, Capped delay: 21956 msecs, Required: False, Additional info: .;\n" +
	" PolicyDN: CN=GlobalThrottlingPolicy_c0ffee,CN=Global Settings;\n Snapshot: Owner: Sid~CONTOSO\\script~PowerShell~false\nBudgetType: PowerShell\nActiveRunspaces: 1/20\n" +
	"Balance: -1080000/2160000/-3000000\nPowerShellCmdletsLeft: 399/400\nCmdletTimePeriod: 5\nLocked: False\nLockRemaining: 00:00:00\n\nand so on"

const event2915 = "Process w3wp.exe (MSExchangeOWAAppPool) (PID=5088). User 'Sid~CONTOSO\\anna~OWA~false' has gone over budget '21' times for component 'OWA' within a one minute period. Info: 'Policy:Default_1, Parts:MaxConcurrency:21;'. Threshold value: '10'."

func TestDecode(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       []want
	}{
		{"EWS of 2010", ews2010, []want{
			{FormEntry, "before", 0, "Conn=0 AD=0/30000 CAS=0/54000 FC=0/1000 Sub=0/20 Hash=-12", "within all limits; nearest is AD with 0.0 %"},
			{FormEntry, "after", 0, "Conn=3 AD=1000/30000 CAS=54500/54000 RPC=1000/36000 FC=12/1000 Sub=2/20 RC=bfe35012-30fd-499e-90d6-552d0ca89fab SoapAction=m:GetFolder End=1500.25 RpcC=4 LdapL=30", "used up: CAS."},
		}},
		{"EWS of 2010, escaped", strings.NewReplacer(":", "%3A", ",", "%2c", ">", "%3E", "%;", "%25;", "/", "%2f").Replace(ews2010[strings.Index(ews2010, ";RC"):strings.Index(ews2010, " 443")]), []want{
			{FormEntry, "before", 0, "CAS=0/54000", "within all limits"},
			{FormEntry, "after", 0, "CAS=54500/54000 RC=bfe35012-30fd-499e-90d6-552d0ca89fab SoapAction=m:GetFolder", "used up: CAS."},
		}},
		{"EWS of 2010, cut", ews2010[:250], []want{{FormEntry, "before", 0, "CAS=0/54000", "within all limits"}}},
		{"phones of 2010, escaped", phone2010, []want{
			{FormMinute, "before", 0, "Conn=1 HangingConn=0 CAS=4200/- RPC=1200/- FC=5/1000 Policy=DefaultThrottlingPolicy_1b9c Norm=", "none of the parts is limited"},
		}},
		{"phones of 2016, twice", phone2016, []want{
			{FormTokens, "before", 0, "Owner=S-1-5-21-1-2-3-1105_ApplDN1234_iPhone Conn=0/10 MaxBurst=480000 Policy=GlobalThrottlingPolicy_c0ffee", "within its budget: 0 %"},
			{FormTokens, "after", 0, "Balance=-1800 Conn=1/10 RechargeRate=1800000 IsServiceAccount=False LiveTime=1.00:00:31", "over budget: requests are delayed, and none is refused yet. With no more use the balance is above zero in 4s"},
		}},
		{"phones of 2016, escaped", strings.NewReplacer(":", "%3a", ",", "%2C", "_", "%5f").Replace(phone2016[strings.Index(phone2016, "(D)"):strings.Index(phone2016, "_S:WLM")]) + "_S:x", []want{
			{FormTokens, "after", 0, "Owner=S-1-5-21-1-2-3-1105_ApplDN1234_iPhone Balance=-1800 Policy=GlobalThrottlingPolicy_c0ffee LiveTime=1.00:00:31", "in 4s"},
		}},
		{"2013, with a name", `x Owner:Sid~CONTOSO\anna lee~Eas~false,Conn:1,MaxConn:10,MaxBurst:240000,Balance:-600000.5,Cutoff:600000,RechargeRate:360000,Policy:Global_1,IsServiceAccount:false,LiveTime:00:00:00.3264871`, []want{
			{FormTokens, "", 0, `Owner=Sid~CONTOSO\anna~lee~Eas~false Conn=1/10 Balance=-600000.5`, "locked out: the debt has reached the cutoff. All requests are refused for five minutes, and then until the balance is above it; it is above zero in 1h40m0s"},
		}},
		{"without limits", `Conn:54,MaxConn:Unlimited,MaxBurst:Unlimited,Balance:$null,Cutoff:Unlimited,RechargeRate:Unlimited,Policy:Backup,IsServiceAccount:True,LiveTime:1.02:03:04`, []want{
			{FormTokens, "", 0, "Conn=54/- MaxBurst=Unlimited", "nothing limits the time of its requests"},
		}},
		{"a policy at the end, escaped", "x=1&Log=Budget:(A)Conn%3a1%2cFC%3a1000%2f5%2cPolicy%3aDefault%5F1b9c_Ers1 443", []want{{FormMinute, "before", 0, "Policy=Default_1b9c", ""}}},
		{"a policy at the end", "Budget:(A)Conn:1,FC:1000/5,Policy:Default_1b9c_Mbx:ex01_Dc:dc01", []want{{FormMinute, "before", 0, "Policy=Default_1b9c FC=5/1000", ""}}},
		{"something new in it", "Conn:1,MaxBurst:1000,RechargeRate:9,Colour:blue,Balance:999,Cutoff:x", []want{
			{FormTokens, "", 0, "Conn=1/- Colour=blue Balance=999 Cutoff=x", "within its budget: 0.1 %"},
		}},
		{"no limits in it", "Owner:anna,Conn:1,MaxConn:10,Balance:-5,Cutoff:x", []want{
			{FormTokens, "", 0, "Balance=-5", "the text does not say, or not in a way that is understood, MaxBurst, RechargeRate: how its time stands"},
		}},
		{"no balance in it", "Conn:1,MaxBurst:1000,RechargeRate:9,Cutoff:5", []want{{FormTokens, "", 0, "MaxBurst=1000", "understood, Balance: how"}}},
		{"no cutoff in it", "Conn:1,MaxBurst:1000,RechargeRate:3600000,Balance:-2000", []want{{FormTokens, "", 0, "", "delayed, or refused, since the text does not say, or not in a way that is understood, Cutoff. With no more use the balance is above zero in 2s"}}},
		{"a part of the minute", "Conn:1,AD:30000/29000/1%,FC:1000/0", []want{{FormMinute, "", 0, "AD=1000/30000", "within all limits; nearest is AD"}}},
		{"nothing of the minute", "Conn:1,CAS:x,FC:1000/0", []want{{FormMinute, "", 0, "CAS=x", "understood, AD, CAS, AB, RPC: how its time stands"}}},
		{"2010 and 2013 in one", "Conn:1,AD:30000/29000/1%,MaxBurst:1000,RechargeRate:9,Balance:5", []want{{FormTokens, "", 0, "Balance=5 AD=30000/29000/1%", "the text does not say, or not in a way that is understood, MaxBurst, RechargeRate, Balance"}}},
		{"a warning without a budget", "WARNING: Micro delay applied. Actual delayed: 5 msecs, Enforced: True", []want{{FormWarning, "", 0, "Actual~delayed=5", "understood, Balance: how"}}},
		{"the warning of PowerShell", warning, []want{
			{FormWarning, "", 0, `Owner=Sid~CONTOSO\script~PowerShell~false Balance.Balance=-1080000 Balance.CutoffBalance=-3000000 Locked=False ActiveRunspaces=1/20 LockRemaining=00:00:00 PolicyDN=CN=GlobalThrottlingPolicy_c0ffee,CN=Global~Settings`, "over budget: cmdlets are delayed. With no more use the balance is above zero in 30m0s"},
		}},
		{"its budget alone, locked", "BudgetType: PowerShell\nBalance: -3000001/2160000/-3000000\nLocked: True\nLockRemaining: 00:04:10", []want{
			{FormWarning, "", 0, "BudgetType=PowerShell Locked=True LockRemaining=00:04:10", "locked out: cmdlets are refused"},
		}},
		{"an error", "This operation exceeds the throttling budget for policy part 'LocalTime', policy value '6000000',  Budget type: 'PowerShell'.  Suggested backoff time 299912 ms.", []want{
			{FormError, "", 0, "policy~part=LocalTime policy~value=6000000 Budget~type=PowerShell Suggested~backoff~time=299912", "too much time was used; it is the client that was throttled, the server is well"},
		}},
		{"too many subscriptions", "This operation exceeds the throttling budget for policy part 'MaxSubscriptions', policy value '20',  Budget type: 'Ews'.  Suggested backoff time 0 ms.", []want{
			{FormError, "", 0, "policy~part=MaxSubscriptions policy~value=20 Suggested~backoff~time=0", "too many subscriptions; it is the client"},
		}},
		{"a search of too much", "This operation exceeds the throttling budget for policy part 'FindCountLimit', policy value '1000',  Budget type: 'Ews'.  Suggested backoff time 0 ms.", []want{
			{FormError, "", 0, "policy~part=FindCountLimit policy~value=1000", "a search returned more than is allowed in one response; it is the client"},
		}},
		{"an error that does not say which", "The server cannot service this request right now. Try again later.", []want{{FormError, "", 0, "", "the client was told to wait: by a budget, or by a queue of the server that is full"}}},
		{"nothing", "2010-03-09 15:15:12 GET /owa/ 200\nConnection: keep-alive\nOwner:\n\nHangingConn:1", nil},
	} {
		check(t, tt.name, Decode(tt.text), tt.want)
	}
}

func check(t *testing.T, name string, got []Decoded, wants []want) {
	t.Helper()
	if len(got) != len(wants) {
		t.Errorf("%s: %d found, want %d: %+v", name, len(got), len(wants), got)
		return
	}
	for i, w := range wants {
		d := got[i]
		if d.Form != w.form || d.When != w.when || d.Event != w.event || !strings.Contains(d.Means, w.means) {
			t.Errorf("%s: %s %q %d, %q\nwant %+v", name, d.Form, d.When, d.Event, d.Means, w)
		}
		for field := range strings.FieldsSeq(w.fields) {
			name, value, _ := strings.Cut(strings.ReplaceAll(field, "~", " "), "=")
			f, ok := d.Fields.find(name)
			if !ok || value != f.Value && value != strings.ReplaceAll(f.Value, "~", " ") && value != uses(f) {
				t.Errorf("%s: %s: got %+v, want %q (%v)", w.form, name, f, value, ok)
			}
		}
	}
}

func uses(f Field) string {
	switch {
	case f.Used == nil:
		return ""
	case f.Limit == nil:
		return fmt.Sprintf("%g/-", *f.Used)
	}
	return fmt.Sprintf("%g/%g", *f.Used, *f.Limit)
}

// Each event by its text, alone, under its number, and over several lines.
func TestDecodeEvents(t *testing.T) {
	for _, tt := range []struct {
		text string
		want want
	}{
		{"Process w3wp.exe () (PID=15780). Deleted throttling policy was referenced.  Id: 'Org: First/Configuration, Id: CN=Gold\\0ADEL:" + guid + ",CN=Deleted Objects,DC=contoso,DC=com'.", want{FormEvent, "", 2914, "PID=15780 policy=Gold", "the default counts meanwhile, and nobody is blocked"}},
		{"Process w3wp.exe (PID=1). Deleted throttling policy was referenced. Id: 'Org: First, Id: contoso.com/Configuration/Deleted Objects/Gold\nDEL:" + guid + "'.", want{FormEvent, "", 2914, "policy=Gold", "nobody is blocked"}},
		{event2915, want{FormEvent, "", 2915, `PID=5088 User=Sid~CONTOSO\anna~OWA~false component=OWA times~over~budget=21 Info=Policy:Default_1,~Parts:MaxConcurrency:21; Threshold~value=10`, "no limit of a policy"}},
		{"Process w3wp.exe (PID=2). '17' users have gone over budget in the last minute for component 'EWS'. Unique budgets: '20'. Percentage: '85'.", want{FormEvent, "", 2916, "Unique~budgets=20 Percentage=85", "so many users"}},
		{"'17' users went over budget.\n\nCalled: 'nothing'", want{FormEvent, "", 2916, "", "so many users"}},
		{"Process w3wp.exe (PID=1234). A budget charge was encountered that exceeded the limit of '2.5' minutes.  Budget Owner: 'anna', Component: 'EWS, CostType: 'CAS'.", want{FormEvent, "", 2917, "limit=2.5 Budget~Owner=anna Component=EWS CostType=CAS", "no limit"}},
		{"Process EdgeTransport.exe (PID=7). The default throttling policy is missing for organization 'First'.", want{FormEvent, "", 2901, "organization=First", "no default policy"}},
		{"Process w3wp.exe (PID=7). More than one default throttling policy was found for organization 'First'.", want{FormEvent, "", 2902, "organization=First", "several policies"}},
		{"Process w3wp.exe (PID=7). Throttling performance counters could not be initialized. Exception: 'x'.", want{FormEvent, "", 2903, "Exception=x", "not seen in counters"}},
		{"Process 'w3wp.exe (MSExchangeAutodiscoverAppPool)' (PID=9)\nx", want{}},
		{"Process w3wp(MSExchangeServicesAppPool) PID=4 User 'Sid~CONTOSO\\mig~Ews~false' is locked out until '7/1/2015 10:20:26' UTC. MaxBurst: '300000', RechargeRate: '900000', CutoffBalance: '-3000000'.", want{FormEvent, "", 4023, `User=Sid~CONTOSO\mig~Ews~false CutoffBalance=-3000000 MaxBurst=300000`, "for five minutes"}},
		{"Event ID: 2917", want{FormEvent, "", 2917, "", "for information"}},
	} {
		wants := []want{tt.want}
		if tt.want.form == "" {
			wants = nil
		}
		check(t, tt.text, Decode(tt.text), wants)
	}
	if f := Decode("Event 2916\n\nCalled: 'nothing'")[0].Fields; len(f) > 0 {
		t.Errorf("behind an empty line something else begins: %+v", f)
	}
	both := Decode(event2915 + "\r\n\r\n" + phone2016 + "\n" + warning + "\n")
	if len(both) != 4 || both[0].Line != 1 || both[1].Line != 3 || both[3].Form != FormWarning || both[3].Line != 4 {
		t.Errorf("all together: %+v", both)
	}
}

const ewsHeader = "#Fields: DateTime,AuthenticatedUser,EndBudgetConnections,EndBudgetSubscriptions,ThrottlingPolicy,ThrottlingDelay,GenericInfo,GenericErrors\n"

// A row of the log of EWS: quotes keep semicolons together, what is empty was not
// logged, and an error beside the budget is explained too.
func TestDecodeEWS(t *testing.T) {
	row := ewsHeader + `2017-07-21T22:18:48.952Z,anna@contoso.com,1,,Global_1,0.5,"A='S:BudgetMetadata.MaxConn=1;S:BudgetMetadata.EndBalance=2';S:WLM.Bal=300000;S:WLM.BT=Ews;S:BudgetMetadata.MaxConn=27;S:BudgetMetadata.MaxBurst=300000;S:BudgetMetadata.BeginBalance=300000;S:BudgetMetadata.Cutoff=3000000;S:BudgetMetadata.RechargeRate=900000;S:BudgetMetadata.IsServiceAct=False;S:BudgetMetadata.LiveTime=00:34:09.57;S:BudgetMetadata.EndBalance=299979.3;Dbl:BudgUse.T[]=24.6",` +
		`"policy part 'MaxConcurrency', policy value '27',  Budget type: 'Ews'."` + "\n" +
		`2017-07-21T22:18:49.000Z,probe@contoso.com,,,,,S:WLM.Bal=299999;Dbl:BudgUse.T[]=2,` + "\n2017-07-21T22:18:49.001Z,,,,,,tid=7;,\n"
	got := Decode(row)
	check(t, "rows", got, []want{
		{FormEWS, "", 0, "MaxConn=27 MaxBurst=300000 BeginBalance=300000 EndBalance=299979.3 AuthenticatedUser=anna@contoso.com EndBudgetConnections=1 ThrottlingPolicy=Global_1 WLM.BT=Ews BudgUse.T[]=24.6", "within its budget: 0.0069 %"},
		{FormError, "", 0, "policy~value=27", "too many requests at once"},
		{FormEWS, "", 0, "WLM.Bal=299999 BudgUse.T[]=2 AuthenticatedUser=probe@contoso.com", "only a balance"},
	})
	if _, ok := got[0].Fields.find("EndBudgetSubscriptions"); ok {
		t.Error("what was not logged is told")
	}
}

// In JSON the fields are an object in the text's order, with numbers and units.
func TestFieldsAsJSON(t *testing.T) {
	b, err := json.Marshal(Decode("Conn:1,AD:30000/29000/1%,Balance:\x01")[0])
	const want = `{"form":"budget-2013","line":1,"when":"","fields":{"Conn":{"value":"1","used":1,"means":"requests at that moment, of all that the owner had"},` +
		`"AD":{"value":"30000/29000/1%","unit":"ms of each minute","limit":30000,"used":1000,"left":29000,"means":"time in Active Directory: limit, left, share of the minute"},`
	if err != nil || !strings.HasPrefix(string(b), want) || !json.Valid(b) {
		t.Errorf("%v\ngot  %s\nwant %s", err, b, want)
	}
}
