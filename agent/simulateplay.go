package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"evenkeel/agent/report"
	"evenkeel/policy/balance/sim"
)

// A program is what is to be played: every rule with every seed.
type program struct {
	scenario sim.Scenario
	rules    []sim.Rule
	seeds    []uint64
	course   bool // keep the course of the first seed, for a page
}

// errInterrupted is of who did not wait for the end.
var errInterrupted = errors.New("interrupted, so nothing is told of what was played")

// shown plays p, and says how far it is where w is a terminal.
func (p program) shown(ctx context.Context, w io.Writer) (report.Simulation, error) {
	if _, ok := screenOf(w); !ok {
		return p.play(ctx, new(score))
	}
	sofar := &score{plays: int64(len(p.rules) * len(p.seeds))}
	ended := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() { follow(w, p.scenario.Name, sofar, ended) })
	s, err := p.play(ctx, sofar)
	close(ended)
	wg.Wait()
	return s, err
}

// play plays everything, as much at once as there are processors. What it
// returns does not depend on how many that are.
func (p program) play(ctx context.Context, sofar *score) (report.Simulation, error) {
	s := report.Simulation{Scenario: p.scenario, Seeds: p.seeds, Plays: make([]report.Play, len(p.rules))}
	g := new(errgroup.Group)
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i, rule := range p.rules {
		s.Plays[i] = report.Play{Rule: rule, Results: make([]sim.Result, len(p.seeds))}
		for k, seed := range p.seeds {
			g.Go(func() error {
				if ctx.Err() != nil {
					return errInterrupted // before it takes memory for its clients
				}
				r := sim.Play(p.scenario, rule, seed, sofar.watch(ctx))
				if p.course && k == 0 {
					s.Plays[i].Course = report.CourseOf(r)
				}
				r.Series = sim.Series{} // by far the most of it
				s.Plays[i].Results[k] = r
				return nil
			})
		}
	}
	if err := g.Wait(); err != nil || ctx.Err() != nil {
		return report.Simulation{}, errInterrupted
	}
	return s, nil
}

// A score is how far all plays have come together.
type score struct {
	plays int64        // to be played
	parts atomic.Int64 // played, in millionths of a play
}

const wholePlay = 1_000_000

// watch is how one play tells how far it is, and learns that it is no longer
// wanted.
func (s *score) watch(ctx context.Context) func(done float64) bool {
	told := int64(0)
	return func(done float64) bool {
		now := int64(done * wholePlay)
		s.parts.Add(now - told)
		told = now
		return ctx.Err() == nil
	}
}

// follow keeps a line about s on a terminal until ended is closed, and then
// leaves the line empty.
func follow(w io.Writer, scenario string, s *score, ended <-chan struct{}) {
	began := time.Now()
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-ended:
			io.WriteString(w, clearLine)
			return
		case <-tick.C:
			io.WriteString(w, clearLine+s.line(scenario, time.Since(began)))
		}
	}
}

// clearLine goes back to the start of the line and empties it (ECMA-48).
const clearLine = "\r\x1b[K"

// line says how far s is, and when it will be done at this pace.
func (s *score) line(scenario string, since time.Duration) string {
	done := float64(s.parts.Load()) / (wholePlay * float64(s.plays))
	line := fmt.Sprintf("%s: %.0f %% of %d plays", scenario, 100*done, s.plays)
	if done > 0.02 && done < 1 {
		left := time.Duration(float64(since) * (1 - done) / done)
		line += ", " + left.Round(time.Second).String() + " left"
	}
	return line
}
