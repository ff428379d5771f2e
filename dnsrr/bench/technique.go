package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// A technique is one of ours, told by what the server is without it: the same
// sources but for a few words. Only the compiler sees these, as an overlay, so
// that what is measured with it has no switches.
type technique struct {
	name, says string
	edits      []edit
	against    string   // whose row it is compared to; "" = ours
	modes      []string // "spread" is that of both cores
	procs      int      // GOMAXPROCS, where it is not that of the others
}

// An edit replaces words that are in a file of the tree once.
type edit struct{ file, old, new string }

// standard has the loop of all other systems read the socket.
var standard = edit{
	"dnsrr/batch_linux.go",
	"func (s *Server) readConn(ctx context.Context, c udpConn, _ int) error {",
	`func (s *Server) readConn(ctx context.Context, c udpConn, readers int) error {
	if err := c.SetReadBuffer(udpBuffer); err != nil {
		return err
	}
	return s.readLoops(ctx, c, readers)
}

func (s *Server) readBatches(ctx context.Context, c udpConn) error {`,
}

var onOne = []string{"saturation", "steady"}

// techniques are measured by --techniques, each against the server that has it.
var techniques = []technique{
	{
		name: "batch-1", says: "recvmmsg and sendmmsg of one datagram", modes: onOne,
		edits: []edit{
			{"dnsrr/batch_linux.go", "batchSize  = 32 ", "batchSize  = 1 "},
			{"dnsrr/batch_linux.go", "return n > 1 || !b.stay", "return true"}, // of one, nothing says that it was the last
		},
	},
	{
		name: "told", says: "the socket in Go's poller: each arrival wakes a thread that waits there, while the reader reads", modes: onOne,
		edits: []edit{{"dnsrr/poll_linux.go", "return &socket{UDPConn: c}", "return c"}},
	},
	{
		name: "procs-1", says: "GOMAXPROCS=1: no other thread waits in the poller, whatever it is told", modes: onOne,
		procs: 1,
	},
	{
		name: "reread", says: "after one datagram alone, another read", modes: onOne,
		edits: []edit{{"dnsrr/batch_linux.go", "b.stay = true", "b.stay = false"}},
	},
	{
		name: "standard", says: "net.UDPConn, a call a datagram", modes: onOne,
		edits: []edit{standard},
	},
	{
		name: "handed", says: "as standard, and each query to a goroutine of its own", modes: onOne, against: "standard",
		edits: []edit{standard, {
			"dnsrr/udp.go",
			"if out := s.replyIn(stripe, room, query[:n], addrPort(back), overUDP, time.Now(), false); len(out) > 0 {",
			`q := append([]byte(nil), query[:n]...)
		go func() {
			if out := s.replyIn(stripe, nil, q, addrPort(back), overUDP, time.Now(), false); len(out) > 0 {
				pc.WriteTo(out, back)
			}
		}()
		if out := room; len(out) > 0 {`,
		}},
	},
	{
		name: "slow-path", says: "every answer by answer.go", modes: onOne,
		edits: []edit{{"dnsrr/fast.go", "if x.t == nil || !x.r.plain() {", "if x.t == nil || !x.r.plain() || x.t != nil {"}},
	},
	{
		name: "two-sockets", says: "two sockets that share the port, on one core", modes: onOne,
		edits: []edit{{"dnsrr/listen.go", "return min(runtime.GOMAXPROCS(0), runtime.NumCPU(), 8)", "return min(runtime.GOMAXPROCS(0), 2)"}},
	},
	{name: "both", says: "ours, on both cores: a socket each", modes: []string{"spread"}, against: "both"},
	{
		name: "both-one-socket", says: "on both cores one socket, with one reader", modes: []string{"spread"}, against: "both",
		edits: []edit{{"dnsrr/listen.go", "for len(all) < maxUDPReaders() {", "for len(all) < 1 {"}},
	},
	{
		name: "both-standard", says: "on both cores one socket, two readers by net.UDPConn", modes: []string{"spread"}, against: "both",
		edits: []edit{standard, {"dnsrr/listen.go", "for len(all) < maxUDPReaders() {", "for len(all) < 1 {"}},
	},
}

// overlay writes what the compiler is to read instead of files of the tree into
// a folder, and the file that tells it so (go help build).
func (t technique) overlay(tree, dir string) (string, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	text := map[string]string{}
	for _, e := range t.edits {
		if err := e.apply(tree, text); err != nil {
			return "", fmt.Errorf("technique %s: %w", t.name, err)
		}
	}
	var o struct{ Replace map[string]string }
	o.Replace = map[string]string{}
	for file, s := range text {
		from, err := filepath.Abs(filepath.Join(tree, file))
		if err != nil {
			return "", err
		}
		o.Replace[from] = filepath.Join(dir, strings.ReplaceAll(file, "/", "_"))
		if err := os.WriteFile(o.Replace[from], []byte(s), 0o600); err != nil {
			return "", err
		}
	}
	b, err := json.Marshal(o)
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "overlay.json")
	return path, os.WriteFile(path, b, 0o600)
}

// apply changes a file's text, which is read first if nothing has yet changed it.
func (e edit) apply(tree string, text map[string]string) error {
	s, ok := text[e.file]
	if !ok {
		b, err := os.ReadFile(filepath.Join(tree, e.file))
		if err != nil {
			return err
		}
		s = string(b)
	}
	if n := strings.Count(s, e.old); n != 1 {
		return fmt.Errorf("%s has %q %d times, want once", e.file, e.old, n)
	}
	text[e.file] = strings.Replace(s, e.old, e.new, 1)
	return nil
}
