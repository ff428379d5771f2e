package exchange

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"evenkeel/policy/throttle"
)

func read(t *testing.T, files ...string) (*Export, string) {
	t.Helper()
	var x Export
	var all []string
	for i, text := range files {
		if err := x.Read(fmt.Sprintf("f%d", i), strings.NewReader(text)); err != nil {
			var m Mistakes
			if !errors.As(err, &m) {
				t.Fatal(err)
			}
			all = append(all, err.Error())
		}
	}
	return &x, strings.Join(all, "\n")
}

// Every mistake has its file, its line and its key, in each form, and what is
// around it is read.
func TestMistakes(t *testing.T) {
	const good = 27
	for _, tt := range []struct{ name, text, want string }{
		{"list", "Name : A\nEwsMaxConcurrency : 27\nEWSMAXCONCURRENCY : 28\n\nName : B\nEwsMaxConcurrency :\n OwaMaxConcurrency\nwhat\n\n\nName : C\nEwsMaxBurst : -1\nIsServiceAccount : 3\nThrottlingPolicyScope : Some",
			"f0:3: EWSMAXCONCURRENCY: given twice; names are the same in any letter case\nf0:8: want \"Name : value\", an indented line that goes on, or an empty one\n" +
				"f0:6: EwsMaxConcurrency: want 0 to 2147483647, Unlimited or nothing, found \"OwaMaxConcurrency\"\nf0:14: ThrottlingPolicyScope: want Regular, Organization or Global, found \"Some\"\n" +
				"f0:12: EwsMaxBurst: want 0 to 4294967294, Unlimited or nothing, found \"-1\"\nf0:13: IsServiceAccount: want True or False, found \"3\""},
		{"csv", "Name,EwsMaxConcurrency\nA,27\n\"B\n2\",x\nC\nD,\"1\"2\nE,28\n",
			"f0:4: EwsMaxConcurrency: want 0 to 2147483647, Unlimited or nothing, found \"x\"\nf0:5: want 2 fields as in the header, found 1\nf0:6: not CSV: extraneous or missing \" in quoted-field"},
		{"csv with a type", "#TYPE x\nName,EwsMaxConcurrency\nA,27\nB,x\nC\n,5\n",
			"f0:4: EwsMaxConcurrency: want 0 to 2147483647, Unlimited or nothing, found \"x\"\nf0:5: want 2 fields as in the header, found 1\nf0:6: Name: want the name of the policy"},
		{"csv without an end", "Name,EwsMaxConcurrency\nA,27\nB,\"x\nC,1\n", "f0:4: not CSV: extraneous or missing \" in quoted-field"},
		{"json", "[\n {\"Name\": \"A\",\n  \"EwsMaxConcurrency\": 27},\n {\"Name\": \"B\",\n\n  \"EwsMaxConcurrency\": 1.5},\n {\"Name\": \"C\",,",
			"f0:6: EwsMaxConcurrency: want 0 to 2147483647, Unlimited or nothing, found \"1.5\"\nf0:7: the rest cannot be read: invalid character ',' "},
		{"json, cut", `[{"Name":"A","EwsMaxConcurrency":27}`, "f0:1: the rest cannot be read: unexpected EOF"},
		{"json, more", `[{"Name":"A","EwsMaxConcurrency":27}] 1`, "f0:1: the rest cannot be read: something stands behind the list"},
		{"json of numbers", `[{"Name":"A","EwsMaxConcurrency":27}, 1]`, "f0:1: the rest cannot be read: want an object in the list"},
		{"clixml", "<Objs><Obj><Props><S N=\"Name\">A</S><S N=\"EwsMaxConcurrency\">27</S></Props></Obj>\n<Obj><Props>\n<S N=\"Name\">B</S><S N=\"EwsMaxConcurrency\">x</S></Props></Obj>\n<Obj></Props>",
			"f0:3: EwsMaxConcurrency: want 0 to 2147483647, Unlimited or nothing, found \"x\"\nf0:4: the rest cannot be read: XML syntax error on line 4"},
		{"deep", "<Objs><Obj><Props><S N=\"Name\">A</S><S N=\"EwsMaxConcurrency\">27</S></Props></Obj>" + strings.Repeat("<Obj>", 300), "f0:1: the rest cannot be read: elements inside of one another without end"},
		{"no policy", "Name : A\nEwsMaxConcurrency : 27\n\nSize : 1\n\nSize : 2", "f0:4: 2 objects, of which this is the first, are neither policies nor accounts"},
		{"no name", "EwsMaxConcurrency : 1\n\nName : A\nEwsMaxConcurrency : 27\n\nThrottlingPolicy :\n", "f0:1: Name: want the name of the policy\nf0:6: Name: want the account's name"},
		{"a name that lost letters", "Name : A\nEwsMaxConcurrency : 27\n\nName : J\xF6rg\nThrottlingPolicy :\n\n", "f0:4: Name: \"J\uFFFDrg\" lost letters on the way: export again with -Encoding UTF8"},
	} {
		x, got := read(t, tt.text)
		if !strings.HasPrefix(got, tt.want) || strings.Count(got, "\n") != strings.Count(tt.want, "\n") {
			t.Errorf("%s: got\n%s\nwant\n%s", tt.name, got, tt.want)
		}
		of, _ := throttle.ParseParameter("EwsMaxConcurrency")
		if i, ok := x.find("a"); !ok || x.policies[i].Value(of) != throttle.Number(good) {
			t.Errorf("%s: what is around it is not read: %+v", tt.name, x.policies)
		}
		if n := len(found(x.Check())); n < strings.Count(tt.want, "\n")+1 {
			t.Errorf("%s: %d problems for %s", tt.name, n, tt.want)
		}
	}
	for _, text := range []string{"", "\n\n", "[]", "<Objs></Objs>", "Name,ThrottlingPolicy\r\n", "[PS] C:\\>Get-Mailbox"} {
		if _, got := read(t, text); !strings.HasPrefix(got, "f0: nothing is in it") {
			t.Errorf("%q: %s", text, got)
		}
	}
}

