package throttle

import (
	"math"
	"testing"
	"time"
)

func rateOf(t testing.TB, e Effective, c Component, p Part) Rate {
	t.Helper()
	slot := c.rate(p)
	if slot < 0 {
		t.Fatalf("%s has no rate of %s", c, p)
	}
	return e.Limits(c).Rate[slot]
}

func gaugeOf(t testing.TB, e Effective, c Component, p Part) uint32 {
	t.Helper()
	slot := c.gauge(p)
	if slot < 0 {
		t.Fatalf("%s has no gauge of %s", c, p)
	}
	return e.Limits(c).Max[slot]
}

// The log line of document 000 shows the budget of the fallback policy: 1 % of a
// minute is 600 ms (message throttling, Exchange 2013 help).
func TestBudgetOfDocument000(t *testing.T) {
	e := compiled(t, File{Generation: Exchange2010}).Fallback()
	for p, want := range map[Part]time.Duration{AD: 30_000, CAS: 54_000, AB: 30_000, RPC: 36_000} {
		if got := rateOf(t, e, EWS, p); got != (Rate{Cap: int64(want * time.Millisecond), Refill: int64(want * time.Millisecond), Per: time.Minute}) {
			t.Errorf("%s: got %+v, want %d ms a minute", p, got, want)
		}
	}
	if got := gaugeOf(t, e, EWS, FindCount); got != 1000 {
		t.Errorf("FC: got %d, want 1000", got)
	}
	l := e.Limits(EWS)
	if l.CPUStart != 0.75 || l.MaxDelay != time.Minute || l.Reject || !rateOf(t, e, EWS, LocalTime).Unlimited {
		t.Errorf("got %+v, want CPU from 75 %%, delays of a minute at most, nobody refused and no burst", l)
	}
}

// FooPolicy of document 000 has one number; the rest is as installed.
func TestFooPolicy(t *testing.T) {
	b := compiled(t, File{Generation: Exchange2010,
		Policies: []Policy{{Name: "FooPolicy", Generation: Exchange2010, Values: says(t, "EWSFindCountLimit", 1)}},
		Users:    map[string]string{"JohnDoe": "FooPolicy"}})
	john := b.Effective("johndoe")
	if find, at := gaugeOf(t, john, EWS, FindCount), gaugeOf(t, john, EWS, Concurrency); find != 1 || at != 10 {
		t.Errorf("got find count %d and concurrency %d, want 1 and 10", find, at)
	}
}

func TestPercents(t *testing.T) {
	for percent, want := range map[int]int64{0: 0, 1: 600, 5: 3000, 10: 6000, 30: 18000, 50: 30000, 60: 36000, 90: 54000, 100: 60000, 150: 90000, 200: 120000, 205: 123000} {
		b := compiled(t, File{Policies: []Policy{{Name: "P", Generation: Exchange2010, Values: says(t, "OWAPercentTimeInCAS", percent)}}, Default: "P"})
		if got := rateOf(t, b.Effective(""), OWA, CAS); got.Cap != want*1e6 || got.Refill != got.Cap || got.Per != time.Minute || got.Unlimited {
			t.Errorf("%d %%: got %+v, want %d ms", percent, got, want)
		}
	}
}

func TestRTMRefuses(t *testing.T) {
	e := compiled(t, File{Generation: Exchange2010RTM}).Fallback()
	if l := e.Limits(EWS); !l.Reject || !rateOf(t, e, EWS, CAS).Unlimited || gaugeOf(t, e, EWS, Concurrency) != 10 || gaugeOf(t, e, EWS, FindCount) != Unlimited {
		t.Errorf("got %+v, want a policy that refuses, and has little to refuse for", l)
	}
}

// Burst and cutoff are milliseconds, the recharge is milliseconds an hour
// (user workload management: 600,000 is ten minutes an hour).
func TestBurstRechargeCutoff(t *testing.T) {
	e := compiled(t, File{}).Fallback()
	l := e.Limits(EWS)
	if got, want := rateOf(t, e, EWS, LocalTime), (Rate{Cap: int64(5 * time.Minute), Refill: int64(15 * time.Minute), Per: time.Hour}); got != want || l.Cutoff != 50*time.Minute {
		t.Errorf("EWS: got %+v and cutoff %v, want %+v and 50m", got, l.Cutoff, want)
	}
	if !rateOf(t, e, EWS, CAS).Unlimited || l.CPUStart >= 0 || l.Reject || l.Multiplier != 5 {
		t.Errorf("got %+v, want nothing of 2010", l)
	}
	if got := e.Limits(RCA).Cutoff; got >= 0 {
		t.Errorf("RCA is cut off at %v, want never", got)
	}
	if got := rateOf(t, e, PowerShell, LocalTime); got != (Rate{Unlimited: true}) {
		t.Errorf("PowerShell: got %+v, want unlimited", got)
	}
	for c, want := range map[Component]time.Duration{RCA: 5 * time.Second, EAS: 45 * time.Second, EWS: time.Minute, OWA: time.Minute} {
		if got := e.Limits(c).MaxDelay; got != want {
			t.Errorf("%s is delayed for %v at most, want %v", c, got, want)
		}
	}
}

