package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"
)

// A load is one run of a client.
type load struct {
	TCP     bool // by dnsperf, as all is that flood cannot do
	Dnsperf bool
	Signed  bool          // ask for signatures (DO)
	Cookie  bool          // EDNS with a client's cookie
	Letters bool          // capital and small ones mixed; not by dnsperf
	Rate    int           // queries a second; 0 = as many as are answered
	Window  int           // queries under way at once, where there is no rate; not by dnsperf
	For     time.Duration // how long
}

// A reply is what a client says of a run. Times that were not noted are 0.
type reply struct {
	Answered int           `json:"answered"`
	Lost     int           `json:"lost"`
	Errors   int           `json:"errors"`            // answered, and not by NOERROR to the question
	Error    string        `json:"error,omitempty"`   // one of them
	Late     int           `json:"late,omitempty"`    // of the queries: left late, for which the client's core is to blame
	Size     int           `json:"size"`              // octets of the answers, the mean
	Records  float64       `json:"records,omitempty"` // that answer, the mean
	QPS      float64       `json:"qps"`
	Mean     time.Duration `json:"mean_ns"`
	P50      time.Duration `json:"p50_ns"`
	P99      time.Duration `json:"p99_ns"`
}

// A client is where the load comes from.
type client struct {
	ctx  context.Context
	core string
	dir  string // for what is written, and where flood is
}

// ask is one run against a server on port.
func (c client) ask(l load, port int) (reply, error) {
	if l.TCP || l.Dnsperf {
		return c.dnsperf(l, port)
	}
	var out bytes.Buffer
	if err := c.run(l.For, &out, filepath.Join(c.dir, "flood"), l.floodArgs(port)...); err != nil {
		return reply{}, err
	}
	return readTally(out.Bytes(), l.Rate > 0)
}

// run has a program run on the client's core for about so long.
func (c client) run(length time.Duration, out io.Writer, program string, args ...string) error {
	ctx, cancel := context.WithTimeout(c.ctx, length+10*time.Second)
	defer cancel()
	p := exec.CommandContext(ctx, "taskset", append([]string{"-c", c.core, program}, args...)...)
	var complaint bytes.Buffer
	p.Stdout, p.Stderr = out, &complaint
	if err := p.Run(); err != nil {
		return fmt.Errorf("%s: %w: %s", filepath.Base(program), err, brief(complaint.String()))
	}
	return nil
}

// floodArgs is the command line of flood.
func (l load) floodArgs(port int) []string {
	args := []string{"--port", strconv.Itoa(port), "--name", zone, "--time", l.For.String()}
	if l.Rate > 0 {
		args = append(args, "--rate", strconv.Itoa(l.Rate))
	} else {
		args = append(args, "--window", strconv.Itoa(l.Window))
	}
	if l.Signed {
		args = append(args, "--dnssec")
	}
	if l.Cookie {
		args = append(args, "--cookie")
	}
	if l.Letters {
		args = append(args, "--letters")
	}
	return args
}

// readTally reads what flood prints. Where there is no rate, what a query waits
// for is the window, and says nothing of the server.
func readTally(b []byte, timed bool) (r reply, err error) {
	var t struct {
		Answered, Lost, Errors, Late, Octets, Records int
		Error                                         string
		InTime                                        int           `json:"in_time"`
		Took                                          time.Duration `json:"took_ns"`
		Mean                                          time.Duration `json:"mean_ns"`
		P50                                           time.Duration `json:"p50_ns"`
		P99                                           time.Duration `json:"p99_ns"`
	}
	if err := json.Unmarshal(b, &t); err != nil {
		return r, fmt.Errorf("flood: %w", err)
	}
	if t.Answered < 1 || t.Took <= 0 {
		return r, errors.New("flood: nothing was answered")
	}
	r = reply{Answered: t.Answered, Lost: t.Lost, Errors: t.Errors, Error: t.Error, Late: t.Late, Mean: t.Mean, Size: t.Octets / t.Answered}
	r.Records = float64(t.Records) / float64(t.Answered)
	r.QPS = float64(t.InTime) / t.Took.Seconds()
	if timed {
		r.P50, r.P99 = t.P50, t.P99
	}
	return r, nil
}
