package config

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"evenkeel/policy/balance/sim"
)

// keys is the language of a scenario file, bound to the values it sets in s.
func (s *script) keys() language {
	c, at := &s.Clients, duration(0, longest)
	return language{
		{"name", one(&s.Name, text(100))},
		{"about", one(&s.About, optional(text(1000)))},
		{"for", one(&s.For, duration(time.Minute, longest))},
		{"from", one(&s.From, at)},
		{"nodes", blocks(&s.groups, group{Node: sim.Node{Limit: 4000, Queue: 1000}}, (*group).keys)},
		{"clients.n", one(&c.N, whole(1, sim.MaxClients))},
		{"clients.come", one(&c.Come, at)},
		{"clients.storm", one(&c.Storm, at)},
		{"clients.go", one(&c.Go, at)},
		{"clients.leave", one(&c.Leave, at)},
		{"clients.session", one(&c.Session, duration(time.Second, longest))},
		{"clients.pause", one(&c.Pause, at)},
		{"clients.rate", one(&c.Rate, number(0, 1000))},
		{"clients.legs", one(&c.Legs, whole(0, 100))},
		{"clients.again", one(&c.Again, duration(100*time.Millisecond, time.Hour))},
		{"clients.pin", one(&c.Pin, number(0, 1))},
		{"clients.pin_for", one(&c.PinFor, at)},
		{"clients.sort", one(&c.Sort, number(0, 1))},
		{"resolvers", blocks(&s.crowds, crowd{sim.Resolver{Share: 1}, 1}, (*crowd).keys)},
		{"ttl.min", one(&s.TTL.Min, seconds(time.Second, time.Hour))},
		{"ttl.max", one(&s.TTL.Max, seconds(time.Second, time.Hour))},
		{"answers", one(&s.Answers, or("auto", whole(1, 8)))},
		{"agents", one(&s.Agents, or("all", whole(1, sim.MaxNodes)))},
		{"gossip.delay", one(&s.Gossip.Delay, duration(0, time.Minute))},
		{"gossip.loss", one(&s.Gossip.Loss, number(0, 1))},
		{"rules.degrade", one(&s.Rules.Degrade, share())},
		{"rules.recover", one(&s.Rules.Recover, share())},
		{"rules.fail", one(&s.Rules.Fail, share())},
		{"rules.hold", one(&s.Rules.Hold, duration(0, time.Hour))},
		{"rules.ramp", one(&s.Rules.Ramp, duration(0, 24*time.Hour))},
		{"rules.min_in_service", one(&s.Rules.MinInService, or("auto", whole(1, sim.MaxNodes)))},
		{"balancer.kind", one(&s.Balancer.Kind, optional(among(sim.Kinds())))},
		{"balancer.persist", one(&s.Balancer.Persist, at)},
		{"balancer.skew.node", one(&s.Balancer.Skew.Node, label())},
		{"balancer.skew.share", one(&s.Balancer.Skew.Share, number(0, 1))},
		{"events", blocks(&s.Events, sim.Event{}, eventKeys)},
	}
}

// keys is the language of one item of nodes.
func (g *group) keys() language {
	at := duration(0, longest)
	return language{
		{"name", one(&g.Name, label())},
		{"count", one(&g.count, whole(1, sim.MaxNodes))},
		{"limit", one(&g.Limit, whole(1, 10_000_000))},
		{"service", one(&g.Service, number(1, 10_000_000))},
		{"queue", one(&g.Queue, whole(1, 1_000_000))},
		{"stall.at", one(&g.Stall.At, whole(0, 10_000_000))},
		{"stall.for", one(&g.Stall.For, at)},
		{"stall.every", one(&g.Stall.Every, at)},
		{"stall.rate", one(&g.Stall.Rate, number(0, 1))},
		{"warm", one(&g.Warm, at)},
	}
}

// keys is the language of one item of resolvers.
func (c *crowd) keys() language {
	bound := duration(0, longest)
	return language{
		{"count", one(&c.count, whole(1, sim.MaxResolvers))},
		{"share", one(&c.Share, number(0.000001, 1_000_000))},
		{"least", one(&c.Least, bound)},
		{"most", one(&c.Most, bound)},
		{"fixed", one(&c.Fixed, yesNo())},
	}
}

// eventKeys is the language of one item of events.
func eventKeys(e *sim.Event) language {
	at := duration(0, longest)
	return language{
		{"at", one(&e.At, at)},
		{"do", one(&e.Do, among(sim.Acts()))},
		{"nodes", many(&e.Nodes, label())},
		{"for", one(&e.For, at)},
	}
}

// blocks sets dst from a list, each item of which starts as fresh and speaks a
// language of its own.
func blocks[T any](dst *[]T, fresh T, of func(*T) language) func(*reader, value) {
	return func(r *reader, v value) {
		if !r.sound(v.key) {
			return // parse has said why
		}
		if v.kind != list {
			r.spoil(v.place, fmt.Sprintf("want a list, got %s", v), "write "+of(new(T))[0].example())
			return
		}
		r.given[v.key] = v.place
		*dst = nil // for [], as it is by default
		if len(v.items) > 0 {
			*dst = make([]T, len(v.items))
		}
		for i, item := range v.items {
			r.items[v.key] = append(r.items[v.key], item.place)
			(*dst)[i] = fresh
			r.walk(of(&(*dst)[i]), "", item, map[string]place{})
			r.spoilt[item.key] = item.kind != block // and walk has said so
		}
	}
}

// example is how an item that begins with a key is written.
func (r row) example() string { return "- {" + r.path + ": ...}" }

// among is one of some words.
func among[T ~string](known []T) form[T] {
	names := make([]string, len(known))
	for i, k := range known {
		names[i] = string(k)
	}
	return form[T]{"one of " + strings.Join(names, ", "), func(s string) (T, error) {
		for _, n := range names {
			if s == n {
				return T(s), nil
			}
		}
		if near, ok := closest(s, names); ok {
			return "", hint("did you mean " + near + "?")
		}
		return "", noHint
	}}
}

// number is a finite number.
func number(low, high float64) form[float64] {
	decimal := func(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }
	return form[float64]{fmt.Sprintf("a number from %s to %s", decimal(low), decimal(high)), func(s string) (float64, error) {
		f, err := strconv.ParseFloat(s, 64)
		if err != nil || math.IsNaN(f) || f < low || f > high {
			return 0, noHint
		}
		return f, nil
	}}
}

// yesNo is a truth in YAML's own two words.
func yesNo() form[bool] {
	return form[bool]{"true or false", func(s string) (bool, error) {
		if s != "true" && s != "false" {
			return false, noHint
		}
		return s == "true", nil
	}}
}

// text is a line for people.
func text(most int) form[string] {
	return form[string]{fmt.Sprintf("a text of one line, at most %d bytes", most), printable(most)}
}
