package gate

import (
	"fmt"
	"hash/maphash"
	"testing"
	"time"

	"evenkeel/policy/throttle"
)

// sessions answer as they are told, and note what they were asked.
type sessions struct {
	answer throttle.Answer
	asked  []string
}

func (s *sessions) ROPs(_ time.Time, id string, n int, latency time.Duration, v throttle.ClientVersion) throttle.Answer {
	s.asked = append(s.asked, fmt.Sprint(id, " ", n, " ", latency, " ", v))
	return s.answer
}

func (s *sessions) Took(_ time.Time, d time.Duration) {
	s.asked = append(s.asked, fmt.Sprint("took ", d))
}
func (s *sessions) Latency(time.Time) time.Duration { return 33 * time.Millisecond }

// The ROPs of a request are judged at once.
func TestROPs(t *testing.T) {
	const one, three = "s 1 33ms [0 0 0 0], ", "s 3 33ms [0 0 0 0], "
	run := throttle.Answer{Action: throttle.Allow, Would: throttle.Allow}
	held := throttle.Answer{Action: throttle.Delay, Would: throttle.Delay, Wait: 703 * time.Millisecond}
	for _, c := range []struct {
		promise string
		answer  throttle.Answer
		lines   []string
		want    string
		asked   string
	}{
		{"run", run, []string{"X-Evenkeel-Session: s", "X-Evenkeel-Client: 15.0.4420.1017", "X-Evenkeel-ROPs: 3", "X-Evenkeel-Latency: 120"}, "200", "s 3 120ms [15 0 4420 1017], "},
		{"without more than a session", run, []string{"X-Evenkeel-Session: s"}, "200", one},
		{"told how long the last one took", run, []string{"X-Evenkeel-Session: s", "X-Evenkeel-Took: 0.250s"}, "200", "took 250ms, " + one},
		{"backed off", throttle.Answer{Action: throttle.Deny, Wait: 150*time.Millisecond - 1}, []string{"X-Evenkeel-Session: s", "X-Evenkeel-ROPs: 3"},
			"403 code=RopBackoff backoff=150", three},
		{"backed off in old words", throttle.Answer{Action: throttle.Deny, Wait: time.Second, TooBusy: true}, []string{"X-Evenkeel-Session: s", "X-Evenkeel-Deny: 429"},
			"429 code=RPC_S_SERVER_TOO_BUSY backoff=1000", one},
		{"to be held", held, []string{"X-Evenkeel-Session: s", "X-Evenkeel-ROPs: 3"}, "200 delay=703", three},
		{"held here", throttle.Answer{Action: throttle.Delay, Would: throttle.Delay, Wait: time.Millisecond}, []string{"X-Evenkeel-Session: s", "X-Evenkeel-Hold: yes"}, "200", one},
		{"cannot be held to the end", held, []string{"X-Evenkeel-Session: s", "X-Evenkeel-Hold: yes"}, "403 code=RPC_S_SERVER_TOO_BUSY backoff=703", one},
		{"in shadow mode, they would be backed off", throttle.Answer{Action: throttle.Allow}, []string{"X-Evenkeel-Session: s", "X-Evenkeel-ROPs: 3"}, "200 would=deny", three},
		{"in shadow mode, they would be held", throttle.Answer{Action: throttle.Allow, Would: throttle.Delay}, []string{"X-Evenkeel-Session: s"}, "200 would=delay", one},
		{"nobody's", run, []string{"X-Evenkeel-ROPs: 3"}, "400", ""},
		{"none", run, []string{"X-Evenkeel-Session: s", "X-Evenkeel-ROPs: 0"}, "400", ""},
		{"too many", run, []string{"X-Evenkeel-Session: s", "X-Evenkeel-ROPs: 1001"}, "400", ""},
		{"of no version", run, []string{"X-Evenkeel-Session: s", "X-Evenkeel-Client: Outlook"}, "400", ""},
		{"without a number", run, []string{"X-Evenkeel-Session: s", "X-Evenkeel-Latency: slow"}, "400", ""},
	} {
		who := &sessions{answer: c.answer}
		w := ask(New(Judges{Ledger: judge{}, Sessions: who}, unmeasured, Options{Wait: 3 * time.Millisecond, Waiters: 1}), "/v1/rop", c.lines...)
		got := shown(w)
		if v := w.Header().Get("X-Evenkeel-Backoff"); v != "" {
			got += " backoff=" + v
		}
		asked := ""
		for _, a := range who.asked {
			asked += a + ", "
		}
		if got != c.want || asked != c.asked {
			t.Errorf("%s: got %s, asked %s\nwant %s, asked %s", c.promise, got, asked, c.want, c.asked)
		}
	}
	if got := ask(gateOf(judge{}, unmeasured, Options{}), "/v1/rop", "X-Evenkeel-Session: s"); got.Code != 404 {
		t.Errorf("without sessions: %d, want 404", got.Code)
	}
}

// An old client that sends many ROPs in one request is served no more of them
// for it: 2 a second at 500 ms, as one that sends them one by one.
func TestROPsOfOldClientsInOneRequest(t *testing.T) {
	const latency = 500 * time.Millisecond
	for _, rops := range []int{1, 7, 20} {
		who := throttle.NewSessions(throttle.SessionOptions{Rules: throttle.DefaultBackoff(), Most: 1, Seed: maphash.MakeSeed()})
		start := time.Date(2030, 1, 1, 9, 0, 0, 0, time.UTC)
		for range 10000 {
			who.ROPs(start, "s", 1, 0, throttle.ClientVersion{}) // it is busy for the next minute
		}
		server, served := New(Judges{Ledger: judge{}, Sessions: who}, unmeasured, Options{}), 0
		for at, end := start, start.Add(time.Minute); at.Before(end); {
			r := request{Server: server, now: at}
			a := r.judgeROPs(operation{session: "s", rops: rops, latency: latency})
			if at = at.Add(a.Wait); a.Action != throttle.Deny && at.Before(end) {
				served += rops
			}
		}
		if served < 100 || served > 123+rops {
			t.Errorf("%d in one request: %d served in a minute, want 120", rops, served)
		}
	}
}

// A new client that sends many ROPs in one request has as many of them served as one
// that sends them one by one: who has begun a period is not refused for ever by it.
func TestROPsOfNewClientsInOneRequest(t *testing.T) {
	const length = 10 * time.Minute
	outlook := throttle.ClientVersion{15, 0, 4420, 1017}
	for _, latency := range []time.Duration{150 * time.Millisecond, 500 * time.Millisecond} {
		for _, rops := range []int{1, 2, 7} {
			who := throttle.NewSessions(throttle.SessionOptions{Rules: throttle.DefaultBackoff(), Most: 1, Seed: maphash.MakeSeed()})
			start := time.Date(2030, 1, 1, 9, 0, 0, 0, time.UTC)
			who.ROPs(start, "s", 1000, 0, outlook) // it is busy for the next minute
			server, served := New(Judges{Ledger: judge{}, Sessions: who}, unmeasured, Options{}), 0
			for at := start; at.Before(start.Add(length)); {
				r := request{Server: server, now: at}
				a := r.judgeROPs(operation{session: "s", rops: rops, latency: latency, client: outlook})
				if at = at.Add(a.Wait); a.Action != throttle.Deny {
					served += rops
				}
			}
			if want := int(length / latency); served < want || served > want+rops {
				t.Errorf("%d in one request at %s: %d served in ten minutes, want %d", rops, latency, served, want)
			}
		}
	}
}
