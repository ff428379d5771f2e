package main

import (
	"net"
	"testing"
	"time"
)

// Real sockets carry queries out, each port its own, and answers back.
func TestSocketsOfLinux(t *testing.T) {
	pc, err := net.ListenPacket("udp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ports := map[string]bool{}
	done := make(chan struct{})
	go func() {
		defer close(done)
		b := make([]byte, 1500)
		for {
			n, from, err := pc.ReadFrom(b)
			if err != nil {
				return
			}
			ports[from.String()] = true
			if _, err := pc.WriteTo(reply(b[:n], 1), from); err != nil {
				return
			}
		}
	}()
	o, err := parse([]string{"--port", "53", "--time", "50ms", "--window", "64", "--patience", "10s", "--letters"}, t.Output())
	if err != nil {
		t.Fatal(err)
	}
	o.port = pc.LocalAddr().(*net.UDPAddr).Port
	got, err := o.flood()
	pc.Close()
	<-done
	if err != nil || got.Answered != got.Sent || got.Answered < 64 || got.Errors+got.Stray > 0 || got.Took < 50*time.Millisecond {
		t.Errorf("got %+v, %v", got, err)
	}
	if len(ports) != 16 {
		t.Errorf("asked from %d ports, want 16", len(ports))
	}
}

// Nobody at the port ends the run, and does not count as lost answers.
func TestNobodyThere(t *testing.T) {
	pc, err := net.ListenPacket("udp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := pc.LocalAddr().(*net.UDPAddr).Port
	pc.Close()
	o, err := parse([]string{"--port", "53", "--time", "5s"}, t.Output())
	if err != nil {
		t.Fatal(err)
	}
	o.port = port
	if got, err := o.flood(); err == nil {
		t.Errorf("got %+v, want an error", got)
	}
}
