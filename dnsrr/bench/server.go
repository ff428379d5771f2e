package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/template"
	"time"

	"github.com/miekg/dns"
)

const zone = "mail.test."

// A usage is processor time, and how the kernel's samples divide it.
type usage struct{ CPU, User, System time.Duration }

func (u usage) since(v usage) usage {
	return usage{u.CPU - v.CPU, u.User - v.User, u.System - v.System}
}

// A server runs, and is asked at its port.
type server struct {
	name      string
	modes     []string
	against   string // whose row it is compared to; "" = ours
	port      int
	process   *process
	beside    []*process // that it needs, and that are not measured
	addresses float64    // in an answer, the mean
}

func (s *server) stop() {
	for _, p := range append([]*process{s.process}, s.beside...) {
		if p != nil {
			p.stop()
		}
	}
}

// A place is what the templates of a server may name.
type place struct {
	Dir     string // the server's own
	Tools   string // what was built here
	Addr    string
	Port    int
	Backend string // a server to pass questions on to
	Signed  bool

	Nr       int    // of ours: which node of the farm
	Gossip   int    // port of the first
	Keys     string // lines of the configuration
	Features string // likewise
}

// A house is where all servers live.
type house struct {
	options
	dir     string
	backend string
	notes   []string
}

func (h *house) note(format string, args ...any) {
	h.notes = append(h.notes, fmt.Sprintf(format, args...))
}

// goEnv has servers in Go see as many processors as they would have unpinned.
func goEnv(procs int) []string { return []string{"GOMAXPROCS=" + strconv.Itoa(procs)} }

// place makes a folder and chooses a port for a server.
func (h *house) place(name string, signed bool) (place, error) {
	port, err := freePort()
	if err != nil {
		return place{}, err
	}
	p := place{Dir: filepath.Join(h.dir, "servers", name), Tools: h.dir, Addr: net.JoinHostPort("127.0.0.1", strconv.Itoa(port)), Port: port, Backend: h.backend, Signed: signed}
	if signed {
		p.Dir += ".signed"
	}
	return p, os.MkdirAll(p.Dir, 0o755)
}

// freePort finds a port that is free for both transports, since most servers
// cannot be given port 0 and asked which they got.
func freePort() (int, error) {
	for range 100 {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return 0, err
		}
		port := l.Addr().(*net.TCPAddr).Port
		u, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1), Port: port})
		_ = l.Close()
		if err == nil {
			return port, u.Close()
		}
	}
	return 0, errors.New("no port is free for both UDP and TCP")
}

// start has a rival run and answer.
func (h *house) start(ctx context.Context, r rival, signed bool) (*server, error) {
	at, err := h.place(r.name, signed)
	if err != nil {
		return nil, err
	}
	if _, err := at.find(r.needs); err != nil {
		return nil, err
	}
	if err := at.furnish(r); err != nil {
		return nil, err
	}
	if err := h.keys(ctx, r, at); err != nil {
		return nil, err
	}
	argv, err := at.command(r.command)
	if err != nil {
		return nil, err
	}
	s := &server{name: r.name, modes: r.modes, port: at.Port}
	if s.process, err = launch(strconv.Itoa(h.serverCore), at.Dir, goEnv(h.procs), argv...); err != nil {
		return nil, err
	}
	return h.settled(ctx, s, signed, r.least)
}

// keys has a rival's own tools make keys, if it is to sign and does not itself.
func (h *house) keys(ctx context.Context, r rival, at place) error {
	if !at.Signed {
		return nil
	}
	for _, words := range r.keys {
		argv, err := at.command(words)
		if err != nil {
			return err
		}
		if err := h.build(ctx, nil, argv...); err != nil {
			return err
		}
	}
	return nil
}

