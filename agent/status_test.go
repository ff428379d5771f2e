package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

var errAway = errors.New("nobody\nis there")

// flaky is an agent that is away in its third and fourth second.
func flaky(began time.Time) look {
	return func(context.Context) (string, error) {
		switch s := time.Since(began) / time.Second; s {
		case 2, 3:
			return "", errAway
		default:
			return fmt.Sprintf("look %d\n", s), nil
		}
	}
}

// watched is what a watch of the flaky agent shows until it is interrupted
// after five and a half seconds.
func watched(t *testing.T, watch func(context.Context, look) error) {
	t.Helper()
	ctx, interrupt := context.WithTimeout(t.Context(), 5500*time.Millisecond)
	defer interrupt()
	began := time.Now()
	if err := watch(ctx, flaky(began)); err != nil {
		t.Errorf("an interrupt is an error: %v", err)
	}
	if took := time.Since(began); took != 5500*time.Millisecond {
		t.Errorf("ended after %v", took)
	}
}

// Without a terminal there is a table a second, and while the agent is away
// why there is none, on one line.
func TestWatchElsewhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		watched(t, func(ctx context.Context, l look) error { return watchTable(ctx, &out, l) })
		if want := "look 0\n\nlook 1\n\nnobody is there\n\nnobody is there\n\nlook 4\n\nlook 5\n"; out.String() != want {
			t.Errorf("got %q, want %q", out.String(), want)
		}
	})
}

// A program that reads the lines reads nothing but statuses; people are told
// once what is the matter, and again when it is so again.
func TestWatchAsJSON(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out, err bytes.Buffer
		show := jsonLines(env{stdout: &out, stderr: &err})
		for range 2 {
			watched(t, func(ctx context.Context, l look) error { return everySecond(ctx, l, show) })
		}
		if want := strings.Repeat("look 0\nlook 1\nlook 4\nlook 5\n", 2); out.String() != want {
			t.Errorf("got %q, want %q", out.String(), want)
		}
		if want := strings.Repeat("warning: nobody is there\n", 2); err.String() != want {
			t.Errorf("said %q, want %q", err.String(), want)
		}
	})
}

// An agent that takes the question and never answers is away, too, and is
// asked again. It is not waited for when the watch is interrupted.
func TestWatchOfAnAgentThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, interrupt := context.WithTimeout(t.Context(), 5500*time.Millisecond)
		defer interrupt()
		hangs := func(ctx context.Context) (string, error) { <-ctx.Done(); return "", ctx.Err() }
		var when []time.Duration
		began := time.Now()
		err := everySecond(ctx, hangs, func(_ string, err error) error {
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("shown as %v", err)
			}
			when = append(when, time.Since(began))
			return nil
		})
		if want := []time.Duration{2 * time.Second, 4 * time.Second}; err != nil || !slices.Equal(when, want) {
			t.Errorf("%v; said at %v, want %v", err, when, want)
		}
		if took := time.Since(began); took != 5500*time.Millisecond {
			t.Errorf("ended after %v", took)
		}
	})
}

// Who cannot be shown anything is no reason to go on.
func TestWatchToNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gone := errors.New("nobody reads")
		err := everySecond(t.Context(), flaky(time.Now()), func(string, error) error { return gone })
		if !errors.Is(err, gone) {
			t.Errorf("got %v, want %v", err, gone)
		}
	})
}

func TestStatusForms(t *testing.T) {
	const body = "{\n  \"node\": \"ex01\",\n  \"nodes\": [{\"name\": \"ex01\"}],\n  \"later\": 1\n}\n"
	for _, c := range []struct {
		name string
		as   func([]byte) (string, error)
		want string
	}{
		{"verbatim", verbatim, body},
		{"a line keeps what this version does not know", jsonLine, `{"node":"ex01","nodes":[{"name":"ex01"}],"later":1}` + "\n"},
	} {
		if got, err := c.as([]byte(body)); err != nil || got != c.want {
			t.Errorf("%s: %q, %v; want %q", c.name, got, err, c.want)
		}
	}
	if got, err := table([]byte(body)); err != nil || !strings.Contains(got, "\nex01  ") {
		t.Errorf("table: %q, %v", got, err)
	}
	for _, as := range []func([]byte) (string, error){jsonLine, table} {
		if got, err := as([]byte("<html>")); err == nil {
			t.Errorf("a page of something else is shown as %q", got)
		}
	}
}
