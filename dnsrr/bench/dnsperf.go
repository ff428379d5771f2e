package main

import (
	"bufio"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// perfWindow is how many queries dnsperf has under way at once: fewer than what
// a socket's receive buffer holds by default, so that no burst is lost.
const perfWindow = 200

// perfArgs is the command line of dnsperf for a server on port that is asked what stands in file.
func (l load) perfArgs(port int, file string) []string {
	args := []string{"-s", "127.0.0.1", "-p", strconv.Itoa(port), "-d", file, "-T", "1", "-t", "1",
		"-q", strconv.Itoa(perfWindow), "-l", strconv.FormatFloat(l.For.Seconds(), 'f', -1, 64)}
	if l.TCP {
		args = append(args, "-m", "tcp", "-c", "8")
	} else {
		args = append(args, "-c", "4")
	}
	if l.Signed {
		args = append(args, "-e", "-D")
	}
	if l.Cookie {
		args = append(args, "-e", "-E", "10:6576656e6b65656c")
	}
	if l.Rate > 0 { // a line a query costs the client too much where it should be quick
		args = append(args, "-v", "-Q", strconv.Itoa(l.Rate))
	}
	return args
}

// dnsperf lets it ask. What it prints goes to a file in dir, since somebody who
// reads along would take part in what is measured.
func (c client) dnsperf(l load, port int) (reply, error) {
	question, printed := filepath.Join(c.dir, "question"), filepath.Join(c.dir, "printed")
	if err := os.WriteFile(question, []byte(zone+" A\n"), 0o600); err != nil {
		return reply{}, err
	}
	out, err := os.Create(printed)
	if err != nil {
		return reply{}, err
	}
	defer out.Close()
	if err := c.run(l.For, out, "dnsperf", l.perfArgs(port, question)...); err != nil {
		return reply{}, err
	}
	if _, err := out.Seek(0, io.SeekStart); err != nil {
		return reply{}, err
	}
	return readReply(out)
}

// readReply reads what dnsperf 2.10 prints.
func readReply(r io.Reader) (out reply, err error) {
	var each []time.Duration
	good, seen := 0, false
	for s := bufio.NewScanner(r); s.Scan(); {
		line := strings.TrimSpace(s.Text())
		if rest, ok := strings.CutPrefix(line, "> "); ok {
			if d, ok := latency(rest); ok {
				each = append(each, d)
			}
			continue
		}
		key, value, ok := strings.Cut(line, ":")
		if ok && out.field(key, strings.Fields(value), &good) {
			seen = true
		}
	}
	if !seen || out.Answered < 1 || out.Answered > 1e9 { // more than there can be is no count
		return out, errors.New("dnsperf: nothing was answered")
	}
	out.Errors = out.Answered - good
	slices.Sort(each)
	out.P50, out.P99 = quantile(each, 0.50), quantile(each, 0.99)
	return out, nil
}

// field takes one of the lines under "Statistics".
func (r *reply) field(key string, value []string, good *int) bool {
	if len(value) == 0 {
		return false
	}
	number, err := strconv.ParseFloat(value[0], 64)
	switch {
	case key == "Response codes":
		*good = noError(value)
	case key == "Average packet size" && len(value) == 4:
		r.Size, err = strconv.Atoi(value[3])
	case err != nil:
		return false
	case key == "Queries completed":
		r.Answered = int(number)
	case key == "Queries lost":
		r.Lost = int(number)
	case key == "Queries per second":
		r.QPS = number
	case key == "Average Latency (s)" && r.Mean == 0: // of queries; later that of connections
		r.Mean = seconds(number)
	default:
		return false
	}
	return err == nil
}

// noError is the count that follows the word NOERROR.
func noError(words []string) int {
	if i := slices.Index(words, "NOERROR"); i >= 0 && i+1 < len(words) {
		n, _ := strconv.Atoi(words[i+1]) // no number is none
		return n
	}
	return 0
}

// latency reads "NOERROR mail.test. A 0.000099"; a query that was lost has none.
func latency(line string) (time.Duration, bool) {
	words := strings.Fields(line)
	if len(words) != 4 {
		return 0, false
	}
	s, err := strconv.ParseFloat(words[3], 64)
	return seconds(s), err == nil && s >= 0
}

func seconds(s float64) time.Duration { return time.Duration(math.Round(s * 1e9)) }

// quantile is the value that a share of q does not exceed, 0 of none.
func quantile(sorted []time.Duration, q float64) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[int(math.Ceil(q*float64(len(sorted))))-1]
}
