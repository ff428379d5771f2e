package maillog

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// A part is a piece of a file: a header, or a row under the last one.
type part struct {
	text string
	row  bool
	kind Kind // of a row
}

// A form is a log as one version writes it.
type form struct {
	kind         Kind
	head, fields string
}

func systemForms() []form {
	return []form{
		{HTTPErr, httperrHead(httperr2012), httperr2012}, {HTTPErr, httperrHead(httperr2016), httperr2016}, {HTTPErr, httperrHead(httperr2025), httperr2025},
		{IIS, iisHead(iis2010), iis2010}, {IIS, iisHead(iis2019), iis2019}, {IIS, iisHead(iisAll), iisAll},
		{Unknown, systemHead("Microsoft Windows Firewall", "date time action protocol src dst"), "date time action protocol src dst"},
	}
}

func exchangeForms() []form {
	return []form{
		{HTTPProxy, exchangeHead("HttpProxy Logs", proxySE), proxySE}, {HTTPProxy, proxy2013 + "\r\n" + exchangeHead("HttpProxy Logs", proxy2013), proxy2013},
		{MapiHTTP, exchangeHead("MapiHttp Logs", mapi2016), mapi2016}, {EWS, exchangeHead("EWS Logs", ews2013), ews2013},
		{RPCAccess, exchangeHead("RPC Client Access Logs", rpcAccess), rpcAccess},
		{Other, exchangeHead("Rps Cmdlet Logs", "DateTime,Cmdlet,Parameters"), "DateTime,Cmdlet,Parameters"},
	}
}

// values are what may stand in a column, right or not.
func values(name string, rows int) []string {
	switch name {
	case "date":
		return []string{"2025-03-14", "x"}
	case "time":
		return []string{"08:00:00", "23:59:59"}
	case "DateTime", "date-time":
		return []string{fmt.Sprintf("2025-03-14T08:00:%02d.124Z", rows%60)}
	case "c-ip", "s-ip", "ClientIpAddress", "ClientIP", "client-ip", "server-ip":
		return []string{"192.0.2.1", "192.0.2.2", "10.0.0.255", "2001:db8::1", "::1", "no-address"}
	case "c-port", "s-port":
		return []string{"443", "444", "81", "50123", "99999"}
	case "cs-uri", "cs-uri-stem", "UrlStem":
		return []string{"/mapi/emsmdb/", "/EWS/Exchange.asmx", "/Microsoft-Server-ActiveSync/default.eas?Cmd=Ping&x=1", "/owa/healthcheck.htm", "/rpc/rpcproxy.dll", "/"}
	case "cs-uri-query", "UrlQuery":
		return []string{"MailboxId=a@b&x=1", "Cmd=Sync&Log=Budget:(A)Conn%3a1", "Init>>Conn:0;End(1ms)>>Conn:1;SoapAction=m:GetItem", "ns=PendingRequest&ev=PendingNotificationRequest", "a@b:6001&x"}
	case "cs-username", "AuthenticatedUser", "client-name":
		return []string{"CONTOSO\\anna", "HealthMailbox0a@contoso.test", "/o=C/cn=Recipients/cn=anna", "<null>"}
	case "cs(User-Agent)", "UserAgent", "ClientSoftware", "client-software":
		return []string{"Outlook", "AMProbe/Local", "Ews_AM_Probe/Local", "MapiHttpClient", "Mozilla/4.0+(MSEXCHMON)"}
	case "ClientRequestId":
		return []string{"R:1:1;RT:Execute;CI:{c}:1;CID:<null>", "R:1:2;RT:NotificationWait;CI:<null>", "abc"}
	case "Protocol", "protocol":
		return []string{"Mapi", "Ews", "Eas", "MapiHttp", "ncacn_http", "x"}
	case "RequestType", "SoapAction", "operation":
		return []string{"NotificationWait", "Execute", "GetStreamingEvents", "GetItem"}
	case "GenericInfo":
		return []string{"S:BudgetMetadata.MaxConn=27", "S:WLM.Bal=1", "a=b;c"}
	}
	return []string{"0", "1", "200", "401", "70000", "0.5", "word"}
}

// parts makes a file of one family of logs, in the order that its parts have.
func parts(forms []form) *rapid.Generator[[]part] {
	return rapid.Custom(func(t *rapid.T) (out []part) {
		f := rapid.SampledFrom(forms).Draw(t, "form")
		for f.kind == Unknown { // a file must begin as one that is known
			f = rapid.SampledFrom(forms).Draw(t, "form")
		}
		out = append(out, part{rapid.SampledFrom([]string{"", "\r\n", "\xef\xbb\xbf", "\r\n\r\n"}).Draw(t, "ahead") + f.head, false, Unknown})
		for i := range rapid.IntRange(0, 12).Draw(t, "parts") {
			switch rapid.IntRange(0, 9).Draw(t, "what") {
			case 0:
				f = rapid.SampledFrom(forms).Draw(t, "form")
				out = append(out, part{f.head, false, Unknown})
			case 1:
				out = append(out, part{rapid.SampledFrom([]string{"\r\n", "too few\r\n", "# a remark\r\n", "\x00\x00\x00\x00", "half\x00\x00"}).Draw(t, "noise"), false, Unknown})
			default:
				out = append(out, part{aRow(t, f, i), true, f.kind})
			}
		}
		return out
	})
}

