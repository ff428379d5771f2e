package throttle

import (
	"strings"
	"testing"
	"time"
)

const msec = time.Millisecond

// doc000 is the log entry of document 000, which breaks it up for the reader.
const doc000 = ";RC:bfe35012-30fd-499e-90d6-552d0ca89fab;" +
	"Init>>Conn:0,AD:30000/30000/0%,CAS:54000/54000/0%,AB:30000/30000/0%,RPC:36000/36000/0%,FC:1000/0,Hash:14366112,Sub:20/0;" +
	"SoapAction=m:GetDelegate;Version=1;RpcC=14;RpcL=687;LdapC=0;LdapL=0;" +
	"End(17156.25ms)>>Conn:3,AD:30000/30000/0%,CAS:54000/36907/28%,AB:30000/30000/0%,RPC:36000/35985/0%,FC:1000/0,Hash:14366112,Sub:20/0;"

// freshSnapshot is the budget of document 000 before anything is used: shares of a
// minute of 50, 90, 50 and 60 percent.
func freshSnapshot() Snapshot {
	return Snapshot{
		AD:   SnapshotTime{Limit: 30000 * msec},
		CAS:  SnapshotTime{Limit: 54000 * msec},
		AB:   SnapshotTime{Limit: 30000 * msec},
		RPC:  SnapshotTime{Limit: 36000 * msec},
		Find: SnapshotCount{Limit: 1000},
		Hash: 14366112,
		Subs: SnapshotCount{Limit: 20},
	}
}

// Document 000's entry comes out byte for byte of what the server knew: times
// in its ticks of 15.625 msec, of which the millisecond that has begun is not
// printed as used.
func TestEntryOfDocument000(t *testing.T) {
	end := freshSnapshot()
	end.Conn.Used = 3
	end.CAS.Used = 17093750 * time.Microsecond // 1094 ticks
	end.RPC.Used = 15625 * time.Microsecond    // 1 spanTick
	e := Entry{
		RC: "bfe35012-30fd-499e-90d6-552d0ca89fab", SoapAction: "m:GetDelegate", Version: 1,
		RPCs: 14, RPCLatency: 687 * msec, Init: freshSnapshot(), End: end,
		Took: 17156250 * time.Microsecond, // 1098 ticks
	}
	if got := e.String(); got != doc000 {
		t.Errorf("got  %s\nwant %s", got, doc000)
	}

	got, err := ParseEntry(doc000)
	end.CAS.Used, end.RPC.Used = 17093*msec, 15*msec
	e.End = end
	e.Init.Conn.Unlimited, e.End.Conn.Unlimited = true, true // this form tells no limit
	if err != nil || got != e {
		t.Errorf("read as %+v, %v\nwant    %+v", got, err, e)
	}
	if got.String() != doc000 {
		t.Errorf("and written again as %s", got)
	}
}

// What the numbers of document 000 mean: 17093 msec are 28 % of a minute, which
// is what is printed, and 31.7 % of what the policy allows.
func TestSnapshotShares(t *testing.T) {
	for _, tt := range []struct {
		t       SnapshotTime
		left    time.Duration
		percent int64
		share   float64
		text    string
	}{
		{SnapshotTime{Limit: 54000 * msec, Used: 17093 * msec}, 36907 * msec, 28, 17093.0 / 54000, "54000/36907/28%"},
		{SnapshotTime{Limit: 54000 * msec}, 54000 * msec, 0, 0, "54000/54000/0%"},
		{SnapshotTime{Limit: 36000 * msec, Used: 599999999}, 35401 * msec, 0, 599.999999 / 36000, "36000/35401/0%"},
		{SnapshotTime{Limit: 36000 * msec, Used: 600 * msec}, 35400 * msec, 1, 600.0 / 36000, "36000/35400/1%"},
		{SnapshotTime{Limit: 30000 * msec, Used: 35000 * msec}, -5000 * msec, 58, 35.0 / 30, "30000/-5000/58%"},
		{SnapshotTime{Limit: 54000 * msec, Used: 108 * time.Second}, -54000 * msec, 180, 2, "54000/-54000/180%"}, // two threads of 54 s
		{SnapshotTime{Unlimited: true, Used: 4200 * msec}, -4200 * msec, 7, 0, "$null/$null/7%"},
		{SnapshotTime{}, 0, 0, 1, "0/0/0%"},
	} {
		if tt.t.Left() != tt.left || tt.t.OfMinute() != tt.percent || tt.t.OfLimit() != tt.share {
			t.Errorf("%+v: left %s, %d %% of the minute, %g of the limit; want %s, %d, %g", tt.t, tt.t.Left(), tt.t.OfMinute(), tt.t.OfLimit(), tt.left, tt.percent, tt.share)
		}
		if got := string(tt.t.appendText(nil)); got != tt.text {
			t.Errorf("%+v: %s, want %s", tt.t, got, tt.text)
		}
	}
}

