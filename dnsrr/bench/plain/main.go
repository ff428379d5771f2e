// Command plain is a DNS server as most programs in Go have one: the library's
// server and a handler that builds a message. It is told its port.
package main

import (
	"log"
	"net"
	"os"

	"github.com/miekg/dns"
)

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: plain PORT")
	}
	addr := net.JoinHostPort("127.0.0.1", os.Args[1])
	dns.HandleFunc("mail.test.", answer)
	failed := make(chan error)
	for _, network := range []string{"udp", "tcp"} {
		s := dns.Server{Addr: addr, Net: network, MaxTCPQueries: -1} // by default it hangs up after 128
		go func() { failed <- s.ListenAndServe() }()
	}
	log.Fatal(<-failed)
}

func answer(w dns.ResponseWriter, q *dns.Msg) {
	m := new(dns.Msg)
	m.SetReply(q)
	m.Authoritative = true
	if q.Question[0].Qtype == dns.TypeA {
		for i := range 3 {
			m.Answer = append(m.Answer, &dns.A{
				Hdr: dns.RR_Header{Name: q.Question[0].Name, Rrtype: dns.TypeA, Class: dns.ClassINET, Ttl: 30},
				A:   net.IPv4(192, 0, 2, byte(i+1)),
			})
		}
	}
	if err := w.WriteMsg(m); err != nil {
		log.Print(err)
	}
}