func aRow(t *rapid.T, f form, n int) string {
	sep, missing := ",", ""
	if strings.Contains(f.fields, " ") {
		sep, missing = " ", "-"
	}
	var cells []string
	for _, name := range strings.Split(f.fields, sep) {
		v := missing
		if rapid.IntRange(0, 3).Draw(t, "filled") > 0 || strings.EqualFold(name, "DateTime") || name == "date-time" {
			v = rapid.SampledFrom(values(name, n)).Draw(t, name)
		}
		cells = append(cells, v)
	}
	return strings.Join(cells, sep) + "\r\n"
}

func anyFile(t *rapid.T) []part {
	forms := systemForms()
	if rapid.Bool().Draw(t, "exchange") {
		forms = exchangeForms()
	}
	return parts(forms).Draw(t, "file")
}

func text(all []part) (file string) {
	for _, p := range all {
		file += p.text
	}
	return file
}

// A row is of the kind that the header above it says, and of no other, and every
// row that is understood is given out once.
func TestKindsStayApart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := anyFile(t)
		var want []string
		foreign := 0
		for _, p := range all {
			switch {
			case p.row && p.kind != Unknown:
				want = append(want, p.kind.String())
			case p.row:
				foreign++
			}
		}
		rows, _, stats, err := read(text(all))
		var got []string
		for _, r := range rows {
			got = append(got, strings.Fields(r)[1])
		}
		if !slices.Equal(got, want) || err != nil || stats.Rows != int64(len(want)) || stats.Foreign != int64(foreign) {
			t.Fatalf("got %v %+v %v, want %v and %d foreign of %q", got, stats, err, want, foreign, text(all))
		}
	})
}

// However a growing file is cut into blocks and whenever the reader is started
// anew, it says what is read of the finished file at once.
func TestTailSaysWhatReaderSays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		file := text(anyFile(t))
		want, kind, _, err := read(file)
		f := follower{tail: NewTail(Position{})}
		for _, n := range rapid.SliceOfN(rapid.IntRange(0, len(file)), 0, 6).Draw(t, "lengths") {
			if int64(n) < f.tail.Position().Offset {
				continue
			}
			f.poll(file[:n], rapid.IntRange(1, 3000).Draw(t, "block"))
			if f.tail.Waiting() && rapid.Bool().Draw(t, "give up") {
				f.tail.GiveUp()
			}
			if rapid.Bool().Draw(t, "restart") {
				f.restart(t)
			}
		}
		f.poll(file, len(file))
		if at := f.tail.Position().Offset; at < int64(len(file)) && !f.tail.Waiting() {
			t.Fatalf("it consumed %d bytes of %q", at, file)
		}
		f.finish(file)
		if !slices.Equal(f.rows, want) || err != nil || f.tail.Err() != nil {
			t.Fatalf("%v %v:\ngot  %q\nwant %q\nof %q", kind, err, f.rows, want, file)
		}
	})
}

// A row says the same whatever stood above it: no value is left of the row
// before.
func TestRowsAreForgotten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := rapid.SampledFrom(slices.Concat(systemForms()[:6], exchangeForms())).Draw(t, "form")
		var lines []string
		for i := range 6 {
			lines = append(lines, aRow(t, f, i))
		}
		r := NewReader(strings.NewReader(f.head+strings.Join(lines, "")), Position{})
		for _, line := range lines {
			alone := NewReader(strings.NewReader(f.head+line), Position{})
			if r.Next() != alone.Next() {
				t.Fatalf("%q is a row only alone, or only behind others", line)
			}
			if got, want := tell(r.Record()), tell(alone.Record()); got != want {
				t.Fatalf("got %s, alone %s", got, want)
			}
		}
	})
}

// The columns may stand in any order, some of them missing: a value is never
// taken from the one beside.
func TestColumnsInAnyOrder(t *testing.T) {
	for _, f := range slices.Concat(systemForms()[:6], exchangeForms()[:5]) {
		sep := ","
		if f.kind.system() {
			sep = " "
		}
		rapid.Check(t, func(t *rapid.T) {
			names := strings.Split(f.fields, sep)
			cells := map[string]string{}
			for _, n := range names {
				cells[n] = rapid.SampledFrom(values(n, 0)).Draw(t, n)
			}
			file := func(names []string) string {
				head := strings.Replace(f.head, f.fields, strings.Join(names, sep), 2)
				return head + row(strings.Join(names, sep), sep, "", cells)
			}
			want, _, _, _ := read(file(names))
			got, kind, _, err := read(file(rapid.Permutation(names).Draw(t, "order")))
			if len(want) != 1 || len(got) != 1 || words(got[0]) != words(want[0]) {
				t.Fatalf("%v %v: got %s, want %s", kind, err, got, want)
			}
		})
	}
}
