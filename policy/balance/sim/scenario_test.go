package sim

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"evenkeel/policy/balance"
)

// law is the default configuration's.
var law = balance.Rules{Degrade: 0.7, Recover: 0.55, Fail: 0.9, Hold: 3 * time.Minute, Ramp: 5 * time.Minute}

// morning is a farm of four unlike nodes, which 8,000 clients fill to two
// thirds within an hour; when the largest is lost, the others are full.
func morning(ttl time.Duration, events ...Event) Scenario {
	s := Scenario{Name: "morning", For: 150 * time.Minute, From: 20 * time.Minute, Rules: law, Events: events,
		TTL:    TTL{min(ttl, 5*time.Second), ttl},
		Gossip: Gossip{Delay: 500 * time.Millisecond},
		Clients: Clients{N: 8000, Storm: time.Hour, Session: 2 * time.Hour, Pause: 10 * time.Second,
			Rate: 0.1, Legs: 3, Again: 10 * time.Second},
		Resolvers: []Resolver{{Share: 0.4}, {Share: 0.25}, {Share: 0.15}, {Share: 0.1}, {Share: 0.07}, {Share: 0.03}},
	}
	for i, limit := range []int{4000, 4000, 8000, 8000} {
		s.Nodes = append(s.Nodes, Node{Name: fmt.Sprint("ex", i+1), Limit: limit, Service: float64(limit) / 4, Queue: 1000})
	}
	return s
}

// incident is the story that this program was written for: two nodes behind a
// balancer whose table remembers nearly all clients at one of them, and nodes
// that stall at 4,000 connections.
func incident(kind string) Scenario {
	s := Scenario{Name: "incident", For: 90 * time.Minute, Rules: law,
		TTL:    TTL{5 * time.Second, 30 * time.Second},
		Gossip: Gossip{Delay: 500 * time.Millisecond},
		Clients: Clients{N: 2150, Come: 5 * time.Minute, Storm: time.Hour, Session: 2 * time.Hour, Pause: 10 * time.Second,
			Rate: 0.2, Legs: 3, Again: 10 * time.Second},
		Resolvers: []Resolver{{Share: 3}, {Share: 2}, {Share: 1}},
		Balancer:  Balancer{Kind: kind, Persist: 12 * time.Hour, Skew: Skew{"ex02", 0.97}},
	}
	for _, name := range []string{"ex01", "ex02"} {
		s.Nodes = append(s.Nodes, Node{Name: name, Limit: 4000, Service: 900, Queue: 1000,
			Stall: Stall{At: 4000, For: 20 * time.Second, Every: time.Minute, Rate: 0.02}})
	}
	return s
}

func TestCheck(t *testing.T) {
	for _, s := range []Scenario{morning(time.Minute), incident("f5"), workingDay(100, 64)} {
		if err := s.Check(); err != nil {
			t.Errorf("%s: %v", s.Name, err)
		}
	}
	for want, spoil := range map[string]func(*Scenario){
		"want 0 <= from < for <= 744h":   func(s *Scenario) { s.From = s.For },
		"for 8760h0m0s":                  func(s *Scenario) { s.For = 365 * 24 * time.Hour },
		"gossip: want a delay":           func(s *Scenario) { s.Gossip.Loss = math.NaN() },
		"and leaves 0..1 of the service": func(s *Scenario) { s.Nodes[0].Stall.Rate = 2 },
		"pin and sort are shares":        func(s *Scenario) { s.Clients.Sort = -1 },
		"nodes: 0 are not":               func(s *Scenario) { s.Nodes = nil },
		"listed twice":                   func(s *Scenario) { s.Nodes[1].Name = "ex1" },
		`"ex1": limit, service and`:      func(s *Scenario) { s.Nodes[0].Limit = 0 },
		`"ex2": a stall lasts`:           func(s *Scenario) { s.Nodes[1].Stall = Stall{At: 10, For: time.Minute, Every: time.Second} },
		"clients: want 1..":              func(s *Scenario) { s.Clients.N = 0 },
		"clients: no time":               func(s *Scenario) { s.Clients.Come = -time.Second },
		"resolvers: 0 are not":           func(s *Scenario) { s.Resolvers = nil },
		"not below zero, and not":        func(s *Scenario) { s.Resolvers[5].Share = -1 },
		"and not all zero":               func(s *Scenario) { s.Resolvers = make([]Resolver, 3) },
		"0 < min <= max":                 func(s *Scenario) { s.TTL.Min = time.Hour },
		`balancer: no node "ex9"`:        func(s *Scenario) { s.Balancer.Skew.Node = "ex9" },
		`no kind "abacus"`:               func(s *Scenario) { s.Balancer.Kind = "abacus" },
		`nothing called "rain"`:          func(s *Scenario) { s.Events = []Event{{Do: "rain"}} },
		`event at 1s: no node "ex9"`:     func(s *Scenario) { s.Events = []Event{{At: time.Second, Do: Crash, Nodes: []string{"ex9"}}} },
	} {
		s := morning(time.Minute)
		spoil(&s)
		if err := s.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
