package maillog

import (
	"slices"
	"strings"
	"testing"
)

// seeds are files of every kind, and what spoils them.
func seeds() []string {
	files := []string{
		"", "\x00\x00\x00#", "a,b\n", "#Fields: date time s-reason\n- - -\n", "\xff\xfe#\x00", "DateTime,SoapAction,FrontEndServer\n\"\n2025-03-14T01:00:04Z,a,\"b\n",
		httperrHead(httperr2012) + "2025-03-14 09:15:07 192.0.2.13 50201 192.0.2.1 443 HTTP/1.1 POST /mapi/emsmdb/?MailboxId=7f 503 1 QueueFull Pool\r\n\x00\x00\x00" + iisHead(iis2019) + "2025-03-14 15:15:12 ::1 POST /EWS/x Budget:(A);SoapAction=m:x 444  anna ::1 Ews_Probe/1 - 200 0 0 60000\r\n",
		exchangeHead("RPC Client Access Logs", rpcAccess) + "2025-03-14T01:00:04.124Z,7,0,/cn=anna,,X,15.0,Cached,192.0.2.7,::1,MapiHttp,,Connect,0 (0x0),1.00:00:00.0310000,,\r\n",
	}
	return append(files, inUTF16(files[6]), inUTF16(files[7]))
}

// FuzzReader: any bytes are read to their end, or are said to be no log; a row
// is of a kind that is known; and what is followed in blocks, and started anew in
// between, is the same.
func FuzzReader(f *testing.F) {
	for _, s := range seeds() {
		f.Add(s, uint16(7))
	}
	f.Fuzz(func(t *testing.T, file string, first uint16) {
		want, kind, stats, err := read(file)
		if stats.Rows != int64(len(want)) || stats.Rejected != stats.Headless+stats.Columns+stats.Quotes+stats.Cut+stats.Long {
			t.Fatalf("%+v of %d rows", stats, len(want))
		}
		if (kind == Unknown) != (stats.Bytes == 0) || kind != Unknown && stats.Bytes != int64(len(file)) || err != nil && kind != Unknown {
			t.Fatalf("%v %+v %v of %d bytes", kind, stats, err, len(file))
		}
		fw := follower{tail: NewTail(Position{})}
		fw.poll(file[:min(int(first), len(file))], len(file)+1)
		fw.restart(t)
		fw.poll(file, int(first)+1)
		fw.finish(file)
		if !slices.Equal(fw.rows, want) {
			t.Fatalf("followed:\n%q\nread at once:\n%q", fw.rows, want)
		}
		for _, row := range want {
			if k := strings.Fields(row)[1]; k == "unknown" || (k == "httperr" || k == "iis") != kind.system() {
				t.Fatalf("%s in a file of %v", row, kind)
			}
		}
	})
}

// FuzzTail: a tail that gives up NULs comes through any bytes, or has an error, or
// waits for a line's end.
func FuzzTail(f *testing.F) {
	for _, s := range seeds() {
		f.Add(s, uint16(1))
	}
	f.Fuzz(func(t *testing.T, file string, block uint16) {
		fw := follower{tail: NewTail(Position{})}
		for tries := 0; ; tries++ {
			before := fw.tail.Position()
			fw.poll(file, int(block)+1)
			if !fw.tail.Waiting() {
				break
			}
			fw.tail.GiveUp()
			fw.tail.Next()
			if tries > len(file)+2 {
				t.Fatalf("it waits at %+v for ever, after %+v", fw.tail.Position(), before)
			}
		}
		if at := fw.tail.Position().Offset; at < 0 || at > int64(len(file)) {
			t.Fatalf("at byte %d of %d", at, len(file))
		}
		fw.restart(t)
	})
}
