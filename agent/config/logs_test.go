package config

import (
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// Where logs are read: as the file says, else where Windows has them.
func TestFoldersOfLogs(t *testing.T) {
	environment := map[string]string{"SystemRoot": `C:\Windows`, "SystemDrive": "C:", "ExchangeInstallPath": `D:\Exchange\V15\`}
	const errs, sites, exchange = `C:\Windows\System32\LogFiles\HTTPERR`, `C:\inetpub\logs\LogFiles`, `D:\Exchange\V15\Logging`
	beside, err := filepath.Abs(filepath.Join("etc", "logging"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		system, text string
		want         [3]string // httperr, iis, exchange_logs
		problem      string
	}{
		{"linux", "", [3]string{}, ""},
		{"windows", "", [3]string{errs}, ""},
		{"windows", "sources: [listener: {}]", [3]string{errs}, ""},
		{"windows", "sources: [{httperr: {path: none}}, {iis: {path: auto}}]", [3]string{"", sites}, ""},
		{"windows", "sources: [iis: {}, exchange_logs: {}]", [3]string{errs, sites, exchange}, ""},
		{"windows", `sources: [exchange_logs: {path: 'E:\Logging'}]`, [3]string{errs, "", `E:\Logging`}, ""},
		{"windows", "sources: [httperr: {pools: [A]}]", [3]string{errs}, ""},
		{"linux", "sources: [httperr: {path: auto}]", [3]string{}, ""},
		{"linux", `sources: [httperr: {path: 'C:\W\HTTPERR'}, iis: {path: '\\ex01\logs'}]`, [3]string{`C:\W\HTTPERR`, `\\ex01\logs`}, ""},
		{"linux", "sources: [exchange_logs: {path: logging}]", [3]string{"", "", beside}, ""},
		{"windows", "sources: [{httperr: {path: None}}, {iis: {path: AUTO}}]", [3]string{"", sites}, ""},
		{"linux", "sources: [iis: {path: auto}]", [3]string{}, "sources.iis.path: want the folder of the logs"},
		{"linux", "sources: [exchange_logs: {path: Auto}]", [3]string{}, "sources.exchange_logs.path: want the folder of the logs"},
		{"windows", `sources: [iis: {path: '%SystemDrive%\inetpub\logs'}]`, [3]string{}, "neither %NAME% nor ~ is replaced"},
		{"linux", "sources: [iis: {path: ~/logs}]", [3]string{}, "neither %NAME% nor ~ is replaced"},
		{"windows", `sources: [iis: {path: 'D:\50% of\100%'}]`, [3]string{errs, `D:\50% of\100%`}, ""},
		{"linux", "sources: [iis: {}]", [3]string{}, "sources[0].iis: want the folder of the logs"},
		{"linux", "sources:\n  - iis:\n", [3]string{}, "sources[0].iis: want the folder of the logs"},
	} {
		r, b := newReader(filepath.Join("etc", "f.yaml"), []byte(c.text))
		cfg := defaults()
		if v := r.parse(b); v.kind != nothing {
			r.walk(keys(&cfg), "", v, map[string]place{})
		}
		r.logs(&cfg.Sources, c.system, func(key string) string { return environment[key] })
		said := r.problems.Error()
		if c.problem == "" && len(r.problems) > 0 || !strings.Contains(said, c.problem) {
			t.Errorf("%s %q: got %s, want %q", c.system, c.text, said, c.problem)
		}
		if got := [3]string{cfg.Sources.HTTPErr.Path, cfg.Sources.IIS, cfg.Sources.ExchangeLogs}; c.problem == "" && got != c.want {
			t.Errorf("%s %q: got %q, want %q", c.system, c.text, got, c.want)
		}
	}
	if got := usualFolder("sources.iis", func(string) string { return "" }); got != "" {
		t.Errorf("without an environment: %q", got)
	}
	c := mustLoad(t, "sources: [httperr: {path: /logs, pools: [MSExchangeMapiFrontEndAppPool]}]")
	if want := (HTTPErr{"/logs", []string{"MSExchangeMapiFrontEndAppPool"}}); !reflect.DeepEqual(c.Sources.HTTPErr, want) {
		t.Errorf("got %+v, want %+v", c.Sources.HTTPErr, want)
	}
}
