package dashboard

import (
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"net/http"
	"time"
)

// An Order is the body of POST /api/v1/drain and /api/v1/resume.
type Order struct {
	Node string `json:"node"` // empty: the agent's own
	Over string `json:"over"` // a Go duration: how long the probe still says yes; empty: [DrainOver]
}

// DrainOver is how long the probe of a draining node says yes where nobody says
// otherwise: time for DNS answers to run out and for balancers that read weights.
const DrainOver = 5 * time.Minute

// Handler serves the local API: /api/v1/status, /api/v1/drain and resume,
// /api/v1/policy/explain and reload, /healthz, the table at /, and metrics at /metrics. now returns the status of
// the newest beat, and whether there was one yet; ask passes an order on. An
// order that a browser sends for a page of another origin is refused with 403
// (Sec-Fetch-Site, else Origin), whatever the browser knows of passwords.
func Handler(now func() (Status, bool), ask func(node string, resume bool, over time.Duration) error, policies Policies, metrics http.Handler) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /api/v1/drain", order(false, ask))
	mux.HandleFunc("POST /api/v1/resume", order(true, ask))
	mux.HandleFunc("GET /api/v1/policy/explain", policies.explain)
	mux.HandleFunc("POST /api/v1/policy/reload", policies.reload)
	mux.Handle("GET /metrics", metrics)
	mux.HandleFunc("GET /healthz", known(now, func(w http.ResponseWriter, _ Status) {
		w.Write([]byte("ok\n"))
	}))
	mux.HandleFunc("GET /api/v1/status", known(now, func(w http.ResponseWriter, s Status) {
		w.Header().Set("Content-Type", "application/json")
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		e.Encode(s)
	}))
	mux.HandleFunc("GET /{$}", known(now, func(w http.ResponseWriter, s Status) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		s.Table(w)
	}))
	return new(http.CrossOriginProtection).Handler(mux)
}

// known answers with show once there is a status, and says that the agent is
// starting before.
func known(now func() (Status, bool), show func(http.ResponseWriter, Status)) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		s, ok := now()
		if !ok {
			http.Error(w, "starting", http.StatusServiceUnavailable)
			return
		}
		show(w, s)
	}
}

// calledJSON refuses what is not called JSON, which a form of a foreign page in
// the operator's browser cannot be, not even in one so old that it does not say
// where a request comes from.
func calledJSON(w http.ResponseWriter, q *http.Request) bool {
	kind, _, _ := mime.ParseMediaType(q.Header.Get("Content-Type"))
	if kind != "application/json" {
		http.Error(w, "Content-Type must be application/json", http.StatusUnsupportedMediaType)
	}
	return kind == "application/json"
}

// order reads an Order and passes it on.
func order(resume bool, ask func(node string, resume bool, over time.Duration) error) http.HandlerFunc {
	return func(w http.ResponseWriter, q *http.Request) {
		if !calledJSON(w, q) {
			return
		}
		o, over, err := readOrder(io.LimitReader(q.Body, 4096))
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		if err := ask(o.Node, resume, over); err != nil {
			http.Error(w, err.Error(), http.StatusNotFound)
			return
		}
		w.WriteHeader(http.StatusAccepted)
	}
}

func readOrder(r io.Reader) (o Order, over time.Duration, err error) {
	d := json.NewDecoder(r)
	d.DisallowUnknownFields()
	if err := d.Decode(&o); err != nil {
		return o, 0, fmt.Errorf("want {\"node\":\"\",\"over\":\"10m\"}: %w", err)
	}
	if o.Over == "" {
		return o, DrainOver, nil
	}
	over, err = time.ParseDuration(o.Over)
	if err != nil || over < 0 || over > 24*time.Hour {
		return o, 0, fmt.Errorf("over: want a duration from 0s to 24h, such as 10m, got %q", o.Over)
	}
	return o, over, nil
}
