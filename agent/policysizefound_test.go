package main

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// An account is listed once, under whichever of its names; those of two domains
// are two.
func TestSizeTopOnce(t *testing.T) {
	for _, names := range [][]string{{`CONTOSO\svc`, "svc@contoso.example"}, {"svc@contoso.example", `CONTOSO\svc`}} {
		var rows []string
		for i, name := range append(names, "svc@fabrikam.example", `FABRIKAM\svc`, `A\admin`, `B\admin`) {
			rows = append(rows, iisRow(fmt.Sprintf("08:00:%02d", i), "/EWS/Exchange.asmx", name, 100, 200))
		}
		_, text, _ := ask(t.Context(), "policy", "size", "--top", "9", oneIIS(t, rows...), "--json")
		var top struct{ Top []sizeTop }
		if err := json.Unmarshal([]byte(text), &top); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, a := range top.Top {
			got = append(got, fmt.Sprint(a.Account, " ", a.Requests))
		}
		want := []string{"admin@a 1", "admin@b 1", "svc@contoso.example 2", "svc@fabrikam.example 2"}
		if slices.Sort(got); !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// A name that stands for several accounts is not taken for one.
func TestTellApart(t *testing.T) {
	for _, tt := range []struct{ names, want string }{
		{"admin", ""},
		{"admin@a admin@b admin@c.example", "admin@a admin@b admin@c.example"},
		{"admin admin@contoso admin@contoso.example", "admin@contoso.example"},
		{"svc@contoso", "svc@contoso"},
		{"svc@contoso.example svc@fabrikam.example", "svc@contoso.example svc@fabrikam.example"},
	} {
		if got := strings.Join(tellApart(strings.Fields(tt.names)), " "); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.names, got, tt.want)
		}
	}
	d := oneIIS(t, iisRow("08:00:00", "/EWS/x", `A\admin`, 1, 200), iisRow("08:00:01", "/EWS/x", `B\admin`, 1, 200))
	if _, _, stderr := ask(t.Context(), "policy", "size", "admin", d); !strings.Contains(stderr, "it may be one of admin@a, admin@b") {
		t.Errorf("got %s", stderr)
	}
}

// What is kept is bounded, and who has more is told how to ask for less.
func TestSizeIsBounded(t *testing.T) {
	var rows []string
	for i := range 20 {
		rows = append(rows, iisRow(fmt.Sprintf("08:00:%02d", i), "/EWS/Exchange.asmx", `CONTOSO\svc`, 1, 200))
	}
	d := oneIIS(t, rows...)
	for most, want := range map[int]bool{19: true, 20: false} {
		s := newSizeReading(nil, "")
		s.account, s.most = "svc", most
		err := s.read(t.Context(), env{stderr: os.Stderr}, sizeFlags{}, []string{d}, s.taker)
		if text, _ := hint(err); err != nil != want || want && !strings.Contains(text, "--from and --to") {
			t.Errorf("of at most %d: %v, %s", most, err, text)
		}
		if s.kept > most {
			t.Errorf("%d are kept, and %d may be", s.kept, most)
		}
	}
}

// A better log makes room: what it tells again does not count twice.
func TestSizeBoundCountsOnce(t *testing.T) {
	s := newSizeReading(nil, "")
	s.most, s.stop = 2, func() {}
	for i := range 4 {
		row := sizeRow{source: frontIIS + sizeSource(i/2)*(backEWS-frontIIS)}
		row.use.Start = time.Duration(i) * time.Minute
		s.add(&row)
	}
	if s.full || s.kept != 2 {
		t.Errorf("full %v, %d kept; want the two of the better log", s.full, s.kept)
	}
}

// Why there is nothing to tell.
func TestSizeFindsNothing(t *testing.T) {
	d := oneIIS(t, iisRow("08:00:00", "/EWS/Exchange.asmx", `CONTOSO\sync`, 100, 200), iisRow("08:00:00", "/EWS/Exchange.asmx", `FABRIKAM\sync`, 100, 200))
	for _, tt := range []struct{ args, want string }{
		{"sync@fabrikam " + d + " --from 2026-03-03", "none of its 1 request in these logs began in the time"},
		{"sync@contoso " + d + " --component Eas", "counts in a budget of Eas"},
		{"snyc " + d, "did you mean sync?"},
		{"snyc@contoso " + d, "did you mean sync@contoso?"},
	} {
		if status, _, stderr := ask(t.Context(), append([]string{"policy", "size"}, strings.Fields(tt.args)...)...); status != 1 || !strings.Contains(stderr, tt.want) {
			t.Errorf("%s: status %d, %s; want %s", tt.args, status, stderr, tt.want)
		}
	}
}
