package gate

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"evenkeel/policy/throttle"
)

// A sink is a ResponseWriter that keeps nothing, and is used again.
type sink struct{ h http.Header }

func (s sink) Header() http.Header         { return s.h }
func (s sink) Write(b []byte) (int, error) { return len(b), nil }
func (s sink) WriteHeader(int)             {}

// The handler alone: what is not net/http.
func BenchmarkHandler(b *testing.B) {
	for name, v := range map[string]throttle.Verdict{
		"verdict=allow": {Action: throttle.Allow, Would: throttle.Allow},
		"verdict=deny":  {Part: throttle.Concurrency, Limit: 27},
	} {
		b.Run(name, func(b *testing.B) {
			s := gateOf(judge{check: func(throttle.Caller, throttle.Ask) (throttle.Ticket, throttle.Verdict) { return 1, v }}, unmeasured, Options{Domains: contoso})
			q := httptest.NewRequest(http.MethodGet, "/v1/check", nil)
			q.Header.Set("X-Evenkeel-User", `CONTOSO\anna`)
			q.Header.Set("X-Original-Uri", "/EWS/Exchange.asmx")
			w := sink{http.Header{}}
			b.ReportAllocs()
			for b.Loop() {
				clear(w.h)
				s.ServeHTTP(w, q)
			}
		})
	}
}
