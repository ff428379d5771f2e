// Package report puts what commands found before their readers: people at a
// terminal, programs, and people with a browser, who get one file that needs
// nothing else, no network either. It is told everything; it reads no clock and
// opens nothing.
//
// Start with [Simulation]: Table, Lines and Page show the same plays.
// figures.go holds the columns, chart.go the panels of the page.
package report

import "evenkeel/policy/balance/sim"

// A Simulation is a scenario and what came of it under some rules. It has at
// least one play, and each of them has a result for every seed.
type Simulation struct {
	Scenario sim.Scenario
	Seeds    []uint64
	Plays    []Play // in the order in which they are shown
}

// A Play is a scenario played under one rule, once for each seed.
type Play struct {
	Rule    sim.Rule
	Results []sim.Result // by seed; their Series are not looked at
	Course  Course       // of the first seed; only [Simulation.Page] needs it
}
