package exlog

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// genericInfo is such a list as EWS writes for a service account.
const genericInfo = "BackEndAuthenticator=WindowsAuthenticator;TotalBERehydrationModuleLatency=0;MailboxTypeCacheSize=426;S:WLM.Cl=InternalMaintenance;S:WLM.SvcA=True;" +
	"'S:AS.ReqStats=AddressCount=1;MessageId=urn:uuid:1;Target-2|QT-Local|Cnt-1|[EPL-1|];Failures=0;EXP=<>;LT.R=1;';" +
	"S:WLM.BT=Ews;S:BudgetMetadata.MaxConn=54;S:BudgetMetadata.MaxBurst=Unlimited;S:BudgetMetadata.BeginBalance=$null;S:BudgetMetadata.LiveTime=00:02:00.4647609;" +
	"Dbl:WLM.TS=198;Dbl:BudgUse.T[]=80.4794998168945;I32:ATE.C[DC08.corp.example]=1;F:ADS.AL[DC02]=1.8741;Dbl:CCpu.T[CMD]=15.625"

// listed is every pair of a list in one line: type:key=value, "~" for a value that
// was quoted, "?" for none.
func listed(list string) string {
	var words []string
	for p := range Pairs([]byte(list)) {
		sign, value := "=", string(p.AppendValue(nil))
		if p.Quoted {
			sign = "~"
		}
		if p.Value == nil {
			sign = "?"
		}
		words = append(words, string(p.Type)+":"+string(p.Key)+sign+value)
	}
	return strings.Join(words, " | ")
}

func TestPairs(t *testing.T) {
	for _, c := range []struct{ promise, list, want string }{
		{"types, and an end behind the last", "S:WLM.BT=Ews;I32:ADS.C[DC 1]=2;cpn=a/b;Dbl:B.T[]=2.0;", "S:WLM.BT=Ews | I32:ADS.C[DC 1]=2 | :cpn=a/b | Dbl:B.T[]=2.0"},
		{"no end behind the last", "A=1;B=2", ":A=1 | :B=2"},
		{"a pair in quotes", "A=1;'S:R=x=1;y=2;';B=2", ":A=1 | S:R~x=1;y=2; | :B=2"},
		{"a value in quotes", "S:R='x;y';B=2", "S:R~x;y | :B=2"},
		{"quotes at the end", "A=1;'S:R=x;'", ":A=1 | S:R~x;"},
		{"quotes in quotes", "'S:CMD=Get.Id=''a;b''';;S:EX=", "S:CMD~Get.Id='a;b' | S:EX="},
		{"single ones in quotes", "'A=it's;so';B=1", ":A~it's;so | :B=1"},
		{"nothing in quotes", "'';A='';B=1", ":A~ | :B=1"},
		{"quotes that do not end", "A='x;B=1;'C=2;D='3';E=4", ":A~x;B=1;'C=2;D='3 | :E=4"},
		{"quotes that never end", "A='x;'B=1;C=2", ":A='x | :'B=1 | :C=2"},
		{"quotes elsewhere", "A=Get 'x';B=2", ":A=Get 'x' | :B=2"},
		{"blanks between", "DeviceID_0=1; SessionID_1=2;  ; ", ":DeviceID_0=1 | :SessionID_1=2"},
		{"no =", "R:1b:1;RT:Execute;CI:97:1;CID:<null>", ":R=1b:1 | :RT=Execute | :CI=97:1 | :CID=<null>"},
		{"neither", "Probe;;x", ":Probe? | :x?"},
		{"no key", "=1;:2;S:=3", ":=1 | :=2 | S:=3"},
		{"a colon that is no type's", "http://a?b=1;Reason: a=b", ":http://a?b=1 | :Reason: a=b"},
		{"values of many kinds", "E=<empty>;N=<null>;T=2025-06-01T06:00:00.000Z;P=a=b", ":E=<empty> | :N=<null> | :T=2025-06-01T06:00:00.000Z | :P=a=b"},
		{"nothing", "", ""},
	} {
		if got := listed(c.list); got != c.want {
			t.Errorf("%s: got %s, want %s", c.promise, got, c.want)
		}
	}
}

func TestLookup(t *testing.T) {
	for key, want := range map[string]float64{"BudgetMetadata.MaxConn": 54, "BudgetMetadata.MaxBurst": math.Inf(1), "BudgUse.T[]": 80.4794998168945, "ADS.AL[DC02]": 1.8741, "CCpu.T[CMD]": 15.625} {
		p, ok := Lookup([]byte(genericInfo), key)
		if f, is := p.Float(); !ok || !is || f != want || p.Null() {
			t.Errorf("%s: got %v %v, %q", key, f, ok, p.Value)
		}
	}
	p, ok := Lookup([]byte(genericInfo), "BudgetMetadata.BeginBalance")
	if _, is := p.Float(); !ok || is || !p.Null() {
		t.Errorf("got %q", p.Value)
	}
	if _, ok := Lookup([]byte(genericInfo), "Failures"); ok {
		t.Error("a pair within quotes is none of the list")
	}
}

// A list that was written by the rules is read as it was, and anything is walked
// to its end in a time that grows as its length does.
func TestPairsRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.SliceOfN(rapid.SliceOfN(rapid.StringMatching(`[a-z';=:]{0,6}`), 2, 2), 0, 8).Draw(t, "pairs")
		var list, said []string
		for i := range want {
			key, value := "K"+strings.NewReplacer("'", "", ";", "", "=", "").Replace(want[i][0]), want[i][1]
			item := "S:" + key + "=" + value
			if strings.ContainsAny(item, "';") {
				item = "'" + strings.ReplaceAll(item, "'", "''") + "'"
			}
			list = append(list, item)
			said = append(said, key+"="+value)
		}
		var got []string
		for p := range Pairs([]byte(strings.Join(list, ";"))) {
			got = append(got, string(p.Key)+"="+string(p.AppendValue(nil)))
		}
		if strings.Join(got, "\n") != strings.Join(said, "\n") {
			t.Fatalf("%q: got %q, want %q", list, got, said)
		}
	})
	for _, part := range []string{"'a;", "a='b;", "''", "';", "=:"} {
		listed(strings.Repeat(part, 200_000))
	}
}

func FuzzPairs(f *testing.F) {
	f.Add([]byte(genericInfo))
	f.Add([]byte("'a'';b='c;';=d';"))
	f.Fuzz(func(t *testing.T, list []byte) {
		size, last := 0, 0
		for p := range Pairs(list) {
			size += len(p.Type) + len(p.Key) + len(p.Value) + 1
			if at := cap(list) - cap(p.Key); at < last {
				t.Fatalf("a key stands at %d, before %d", at, last)
			} else {
				last = at
			}
			if got := p.AppendValue(nil); len(got) > len(p.Value) {
				t.Fatalf("%q became longer: %q", p.Value, got)
			}
		}
		if size > len(list)+1 {
			t.Fatalf("%q: its pairs have %d bytes", list, size)
		}
	})
}
