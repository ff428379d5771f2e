package queue

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

// A folder that is not there yet is a fault that names it; what it has when it
// comes is news.
func TestFolderComes(t *testing.T) {
	for _, make := range []func(string) *LogSource{httperr, IISLogs, ExchangeLogs} {
		s := newShelf(t, func(dir string) *LogSource { return make(filepath.Join(dir, "logs")) })
		if _, err := s.src.Read(t.Context()); err == nil || !strings.Contains(err.Error(), filepath.Join(s.dir, "logs")) {
			t.Errorf("%s: got %v, want the path", s.src.Name(), err)
		}
		name := map[string]string{"httperr": "httperr1.log", "iis": "W3SVC1/u_ex250314.log", "exchange_logs": "HttpProxy/Mapi/HttpProxy_1.LOG"}[s.src.Name()]
		s.write(filepath.Join("logs", name), errHead+s.turned(0, "503", "QueueFull", mapi))
		if r := s.read(); r.Logs.Files[0].Rows != 1 {
			t.Errorf("%s: got %+v", s.src.Name(), r.Logs.Files)
		}
	}
}

// So is what it has when it came while the agent was off.
func TestFolderCameMeanwhile(t *testing.T) {
	later := func(dir string) *LogSource { return HTTPErr(filepath.Join(dir, "logs")) }
	s := newShelf(t, later)
	if _, err := s.src.Read(t.Context()); err == nil {
		t.Fatal("no fault")
	}
	s.src.Close()
	state := *s.src.State()
	s.write("logs/httperr1.log", errHead+s.turned(0, "503", "QueueFull", mapi))
	s.open(later)
	if err := s.src.Load(state); err != nil {
		t.Fatal(err)
	}
	if r := s.read(); r.Logs.Files[0].Rows != 1 {
		t.Errorf("got %+v", r.Logs.Files)
	}
}

// A folder that goes is a fault for as long as it is away, and costs nothing that
// was counted; nobody is refused by its coming back.
func TestFolderGoes(t *testing.T) {
	s := newShelf(t, func(dir string) *LogSource { return HTTPErr(filepath.Join(dir, "logs")) })
	s.write("logs/httperr1.log", errHead)
	s.read()
	s.write("logs/httperr1.log", s.turned(0, "503", "QueueFull", mapi))
	if r := s.read(); r.Queues[0].Refused != 1 {
		t.Fatalf("got %+v", r.Queues)
	}
	if err := os.Rename(filepath.Join(s.dir, "logs"), filepath.Join(s.dir, "away")); err != nil {
		t.Skip(err) // Windows: a file in it is open
	}
	for range 3 {
		s.now = s.now.Add(time.Second / 2)
		if r, err := s.src.Read(t.Context()); s.now.Sub(eight) >= 3*time.Second && (err == nil || !strings.Contains(err.Error(), "logs") || r.Logs != nil) {
			t.Errorf("got %+v, %v", r, err)
		}
	}
	if err := os.Rename(filepath.Join(s.dir, "away"), filepath.Join(s.dir, "logs")); err != nil {
		t.Fatal(err)
	}
	if r := s.read(); r.Queues[0].Refused != 1 || r.Logs.Files[0].Rows != 1 {
		t.Errorf("it is back: got %+v, %+v", r.Queues, r.Logs.Files)
	}
}

// The folders of Exchange and of IIS, with rows as they stand in them.
func TestExchangeFolders(t *testing.T) {
	head := func(log, fields string) string {
		return "#Software: Microsoft Exchange Server\r\n#Version: 15.02.1544.004\r\n#Log-type: " + log + "\r\n#Date: 2025-03-14T08:00:00.124Z\r\n#Fields: " + fields + "\r\n"
	}
	proxy := head("HttpProxy Logs", "DateTime,ClientRequestId,Protocol,UrlStem,AuthenticatedUser,UserAgent,ClientIpAddress,ServerHostName,HttpStatus,BackEndStatus,ErrorCode,TargetServer,TotalRequestTime")
	mapihttp := head("MapiHttp Logs", "DateTime,RequestType,HttpStatusCode,ResponseCode,TotalRequestLatency,AuthenticatedUserEmail,SessionCookie,SourceCafeServer,ClientIpAddress")
	s := newShelf(t, ExchangeLogs)
	s.write("HttpProxy/Mapi/HttpProxy_2025031408-1.LOG", proxy)
	s.write("MapiHttp/Mailbox/MapiHttp_2025031408-1.LOG", mapihttp)
	s.write("Diagnostics/x.log", "not ours")
	s.read()
	s.write("HttpProxy/Mapi/HttpProxy_2025031408-1.LOG",
		"2025-03-14T08:00:01.124Z,R:{A}:1;RT:Execute;CI:{C}:7;CID:{D},Mapi,/mapi/emsmdb/,CONTOSO\\anna,Microsoft Office,192.0.2.1,EX1,200,200,,ex2.contoso.example,12\r\n"+
			"2025-03-14T08:00:01.124Z,R:{A}:2;RT:NotificationWait;CI:{C}:7;CID:{D},Mapi,/mapi/emsmdb/,CONTOSO\\anna,Microsoft Office,192.0.2.1,EX1,200,200,,ex2.contoso.example,300000\r\n"+
			"2025-03-14T08:00:01.124Z,,Mapi,/mapi/emsmdb/,CONTOSO\\HealthMailbox0123,AMProbe/Local/ClientAccess,127.0.0.1,EX1,200,200,,ex2.contoso.example,3\r\n")
	s.write("MapiHttp/Mailbox/MapiHttp_2025031408-1.LOG", "2025-03-14T08:00:01.124Z,Execute,200,0,11,emil@contoso.example,cookie,EX3,192.0.2.2\r\n")
	s.write("Ews/Ews_2025031408-1.LOG", head("EWS Logs", "DateTime,AuthenticatedUser,ClientIpAddress,FrontEndServer,SoapAction,HttpStatus,ErrorCode,ThrottlingPolicy,ThrottlingDelay,TotalRequestTime")+
		"2025-03-14T08:00:01.124Z,dora@contoso.example,192.0.2.3,EX3,FindItem,500,ErrorServerBusy,GlobalThrottlingPolicy_1,0,5\r\n")
	s.now = s.now.Add(expandEvery)
	got := s.read().Logs
	want := &Logs{
		Files:     []LogFiles{{Source: "exchange_logs", Rows: 5}},
		Requests:  []Requests{{"ews", "Ews", "other", false, 1}, {"httpproxy", "Mapi", "Execute", false, 1}, {"httpproxy", "Mapi", "NotificationWait", true, 1}, {"mapihttp", "Mapi", "Execute", false, 1}},
		Throttled: []Throttled{{"ews", 0, 0, 1}},
		FrontEnds: []Passed{{"EX3", 2}}, BackEnds: []Passed{{"ex2.contoso.example", 2}},
		Sessions: &Sessions{"httpproxy", 1, false, s.now.Sub(eight.Add(time.Second + 124*time.Millisecond))},
		Over:     []string{"dora@contoso.example"}, Probes: 1,
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v, %+v\nwant %+v, %+v", got, got.Sessions, want, want.Sessions)
	}
}
