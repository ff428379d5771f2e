// Package e2e holds tests alone: whole agents as processes, each in a network
// namespace of its own beside a real server with a real accept queue, asked by
// real resolvers and balancers. They need Linux, root, and the programs that
// TestFarm names, of the Debian packages in PEERS of the Makefile; where one is
// missing they say so and are skipped, and with CI=true they fail.
//
// Start with TestFarm in e2e_linux_test.go, which lists the stories;
// farm_linux_test.go is the stage they are played on; life, load, peers,
// families, guard, rounds, operator, gate and wrong are the stories. Those of operator
// leave in the log of the test (-v) what an operator typed and was answered.
// The files of dns are one story, played on a zone that is signed and on one that
// is not, below a root of its own: resolvers, secondaries and inspectors of the
// zone that others wrote. TestPage and its like, which stand alone, look at the
// page of a diagnosis in a browser.
//
// EVENKEEL_SOAK=100 has the story of the rounds play so many of them, which
// takes three seconds each:
//
//	EVENKEEL_SOAK=100 go test -v -run TestFarm/rounds ./agent/e2e
package e2e