// A budget without limits, as a policy of $null has it, with what phones add.
func TestSnapshotUnlimited(t *testing.T) {
	const text = "Conn:1,HangingConn:2,AD:$null/$null/0%,CAS:$null/$null/7%,AB:$null/$null/0%,RPC:$null/$null/2%,FC:$null/5,Hash:-7,Sub:$null/0,Policy:DefaultThrottlingPolicy_1b9c"
	got, err := ParseSnapshot(text)
	none := SnapshotTime{Unlimited: true}
	want := Snapshot{
		Conn: SnapshotCount{Used: 1, Unlimited: true}, Hanging: 2, AD: none, AB: none, Hash: -7, Policy: "DefaultThrottlingPolicy_1b9c",
		CAS: SnapshotTime{Unlimited: true, Used: 4200 * msec}, RPC: SnapshotTime{Unlimited: true, Used: 1200 * msec},
		Find: SnapshotCount{Unlimited: true, Used: 5}, Subs: SnapshotCount{Unlimited: true},
	}
	if err != nil || got != want || got.String() != text {
		t.Errorf("%+v, %v, written %s\nwant %+v", got, err, got, want)
	}
}

// The form of 2013 and later, with the arithmetic of two real lines: 240000 msec
// less 326.4871 msec of use, of which a tenth has recharged, are 239706.2; and
// 300000 less 24.61 msec, while a quarter of 15.625 msec recharged, are 299979.3.
func TestSnapshotTokens(t *testing.T) {
	const used = 326487100 * time.Nanosecond
	eas := Snapshot{
		Tokens: true, Owner: `Sid~CONTOSO\anna~Eas~false`, Policy: "GlobalThrottlingPolicy_c0ffee", Live: used,
		Conn:  SnapshotCount{Used: 1, Limit: 10},
		Local: SnapshotTokens{Burst: 240000 * msec, Balance: 240000*msec - used*9/10, Cutoff: 600000 * msec, Recharge: 360000 * msec},
	}
	ews := Snapshot{
		Tokens: true, Live: 2*time.Minute + 464760900, Conn: SnapshotCount{Limit: 27},
		Local: SnapshotTokens{Burst: 300000 * msec, Balance: 300000*msec - (24610*time.Microsecond - 15625*time.Microsecond/4), Cutoff: 3000000 * msec, Recharge: 900000 * msec},
	}
	service := Snapshot{
		Tokens: true, Owner: "backup", Policy: "Backup", ServiceAccount: true, Live: 26*time.Hour + 3*time.Minute + 4*time.Second,
		Conn: SnapshotCount{Unlimited: true, Used: 54}, Local: SnapshotTokens{Unlimited: true, NoCutoff: true},
	}
	debt := Snapshot{
		Tokens: true, Conn: SnapshotCount{Limit: 18},
		Local: SnapshotTokens{Burst: 1, Balance: -1608289 * msec, Recharge: 2160000 * msec, NoCutoff: true},
	}
	for _, tt := range []struct {
		s    Snapshot
		want string
	}{
		{eas, `Owner:Sid~CONTOSO\anna~Eas~false,Conn:1,MaxConn:10,MaxBurst:240000,Balance:239706.2,Cutoff:600000,RechargeRate:360000,Policy:GlobalThrottlingPolicy_c0ffee,IsServiceAccount:False,LiveTime:00:00:00.3264871`},
		{ews, `Conn:0,MaxConn:27,MaxBurst:300000,Balance:299979.3,Cutoff:3000000,RechargeRate:900000,IsServiceAccount:False,LiveTime:00:02:00.4647609`},
		{service, `Owner:backup,Conn:54,MaxConn:Unlimited,MaxBurst:Unlimited,Balance:$null,Cutoff:Unlimited,RechargeRate:Unlimited,Policy:Backup,IsServiceAccount:True,LiveTime:1.02:03:04`},
		{debt, `Conn:0,MaxConn:18,MaxBurst:0,Balance:-1608289,Cutoff:Unlimited,RechargeRate:2160000,IsServiceAccount:False,LiveTime:00:00:00`},
	} {
		if got := tt.s.String(); got != tt.want {
			t.Errorf("got  %s\nwant %s", got, tt.want)
		}
		back, err := ParseSnapshot(tt.want)
		want := tt.s
		want.Local.Balance = want.Local.Balance.Round(msec / 10)
		want.Local.Burst = want.Local.Burst.Truncate(msec)
		if err != nil || back != want {
			t.Errorf("%s\nread as %+v, %v\nwant    %+v", tt.want, back, err, want)
		}
	}
}

