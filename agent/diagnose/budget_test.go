package diagnose

import (
	"strings"
	"testing"
)

func TestDebt(t *testing.T) {
	for _, c := range []struct {
		text            string
		balance, cutoff float64
		in              bool
	}{
		{"", 0, 0, false},
		{"(A)Owner:S-1-5_x,Conn:0,MaxConn:10,MaxBurst:480000,Balance:480000,Cutoff:600000,RechargeRate:1800000", 0, 0, false},
		{"(A)Owner:x,Balance:480000,Cutoff:600000;(D)Owner:x,Balance:-600001.5,Cutoff:600000,Policy:p", -600001.5, 600000, true},
		{"Owner%3aSid%7ex%2cBalance%3a-12%2cCutoff%3a600000", -12, 600000, true},
		{"S:BudgetMetadata.BeginBalance=-5;S:BudgetMetadata.Cutoff=3000000;S:BudgetMetadata.EndBalance=-7;S:BudgetMetadata.Cutoff=3000000", -7, 3000000, true},
		{"S:BudgetMetadata.BeginBalance=-5;S:BudgetMetadata.Cutoff=Unlimited;S:BudgetMetadata.EndBalance=$null", -5, 0, true},
		{"BeginBalance=-9;Cutoff=100;EndBalance=-7;Cutoff=200", -9, 100, true},
		{"Balance:$null,Cutoff:$null", 0, 0, false},
		{"Balance:-", 0, 0, false},
		{"balance", 0, 0, false},
	} {
		if balance, cutoff, in := debt([]byte(c.text)); balance != c.balance || cutoff != c.cutoff || in != c.in {
			t.Errorf("%s: %v, %v, %v", c.text, balance, cutoff, in)
		}
	}
}

const aGUID = "8c5f9d3e-5b1f-4c1d-9a52-3b1b1f0c8f11"

func TestDeletedPolicy(t *testing.T) {
	for _, c := range []struct{ row, name string }{
		{`..,CN=Service2012\0ADEL:` + aGUID + `,CN=Deleted Objects`, "Service2012"},
		{"Policy:Service2012\nDEL:" + aGUID, "Service2012"},
		{"Policy%3aService2012%5C0ADEL%3a" + aGUID + "%2c", "Service2012"},
		{"Policy%3aService2012%0ADEL%3A" + strings.ReplaceAll(aGUID, "-", "%2d"), "Service2012"},
		{"Service2012_x000A_DEL:" + aGUID, "Service2012"},
		{"Policy:Service2012+DEL:" + aGUID, "Service2012"},
		{"MODEL:iPhone12,8", ""},
		{"DEL", ""},
		{"DEL:", ""},
		{"DEL:8c5f9d3", ""},
		{"/owa/DELETE?id=" + aGUID, ""},
		{"Cmd=DEL:notaguid-", ""},
	} {
		name, ok := deletedPolicy([]byte(c.row))
		if string(name) != c.name || ok != (c.name != "") {
			t.Errorf("%q: %q, %v; want %q", c.row, name, ok, c.name)
		}
	}
}

// FuzzTexts: foreign bytes never stop the search, and never grow it.
func FuzzTexts(f *testing.F) {
	f.Add([]byte("Balance:-12%2cCutoff%3a6"))
	f.Add([]byte(`x\0ADEL:` + aGUID))
	f.Fuzz(func(t *testing.T, b []byte) {
		if balance, cutoff, in := debt(b); balance > 0 || cutoff < 0 || in != (balance < 0) {
			t.Errorf("%q: %v, %v, %v", b, balance, cutoff, in)
		}
		if name, ok := deletedPolicy(b); len(name) > len(b) || !ok && name != nil {
			t.Errorf("%q: %q, %v", b, name, ok)
		}
		if p := plain(string(b)); len(p) > 124 && strings.ContainsAny(p, "\n\r") {
			t.Errorf("%q", p)
		}
	})
}
