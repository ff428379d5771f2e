package throttle

import (
	"strings"
	"testing"
)

// Callers outside the organization have the fallback policy (document 000):
// computer accounts, contacts, accounts without a mailbox; unless a policy is
// associated with them (2010 SP1 and later).
func TestOutsiders(t *testing.T) {
	b := compiled(t, File{
		Generation: Exchange2010,
		Policies: []Policy{
			{Name: "Default", Scope: Organization, Generation: Exchange2010, Values: says(t, "EWSMaxConcurrency", 7)},
			{Name: "Backup", Generation: Exchange2010, Values: says(t, "EWSMaxConcurrency", 99)},
		},
		Users: map[string]string{"EX02$": "Backup", `CORP\jdoe`: "Backup", "ann": "Backup", "ann@partner.example": "Default", "blank": "", "s-1-5-21-1013": "Backup",
			"nobody": "Backup", "nobody@corp.example": "", "elsewhere": "Backup", "gone": "Gone", "EX03$": "Gone", "EX04$": "", "here": "Gone"},
		Outside: []string{"contact@partner.example", "noMailbox", "elsewhere@partner.example", "gone"},
	})
	for _, tt := range []struct {
		caller, want string
	}{
		{"EX01$", "built-in fallback: a computer account, which is outside the organization and assigned to no policy"},
		{`CORP\EX01$`, "built-in fallback: a computer account, which is outside the organization and assigned to no policy"},
		{`corp\ex02$`, "Backup: assigned to Backup"},
		{"Contact@Partner.example", "built-in fallback: outside the organization, and assigned to no policy"},
		{"contact@elsewhere.example", "Default: assigned to no policy, so to the default: Default"},
		{`CORP\NOMAILBOX`, "built-in fallback: outside the organization, and assigned to no policy"},
		{"corp\\JDOE", "Backup: assigned to Backup"},
		{"jdoe", "Default: assigned to no policy, so to the default: Default"},
		{"JDOE@corp.example", "Default: assigned to no policy, so to the default: Default"},
		{"Ann@corp.example", "Backup: assigned to Backup"},
		{"Ann@PARTNER.example.", "Default: assigned to Default"},
		{`Partner.Example\ann`, "Default: assigned to Default"},
		{"S-1-5-21-1013", "Backup: assigned to Backup"},
		{"s-1-5-21-1013", "Backup: assigned to Backup"},
		{"S-1-5-21-1014", "Default: assigned to no policy, so to the default: Default"},
		{"jdoe@CORP", "Backup: assigned to Backup"},
		{`\jdoe`, "Default: assigned to no policy, so to the default: Default"},
		{"Nobody@corp.example", "Default: assigned to no policy, so to the default: Default"},
		{"elsewhere@partner.example", "built-in fallback: outside the organization, and assigned to no policy"},
		{"elsewhere@corp.example", "Backup: assigned to Backup"},
		{"gone@corp.example", "built-in fallback: assigned to Gone"},
		{"EX03$", "built-in fallback: assigned to Gone"},
		{"EX04$", "built-in fallback: a computer account, which is outside the organization and assigned to no policy"},
		{"here", "Default: assigned to Gone"},
		{"blank", "Default: assigned to no policy, so to the default: Default"},
		{"", "Default: assigned to no policy, so to the default: Default"},
		{"$", "built-in fallback: a computer account, which is outside the organization and assigned to no policy"},
		{"ZO\u00cb", "Default: assigned to no policy, so to the default: Default"},
		{strings.Repeat("x", 300), "Default: assigned to no policy, so to the default: Default"},
	} {
		x := b.Explain(tt.caller)
		if got := x.Policy + ": " + x.Why; got != tt.want {
			t.Errorf("%s:\ngot  %s\nwant %s", tt.caller, got, tt.want)
		}
	}
}