func TestGauges(t *testing.T) {
	e := compiled(t, File{}).Fallback()
	for _, tt := range []struct {
		c    Component
		p    Part
		want uint32
	}{
		{Anonymous, Concurrency, 1}, {EWS, Concurrency, 27}, {IMAP, Concurrency, Unlimited}, {RCA, Concurrency, 40}, {Discovery, Concurrency, 2}, {PSWS, Concurrency, 18},
		{EWS, Subscriptions, 5000}, {OutlookService, Subscriptions, 5000}, {EWS, Hanging, 10}, {EWS, FindCount, 1000}, {EAS, Devices, 100}, {PowerShell, CmdletQueue, Unlimited},
	} {
		if got := gaugeOf(t, e, tt.c, tt.p); got != tt.want {
			t.Errorf("%s %s: got %d, want %d", tt.c, tt.p, got, tt.want)
		}
	}
	if e.Limits(Compliance).Max != [gauges]uint32{Unlimited, Unlimited, Unlimited, Unlimited} {
		t.Error("what no parameter limits is limited")
	}
	if e.Limits(components+3) != e.Limits(Anonymous) {
		t.Error("a component that does not exist is not the tightest one")
	}
}

func TestCounts(t *testing.T) {
	b := compiled(t, File{Default: "P", Policies: []Policy{{Name: "P", Values: says(t,
		"MessageRateLimit", 30, "RecipientRateLimit", 500, "EasMaxDeviceDeletesPerMonth", 20,
		"PowerShellMaxDestructiveCmdlets", 10, "PowerShellMaxDestructiveCmdletsTimePeriod", 60, "PowerShellMaxCmdlets", 5, "CpuStartPercent", 100, "IsServiceAccount", 1)}}})
	e := b.Effective("")
	for _, tt := range []struct {
		c    Component
		p    Part
		want Rate
	}{
		{Submission, Messages, Rate{30e9, 30e9, time.Minute, false}},
		{Submission, Recipients, Rate{500e9, 500e9, 24 * time.Hour, false}},
		{EAS, DeviceDeletes, Rate{20e9, 20e9, 30 * 24 * time.Hour, false}},
		{PowerShell, Destructive, Rate{10e9, 10e9, time.Minute, false}}, // the example of Set-ThrottlingPolicy
		{PowerShell, Cmdlets, Rate{Unlimited: true}},                    // counted in no period
		{PushNotification, Notifications, Rate{10e9, 6e9, 10 * time.Minute, false}},
	} {
		if got := rateOf(t, e, tt.c, tt.p); got != tt.want {
			t.Errorf("%s %s: got %+v, want %+v", tt.c, tt.p, got, tt.want)
		}
	}
	for c := range components {
		if l := e.Limits(c); !l.ServiceAccount || l.Policy != "P" {
			t.Errorf("%s: got %+v, want a service account", c, l)
		}
	}
}

// "CPUStartPercent is for EWS, EAS, POP and IMAP" (document 000), whichever
// generation gives it.
func TestWhomCPUSlows(t *testing.T) {
	for _, g := range Generations() {
		e := compiled(t, File{Default: "P", Policies: []Policy{{Name: "P", Generation: g, Values: says(t, "CpuStartPercent", 60)}}}).Effective("")
		for c := range components {
			want := -1.0
			if c == EWS || c == EAS || c == POP || c == IMAP {
				want = 0.6
			}
			if got := e.Limits(c).CPUStart; got != want {
				t.Errorf("%s, %s: CPU from %g, want %g", g, c, got, want)
			}
		}
	}
}

// Set-ThrottlingPolicy gives RcaMaxConcurrency alone the whole of a UInt32, of
// which the greatest is our word for no limit.
func TestGreatestConcurrency(t *testing.T) {
	for name, want := range map[string]int64{"RcaMaxConcurrency": 4294967295, "RcaSharedMaxConcurrency": 2147483647, "EwsMaxConcurrency": 2147483647} {
		if got := parameter(t, name).Most(); got != want {
			t.Errorf("%s: up to %d, want %d", name, got, want)
		}
	}
	e := compiled(t, File{Default: "P", Policies: []Policy{{Name: "P", Values: says(t, "RcaMaxConcurrency", 4294967295)}}}).Effective("")
	if got := gaugeOf(t, e, RCA, Concurrency); got != Unlimited-1 {
		t.Errorf("got %d, want a limit", got)
	}
}