// What is endless is given up, and said; mistakes are counted, and not all kept.
func TestBounds(t *testing.T) {
	long := strings.Repeat("x", 3<<20)
	for name, text := range map[string]string{
		"list": "Name : A\nEwsMaxConcurrency : 1\nx : " + long, "csv": "Name,EwsMaxConcurrency\nA,1\nB,\"" + long, "json": `[{"Name":"A","EwsMaxConcurrency":1},{"x":"` + long,
		"clixml": `<Objs><Obj><Props><S N="Name">A</S><S N="EwsMaxConcurrency">1</S></Props></Obj><Obj><Props><S N="Name">` + long, "lines": "Name : A\nEwsMaxConcurrency : 1\n\nName : A\n" + strings.Repeat(" x\n", 1<<20),
	} {
		if x, got := read(t, text); !strings.Contains(got, "an object of more than a mebibyte") || len(x.policies) != 1 {
			t.Errorf("%s: %.200s, %d policies", name, got, len(x.policies))
		}
	}
	_, got := read(t, "Name,EwsMaxConcurrency\n"+strings.Repeat("A,x\n", 300))
	if lines := strings.Split(got, "\n"); len(lines) != mostMistakes+1 || lines[mostMistakes] != "f0: and 200 mistakes more" {
		t.Errorf("%d lines, the last %q", len(lines), lines[len(lines)-1])
	}
}

// Links are found however they are written, and deleted ones by each encoding.
func TestLinks(t *testing.T) {
	policy := "Name : Gold One\nGuid : " + guid + "\nDistinguishedName : CN=Gold One,CN=Global Settings,DC=contoso,DC=com\nIdentity : Gold One\nThrottlingPolicyScope : Global\n"
	for link, want := range map[string]string{
		"Gold One": "Gold One", "GOLD one": "Gold One", guid: "Gold One", "CN=Gold One,CN=Global Settings,DC=contoso,DC=com": "Gold One",
		"contoso.com/Configuration/Gold One": "Gold One", "CN=Gold One,CN=Other": "Gold One", "Silver": "Silver", "": "", "Gold": "Gold",
		"contoso.com/Deleted Objects/Gold One\n                   DEL:" + guid: "deleted Gold One", `CN=Gold One\0ADEL:` + guid + ",CN=Deleted Objects": "deleted Gold One",
		"Gold One_x000A_DEL:" + guid: "deleted Gold One", "contoso.com/Deleted Objects/Gold One DEL:" + guid: "deleted Gold One", "contoso.com/Deleted Objects/Gold One": "deleted Gold One",
		"Gold DEL:x": "Gold DEL:x",
	} {
		x, wrong := read(t, policy, "Name : A\nThrottlingPolicy : "+link+"\n")
		got := x.File().Users["A"]
		if name, deleted := deletedLink(got); deleted {
			got = "deleted " + name
		}
		if got != want || wrong != "" {
			t.Errorf("%q: got %q, want %q; %s", link, got, want, wrong)
		}
	}
}

