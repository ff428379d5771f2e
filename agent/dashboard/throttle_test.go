package dashboard

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// judged is a gate with somebody in each plight.
func judged() *Throttle {
	limit := func(n int64) *int64 { return &n }
	return &Throttle{
		Shadow: true, Budgets: 1204, OverBudget: 2, Waiting: 7,
		Top: []Spender{
			{User: "anna@contoso.example", Component: "Ews", Part: "MaxConcurrency", Used: 27, Limit: limit(27), Action: "deny"},
			{User: "bert@contoso.example", Component: "Owa", Part: "MaxConcurrency", Used: 2, Limit: limit(20), Action: "allow"},
			{User: "carl@contoso.example", Component: "Imap", Part: "MaxConcurrency", Used: 2000, Action: "allow"},
			{User: "dora@contoso.example", Component: "Ews", Part: "LocalTime", Used: 290000, Limit: limit(300000), Action: "allow"},
		},
		Throttled: []Spender{
			{User: "anna@contoso.example", Component: "Ews", Part: "MaxConcurrency", Used: 27, Limit: limit(27), Action: "deny"},
			{User: "emil@contoso.example\x1b[2J", Component: "Ews", Part: "LocalTime", Used: 3300000, Limit: limit(300000), Action: "deny", ForSeconds: 299.96},
		},
	}
}

// Policies are explained and read again over HTTP; without a gate there is
// nothing to explain.
func TestPolicies(t *testing.T) {
	again := 0
	with := Policies{
		Explain: func(user string) (any, error) {
			if user == "" {
				return nil, errors.New("user: want a name")
			}
			return map[string]string{"user": user}, nil
		},
		Reload: func() { again++ },
	}
	for _, c := range []struct {
		promise      string
		p            Policies
		target, kind string
		status       int
		body         string // how it begins
	}{
		{"explained", with, "GET /api/v1/policy/explain?user=CONTOSO%5Canna", "", 200, "{\n  \"user\": \"CONTOSO\\\\anna\"\n}"},
		{"nobody", with, "GET /api/v1/policy/explain", "", 400, "user: want a name"},
		{"without a gate", Policies{}, "GET /api/v1/policy/explain?user=anna", "", 404, "no policy is in use here"},
		{"read again", with, "POST /api/v1/policy/reload", "application/json", 202, ""},
		{"by a form of a foreign page", with, "POST /api/v1/policy/reload", "text/plain", 415, "Content-Type must be"},
		{"without a gate", Policies{}, "POST /api/v1/policy/reload", "application/json", 404, "no policy is in use here"},
		{"to look is not to change", with, "GET /api/v1/policy/reload", "", 405, ""},
	} {
		method, path, _ := strings.Cut(c.target, " ")
		q := httptest.NewRequestWithContext(t.Context(), method, path, nil)
		q.Header.Set("Content-Type", c.kind)
		w := httptest.NewRecorder()
		Handler(func() (Status, bool) { return Status{}, false }, nobody, c.p, http.NotFoundHandler()).ServeHTTP(w, q)
		if w.Code != c.status || !strings.HasPrefix(w.Body.String(), c.body) {
			t.Errorf("%s: %s: %d %q, want %d %q", c.promise, c.target, w.Code, w.Body, c.status, c.body)
		}
	}
	if again != 1 {
		t.Errorf("read again %d times, want once", again)
	}
}
