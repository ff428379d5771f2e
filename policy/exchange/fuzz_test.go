package exchange

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"evenkeel/policy/throttle"
)

// read1 is an export of one file of any bytes, and what holds of all of them:
// mistakes are problems, as accounts with two policies are, and what was read
// can be compiled.
func read1(t *testing.T, b []byte) *Export {
	t.Helper()
	var x Export
	err := x.Read("f", bytes.NewReader(b))
	problems := x.Check()
	unreadable := len(slices.DeleteFunc(slices.Clone(problems), func(p Problem) bool { return p.Kind != Unreadable }))
	if wrong, _ := err.(Mistakes); unreadable < len(wrong) || unreadable > len(wrong)+len(x.twins) {
		t.Errorf("%v\n%+v", err, problems)
	}
	if _, err := throttle.Compile(x.File()); err != nil {
		t.Errorf("what was read is refused: %v", err)
	}
	if len(x.mistakes) > mostMistakes+2 {
		t.Errorf("%d mistakes", len(x.mistakes))
	}
	if b, err := json.Marshal(problems); err != nil || !json.Valid(b) || !utf8.Valid(b) {
		t.Errorf("%v: %q", err, b)
	}
	for _, p := range problems {
		if strings.ContainsFunc(p.Fix, func(c rune) bool { return c < ' ' }) {
			t.Errorf("a fix that moves the cursor: %q", p.Fix)
		}
	}
	return &x
}

func fuzzForm(f *testing.F, write func([]made) []byte, seeds ...string) {
	small := []made{standard("P", "Global", map[string]any{"EwsMaxConcurrency": "x"})[:12], mailbox(1, "A, 'B'", "x\nDEL:"+guid), association("H$", nil)}
	for i := range small {
		f.Add(write(small[i : i+1]))
	}
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) { read1(t, b) })
}

func FuzzList(f *testing.F) {
	fuzzForm(f, writers["list"], "Name : A\n B\n C-\n D\nThrottlingPolicy : \n DEL:x", "Name : bob@\nThrottlingPolicy :\n\nName : bob\nThrottlingPolicy :", "Name : \n DEL:\nIsDefault : True")
}

func FuzzCSV(f *testing.F) {
	fuzzForm(f, asCSV, "#TYPE x\n\"Name\";\"IsDefault\"\n\"a\nb\";True\n", "Name,ThrottlingPolicy\n\\,P\n@,P\n,P", "Name,ThrottlingPolicy\nA,P\na,Q\nA,p\n", "\"\n")
}

func FuzzCLIXML(f *testing.F) {
	fuzzForm(f, asCLIXML, `<Objs><Obj RefId="0"><MS><S N="_x0041_">x</S><Ref N="ThrottlingPolicy" RefId="3"/></MS></Obj></Objs>`)
}

func FuzzJSON(f *testing.F) {
	fuzzForm(f, asJSON, `{"Name":"a","ThrottlingPolicy":{"Name":{"Name":1},"Rdn":[{}],"DistinguishedName":"CN=x"}}`, `[[[`, `[{"a":[1,{"b":2}]}]`)
}

// Whatever comes, what is decoded has a meaning and is valid JSON, and lines that
// were not there do not matter.
func FuzzDecode(f *testing.F) {
	for _, text := range []string{ews2010, phone2010, phone2016, warning, event2915, ewsHeader + "a,b,c\nS:BudgetMetadata.MaxConn=27;S:WLM.Bal='3;4';x", "Owner:Owner:,Conn:1,Conn:2", "Init>>Conn:1,AD:%", "Event 2914\nId: '\nDEL:'"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		all := Decode(text)
		b, err := json.Marshal(all)
		if err != nil || !json.Valid(b) {
			t.Fatalf("%v: %q", err, b)
		}
		lines := 1 + strings.Count(text, "\n")
		for i, d := range all {
			if d.Means == "" || d.Form == "" || d.Line < 1 || d.Line > lines || i > 0 && d.Line < all[i-1].Line {
				t.Errorf("%+v", d)
			}
		}
		later := Decode("\n" + text)
		for i := range later {
			later[i].Line--
		}
		if c, _ := json.Marshal(later); !bytes.Equal(b, c) {
			t.Errorf("an empty line before it changes\n%s\nto\n%s", b, c)
		}
	})
}