// settled waits until a server answers as it will, or gives up: twice in a row
// all addresses are seen, since a farm that is still coming together has them too.
func (h *house) settled(ctx context.Context, s *server, signed bool, addresses int) (*server, error) {
	var last error
	row := 0
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end) && ctx.Err() == nil; {
		var seen []string
		row++
		if s.addresses, seen, last = sample(s.port, signed); last != nil || len(seen) < addresses {
			row = 0
		} else if row == 2 {
			return s, nil
		}
		select {
		case <-ctx.Done():
		case <-time.After(100 * time.Millisecond):
		}
	}
	b, _ := os.ReadFile(s.process.log) // unread, it says nothing
	s.stop()
	if last = errors.Join(ctx.Err(), last); last == nil {
		last = fmt.Errorf("it has %.1f addresses an answer", s.addresses)
	}
	return nil, fmt.Errorf("does not answer as it should: %w; its last words: %s", last, brief(string(b)))
}

// brief is the end of what a program printed, on one line.
func brief(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	return s[max(0, len(s)-300):]
}

// sample asks sixty times: how many addresses an answer has, and which were seen.
func sample(port int, signed bool) (mean float64, seen []string, err error) {
	const times = 60
	client := dns.Client{Timeout: time.Second}
	q := new(dns.Msg).SetQuestion(zone, dns.TypeA)
	if signed {
		q.SetEdns0(1232, true)
	}
	total := 0
	for range times {
		m, _, err := client.Exchange(q, net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
		if err != nil {
			return 0, nil, err
		}
		got, proof := addresses(m)
		if m.Rcode != dns.RcodeSuccess || signed && !proof {
			return 0, nil, fmt.Errorf("%s, %d addresses, signed: %t", dns.RcodeToString[m.Rcode], len(got), proof)
		}
		total += len(got)
		seen = append(seen, got...)
	}
	slices.Sort(seen)
	return float64(total) / times, slices.Compact(seen), nil
}

// addresses is what an answer holds, and whether there is a signature with it.
func addresses(m *dns.Msg) (list []string, signed bool) {
	for _, rr := range m.Answer {
		switch rr := rr.(type) {
		case *dns.A:
			list = append(list, rr.A.String())
		case *dns.RRSIG:
			signed = true
		}
	}
	return list, signed
}

// furnish writes a rival's files.
func (p place) furnish(r rival) error {
	for _, d := range r.dirs {
		if err := os.MkdirAll(filepath.Join(p.Dir, d), 0o755); err != nil {
			return err
		}
	}
	for name, from := range r.files {
		if err := p.write(name, from); err != nil {
			return err
		}
	}
	return nil
}

// write fills a template into a file of the server's folder.
func (p place) write(name, from string) error {
	b, err := templates.ReadFile("rivals/" + from)
	if err != nil {
		return err
	}
	text, err := p.fill(string(b))
	if err != nil {
		return fmt.Errorf("rivals/%s: %w", from, err)
	}
	name = filepath.Join(p.Dir, name)
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return os.WriteFile(name, []byte(text), 0o644)
}

// fill is text with the words in << >> replaced.
func (p place) fill(text string) (string, error) {
	t, err := template.New("").Delims("<<", ">>").Option("missingkey=error").Parse(text)
	if err != nil {
		return "", err
	}
	var out strings.Builder
	err = t.Execute(&out, p)
	return out.String(), err
}

// command fills in a command, and finds its program.
func (p place) command(words []string) (argv []string, err error) {
	argv = make([]string, len(words))
	for i, word := range words {
		if argv[i], err = p.fill(word); err != nil {
			return nil, err
		}
	}
	argv[0], err = p.find(argv[0])
	return argv, err
}

// find prefers what was built here.
func (p place) find(program string) (string, error) {
	if path, err := exec.LookPath(filepath.Join(p.Tools, filepath.Base(program))); err == nil {
		return path, nil
	}
	return find(program)
}

// find looks where daemons are, too, which is not on everybody's path.
func find(program string) (string, error) {
	if path, err := exec.LookPath(program); err == nil {
		return path, nil
	}
	if path, err := exec.LookPath(filepath.Join("/usr/sbin", filepath.Base(program))); err == nil {
		return path, nil
	}
	return "", fmt.Errorf("%s is not here", program)
}
