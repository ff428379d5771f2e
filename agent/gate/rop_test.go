package gate

import (
	"fmt"
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
	return throttle.Answer{Action: throttle.Allow}
}

func (s *sessions) Took(_ time.Time, d time.Duration) {
	s.asked = append(s.asked, fmt.Sprint("took ", d))
}
func (s *sessions) Latency(time.Time) time.Duration { return 33 * time.Millisecond }

// ROPs are judged one by one until one of them is not simply run.
func TestROPs(t *testing.T) {
	run := throttle.Answer{Action: throttle.Allow}
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
		{"who gives up", []throttle.Answer{{Action: throttle.Deny, Wait: time.Second, TooBusy: true, GivesUp: true}}, []string{"X-Evenkeel-Session: s"},
			"403 code=RPC_S_SERVER_TOO_BUSY backoff=1000 gives up", "s 33ms [0 0 0 0], "},
		{"held", []throttle.Answer{{Action: throttle.Delay, Wait: 700 * time.Millisecond}}, []string{"X-Evenkeel-Session: s"}, "200 delay=700", "s 33ms [0 0 0 0], "},
		{"nobody's", nil, []string{"X-Evenkeel-ROPs: 3"}, "400", ""},
		{"none", nil, []string{"X-Evenkeel-Session: s", "X-Evenkeel-ROPs: 0"}, "400", ""},
		{"too many", nil, []string{"X-Evenkeel-Session: s", "X-Evenkeel-ROPs: 1001"}, "400", ""},
		{"of no version", nil, []string{"X-Evenkeel-Session: s", "X-Evenkeel-Client: Outlook"}, "400", ""},
		{"without a number", nil, []string{"X-Evenkeel-Session: s", "X-Evenkeel-Latency: slow"}, "400", ""},
	} {
		who := &sessions{answers: c.answers}
		w := ask(New(Judges{Ledger: judge{}, Sessions: who}, unmeasured, Options{}), "/v1/rop", c.lines...)
		got := shown(w)
		if v := w.Header().Get("X-Evenkeel-Backoff"); v != "" {
			got += " backoff=" + v
		}
		if w.Header().Get("X-Evenkeel-Gives-Up") == "yes" {
			got += " gives up"
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
