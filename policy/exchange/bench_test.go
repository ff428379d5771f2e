package exchange

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// BenchmarkCheck reads and judges an export of so many mailboxes with 40 faults.
func BenchmarkCheck(b *testing.B) {
	for _, n := range []int{5000, 50000} {
		f := broken(n)
		for _, form := range []string{"list", "csv", "clixml", "json"} {
			policies, mailboxes, others := writers[form](f.policies), writers[form](f.mailboxes), writers[form](f.others)
			b.Run(fmt.Sprintf("form=%s/mailboxes=%d", form, n), func(b *testing.B) {
				b.SetBytes(int64(len(policies) + len(mailboxes) + len(others)))
				b.ReportAllocs()
				for b.Loop() {
					var x Export
					x.Read("p", bytes.NewReader(policies))
					x.Read("m", bytes.NewReader(mailboxes))
					x.Read("o", bytes.NewReader(others))
					if n := len(x.Check()); n != 40 {
						b.Fatal(n)
					}
				}
			})
		}
	}
}

// BenchmarkDecode is a log, every tenth line of which has a budget.
func BenchmarkDecode(b *testing.B) {
	text := strings.Repeat(phone2016+"\n"+strings.Repeat("2016-08-01 10:00:00 10.0.0.1 POST /owa/service.svc action=GetFolder&CorrelationID=<empty>;&ClientId=abc 443 anna 10.0.0.9 Mozilla - 200 0 0 15\n", 9), 1000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if n := len(Decode(text)); n != 2000 {
			b.Fatal(n)
		}
	}
}
