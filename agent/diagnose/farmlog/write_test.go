//go:build !race

package farmlog

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"
)

// TestWriteFarm writes a story into a folder, for those who want to look at it:
//
//	EVENKEEL_FARMLOG=/tmp/farm EVENKEEL_STORY=incident EVENKEEL_BYTES=4e9 go test -run TestWriteFarm -v ./agent/diagnose/farmlog
//
// EVENKEEL_SCALE and EVENKEEL_SEED are understood as well; a folder "" writes nowhere.
func TestWriteFarm(t *testing.T) {
	dir, ok := os.LookupEnv("EVENKEEL_FARMLOG")
	if !ok {
		t.Skip("EVENKEEL_FARMLOG is not set")
	}
	number := func(name string) float64 {
		v, err := strconv.ParseFloat(os.Getenv(name), 64)
		if err != nil && os.Getenv(name) != "" {
			t.Fatal(err)
		}
		return v
	}
	for _, s := range Stories() {
		if want := os.Getenv("EVENKEEL_STORY"); want != "" && want != s.Name {
			continue
		}
		create := func(path string) (io.WriteCloser, error) { return nowhere{}, nil }
		if dir != "" {
			create = into(filepath.Join(dir, s.Name))
		}
		began := time.Now()
		truth, err := s.Write(Options{Seed: uint64(number("EVENKEEL_SEED")), Scale: number("EVENKEEL_SCALE"), Bytes: int64(number("EVENKEEL_BYTES"))}, create)
		if err != nil {
			t.Fatal(err)
		}
		text, _ := json.MarshalIndent(truth, "", "  ")
		t.Logf("%s: %.0f MB/s\n%s", s.Name, float64(truth.Bytes)/1e6/time.Since(began).Seconds(), text)
	}
}

// into creates files in a folder.
func into(dir string) func(string) (io.WriteCloser, error) {
	return func(path string) (io.WriteCloser, error) {
		path = filepath.Join(dir, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return nil, err
		}
		return os.Create(path)
	}
}
