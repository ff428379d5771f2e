package balance

import (
	"fmt"
	"testing"
	"time"
)

func BenchmarkDecide(b *testing.B) {
	for _, n := range []int{3, 64, 1000} {
		b.Run(fmt.Sprintf("nodes=%d", n), func(b *testing.B) {
			obs := Observation{Now: epoch, Name: "mx", Own: queueOf(10)}
			for i := range n - 1 {
				obs.Nodes = append(obs.Nodes, Node{Name: fmt.Sprintf("mx%04d", i), Member: true, Born: epoch, Fact: Fact{
					Beat: 1, Status: Up, Connections: i, Limit: 4000, Queue: 10, QueueLimit: 1000, Up: time.Hour, Steady: time.Hour,
				}})
			}
			var s State
			b.ReportAllocs()
			for b.Loop() {
				obs.Beat++
				s, _ = Decide(rules(), s, obs)
			}
		})
	}
}

// Every fourth beat of a farm in which all can be told enters who came.
func BenchmarkAstray(b *testing.B) {
	for _, n := range []int{3, 64, 1000} {
		b.Run(fmt.Sprintf("nodes=%d", n), func(b *testing.B) {
			shares := make([]float64, n)
			for i := range shares {
				shares[i] = 1 / float64(n)
			}
			s := newStreet(shares...)
			b.ReportAllocs()
			for b.Loop() {
				for i := range s.plan.Nodes {
					s.plan.Nodes[i].Arrived++
				}
				s.now = s.now.Add(look)
				s.books = s.books.see(s.rules, s.now, s.plan)
			}
			if !s.books.found.Known {
				b.Log("too short to close all pages")
			}
		})
	}
}

func BenchmarkLearner(b *testing.B) {
	m := Measure{Connections: 3000, Queues: []Queue{{Limit: 1000}}}
	b.Run("beat", func(b *testing.B) {
		l := Learner{}.workday(5000, 4000)
		b.ReportAllocs()
		for b.Loop() {
			l = l.See(time.Second/2, m, Up)
		}
	})
	b.Run("look", func(b *testing.B) {
		l := Learner{}.workday(5000, 4000).workday(5000, 4000)
		b.ReportAllocs()
		for b.Loop() {
			l.look()
		}
	})
}
