package gate

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"evenkeel/policy/throttle"
)

// contoso are the domains of the tests.
var contoso = []throttle.Domain{{Short: "contoso", Full: "contoso.example"}, {Short: "fabrikam", Full: "mail.fabrikam.example"}}

func basic(name, password string) string {
	return "Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte(name+":"+password))
}

// Who asks, for what: as each kind of front end says it.
func TestQuestions(t *testing.T) {
	for _, c := range []struct {
		promise, target string
		lines           []string
		want            string
	}{
		{"all said", "/v1/check", []string{"X-Evenkeel-User: CONTOSO\\Anna", "X-Evenkeel-Component: EWS", "X-Evenkeel-Find: 10", "X-Evenkeel-Paged: yes"},
			"anna@contoso.example Ews find=10 paged"},
		{"nginx, with its own user and path", "/v1/check", []string{"X-Evenkeel-User: anna@contoso.example", "X-Original-URI: /EWS/Exchange.asmx"}, "anna@contoso.example Ews"},
		{"nginx, with the client's credentials", "/v1/check", []string{basic("anna", "secret"), "X-Original-URI: /owa/"}, "anna@contoso.example Owa"},
		{"Caddy and Traefik", "/v1/check", []string{"Remote-User: bert", "X-Forwarded-Uri: /mapi/emsmdb/?MailboxId=1", "X-RequestType: NotificationWait"}, "bert@contoso.example Rca hanging"},
		{"the other header of proxies", "/v1/check", []string{"X-Forwarded-User: bert", "X-Forwarded-Uri: /mapi/emsmdb/"}, "bert@contoso.example Rca"},
		{"Envoy", "POST /v1/check/Microsoft-Server-ActiveSync?Cmd=Ping&User=carl", []string{basic(`fabrikam\dora`, "x")}, "dora@mail.fabrikam.example Eas hanging"},
		{"an encoded Ping", "/v1/check/Microsoft-Server-ActiveSync?jRIJBBCxYQCAAAAAAAAAAAAAAAAAAAA=", []string{basic("dora", "x")}, "dora@contoso.example Eas hanging"},
		{"an encoded Sync", "/v1/check/Microsoft-Server-ActiveSync?jQAJBBCxYQCAAAAAAAAAAAAAAAAAAAA=", []string{basic("dora", "x")}, "dora@contoso.example Eas"},
		{"a stream of EWS, of which the front end knows", "/v1/check/ews/exchange.asmx", []string{"X-Evenkeel-User: anna", "X-Evenkeel-Hanging: yes"}, "anna@contoso.example Ews hanging"},
		{"work that its client calls a stream", "/v1/check/ews/exchange.asmx", []string{"X-Evenkeel-User: anna", "X-RequestType: NotificationWait",
			`SOAPAction: "http://schemas.microsoft.com/exchange/services/2006/messages/GetStreamingEvents"`}, "anna@contoso.example Ews"},
		{"nobody, who waits", "/v1/check/Microsoft-Server-ActiveSync?Cmd=Ping", []string{"Authorization: Bearer x"}, "127.0.0.1 Anonymous hanging"},
		{"nobody, who waits for MAPI", "/v1/check", []string{"X-Evenkeel-Component: Rca", "X-RequestType: NotificationWait"}, "127.0.0.1 Anonymous hanging"},
		{"a name in ISO-8859-1", "/v1/check", []string{basic("j\xfcrgen", "x")}, "jürgen@contoso.example Ews"},
		{"the same in UTF-8", "/v1/check", []string{basic("jürgen", "x")}, "jürgen@contoso.example Ews"},
		{"a name in UTF-8, a password in ISO-8859-1", "/v1/check", []string{basic("jürgen", "\xfc")}, "jürgen@contoso.example Ews"},
		{"the first who is named", "/v1/check", []string{"X-Evenkeel-User: anna", "Remote-User: bert", basic("carl", "x")}, "anna@contoso.example Ews"},
		{"messages", "/v1/check", []string{"X-Evenkeel-User: anna", "X-Evenkeel-Component: submission", "X-Evenkeel-Messages: 1", "X-Evenkeel-Recipients: 50"},
			"anna@contoso.example Submission spend={1 50 0 0 0 0}"},
		{"cmdlets", "/v1/check/powershell", []string{"X-Evenkeel-User: anna", "X-Evenkeel-Cmdlets: 2", "X-Evenkeel-Destructive: 1"}, "anna@contoso.example PowerShell spend={0 0 2 1 0 0}"},
		{"phones", "/v1/check/Microsoft-Server-ActiveSync", []string{"X-Evenkeel-User: anna", "X-Evenkeel-Device-Deletes: 1", "X-Evenkeel-Notifications: 3"}, "anna@contoso.example Eas spend={0 0 0 0 1 3}"},

		{"nobody, by the hop that the front end wrote", "/v1/check/owa/", []string{"X-Forwarded-For: 192.0.2.66, 198.51.100.7"}, "198.51.100.7 Anonymous"},
		{"nobody, whose front end adds a header of its own", "/v1/check/owa/", []string{"X-Forwarded-For: 192.0.2.66", "X-Forwarded-For: 198.51.100.7"}, "198.51.100.7 Anonymous"},
		{"nobody, by the other header", "/v1/check/owa/", []string{"X-Real-IP: 198.51.100.8"}, "198.51.100.8 Anonymous"},
		{"nobody at all", "/v1/check/owa/", nil, "127.0.0.1 Anonymous"},
		{"nobody, with an address of many", "/v1/check/owa/", []string{"X-Real-IP: 2001:db8:1:2:3:4:5:6"}, "2001:db8:1:2::/64 Anonymous"},
		{"nobody, with a port", "/v1/check/owa/", []string{"X-Forwarded-For: [2001:db8::1]:443"}, "2001:db8::/64 Anonymous"},
		{"nobody, in clothes of IPv6", "/v1/check/owa/", []string{"X-Real-IP: ::ffff:198.51.100.7"}, "198.51.100.7 Anonymous"},
		{"nobody has a component", "/v1/check", []string{"X-Evenkeel-Component: Ews"}, "127.0.0.1 Anonymous"},
		{"a hop that is none", "/v1/check", []string{"X-Forwarded-For: localhost"}, "127.0.0.1 Anonymous"},
		{"a client whose name is in his ticket alone", "/v1/check", []string{"Authorization: Negotiate TlRMTVNTUAAB"}, "127.0.0.1 Anonymous"},
		{"a token that looks like a name and a password", "/v1/check", []string{strings.Replace(basic("anna", "x"), "Basic", "Token", 1)}, "127.0.0.1 Anonymous"},
		{"credentials without a name", "/v1/check", []string{basic("", "secret")}, "127.0.0.1 Anonymous"},
		{"credentials that are none", "/v1/check", []string{"Authorization: Basic %%%"}, "127.0.0.1 Anonymous"},
		{"credentials without a password", "/v1/check", []string{"Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte("anna"))}, "127.0.0.1 Anonymous"},
		{"a name that cannot be one", "/v1/check", []string{basic("an\x00na", "x")}, "127.0.0.1 Anonymous"},
		{"a name without end", "/v1/check", []string{basic(strings.Repeat("a", 300), "x")}, "127.0.0.1 Anonymous"},
		{"a password without end", "/v1/check", []string{basic("anna", strings.Repeat("a", 5000))}, "anna@contoso.example Ews"},
	} {
		var got string
		j := judge{check: func(c throttle.Caller, a throttle.Ask) (throttle.Ticket, throttle.Verdict) {
			got = fmt.Sprint(c.Name, " ", c.Component)
			if a.Find > 0 {
				got += fmt.Sprintf(" find=%d", a.Find)
			}
			if a.Paged {
				got += " paged"
			}
			if a.Hanging {
				got += " hanging"
			}
			if a.Spend != (throttle.Spend{}) {
				got += fmt.Sprintf(" spend=%v", a.Spend)
			}
			if a.CPU != 0.25 {
				t.Errorf("%s: told a load of %v", c, a.CPU)
			}
			return 1, allowed
		}}
		s := gateOf(j, func() float64 { return 0.25 }, Options{Domains: contoso})
		if w := ask(s, c.target, c.lines...); w.Code != 200 || got != c.want {
			t.Errorf("%s: %d %s\ngot  %s\nwant %s", c.promise, w.Code, w.Body, got, c.want)
		}
	}
}

// Whose password is wrong is never told: it stands in no answer.
func TestPasswordsAreNotShown(t *testing.T) {
	s := gateOf(says(0, throttle.Verdict{Part: throttle.CAS, Limit: 1}), unmeasured, Options{})
	for _, credentials := range []string{basic("anna", "topsecret"), "Authorization: Basic topsecret"} {
		w := ask(s, "/v1/check", credentials, "X-Evenkeel-Find: x")
		if all := fmt.Sprint(w.Header(), w.Body); strings.Contains(all, "topsecret") {
			t.Errorf("shown: %s", all)
		}
	}
}

// An account is one budget, however its name is written.
func TestAccounts(t *testing.T) {
	for _, c := range []struct {
		promise string
		domains []throttle.Domain
		want    string
		names   []string
	}{
		{"with domains", contoso, "anna@contoso.example", []string{
			"anna", "Anna", " ANNA ", `CONTOSO\anna`, `contoso\ANNA`, `contoso.example\anna`, "anna@contoso.example", "Anna@CONTOSO.Example.", "anna@contoso"}},
		{"of another domain", contoso, "anna@mail.fabrikam.example", []string{`Fabrikam\anna`, "anna@mail.fabrikam.example"}},
		{"of a domain that is not known", contoso, "anna@partner.example", []string{`partner.example\anna`, "ANNA@partner.example"}},
		{"without domains", nil, "anna", []string{"anna", "ANNA"}},
		{"without domains, both ways with the same domain", nil, "anna@contoso", []string{`CONTOSO\anna`, "anna@contoso"}},
		{"a SID", contoso, "S-1-5-21-1004336348-1177238915-682003330-512", []string{
			"S-1-5-21-1004336348-1177238915-682003330-512", "s-1-5-21-1004336348-1177238915-682003330-512"}},
		{"no SID", contoso, "s-1-x@contoso.example", []string{"S-1-X"}},
		{"letters of others", contoso, "jürgen@contoso.example", []string{"JÜRGEN", `CONTOSO\Jürgen`}},
		{"an address within an account", contoso, "a@b@contoso.example", []string{"A@B@contoso.example"}},
		{"with a backslash that names no domain", contoso, "anna@partner.example", []string{`\anna@partner.example`, `\ Anna@partner.example.`}},
		{"no name", contoso, "", []string{"", " ", `CONTOSO\`, "@contoso.example", "a\x00b", "a\nb", "\xff", strings.Repeat("a", 257)}},
	} {
		for _, name := range c.names {
			if got := throttle.Account(name, c.domains); got != c.want {
				t.Errorf("%s: %q is %q, want %q", c.promise, name, got, c.want)
			}
		}
	}
}

// The name of an account is its own name.
func TestAccountsStay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		once := throttle.Account(rapid.OneOf(rapid.String(), rapid.StringMatching(`[A-Za-zÄß.]{0,5}[\\@]?[A-Za-z.@\\]{0,8}`)).Draw(t, "name"), contoso)
		if once == "" {
			return
		}
		if twice := throttle.Account(once, contoso); twice != once && len(once) <= maxName {
			t.Fatalf("%q became %q", once, twice)
		}
	})
}

// Detours in a path lead to the same component.
func TestComponents(t *testing.T) {
	for want, paths := range map[throttle.Component][]string{
		throttle.EWS:              {"/ews/exchange.asmx", "/EWS/Exchange.asmx", "/%65ws/", "//ews/", "/x/../ews/", `\ews\exchange.asmx`, "/./ews", "/autodiscover/autodiscover.xml", "/oab/", "http://mail.example/ews/", "", "?", "/", "/unknown", "/%zz"},
		throttle.OWA:              {"/owa", "/owa/", "/ecp/", "/%6Fwa/auth.owa", `\owa\auth.owa`, "/a/%2e%2e/owa/", "https://mail.example//owa/?x=/ews/"},
		throttle.RCA:              {"/mapi/emsmdb/?x", "/rpc/rpcproxy.dll", "/RpcWithCert/rpcproxy.dll"},
		throttle.EAS:              {"/Microsoft-Server-ActiveSync?Cmd=Sync"},
		throttle.PowerShell:       {"/powershell", "/PowerShell-LiveID"},
		throttle.PSWS:             {"/psws/"},
		throttle.OutlookService:   {"/api/v2.0/me"},
		throttle.PushNotification: {"/PushNotifications/x"},
	} {
		for _, p := range paths {
			if got := component(p); got != want {
				t.Errorf("%q: got %v, want %v", p, got, want)
			}
		}
	}
}

// Whatever a client writes, and the front end passes on, is judged as somebody's
// question; only the front end's own headers can be wrong.
func FuzzRead(f *testing.F) {
	f.Add("/ews/exchange.asmx", "Basic YW5uYTpzZWNyZXQ=", "192.0.2.1, 198.51.100.7", "Ping")
	f.Add("/Microsoft-Server-ActiveSync?jRIJBBCx", "Basic Og==", "[::1]:1", "NotificationWait")
	f.Add("http://[::1/%zz/..", "bAsIc \x00", ",", "")
	f.Fuzz(func(t *testing.T, uri, credentials, hops, requestType string) {
		q := httptest.NewRequest(http.MethodGet, "/v1/check", nil)
		q.RemoteAddr = "127.0.0.1:1"
		for name, v := range map[string]string{"X-Original-Uri": uri, "Authorization": credentials, "X-Forwarded-For": hops, "X-Requesttype": requestType} {
			q.Header[name] = []string{v}
		}
		got, err := read(q, &Options{Domains: contoso}, -1)
		switch {
		case err != nil:
			t.Fatalf("refused: %v", err)
		case got.caller.Name == "" || len(got.caller.Name) > 2*maxName+64:
			t.Fatalf("whose is it? %q", got.caller.Name)
		case got.caller.Component == throttle.Anonymous == strings.Contains(got.caller.Name, "@"):
			t.Fatalf("%q in %v", got.caller.Name, got.caller.Component)
		}
	})
}
