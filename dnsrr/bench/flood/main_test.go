package main

import (
	"io"
	"strings"
	"testing"
)

func TestFlags(t *testing.T) {
	for _, args := range []string{"--port 53", "--port 53 --rate 10000", "--port 53 --window 512 --letters --dnssec --cookie --name a.b"} {
		if _, err := parse(strings.Fields(args), io.Discard); err != nil {
			t.Errorf("%q: %v", args, err)
		}
	}
	for _, args := range []string{"", "--port 53 stray", "--port 53 --name a..b", "--port 53 --time 2m", "--port 53 --rate -1",
		"--port 53 --sockets 0", "--port 53 --window 15", "--port 53 --window 4097", "--port 53 --patience 0s"} {
		if o, err := parse(strings.Fields(args), io.Discard); err == nil {
			t.Errorf("%q: got %+v, want an error", args, o)
		}
	}
}