// What is not in the text is no limit, whichever word of a form is.
func TestSnapshotInPart(t *testing.T) {
	none, counts, local := SnapshotTime{Unlimited: true}, SnapshotCount{Unlimited: true}, SnapshotTokens{Unlimited: true, NoCutoff: true}
	of2010 := Snapshot{Conn: counts, Find: counts, Subs: counts, AD: none, CAS: none, AB: none, RPC: none}
	of2013 := Snapshot{Tokens: true, Conn: counts, Local: local}
	with := func(s Snapshot, change func(*Snapshot)) Snapshot { change(&s); return s }
	for text, want := range map[string]Snapshot{
		"Conn:3":                            with(of2010, func(s *Snapshot) { s.Conn.Used = 3 }),
		"Policy:P":                          with(of2010, func(s *Snapshot) { s.Policy = "P" }),
		"HangingConn:2,AD:5/4/0%":           with(of2010, func(s *Snapshot) { s.Hanging, s.AD = 2, SnapshotTime{Limit: 5 * msec, Used: msec} }),
		"FC:7/6":                            with(of2010, func(s *Snapshot) { s.Find = SnapshotCount{Limit: 7, Used: 6} }),
		"Owner:a":                           with(of2013, func(s *Snapshot) { s.Owner = "a" }),
		"Conn:3,MaxConn:4":                  with(of2013, func(s *Snapshot) { s.Conn = SnapshotCount{Limit: 4, Used: 3} }),
		"IsServiceAccount:True":             with(of2013, func(s *Snapshot) { s.ServiceAccount = true }),
		"LiveTime:00:00:01":                 with(of2013, func(s *Snapshot) { s.Live = time.Second }),
		"Cutoff:9":                          with(of2013, func(s *Snapshot) { s.Local.NoCutoff, s.Local.Cutoff = false, 9*msec }),
		"Balance:-9":                        with(of2013, func(s *Snapshot) { s.Local.Balance = -9 * msec }),
		"MaxBurst:8,Balance:5":              with(of2013, func(s *Snapshot) { s.Local.Burst, s.Local.Balance = 8*msec, 5*msec }),
		"MaxBurst:Unlimited,RechargeRate:9": with(of2013, func(s *Snapshot) { s.Local.Recharge = 9 * msec }),
		"MaxBurst:8,RechargeRate:9": with(of2013, func(s *Snapshot) {
			s.Local = SnapshotTokens{Burst: 8 * msec, Balance: 8 * msec, Recharge: 9 * msec, NoCutoff: true}
		}),
		"MaxBurst:8,RechargeRate:9,Balance:$null": with(of2013, func(s *Snapshot) {
			s.Local = SnapshotTokens{Burst: 8 * msec, Balance: 8 * msec, Recharge: 9 * msec, NoCutoff: true}
		}),
		"MaxBurst:8,RechargeRate:9,Balance:0": with(of2013, func(s *Snapshot) { s.Local = SnapshotTokens{Burst: 8 * msec, Recharge: 9 * msec, NoCutoff: true} }),
	} {
		got, err := ParseSnapshot(text)
		if err != nil || got != want {
			t.Errorf("%s: %+v, %v\nwant %+v", text, got, err, want)
		}
		if back, err := ParseSnapshot(got.String()); err != nil || back != got {
			t.Errorf("%s, written %s: %+v, %v\nwant %+v", text, got, back, err, got)
		}
	}
}

