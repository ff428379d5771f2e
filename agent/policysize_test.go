package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const (
	sizeIIS = "#Software: Microsoft Internet Information Services 10.0\n#Version: 1.0\n#Fields: date time s-ip cs-method cs-uri-stem cs-uri-query s-port cs-username c-ip cs(User-Agent) sc-status sc-substatus sc-win32-status time-taken\n"
	sizeEWS = "#Software: Microsoft Exchange Server\n#Version: 15.01.2375.007\n#Log-type: EWS Logs\n#Date: 2026-03-02T08:00:00.000Z\n" +
		"#Fields: DateTime,RequestId,ClientIpAddress,AuthenticatedUser,UserAgent,ServerHostName,FrontEndServer,SoapAction,HttpStatus,ThrottlingPolicy,ThrottlingDelay,TotalRequestTime,ErrorCode,GenericErrors,GenericInfo\n"
)

// sizeLogs writes logs by their paths.
func sizeLogs(t *testing.T, logs map[string]string) string {
	t.Helper()
	top := t.TempDir()
	for name, text := range logs {
		path := filepath.Join(top, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return top
}

// oneIIS is a folder with a log of one server.
func oneIIS(t *testing.T, rows ...string) string {
	return sizeLogs(t, map[string]string{"EX1/u_ex260302.log": sizeIIS + strings.Join(rows, "")})
}

func iisRow(at, path, user string, ms, status int) string {
	path, query, _ := strings.Cut(path, "?")
	if query == "" {
		query = "-"
	}
	return fmt.Sprintf("2026-03-02 %s 10.1.0.11 POST %s %s 443 %s 10.2.0.3 X %d 0 0 %d\n", at, path, query, user, status, ms)
}

func ewsRow(at, user string, ms, status int, code string) string {
	return fmt.Sprintf("2026-03-02T%s.000Z,1,192.0.2.7,%s,tool/1.0,EX1,FE1,FindItem,%d,,,%d,%s,,S:WLM.Bal=1;Dbl:BudgUse.T[]=%d\n", at, user, status, ms, code, ms)
}

// sizeOfAccount asks for JSON, and for words.
func sizeOfAccount(t *testing.T, account string, args ...string) (shown sizeShown, words string) {
	t.Helper()
	status, words, stderr := ask(t.Context(), append([]string{"policy", "size", account}, args...)...)
	if status != 0 {
		t.Fatalf("status %d: %s", status, stderr)
	}
	_, text, _ := ask(t.Context(), append([]string{"policy", "size", account, "--json"}, args...)...)
	if err := json.Unmarshal([]byte(text), &shown); err != nil {
		t.Fatal(err)
	}
	return shown, words
}

// overload is more of EWS and of EAS than their bursts have.
func overload(user string) (rows []string) {
	for minute := range 24 {
		at := fmt.Sprintf("08:%02d:00", minute+1)
		rows = append(rows, iisRow(at, "/EWS/Exchange.asmx?SoapAction=FindItem", user, 58_000, 200), iisRow(at, "/Microsoft-Server-ActiveSync/default.eas?Cmd=FolderSync", user, 58_000, 200))
	}
	return rows
}

// Requests of all components need one policy, by a name that Exchange finds the
// account by.
func TestSizeOneCommandForAll(t *testing.T) {
	shown, words := sizeOfAccount(t, "svc", oneIIS(t, overload(`CONTOSO\svc`)...))
	if len(shown.Components) != 2 || len(shown.Commands) != 2 || !shown.Own {
		t.Fatalf("got %d components and %q, want two, and a policy made and given", len(shown.Components), shown.Commands)
	}
	for _, want := range []string{"New-ThrottlingPolicy -Name 'Sized svc@contoso' ", "-EwsMaxBurst ", "-EasMaxBurst "} {
		if !strings.Contains(shown.Commands[0], want) || !strings.Contains(words, want) {
			t.Errorf("got %s, want %s", shown.Commands[0], want)
		}
	}
	if want := `Set-ThrottlingPolicyAssociation -Identity 'CONTOSO\svc' -ThrottlingPolicy 'Sized svc@contoso'`; shown.Commands[1] != want {
		t.Errorf("got %s, want %s", shown.Commands[1], want)
	}
}

// sizeExport is two mailboxes of one policy, and one that has its own.
const sizeExport = `"Name","UserPrincipalName","PrimarySmtpAddress","ThrottlingPolicy"
"a","a@contoso.example","a@contoso.example","Shared"
"b","b@contoso.example","b@contoso.example","Shared"
"c","c@contoso.example","c@contoso.example","Mine"
`

const sizePolicy = `[{"Name":"G","ThrottlingPolicyScope":"Global","EwsMaxConcurrency":"27","EwsMaxBurst":"300000","EwsRechargeRate":"900000","EwsCutoffBalance":"3000000","IsServiceAccount":false},
{"Name":"Shared","ThrottlingPolicyScope":"Regular","EwsMaxConcurrency":"40","EwsMaxBurst":"400000","EwsRechargeRate":"9000000","EwsCutoffBalance":"Unlimited","IsServiceAccount":true},
{"Name":"Sized b@contoso.example","ThrottlingPolicyScope":"Regular","EwsMaxBurst":"1"},
{"Name":"Mine","ThrottlingPolicyScope":"Regular","EwsMaxConcurrency":"40","EwsMaxBurst":"400000","EwsRechargeRate":"900000","EwsCutoffBalance":"3000000","IsServiceAccount":false}]`

// Nobody's limits are lowered, nor those of others changed; where nothing is
// throttled there is nothing to do.
func TestSizeRaisesWhatThrottles(t *testing.T) {
	policies := sizeLogs(t, map[string]string{"p.json": sizePolicy, "m.csv": sizeExport})
	var long []string
	for minute := range 12 {
		for _, user := range []string{"b@contoso.example", "c@contoso.example", "z@contoso.example"} {
			row := iisRow(fmt.Sprintf("08:%02d:00", minute+1), "/EWS/x?SoapAction=FindItem", user, 59_000, 200)
			long = append(long, row, row, row, row) // four threads
		}
	}
	d := oneIIS(t, append(long, iisRow("08:00:00", "/EWS/Exchange.asmx", "a@contoso.example", 100, 200))...)
	for _, tt := range []struct {
		promise, account string
		want             []string
	}{
		{"nothing is throttled", "a@contoso.example", nil},
		{"others have it: the new one keeps what it says", "b@contoso.example", []string{
			"New-ThrottlingPolicy -Name 'Sized b@contoso.example 2' -EwsMaxConcurrency 40 -EwsMaxBurst 950000 -EwsRechargeRate 9000000 -EwsCutoffBalance Unlimited -IsServiceAccount $true",
			"Set-ThrottlingPolicyAssociation -Identity 'b@contoso.example' -ThrottlingPolicy 'Sized b@contoso.example 2'"}},
		{"it is his alone", "c@contoso.example", []string{"Set-ThrottlingPolicy -Identity 'Mine' -EwsMaxBurst 2100000 -EwsRechargeRate 2900000"}},
		{"everyone's, which says the rest", "z@contoso.example", []string{
			"New-ThrottlingPolicy -Name 'Sized z@contoso.example' -EwsMaxBurst 2100000 -EwsRechargeRate 2900000",
			"Set-ThrottlingPolicyAssociation -Identity 'z@contoso.example' -ThrottlingPolicy 'Sized z@contoso.example'"}},
	} {
		shown, words := sizeOfAccount(t, tt.account, d, "--policy", policies)
		if !slices.Equal(shown.Commands, tt.want) {
			t.Errorf("%s: got %q, want %q\n%s", tt.promise, shown.Commands, tt.want, words)
		}
	}
}

// Work is charged however long it was, unless its kind says that it waited.
func TestSizeLongWorkIsCharged(t *testing.T) {
	for _, tt := range []struct {
		path              string
		charged           float64
		waits, maybe, syn int
	}{
		{"/EWS/Exchange.asmx", 240, 0, 1, 0},
		{"/EWS/Exchange.asmx?SoapAction=GetEvents", 240, 0, 1, 0},
		{"/EWS/Exchange.asmx?SoapAction=GetStreamingEvents", 0, 1, 0, 0},
		{"/EWS/Exchange.asmx?SoapAction=FindItem", 240, 0, 0, 0},
		{"/mapi/emsmdb/", 240, 0, 1, 0},
		{"/powershell/", 240, 0, 1, 0},
		{"/Microsoft-Server-ActiveSync/default.eas", 240, 0, 1, 0},
		{"/Microsoft-Server-ActiveSync/default.eas?Cmd=Ping", 0, 1, 0, 0},
		{"/Microsoft-Server-ActiveSync/default.eas?Cmd=Sync", 0, 1, 0, 1},
	} {
		shown, words := sizeOfAccount(t, "svc", oneIIS(t, iisRow("08:04:00", tt.path, `CONTOSO\svc`, 240_000, 200)))
		c := shown.Components[0]
		if n := c.Nodes[0]; n.Most != tt.charged || n.Hanging != tt.waits || c.MaybeWaits != tt.maybe || c.Syncs != tt.syn {
			t.Errorf("%s: charged %v s, %d waits, %d that may be, %d Syncs; want %v, %d, %d and %d", tt.path, n.Most, n.Hanging, c.MaybeWaits, c.Syncs, tt.charged, tt.waits, tt.maybe, tt.syn)
		}
		if strings.Contains(words, "may have waited") != (tt.maybe > 0) || strings.Contains(words, "1 Sync of") != (tt.syn > 0) {
			t.Errorf("%s: it is to be said\n%s", tt.path, words)
		}
	}
}

// What IIS logs in one second came one after the other, as far as anybody knows.
func TestSizeOneAfterAnother(t *testing.T) {
	var rows []string
	for i := range 24 { // 12 a second, of 70 ms
		rows = append(rows, iisRow(fmt.Sprintf("08:00:%02d", i/12), "/Microsoft-Server-ActiveSync/default.eas", `CONTOSO\phone`, 70, 200))
	}
	shown, words := sizeOfAccount(t, "phone", oneIIS(t, rows...))
	c := shown.Components[0]
	if len(c.Throttled) > 0 || !c.Rough || !strings.Contains(words, "up to 12") || !strings.Contains(words, "upper bound, and of its requests is neither judged nor sized") {
		t.Errorf("got %v\n%s", c.Throttled, words)
	}
	if slices.ContainsFunc(c.Needs, func(n sizeNeed) bool { return n.Parameter == "EasMaxConcurrency" }) {
		t.Errorf("sized by what is not known: %v", c.Needs)
	}
}

// Who was refused needed more than the logs tell.
func TestSizeRefused(t *testing.T) {
	at := func(i int) string { return fmt.Sprintf("08:00:%02d", i) }
	var front, back []string
	for i := range 50 {
		front = append(front, iisRow(at(i), "/EWS/Exchange.asmx", `CONTOSO\svc`, 1, 503))
	}
	shown, words := sizeOfAccount(t, "svc", oneIIS(t, front...))
	if c := shown.Components[0]; c.Refused != 50 || len(c.Nodes) > 0 || !strings.Contains(words, "50 requests were refused") || strings.Contains(words, "nothing is throttled") {
		t.Errorf("%d refused\n%s", c.Refused, words)
	}
	back = append(back, ewsRow("08:01:00", `CONTOSO\svc`, 100, 200, ""), ewsRow("08:01:01", `CONTOSO\svc`, 1, 500, "ErrorServerBusy"), ewsRow("08:01:02", `CONTOSO\svc`, 1, 500, "ErrorExceededConnectionCount"),
		ewsRow("08:01:03", `CONTOSO\svc`, 1, 500, "ErrorItemNotFound"))
	shown, words = sizeOfAccount(t, "svc", sizeLogs(t, map[string]string{"EX1/Ews_1.LOG": sizeEWS + strings.Join(back, "")}))
	if c := shown.Components[0]; c.Refused != 2 || c.Nodes[0].Requests != 2 {
		t.Errorf("%d refused, %d others; want 2 and 2\n%s", c.Refused, c.Nodes[0].Requests, words)
	}
	both := sizeLogs(t, map[string]string{"EX1/Ews_1.LOG": sizeEWS + strings.Join(back, ""), "FE1/u_ex260302.log": sizeIIS + strings.Join(front, "")})
	if shown, words = sizeOfAccount(t, "svc", both); shown.Components[0].Refused != 50 {
		t.Errorf("a front end refused 50, which no other log tells: got %d\n%s", shown.Components[0].Refused, words)
	}
}

// An hour of the best log is no reason to drop a day of another.
func TestSizeBestLogOfAnHour(t *testing.T) {
	var rows []string
	for hour := range 5 {
		for minute := range 3 {
			rows = append(rows, iisRow(fmt.Sprintf("%02d:%02d:30", hour, minute), "/EWS/Exchange.asmx", `CONTOSO\svc`, 1000, 200))
		}
	}
	d := sizeLogs(t, map[string]string{"EX1/u_ex260302.log": sizeIIS + strings.Join(rows, ""), "EX1/Ews_1.LOG": sizeEWS + ewsRow("03:00:30", `CONTOSO\svc`, 900, 200, "") + ewsRow("03:01:30", `CONTOSO\svc`, 900, 200, "")})
	shown, words := sizeOfAccount(t, "svc", d)
	c := shown.Components[0]
	if c.Nodes[0].Requests != 14 || c.Logged != 2 || c.Source != "EWS (1 hour), IIS (4 hours)" || !slices.Equal(c.LeftOut, []sizeLeft{{"IIS", 3}}) {
		t.Errorf("%d requests, %d logged, by %s, left out %v; want 14, 2 and 3 of IIS left out", c.Nodes[0].Requests, c.Logged, c.Source, c.LeftOut)
	}
	if !strings.Contains(words, "left out: 3 rows of IIS") {
		t.Errorf("it is not said:\n%s", words)
	}
	if _, words, _ = ask(t.Context(), "policy", "size", "--top", "1", d); !strings.Contains(words, "left out: at least 15 rows of accounts") {
		t.Errorf("the best log alone is listed by, and that is not said:\n%s", words)
	}
}