// An object of CLIXML that others refer to: links are kept however many others
// stand before them, and one that was not kept is a mistake and not no policy.
func TestReferences(t *testing.T) {
	var text strings.Builder
	text.WriteString("<Objs>")
	obj := func(name, link string) {
		fmt.Fprintf(&text, "<Obj><MS><S N=\"Name\">%s</S>%s</MS></Obj>\n", name, link)
	}
	for i := range mostRefs + 1 {
		obj("n", fmt.Sprintf("<Obj N=\"Identity\" RefId=\"i%d\"><ToString>x/n%d</ToString></Obj><Nil N=\"ThrottlingPolicy\"/>", i, i))
	}
	obj("first", "<Obj N=\"ThrottlingPolicy\" RefId=\"gold\"><ToString>Gold</ToString></Obj>")
	obj("next", "<Ref N=\"ThrottlingPolicy\" RefId=\"gold\"/>")
	obj("own", "<Obj N=\"Identity\" RefId=\"own\"><ToString>own@contoso.com</ToString></Obj><Ref N=\"UserPrincipalName\" RefId=\"own\"/><Nil N=\"ThrottlingPolicy\"/>")
	obj("lost", "<Ref N=\"ThrottlingPolicy\" RefId=\"i1\"/>")
	obj("P", "<Obj N=\"EwsMaxBurst\" RefId=\"u\"><ToString>Unlimited</ToString></Obj><Ref N=\"EwsRechargeRate\" RefId=\"u\"/><Ref N=\"EwsCutoffBalance\" RefId=\"gone\"/>")
	obj("Q", "<Ref N=\"EwsMaxBurst\" RefId=\"u\"/>")
	text.WriteString("</Objs>")
	x, wrong := read(t, text.String())
	users := x.File().Users
	if _, own := users["own@contoso.com"]; !own {
		t.Error("an object does not know what it has itself")
	}
	if _, lost := users["lost"]; users["first"] != "Gold" || users["next"] != "Gold" || lost {
		t.Errorf("first has %q, next %q; who lost his is told of: %v", users["first"], users["next"], lost)
	}
	burst, _ := throttle.ParseParameter("EwsMaxBurst")
	if len(x.policies) != 2 || x.policies[1].Value(burst).State != throttle.NoLimit {
		t.Errorf("%+v", x.policies)
	}
	const want = "f0:65541: ThrottlingPolicy: refers to an object that was not kept: export in another form\nf0:65542: EwsCutoffBalance: refers to an object that was not kept: export in another form"
	if wrong != want {
		t.Errorf("got  %s\nwant %s", wrong, want)
	}
}

// One object in two exports is one account; with two policies it is a mistake.
func TestTwice(t *testing.T) {
	x, got := read(t, "Name,DistinguishedName,ThrottlingPolicy\nA,\"CN=A,DC=x\",P\n", "Name,DistinguishedName,ThrottlingPolicyId\nA,\"CN=A,DC=x\",P\n", "Name,DistinguishedName,ThrottlingPolicyId\nA,\"cn=a,DC=x\",Q\n",
		"Name,EwsMaxBurst\nP,1\n", "Name,EwsMaxBurst\np,1\n", "Name,EwsMaxBurst\np,2\n")
	const want = "f5:2: Name: another policy \"p\" stands in f3:2 and says something else"
	if got != want || len(x.accounts) != 1 || len(x.policies) != 1 {
		t.Errorf("%s\n%+v", got, x)
	}
	problems := []Problem{{Unreadable, "f2:2", "ThrottlingPolicyId: \"A\" has another policy in f0:2", ""}, {Unreadable, "f5:2", strings.TrimPrefix(want, "f5:2: "), ""}}
	if p := x.Check(); !slices.Equal(p, problems) {
		t.Errorf("got  %+v\nwant %+v", p, problems)
	}
}

