package exchange

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"evenkeel/policy/throttle"
)

// Several defaults, of two generations; one policy by its name, its GUID and its
// path; accounts in three places, with one policy and with three; and two accounts
// that the gate takes for one.
var scattered = map[string]string{
	"zeta":  "Name : Zeta\nThrottlingPolicyScope : Global\nEwsMaxBurst : 300000\nEwsMaxConcurrency : 5\n\n",
	"alpha": "Name : Alpha\nThrottlingPolicyScope : Global\nEwsMaxBurst : 1000\nEwsMaxConcurrency : 7\n\n",
	"old":   "Name : Old\nIsDefault : True\nEWSPercentTimeInAD : 50\nEWSMaxConcurrency : 6\n\nName : Older\nIsDefault : True\nEWSPercentTimeInAD : 60\nEWSMaxConcurrency : 8\n\n",
	"gold": "Name : Gold One\nGuid : " + guid + "\nDistinguishedName : CN=Gold One,CN=Global Settings,DC=contoso,DC=com\nThrottlingPolicyScope : Regular\n" +
		"EwsMaxConcurrency : Unlimited\nEwsMaxBurst : Unlimited\nEwsRechargeRate : Unlimited\nEwsCutoffBalance : Unlimited\n\n",
	"mailboxes":    "Name,UserPrincipalName,DistinguishedName,ThrottlingPolicy\nA,a@contoso.com,\"CN=A,DC=x\",Gold One\nB,b@contoso.com,\"CN=B,DC=x\",Gold One\nC,c@contoso.com,\"CN=C,DC=x\",Gold One\n",
	"associations": "Name,DistinguishedName,ThrottlingPolicyId\nA,\"CN=A,DC=x\"," + guid + "\nB,\"cn=b,DC=x\",Zeta\nD,\"CN=D,DC=x\",Zeta\n",
	"more":         "Name,DistinguishedName,ThrottlingPolicyId\nA,\"CN=A,DC=x\",contoso.com/Configuration/GOLD one\nB,\"CN=B,DC=x\",Alpha\nB,\"CN=B,DC=x\",Gold One\nC,\"CN=C,DC=x\",Gold One\nd,\"CN=D,DC=y\",Alpha\nB,\"CN=B,DC=x\",Zeta\n",
}

func readIn(order []string) *Export {
	var x Export
	for _, name := range order {
		x.Read(name, strings.NewReader(scattered[name]))
	}
	return &x
}

// The order in which files are read matters neither to problems nor to who has
// what.
func TestAnyOrder(t *testing.T) {
	names := slices.Sorted(maps.Keys(scattered))
	first := readIn(names)
	problems, file := first.Check(), first.File()
	const want = "unreadable more:3; unreadable more:7; several-defaults Alpha, Zeta; several-defaults Old, Older; implicit-fallback Gold One; implicit-fallback Old; implicit-fallback Older; implicit-fallback Zeta; unlimited-service-account Gold One"
	if got := kinds(first); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if p := problems[len(problems)-1]; p.Fix != "Set-ThrottlingPolicy -Identity 'Gold One' -EwsMaxConcurrency 60" {
		t.Errorf("want ten times what the first of the defaults gives: %s", p.Fix)
	}
	rapid.Check(t, func(t *rapid.T) {
		x := readIn(rapid.Permutation(names).Draw(t, "order"))
		if got := x.Check(); !slices.Equal(got, problems) {
			t.Errorf("got  %+v\nwant %+v", got, problems)
		}
		got := x.File()
		if got.Generation != throttle.Exchange2013 || !maps.Equal(got.Users, file.Users) || standards(got) != standards(file) {
			t.Errorf("got  %+v\nwant %+v", got, file)
		}
	})
}

// standards are the names of the defaults.
func standards(f throttle.File) string {
	var out []string
	for _, p := range f.Policies {
		if p.Scope != throttle.Regular {
			out = append(out, p.Scope.String()+" "+p.Name)
		}
	}
	slices.Sort(out)
	return strings.Join(out, ", ")
}
