package queue

import (
	"errors"
	"fmt"
	"io/fs"
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
		if r, err := s.src.Read(t.Context()); s.now.Sub(eight) >= 3*time.Second && (err == nil || !strings.Contains(err.Error(), "logs") || r.Queues[0].Refused != 1) {
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
		Over:     []Over{{"dora@contoso.example", eight.Add(time.Second + 124*time.Millisecond)}}, Probes: 1,
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v, %+v\nwant %+v, %+v", got, got.Sessions, want, want.Sessions)
	}
}

// A folder that cannot be listed is a fault that takes nothing from the others;
// what it has when it can be is history.
func TestHiddenFolder(t *testing.T) {
	head := "#Software: Microsoft Exchange Server\r\n#Version: 15.01.2507.006\r\n#Log-type: HttpProxy Logs\r\n#Date: 2025-03-14T08:00:00.000Z\r\n#Fields: DateTime,Protocol,HttpStatus\r\n"
	const row = "2025-03-14T08:00:00.123Z,Mapi,200\r\n"
	for _, which := range []string{".", "HttpProxy"} {
		s := newShelf(t, ExchangeLogs)
		hidden := true
		s.src.list = func(dir string) ([]fs.DirEntry, error) {
			if hidden && dir == filepath.Join(s.dir, which) {
				return nil, &fs.PathError{Op: "open", Path: dir, Err: fs.ErrPermission}
			}
			return os.ReadDir(dir)
		}
		s.write("HttpProxy/Mapi/HttpProxy_2025031408-1.LOG", head+row)
		s.write("MapiHttp/Mailbox/MapiHttp_2025031408-1.LOG", "")
		for range 2 {
			s.now = s.now.Add(expandEvery)
			if _, err := s.src.Read(t.Context()); !errors.Is(err, fs.ErrPermission) {
				t.Errorf("%s: got %v", which, err)
			}
		}
		hidden = false
		s.now = s.now.Add(expandEvery)
		if r := s.read(); r.Logs.Files[0].Rows != 0 {
			t.Errorf("%s: history is news: %+v", which, r.Logs.Files)
		}
		s.write("HttpProxy/Ews/HttpProxy_2025031408-1.LOG", head+row)
		hidden = true // it was seen, so that what comes meanwhile is news
		s.now = s.now.Add(expandEvery)
		if r, err := s.src.Read(t.Context()); err == nil || r.Logs == nil {
			t.Errorf("%s: got %+v, %v", which, r, err)
		}
		hidden = false
		s.now = s.now.Add(expandEvery)
		if r := s.read(); r.Logs.Files[0].Rows != 1 {
			t.Errorf("%s: got %+v", which, r.Logs.Files)
		}
	}
}

// A log of another source is left out by name, and none of its rows count.
func TestOnlyItsOwnKinds(t *testing.T) {
	s := newShelf(t, IISLogs)
	s.read()
	s.write("u_ex250314.log", errHead+s.full(mapi, 443))
	r := s.read()
	if len(r.Queues) > 0 || len(r.Logs.Pools) > 0 || len(r.Logs.Hints) != 1 || !strings.Contains(r.Logs.Hints[0], "u_ex250314.log is left out: it has rows of httperr") {
		t.Errorf("got %+v, %+v", r.Queues, r.Logs)
	}
}

// A hint at a file goes with the file.
func TestLeftOutGoes(t *testing.T) {
	s := refusing(t)
	for _, name := range []string{"httperr2.log", "httperr3.log"} {
		s.write(name, strings.Repeat("Dear diary, today nothing was logged in "+name+".\r\n", 2000))
	}
	s.now = s.now.Add(expandEvery)
	if h := s.read().Logs.Hints; len(h) != 1 || !strings.Contains(h[0], "httperr2.log and 1 more are left out") {
		t.Errorf("got %q", h)
	}
	for _, name := range []string{"httperr2.log", "httperr3.log"} {
		if err := os.Remove(filepath.Join(s.dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	s.now = s.now.Add(expandEvery)
	if h := s.read().Logs.Hints; len(h) > 0 {
		t.Errorf("it is gone: %q", h)
	}
}

// A folder that is there and has no logs is the wrong one, or will have some.
func TestNoFileThere(t *testing.T) {
	s := newShelf(t, httperr)
	s.write("notes.txt", "x")
	if h := s.read().Logs.Hints; len(h) != 1 || !strings.Contains(h[0], "no file httperr*.log in "+s.dir) {
		t.Errorf("got %q", h)
	}
	s.write("HTTPERR1.LOG", errHead)
	s.now = s.now.Add(expandEvery)
	if h := s.read().Logs.Hints; len(h) > 0 {
		t.Errorf("there is one: %q", h)
	}
}

// What stands in folders that were not reached is behind too.
func TestBehindCountsEveryFolder(t *testing.T) {
	s := newShelf(t, ExchangeLogs)
	const row = "2025-03-14T08:00:00.123Z,Mapi,200\r\n"
	text := "#Software: Microsoft Exchange Server\r\n#Version: 15.01.2507.006\r\n#Log-type: HttpProxy Logs\r\n#Date: 2025-03-14T08:00:00.000Z\r\n#Fields: DateTime,Protocol,HttpStatus\r\n" + strings.Repeat(row, 4<<20/len(row))
	for i := range 4 {
		s.write(fmt.Sprintf("HttpProxy/P%d/HttpProxy_2025031408-0.LOG", i), text) // history
	}
	s.src.clock = func() time.Time { s.now = s.now.Add(pollFor / 4); return s.now }
	for range 4 {
		if r := s.read(); r.Logs.Files[0].Behind != 0 {
			t.Errorf("history is behind: %+v", r.Logs.Files)
		}
	}
	for i := range 4 {
		s.write(fmt.Sprintf("HttpProxy/P%d/HttpProxy_2025031408-1.LOG", i), strings.ReplaceAll(text, "Mapi", fmt.Sprint("Ma", i, "x")))
	}
	n := int64(0)
	for range 8 {
		f := s.read().Logs.Files[0]
		if read := int64(f.Rows) * int64(len(row)); read+f.Behind < 4*int64(len(text)-1000) {
			t.Errorf("%d bytes read, %d behind, of %d", read, f.Behind, 4*len(text))
		}
		n = max(n, f.Behind)
	}
	if n < int64(len(text)) {
		t.Errorf("at most %d were behind: the folders were all reached at once", n)
	}
}
