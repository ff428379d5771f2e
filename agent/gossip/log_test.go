package gossip

import (
	"log/slog"
	"strings"
	"testing"
	"time"

	"evenkeel/agent/gossip/fabric"
)

func TestLinesBecomeRecords(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{"[DEBUG] memberlist: Stream connection from=10.0.0.1:1\n", `level=DEBUG msg="Stream connection from=10.0.0.1:1"`},
		{"[INFO] memberlist: Suspect mx2 has failed, no acks received\n", `level=INFO msg="Suspect mx2 has failed, no acks received"`},
		{"[WARN] memberlist: handler queue full\n", `level=WARN msg="handler queue full"`},
		{"[ERR] memberlist: Conflicting address for mx1.\n", `level=DEBUG msg="Conflicting address for mx1."`},
		{"[ERR] memberlist: Decrypt packet failed: from=10.0.0.1:1\n", `level=ERROR msg="a peer's key differs from ours" memberlist="Decrypt packet failed: from=10.0.0.1:1"`},
		{"[ERROR] memberlist: Failed to compress\n", `level=ERROR msg="Failed to compress"`},
		{"Err: Could not set the deadline\n", `level=WARN msg="Err: Could not set the deadline"`},
		{"[", `level=WARN msg=[`},
	} {
		var out strings.Builder
		w := newLogWriter(slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: slog.LevelDebug})))
		if n, err := w.Write([]byte(c.line)); n != len(c.line) || err != nil {
			t.Errorf("wrote %d of %d, %v", n, len(c.line), err)
		}
		if _, got, _ := strings.Cut(strings.TrimSpace(out.String()), " "); got != c.want {
			t.Errorf("%q\n became %s\n want   %s", c.line, got, c.want)
		}
	}
}

// A peer with the wrong key complains several times a second; a log with one
// line a minute still says it.
func TestComplaintsAreNotRepeated(t *testing.T) {
	fabric.Bubble(t, func(t *testing.T) {
		log := &journal{}
		w := newLogWriter(log.logger())
		for range 300 {
			w.Write([]byte("[ERR] memberlist: Decrypt packet failed: from=10.0.0.1:1\n"))
			w.Write([]byte("[WARN] memberlist: handler queue full\n"))
			w.Write([]byte("[INFO] memberlist: Suspect mx2 has failed\n"))
			time.Sleep(time.Second)
		}
		for say, want := range map[string]int{"key differs": 5, "queue full": 5, "Suspect mx2": 300} {
			if got := len(log.having(say)); got != want {
				t.Errorf("%s: said %d times in 5 minutes, want %d", say, got, want)
			}
		}
	})
}