// Names cannot break a line: what would end an item, a field or a column is
// written as %XX, and read back. Letters of any script stay as they are.
func TestSnapshotNames(t *testing.T) {
	for name, want := range map[string]string{
		"節流原則": "節流原則", "a,b;c d": "a%2Cb%3Bc%20d", "line\r\nfeed": "line%0D%0Afeed", "100%": "100%25", "": "",
	} {
		if got := string(appendName(nil, name)); got != want || parseName(got) != name {
			t.Errorf("%q: %s, read as %q; want %s", name, got, parseName(got), want)
		}
	}
	if got := parseName("50%,%zz,%4"); got != "50%,%zz,%4" {
		t.Errorf("a percent sign that begins no escape: %q", got)
	}
}

func TestSnapshotRefused(t *testing.T) {
	for text, want := range map[string]string{
		"":                           `item ""`,
		"Conn":                       `item "Conn": no value`,
		"Conn:1,Conn:2":              `item "Conn:2"`,
		"Conn:-1":                    `item "Conn:-1": not understood`,
		"Conn:4294967296":            `item "Conn:4294967296"`,
		"What:1":                     `item "What:1": not understood`,
		"AD:2/1/0%,Balance:3":        `item "AD:2/1/0%" is of 2010, and item "Balance:3" of 2013 and later`,
		"MaxConn:1,HangingConn:0":    `item "HangingConn:0" is of 2010, and item "MaxConn:1" of 2013`,
		"AD:1/2":                     `item "AD:1/2"`,
		"AD:1/2/0%":                  `item "AD:1/2/0%"`, // more left than there was
		"AD:2/1/0":                   `item "AD:2/1/0"`,
		"AD:$null/1/0%":              `item "AD:$null/1/0%"`,
		"AD:-2/-3/0%":                `item "AD:-2/-3/0%"`,
		"AD:2/1/-1%":                 `item "AD:2/1/-1%"`,
		"AD:9223372036854775807/1/%": `item "AD:9223372036854775807/1/%"`,
		"FC:1000":                    `item "FC:1000"`,
		"Hash:x":                     `item "Hash:x"`,
		"Balance:1.":                 `item "Balance:1."`,
		"Balance:1.1234567":          `item "Balance:1.1234567"`,
		"Balance:1.-5":               `item "Balance:1.-5"`,
		"Balance:99999999999999":     `item "Balance:99999999999999"`,
		"LiveTime:24:00:00":          `item "LiveTime:24:00:00"`,
		"LiveTime:00:60:00":          `item "LiveTime:00:60:00"`,
		"LiveTime:00:00":             `item "LiveTime:00:00"`,
		"LiveTime:0:00:00":           `item "LiveTime:0:00:00"`,
		"LiveTime:00:00:00.12345678": `item "LiveTime:00:00:00.12345678"`,
		"IsServiceAccount:true":      `item "IsServiceAccount:true"`,
	} {
		if got, err := ParseSnapshot(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %+v, %v; want an error with %s", text, got, err, want)
		}
	}
}

// An entry that is cut anywhere, or goes on, is refused.
func TestEntryRefused(t *testing.T) {
	for n := range len(doc000) {
		if e, err := ParseEntry(doc000[:n]); err == nil {
			t.Errorf("%d bytes of %d: %+v, want an error", n, len(doc000), e)
		}
	}
	for _, text := range []string{doc000 + ";", doc000 + " 443", " " + doc000} {
		if e, err := ParseEntry(text); err == nil {
			t.Errorf("%q: %+v, want an error", text, e)
		}
	}
	for _, change := range [][2]string{
		{"%;SoapAction", "%;Soap"}, {"RpcC=14", "RpcC=-14"}, {"RpcL=687", "RpcL=-1"}, {"Version=1", "Version=one"},
		{"End(17156.25ms)", "End(17156.25)"}, {"End(17156.25ms)", "End(ms)"}, {"CAS:54000/36907", "CAS:x/36907"}, {"Sub:20/0;", "Sub:20/0; 443"},
	} {
		text := strings.Replace(doc000, change[0], change[1], 1)
		if e, err := ParseEntry(text); err == nil && text != doc000 {
			t.Errorf("%s for %s: %+v, want an error", change[1], change[0], e)
		}
	}
}