// A policy that was deleted is not the one of its name that is there.
func TestDeletedTwice(t *testing.T) {
	there, gone := "Name,EwsMaxBurst\nP,1\n", "Name,EwsMaxBurst\n\"P\nDEL:"+guid+"\",1\n"
	for _, files := range [][]string{{there, gone}, {gone, there}} {
		if _, got := read(t, files...); !strings.Contains(got, "another policy \"P\" stands in f0:2 and says something else") {
			t.Errorf("got %q", got)
		}
	}
}

// A mailbox goes by what front ends call it, whichever export was read first.
func TestMailboxFirst(t *testing.T) {
	mailbox := "Name,UserPrincipalName,DistinguishedName,ThrottlingPolicy\nA,a@contoso.com,\"CN=A,DC=x\",\"P\nDEL:1\"\n"
	association := "Name,DistinguishedName,ThrottlingPolicyId\nA,\"CN=A,DC=x\",\"P\nDEL:1\"\n"
	one, wrong := read(t, mailbox, association)
	other, wrong2 := read(t, association, mailbox)
	want := []Problem{{DeletedPolicy, "a@contoso.com", one.Check()[0].Message, "Set-Mailbox -Identity 'a@contoso.com' -ThrottlingPolicy $null"}}
	if !slices.Equal(one.Check(), want) || !slices.Equal(other.Check(), want) || wrong+wrong2 != "" {
		t.Errorf("got  %+v\nand  %+v\nwant %+v; %s", one.Check(), other.Check(), want, wrong+wrong2)
	}
}

// A list may have broken a name: another one, that is whole, is taken.
func TestBrokenNames(t *testing.T) {
	x, wrong := read(t, "Name              : A of many\n                    words\nUserPrincipalName : averylongname@contoso\n                    .com\nAlias             : anna\nThrottlingPolicy  : P\n                    DEL:1\n")
	if got, want := x.Check()[0].Fix, "Set-Mailbox -Identity 'anna' -ThrottlingPolicy $null"; got != want || wrong != "" {
		t.Errorf("got %s, want %s; %s", got, want, wrong)
	}
	x, _ = read(t, "Name : averylongname@contoso\n       .com\nThrottlingPolicy :\n")
	if got := x.accounts[0].caller; got != "averylongname@contoso.com" {
		t.Errorf("a word that was cut is %q", got)
	}
}

func TestQuote(t *testing.T) {
	for text, want := range map[string]string{
		"": "''", "anna": "'anna'", "O'Brien": "'O''Brien'", "$(rm) `x`; \"y\"": "'$(rm) `x`; \"y\"'", "a\u2019b\u2018\u201a\u201b": "'a\u2019\u2019b\u2018\u2018\u201a\u201a\u201b\u201b'",
		"a\nCNF:1": "('a'+[char]10+'CNF:1')", "節流": "'節流'", "a\u00a0b": "('a'+[char]160+'b')", "\U000E0001": "(''+[char]::ConvertFromUtf32(917505)+'')", "-x": "'-x'",
	} {
		if got := Quote(text); got != want {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
	}
}

// The encodings of PowerShell, with and without marks.
func TestDecoded(t *testing.T) {
	const text = "Näme,節流\U0001F4E7"
	le := utf16LE(text)
	be := bytes.Clone(le)
	for i := 0; i+1 < len(be); i += 2 {
		be[i], be[i+1] = be[i+1], be[i]
	}
	for name, tt := range map[string]struct {
		b    []byte
		want string
	}{
		"utf-8": {[]byte(text), text}, "marked": {[]byte("\uFEFF" + text), text}, "le": {le, text}, "be": {be, text}, "le unmarked": {le[2:], text}, "be unmarked": {be[2:], text},
		"latin": {[]byte("J\xF6rg"), "J\uFFFDrg"}, "odd": {append(utf16LE("ab"), 'c'), "ab\uFFFD"}, "half": {[]byte{0xFF, 0xFE, 'a', 0, 0x3D, 0xD8, 'b', 0}, "a\uFFFDb"}, "nul": {[]byte("ab\x00\x00c"), "abc"}, "short": {[]byte("a"), "a"},
	} {
		var got bytes.Buffer
		if _, err := got.ReadFrom(decoded(bytes.NewReader(tt.b))); err != nil || got.String() != tt.want {
			t.Errorf("%s: %q, %v; want %q", name, got.String(), err, tt.want)
		}
	}
}