// What has a delay of its own, and the components that came after 2010.
func TestComponentsOfTheirOwn(t *testing.T) {
	b := compiled(t, File{Default: "P", Policies: []Policy{{Name: "P", Values: says(t,
		"RcaSharedMaxConcurrency", 9, "RcaSharedMaxBurst", 1000, "RcaSharedRechargeRate", 2000, "RcaSharedCutoffBalance", 3000,
		"OwaVoiceMaxConcurrency", 8, "OwaVoiceMaxBurst", 4000, "OwaVoiceRechargeRate", 5000, "OwaVoiceCutoffBalance", 6000,
		"OutlookServiceMaxConcurrency", 7, "OutlookServiceMaxBurst", 7000, "OutlookServiceRechargeRate", 8000, "OutlookServiceCutoffBalance", 9000, "OutlookServiceMaxSubscriptions", 6)}}})
	e := b.Effective("")
	for _, tt := range []struct {
		c                       Component
		concurrency             uint32
		burst, recharge, cutoff time.Duration
		delay                   time.Duration
	}{
		{RCAShared, 9, 1000, 2000, 3000, 5 * time.Second},
		{OWAVoice, 8, 4000, 5000, 6000, time.Minute},
		{OutlookService, 7, 7000, 8000, 9000, time.Minute},
	} {
		l, want := e.Limits(tt.c), Rate{Cap: int64(tt.burst * time.Millisecond), Refill: int64(tt.recharge * time.Millisecond), Per: time.Hour}
		if gaugeOf(t, e, tt.c, Concurrency) != tt.concurrency || rateOf(t, e, tt.c, LocalTime) != want || l.Cutoff != tt.cutoff*time.Millisecond || l.MaxDelay != tt.delay {
			t.Errorf("%s: got %+v, want %+v", tt.c, l, tt)
		}
	}
	if got := gaugeOf(t, e, OutlookService, Subscriptions); got != 6 {
		t.Errorf("OutlookService: %d subscriptions, want 6", got)
	}
	if l := e.Limits(RCA); l.Max[0] != 40 || l.Cutoff >= 0 {
		t.Errorf("Rca has what is RcaShared's: %+v", l)
	}
}

// Where one of the numbers of a rate is no limit, the rate is none, whichever it
// is.
func TestHalfARateIsNone(t *testing.T) {
	unlimited := Value{State: NoLimit}
	for _, tt := range []struct {
		c      Component
		p      Part
		values map[Parameter]Value
	}{
		{EWS, LocalTime, says(t, "EwsMaxBurst", unlimited, "EwsRechargeRate", 1)},
		{EWS, LocalTime, says(t, "EwsMaxBurst", 1, "EwsRechargeRate", unlimited)},
		{PowerShell, Cmdlets, says(t, "PowerShellMaxCmdlets", unlimited, "PowerShellMaxCmdletsTimePeriod", 60)},
		{PowerShell, Cmdlets, says(t, "PowerShellMaxCmdlets", 1, "PowerShellMaxCmdletsTimePeriod", 0)},
		{PushNotification, Notifications, says(t, "PushNotificationRechargeRatePerDevice", unlimited)},
	} {
		e := compiled(t, File{Default: "P", Policies: []Policy{{Name: "P", Values: tt.values}}}).Effective("")
		if got := rateOf(t, e, tt.c, tt.p); got != (Rate{Unlimited: true}) {
			t.Errorf("%s: got %+v, want no limit", tt.p, got)
		}
	}
}

// The greatest numbers fit: nothing turns negative.
func TestNothingOverflows(t *testing.T) {
	for _, g := range Generations() {
		values := map[Parameter]Value{}
		for p := range Parameters() {
			values[p] = Number(p.Most())
		}
		e := compiled(t, File{Default: "P", Policies: []Policy{{Name: "P", Generation: g, Values: values}}}).Effective("")
		for c := range components {
			l := e.Limits(c)
			for _, r := range l.Rate {
				if r.Cap < 0 || r.Refill < 0 || r.Per < 0 || r.Cap > math.MaxInt64/2 {
					t.Errorf("%s, %s: got %+v", g, c, r)
				}
			}
			if g == Exchange2013 && c == EWS && l.Cutoff <= 0 {
				t.Errorf("got cutoff %v", l.Cutoff)
			}
		}
	}
}

func TestZeroIsNoLimitLifted(t *testing.T) {
	b := compiled(t, File{Default: "P", Policies: []Policy{{Name: "P", Values: says(t, "EwsMaxConcurrency", 0, "EwsMaxBurst", 0, "EwsRechargeRate", 0, "EwsCutoffBalance", 0)}}})
	e := b.Effective("")
	if got := rateOf(t, e, EWS, LocalTime); gaugeOf(t, e, EWS, Concurrency) != 0 || got != (Rate{Per: time.Hour}) || e.Limits(EWS).Cutoff != 0 {
		t.Errorf("got %+v, want nothing allowed", got)
	}
}
