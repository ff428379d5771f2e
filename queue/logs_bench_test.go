package queue

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// What is written is read, counted and judged: the whole source.
func BenchmarkLogs(b *testing.B) {
	stamp := "2025-03-14 08:00:01 "
	for _, c := range []struct {
		name, file, head string
		make             func(string) *LogSource
		row              func(i int) string
	}{
		{"httperr", "httperr1.log", errHead, httperr, func(i int) string {
			return stamp + fmt.Sprintf("192.0.2.%d 51514 127.0.0.1 443 HTTP/1.1 POST /mapi/emsmdb/?MailboxId=%d@contoso.example 503 1 QueueFull %s", i%250, i, mapi)
		}},
		{"iis", "W3SVC1/u_ex250314.log", "#Software: Microsoft Internet Information Services 10.0\r\n#Fields: date time s-ip cs-method cs-uri-stem cs-uri-query s-port cs-username c-ip cs(User-Agent) cs(Referer) sc-status sc-substatus sc-win32-status time-taken\r\n", IISLogs, func(i int) string {
			return stamp + fmt.Sprintf("127.0.0.1 POST /mapi/emsmdb/ MailboxId=%d@contoso.example 443 CONTOSO\\user%d 192.0.2.%d Microsoft+Office/16.0+(Windows+NT+10.0;+Microsoft+Outlook+16.0.10730;+Pro) - 200 0 0 %d", i%40000, i%40000, i%250, i%1000)
		}},
		{"httpproxy", "HttpProxy/Mapi/HttpProxy_2025031408-1.LOG", "#Software: Microsoft Exchange Server\r\n#Log-type: HttpProxy Logs\r\n#Fields: DateTime,ClientRequestId,Protocol,UrlStem,AuthenticatedUser,UserAgent,ClientIpAddress,ServerHostName,HttpStatus,BackEndStatus,ErrorCode,TargetServer,TotalRequestTime\r\n", ExchangeLogs, func(i int) string {
			return fmt.Sprintf("2025-03-14T08:00:01.124Z,R:{5ecf1a2e-0000-4444-8888-0123456789ab}:%d;RT:Execute;CI:{%08x-0000-4444-8888-0123456789ab}:7;CID:{D},Mapi,/mapi/emsmdb/,CONTOSO\\user%d,Microsoft Office,192.0.2.%d,EX1,200,200,,ex2.contoso.example,12", i, i%40000, i%40000, i%250)
		}},
	} {
		b.Run(c.name, func(b *testing.B) {
			var text strings.Builder
			for i := 0; text.Len() < 32<<20; i++ {
				text.WriteString(c.row(i) + "\r\n")
			}
			dir := b.TempDir()
			name := filepath.Join(dir, filepath.FromSlash(c.file))
			if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
				b.Fatal(err)
			}
			if err := os.WriteFile(name, []byte(c.head), 0o644); err != nil {
				b.Fatal(err)
			}
			src := c.make(dir)
			defer src.Close()
			now := eight
			src.clock = func() time.Time { return now }
			read := func() LogFiles {
				now = now.Add(10 * time.Second)
				r, err := src.Read(b.Context())
				if err != nil {
					b.Fatal(err)
				}
				return r.Logs.Files[0]
			}
			read()
			b.SetBytes(int64(text.Len()))
			reads := 0
			for b.Loop() {
				b.StopTimer()
				if err := os.WriteFile(name, []byte(c.head+text.String()), 0o644); err != nil {
					b.Fatal(err)
				}
				b.StartTimer()
				for before := src.shown.Rows; ; reads++ {
					if f := read(); f.Behind == 0 && f.Rows > before {
						break
					}
				}
				b.StopTimer()
				if err := os.WriteFile(name, []byte(c.head), 0o644); err != nil {
					b.Fatal(err)
				}
				read()
				b.StartTimer()
			}
			b.ReportMetric(float64(reads)/float64(b.N), "reads/op")
		})
	}
}
