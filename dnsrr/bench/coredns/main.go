// Command coredns is CoreDNS with no more plugins than the bench asks of it, so
// that it builds in a minute or two.
package main

import (
	"github.com/coredns/coredns/core/dnsserver"
	"github.com/coredns/coredns/coremain"
	_ "github.com/coredns/coredns/plugin/bind"
	_ "github.com/coredns/coredns/plugin/file"
	_ "github.com/coredns/coredns/plugin/loadbalance"
)

func main() {
	dnsserver.Directives = []string{"bind", "loadbalance", "file"} // in the order of the original
	coremain.Run()
}
