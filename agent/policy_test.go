package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"evenkeel/policy/throttle"
)

// An agent that answers is believed: it knows what is in use, and how old it is.
func TestExplainAsksTheAgent(t *testing.T) {
	start := time.Date(2010, 3, 9, 15, 15, 12, 0, time.UTC)
	c := throttle.NewCache(throttle.ExchangeAges())
	c.Limits(start, throttle.Caller{Name: "jdoe", Component: throttle.EWS})
	limit, _ := throttle.ParseParameter("EwsMaxConcurrency")
	b, err := throttle.Compile(throttle.File{Default: "P", Policies: []throttle.Policy{{Name: "P", Values: map[throttle.Parameter]throttle.Value{limit: throttle.Number(3)}}}})
	if err != nil {
		t.Fatal(err)
	}
	c.Publish(b)
	c.Limits(start, throttle.Caller{Name: "jdoe", Component: throttle.EWS})
	c.Publish(b)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if q.URL.Path != "/api/v1/policy/explain" {
			http.NotFound(w, q)
			return
		}
		json.NewEncoder(w).Encode(c.Explain(start.Add(2*time.Minute), q.URL.Query().Get("user")))
	}))
	defer s.Close()

	at := strings.TrimPrefix(s.URL, "http://")
	status, stdout, stderr := ask(t.Context(), "policy", "explain", `CORP\jdoe & more`, "--admin", at, "--component", "ews")
	const want = "jdoe & more@corp: policy P, generation 2013\nwhy: assigned to no policy, so to the default: P\nage: 2m0s; loaded again in 13m0s at the latest, in 3m0s if nobody uses it\nCOMPONENT  PART"
	if status != 0 || !strings.HasPrefix(stdout, want) || stderr != "by the agent at http://"+at+"\n" {
		t.Errorf("exit status %d\n%s%s", status, stdout, stderr)
	}

	status, stdout, _ = ask(t.Context(), "policy", "explain", "jdoe", "--admin", at, "--json")
	var x throttle.Explanation
	if err := json.Unmarshal([]byte(stdout), &x); status != 0 || err != nil || x.Age == nil || *x.Age != 120 || *x.Parts[0].Reload != 780 {
		t.Errorf("exit status %d, %v\n%s", status, err, stdout)
	}
}

// An agent that has nothing to say, or something odd, is no answer.
func TestExplainWithoutTheAgent(t *testing.T) {
	for _, answer := range []http.HandlerFunc{
		func(w http.ResponseWriter, q *http.Request) {
			http.Error(w, "no policy is in use", http.StatusNotFound)
		},
		func(w http.ResponseWriter, q *http.Request) { w.Write([]byte("<html>")) },
	} {
		s := httptest.NewServer(answer)
		status, stdout, stderr := ask(t.Context(), "policy", "explain", "jdoe", "--admin", strings.TrimPrefix(s.URL, "http://"))
		if status != 0 || !strings.HasPrefix(stdout, "jdoe: policy built-in fallback, generation 2013\n") || !strings.Contains(stderr, ", since the agent does not say (") {
			t.Errorf("exit status %d\n%s%s", status, stdout, stderr)
		}
		s.Close()
	}
}

// What an agent says moves no cursor.
func TestExplanationIsPlain(t *testing.T) {
	var b strings.Builder
	x := throttle.Explanation{User: "a\x1b[2J", Policy: "P\nQ", Why: "\t", Falls: []throttle.Fall{{Policy: "\r", Why: "\x00"}},
		Parts: []throttle.Explained{{Component: "\x1b", Value: "\n", Source: "\x07", Judged: true}}}
	if err := explanationText(x)(&b); err != nil || strings.ContainsAny(b.String(), "\x1b\x00\x07\r\t") || strings.Count(b.String(), "\n") != 6 {
		t.Errorf("got %q, %v", b.String(), err)
	}
}

func TestChangedPolicyIsSaid(t *testing.T) {
	age, rest := 61.0, 100.0
	got := agesText(throttle.Explanation{Loaded: true, Changed: true, Age: &age, Reload: &rest, Unused: &age})
	if got != "age: 1m1s; loaded again in 1m40s at the latest, in 1m1s if nobody uses it\nchanged: it says something else by now, which counts from then on\n" {
		t.Errorf("got %q", got)
	}
}

func TestAmounts(t *testing.T) {
	for _, tt := range []struct{ value, unit, want string }{
		{"27", "", "27"}, {"300000", "ms", "300000 ms (5m)"}, {"900000", "ms/hour", "900000 ms/hour (15m/hour)"}, {"500", "ms", "500 ms"},
		{"7200000", "ms", "7200000 ms (2h)"}, {"90", "% of a minute", "90 % of a minute"}, {"unlimited", "ms", "unlimited"}, {"unset", "ms", "unset (no limit)"}, {"true", "", "true"},
		{"60", "s", "60 s"}, {"", "ms", " ms"},
	} {
		if got := amount(tt.value, tt.unit); got != tt.want {
			t.Errorf("%s %s: got %q, want %q", tt.value, tt.unit, got, tt.want)
		}
	}
}
