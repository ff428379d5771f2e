// Package e2e holds tests alone: whole agents as processes, each in a network
// namespace of its own beside a real server with a real accept queue, asked by
// real resolvers and balancers. They need Linux, root, and the programs that
// TestFarm names (Debian: iproute2, nftables, nginx, haproxy, unbound); where
// one is missing they say so and are skipped, and with CI=true they fail.
//
// Start with TestFarm in e2e_linux_test.go, which lists the stories;
// farm_linux_test.go is the stage they are played on, and life, load and peers
// are the stories.
package e2e
