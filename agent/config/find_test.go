package config

import (
	"io/fs"
	"strings"
	"testing"

	"evenkeel/configs"
)

func TestFind(t *testing.T) {
	const (
		linux   = "/etc/evenkeel/evenkeel.yaml"
		windows = `D:\Data\Evenkeel\evenkeel.yaml`
	)
	for _, tt := range []struct {
		name      string
		goos      string
		flag, env string
		disk      []string
		want      string // the name, or what the error says
	}{
		{"the flag goes before all", "linux", "a.yaml", "b.yaml", []string{"a.yaml", "b.yaml", linux}, "a.yaml"},
		{"then the environment", "linux", "", "b.yaml", []string{"b.yaml", linux}, "b.yaml"},
		{"then the system", "linux", "", "", []string{linux}, linux},
		{"which on Windows is elsewhere", "windows", "", "", []string{windows, linux}, windows},
		{"then what is compiled in", "linux", "", "", nil, Embedded},
		{"a named file must be there", "linux", "a.yaml", "b.yaml", []string{"b.yaml", linux}, "error: configuration named by --config: open a.yaml: file does not exist"},
		{"by the environment too", "darwin", "", "b.yaml", []string{linux}, "error: configuration named by EVENKEEL_CONFIG: open b.yaml: file does not exist"},
		{"the system's own must be readable", "linux", "", "", []string{"!" + linux}, "error: configuration of this system: open " + linux + ": permission denied"},
	} {
		env := map[string]string{"EVENKEEL_CONFIG": tt.env, "ProgramData": `D:\Data`}
		name, b, err := find(tt.flag, tt.goos, func(k string) string { return env[k] }, diskOf(tt.disk))
		got, text := name, name
		if err != nil {
			got, text = "error: "+err.Error(), ""
		}
		if name == Embedded {
			text = string(configs.Default())
		}
		if got != tt.want || string(b) != text {
			t.Errorf("%s: got %s holding %.30q, want %s", tt.name, got, b, tt.want)
		}
	}
}

// A service may run with an empty environment.
func TestFindWithoutProgramData(t *testing.T) {
	const want = `C:\ProgramData\Evenkeel\evenkeel.yaml`
	if got := systemFile("windows", func(string) string { return "" }); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// Find is find with this system's name; the flag needs no more of it.
func TestFindHere(t *testing.T) {
	name, b, err := Find("a.yaml", func(string) string { return "" }, diskOf([]string{"a.yaml"}))
	if name != "a.yaml" || string(b) != "a.yaml" || err != nil {
		t.Errorf("got %s, %q, %v, want a.yaml", name, b, err)
	}
}

// diskOf holds files whose text is their name; those with a ! may not be read.
func diskOf(names []string) func(string) ([]byte, error) {
	return func(name string) ([]byte, error) {
		err := fs.ErrNotExist
		for _, n := range names {
			switch strings.TrimPrefix(n, "!") {
			case n:
				if n == name {
					return []byte(name), nil
				}
			case name:
				err = fs.ErrPermission
			}
		}
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
}
