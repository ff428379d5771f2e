package config

import (
	"errors"
	"fmt"
	"io/fs"
	"runtime"

	"evenkeel/configs"
)

// Find says which configuration is in use, and reads it: the file named by
// flag, else by the environment's EVENKEEL_CONFIG, else the system's own
// (/etc/evenkeel/evenkeel.yaml, on Windows
// %ProgramData%\Evenkeel\evenkeel.yaml), else the one compiled in, under the
// name [Embedded].
//
// A file that somebody named must be there. The system's own may be missing,
// but not be there and unreadable: an agent that quietly runs on defaults is
// worse than one that does not start.
//
// getenv and read are os.Getenv and os.ReadFile outside of tests.
func Find(flag string, getenv func(string) string, read func(string) ([]byte, error)) (name string, b []byte, err error) {
	return find(flag, runtime.GOOS, getenv, read)
}

func find(flag, goos string, getenv func(string) string, read func(string) ([]byte, error)) (string, []byte, error) {
	for _, named := range []struct{ by, name string }{
		{"--config", flag},
		{"EVENKEEL_CONFIG", getenv("EVENKEEL_CONFIG")},
	} {
		if named.name == "" {
			continue
		}
		b, err := read(named.name)
		if err != nil {
			return "", nil, fmt.Errorf("configuration named by %s: %w", named.by, err)
		}
		return named.name, b, nil
	}

	name := systemFile(goos, getenv)
	b, err := read(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Embedded, configs.Default(), nil
	case err != nil:
		return "", nil, fmt.Errorf("configuration of this system: %w", err)
	}
	return name, b, nil
}

// systemFile is where a package or an administrator puts the configuration.
func systemFile(goos string, getenv func(string) string) string {
	if goos != "windows" {
		return "/etc/evenkeel/evenkeel.yaml"
	}
	folder := getenv("ProgramData")
	if folder == "" {
		folder = `C:\ProgramData` // as Windows sets it
	}
	return folder + `\Evenkeel\evenkeel.yaml`
}
