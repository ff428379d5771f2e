package queue

import (
	"reflect"
	"testing"
	"time"
)

// What several sources say is one Logs, in which a name stands once; a source
// without any takes nothing away.
func TestMerge(t *testing.T) {
	ago := func(m int) time.Time { return eight.Add(-time.Duration(m) * time.Minute) }
	a := &Logs{
		Files: []LogFiles{{Source: "iis"}}, Sessions: &Sessions{Log: "iis", N: 3}, Over: []Over{{"anna", ago(4)}, {"old", ago(9)}}, Probes: 1,
		Requests: []Requests{{"iis", "Mapi", "", false, 2}}, Legs: []Legs{{"iis", 1, 2}}, Throttled: []Throttled{{"ews", 1, time.Second, 3}},
		FrontEnds: []Passed{{"EX1", 2}, {"EX2", 1}}, BackEnds: []Passed{{"EX1", 2}},
		Pools: []Pool{{Name: "P", Refused: []Refused{{"QueueFull", 2}}, Full: ago(1), Off: ago(7), Seen: ago(6), Stalled: Count{1, ago(1)}}},
	}
	b := &Logs{
		Files: []LogFiles{{Source: "exchange_logs"}}, Sessions: &Sessions{Log: "httpproxy", N: 2}, Over: []Over{{"emil", ago(1)}, {"anna", ago(2)}}, Probes: 2,
		Requests: []Requests{{"iis", "Mapi", "", false, 3}, {"iis", "Mapi", "", true, 3}}, Legs: []Legs{{"iis", 1, 2}}, Throttled: []Throttled{{"ews", 1, time.Second, 3}},
		FrontEnds: []Passed{{"EX2", 4}, {"EX3", 5}}, BackEnds: []Passed{{"EX2", 2}},
		Pools: []Pool{{Name: "P", Refused: []Refused{{"AppOffline", 1}, {"QueueFull", 3}}, Full: ago(2), Off: ago(3), Seen: ago(2), Stalled: Count{2, ago(2)}}, {Name: "Q"}},
	}
	want := &Logs{
		Files: []LogFiles{{Source: "iis"}, {Source: "exchange_logs"}}, Sessions: b.Sessions, Over: []Over{{"emil", ago(1)}, {"anna", ago(2)}, {"old", ago(9)}}, Probes: 3,
		Requests: []Requests{{"iis", "Mapi", "", false, 5}, {"iis", "Mapi", "", true, 3}}, Legs: []Legs{{"iis", 2, 4}}, Throttled: []Throttled{{"ews", 2, 2 * time.Second, 6}},
		FrontEnds: []Passed{{"EX1", 2}, {"EX2", 5}, {"EX3", 5}}, BackEnds: []Passed{{"EX1", 2}, {"EX2", 2}},
		Pools: []Pool{{Name: "P", Refused: []Refused{{"QueueFull", 5}, {"AppOffline", 1}}, Full: ago(1), Off: ago(3), Seen: ago(2), Stalled: Count{3, ago(1)}}, {Name: "Q"}},
	}
	if got := a.merge(nil).merge(b).merge(nil); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if got := b.merge(a).Sessions; got != b.Sessions {
		t.Errorf("in the other order: %+v", got)
	}
	if a.FrontEnds[1].N != 1 || a.Pools[0].Refused[0].N != 2 {
		t.Errorf("what was returned has changed: %+v", a)
	}
}

// The users named are the latest of all sources.
func TestMergedUsersAreTheLatest(t *testing.T) {
	a, b := &Logs{}, &Logs{Over: []Over{{"newest", eight.Add(time.Minute)}}}
	for i := range mostOver {
		a.Over = append(a.Over, Over{string(rune('a' + i)), eight.Add(-time.Duration(i) * time.Second)})
	}
	got := users(a.merge(b))
	if len(got) != mostOver || got[0] != "newest" || got[mostOver-1] != "g" {
		t.Errorf("got %q", got)
	}
}
