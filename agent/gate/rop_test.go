package gate

import (
	"fmt"
	"hash/maphash"
	"strings"
	"testing"
	"time"

	"evenkeel/policy/throttle"
)

// sessions answer as they are told, and note what they were asked.
type sessions struct {
	answers []throttle.Answer // of one ROP after the other; then allowed
	asked   []string
}

func (s *sessions) ROP(_ time.Time, id string, latency time.Duration, v throttle.ClientVersion) throttle.Answer {
	s.asked = append(s.asked, fmt.Sprint(id, " ", latency, " ", v))
	if n := len(s.asked) - 1; n < len(s.answers) {
		return s.answers[n]
	}
	return throttle.Answer{Action: throttle.Allow, Would: throttle.Allow}
}

func (s *sessions) Took(_ time.Time, d time.Duration) {
	s.asked = append(s.asked, fmt.Sprint("took ", d))
}
func (s *sessions) Latency(time.Time) time.Duration { return 33 * time.Millisecond }

// ROPs are judged one by one until one of them is refused.
func TestROPs(t *testing.T) {
	run := throttle.Answer{Action: throttle.Allow, Would: throttle.Allow}
	for _, c := range []struct {
		promise string
		answers []throttle.Answer
		lines   []string
		want    string
		asked   string
	}{
		{"run", nil, []string{"X-Evenkeel-Session: s", "X-Evenkeel-Client: 15.0.4420.1017", "X-Evenkeel-ROPs: 3", "X-Evenkeel-Latency: 120"}, "200", strings.Repeat("s 120ms [15 0 4420 1017], ", 3)},
		{"without more than a session", nil, []string{"X-Evenkeel-Session: s"}, "200", "s 33ms [0 0 0 0], "},
		{"told how long the last one took", []throttle.Answer{{}, run}, []string{"X-Evenkeel-Session: s", "X-Evenkeel-Took: 0.250s"}, "200", "took 250ms, s 33ms [0 0 0 0], "},
		{"backed off at the second", []throttle.Answer{run, {Action: throttle.Deny, Wait: 150*time.Millisecond - 1}}, []string{"X-Evenkeel-Session: s", "X-Evenkeel-ROPs: 3"},
			"403 code=RopBackoff backoff=150", strings.Repeat("s 33ms [0 0 0 0], ", 2)},
		{"backed off in old words", []throttle.Answer{{Action: throttle.Deny, Wait: time.Second, TooBusy: true}}, []string{"X-Evenkeel-Session: s", "X-Evenkeel-Deny: 429"},
			"429 code=RPC_S_SERVER_TOO_BUSY backoff=1000", "s 33ms [0 0 0 0], "},
		{"to be held", []throttle.Answer{{Action: throttle.Delay, Would: throttle.Delay, Wait: 700 * time.Millisecond}}, []string{"X-Evenkeel-Session: s"}, "200 delay=700", "s 33ms [0 0 0 0], "},
		{"to be held for the last", []throttle.Answer{run, {Action: throttle.Delay, Would: throttle.Delay, Wait: 700 * time.Millisecond}, {Action: throttle.Delay, Would: throttle.Delay, Wait: 800 * time.Millisecond}},
			[]string{"X-Evenkeel-Session: s", "X-Evenkeel-ROPs: 3"}, "200 delay=800", strings.Repeat("s 33ms [0 0 0 0], ", 3)},
		{"held here", []throttle.Answer{{Action: throttle.Delay, Would: throttle.Delay, Wait: time.Millisecond}}, []string{"X-Evenkeel-Session: s", "X-Evenkeel-Hold: yes"}, "200", "s 33ms [0 0 0 0], "},
		{"cannot be held to the end", []throttle.Answer{{Action: throttle.Delay, Would: throttle.Delay, Wait: 703 * time.Millisecond}}, []string{"X-Evenkeel-Session: s", "X-Evenkeel-Hold: yes"}, "403 code=RPC_S_SERVER_TOO_BUSY backoff=703", "s 33ms [0 0 0 0], "},
		{"in shadow mode, the second would be backed off", []throttle.Answer{run, {Action: throttle.Allow}}, []string{"X-Evenkeel-Session: s", "X-Evenkeel-ROPs: 3"}, "200 would=deny", strings.Repeat("s 33ms [0 0 0 0], ", 2)},
		{"in shadow mode, it would be held", []throttle.Answer{{Action: throttle.Allow, Would: throttle.Delay}}, []string{"X-Evenkeel-Session: s"}, "200 would=delay", "s 33ms [0 0 0 0], "},
		{"nobody's", nil, []string{"X-Evenkeel-ROPs: 3"}, "400", ""},
		{"none", nil, []string{"X-Evenkeel-Session: s", "X-Evenkeel-ROPs: 0"}, "400", ""},
		{"too many", nil, []string{"X-Evenkeel-Session: s", "X-Evenkeel-ROPs: 1001"}, "400", ""},
		{"of no version", nil, []string{"X-Evenkeel-Session: s", "X-Evenkeel-Client: Outlook"}, "400", ""},
		{"without a number", nil, []string{"X-Evenkeel-Session: s", "X-Evenkeel-Latency: slow"}, "400", ""},
	} {
		who := &sessions{answers: c.answers}
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
			who.ROP(start, "s", 0, throttle.ClientVersion{}) // it is busy for the next minute
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
