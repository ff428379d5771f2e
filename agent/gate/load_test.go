package gate

import (
	"bufio"
	"fmt"
	"hash/maphash"
	"net"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"evenkeel/policy/throttle"
)

// roomy is a ledger in which everyone may do everything.
func roomy() *throttle.Ledger {
	l := &throttle.Limits{Policy: "roomy", Cutoff: -1, CPUStart: -1}
	for i := range l.Max {
		l.Max[i] = throttle.Unlimited
	}
	for i := range l.Rate {
		l.Rate[i].Unlimited = true
	}
	return throttle.NewLedger(throttle.Options{Budgets: 100_000, Open: 65_536, Release: time.Minute, Expect: time.Minute, Seed: maphash.MakeSeed()},
		func(time.Time, throttle.Caller) *throttle.Limits { return l })
}

// Ten thousand checks a second over connections that are kept, each at its
// time, and each done after it was answered: twice as many questions. What is
// told is how long a front end waits for the answer to a check; one that is late
// because the answer before it was counts from when it should have been sent.
// The gate and its client share the processors:
//
//	go test -run '^$' -bench Paced -benchtime 100000x ./agent/gate
func BenchmarkPaced(b *testing.B) {
	const rate, conns = 10_000, 32
	addr := serve(b, gateOf(roomy(), unmeasured, Options{Domains: contoso}), Bounds{Connections: conns})
	took := make([]time.Duration, b.N)
	b.ResetTimer()
	began := time.Now()
	var wg sync.WaitGroup
	for c := range conns {
		f := connect(b, addr)
		wg.Go(func() {
			for i := c; i < b.N; i += conns {
				due := began.Add(time.Duration(i) * time.Second / rate)
				if early := time.Until(due); early > 0 {
					time.Sleep(early)
					due = time.Now()
				}
				a, err := f.question("check", i, "")
				took[i] = time.Since(due)
				if err == nil {
					_, err = f.question("done", i, a.Header.Get(headTicket))
				}
				if err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	b.ReportMetric(float64(b.N)/time.Since(began).Seconds(), "checks/s")
	slices.Sort(took)
	for name, at := range map[string]int{"p50-µs": b.N / 2, "p99-µs": b.N * 99 / 100, "max-µs": b.N - 1} {
		b.ReportMetric(float64(took[at].Microseconds()), name)
	}
}

func connect(b *testing.B, addr string) front {
	b.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { c.Close() })
	return front{c, bufio.NewReader(c)}
}

// question asks as nginx does, for one of a thousand users.
func (f front) question(what string, i int, ticket string) (*http.Response, error) {
	fmt.Fprintf(f.conn, "GET /v1/%s HTTP/1.1\r\nHost: gate\r\nX-Evenkeel-User: CONTOSO\\user%d\r\nX-Original-URI: /EWS/Exchange.asmx\r\nX-Evenkeel-Ticket: %s\r\n\r\n", what, i%1000, ticket)
	a, err := http.ReadResponse(f.r, nil)
	if err == nil && a.StatusCode > http.StatusNoContent {
		err = fmt.Errorf("%s: %s", what, a.Status)
	}
	return a, err
}

// One question after the other over a connection that is kept: all that
// net/http and the gate allocate for it.
func BenchmarkOverHTTP(b *testing.B) {
	addr := serve(b, gateOf(roomy(), unmeasured, Options{Domains: contoso}), Bounds{Connections: 1})
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Close()
	question := []byte("GET /v1/check HTTP/1.1\r\nHost: gate\r\nX-Evenkeel-User: CONTOSO\\anna\r\nX-Original-URI: /EWS/Exchange.asmx\r\n\r\n")
	answer := make([]byte, 4096)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := conn.Write(question); err != nil {
			b.Fatal(err)
		}
		if _, err := conn.Read(answer); err != nil {
			b.Fatal(err)
		}
	}
}
