package main

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// printed is what dnsperf 2.10.0 says of a run over TCP, with -v; the queries
// shortened.
const printed = `DNS Performance Testing Tool
Version 2.10.0

[Status] Command line: dnsperf -s 127.0.0.1 -p 5399 -d q -l 1 -v
[Status] Sending queries (to 127.0.0.1:5399)
> NOERROR mail.test. A 0.000099
> NOERROR mail.test. A 0.000101
> T mail.test. A
> NOERROR mail.test. A 0.030000
[Status] Testing complete (time limit)

Statistics:

  Queries sent:         11483
  Queries completed:    11479 (99.97%)
  Queries lost:         4 (0.03%)

  Response codes:       NOERROR 11470 (99.92%), REFUSED 9 (0.08%)
  Average packet size:  request 27, response 59
  Run time (s):         1.068052
  Queries per second:   10747.604049

  Average Latency (s):  0.021270 (min 0.000051, max 0.075330)
  Latency StdDev (s):   0.008797

Connection Statistics:

  Reconnections:        0

  Average Latency (s):  0.005884 (min 0.004101, max 0.006260)
  Latency StdDev (s):   0.000730
`

func TestWhatDnsperfSaysIsRead(t *testing.T) {
	got, err := readReply(strings.NewReader(printed))
	want := reply{
		Answered: 11479, Lost: 4, Errors: 9, Size: 59, QPS: 10747.604049,
		Mean: 21270 * time.Microsecond, P50: 101 * time.Microsecond, P99: 30 * time.Millisecond,
	}
	if err != nil || got != want {
		t.Errorf("got %+v, %v\nwant %+v", got, err, want)
	}
}

func TestARunWithoutAnswersIsAnError(t *testing.T) {
	none := strings.NewReplacer("11479 (99.97%)", "0 (0.00%)", "11470", "0").Replace(printed)
	for _, text := range []string{"", "\n\n", none, strings.ReplaceAll(printed, "Queries completed", "Queries")} {
		if got, err := readReply(strings.NewReader(text)); err == nil {
			t.Errorf("%.40q: got %+v, want an error", text, got)
		}
	}
}

func FuzzReply(f *testing.F) {
	f.Add(printed)
	f.Add("> A B C -1\nQueries completed: 1e99\nResponse codes: NOERROR")
	f.Fuzz(func(t *testing.T, text string) {
		r, err := readReply(strings.NewReader(text))
		if err == nil && (r.Answered < 1 || r.P50 < 0 || r.P50 > r.P99) {
			t.Errorf("%+v", r)
		}
	})
}

func TestQuantiles(t *testing.T) {
	var list []time.Duration
	for i := range 100 {
		list = append(list, time.Duration(i+1))
	}
	for _, c := range []struct {
		q    float64
		want time.Duration
	}{{0.5, 50}, {0.99, 99}, {1, 100}, {0.001, 1}} {
		if got := quantile(list, c.q); got != c.want {
			t.Errorf("%v: got %d, want %d", c.q, got, c.want)
		}
	}
	if got := quantile(nil, 0.5); got != 0 {
		t.Errorf("of none: got %d, want 0", got)
	}
}

// What one run asks for is on the command line, and nothing else.
func TestCommandLineOfDnsperf(t *testing.T) {
	always := []string{"-s", "127.0.0.1", "-p", "53", "-d", "q", "-T", "1", "-t", "1", "-q", "200", "-l", "1.5"}
	for _, c := range []struct {
		load load
		want string
	}{
		{load{}, "-c 4"},
		{load{TCP: true}, "-m tcp -c 8"},
		{load{Signed: true}, "-c 4 -e -D"},
		{load{Cookie: true}, "-c 4 -e -E 10:6576656e6b65656c"},
		{load{Rate: 10_000}, "-c 4 -v -Q 10000"},
	} {
		c.load.For = 1500 * time.Millisecond
		want := append(slices.Clone(always), strings.Fields(c.want)...)
		if got := c.load.perfArgs(53, "q"); !slices.Equal(got, want) {
			t.Errorf("%+v: got %q, want %q", c.load, got, want)
		}
	}
}
