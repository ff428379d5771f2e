package e2e

import (
	"math"
	"strings"
	"testing"

	"github.com/miekg/dns"
)

// questions are in the format of dnsperf; all of them have NOERROR.
const questions = `mail.test A
mail.test AAAA
mail.test MX
mail.test TXT
a.mail.test A
autodiscover.mail.test A
_imaps._tcp.mail.test SRV
x.deep.mail.test TXT
_tcp.mail.test A
`

// dnsperf loses nothing over UDP and TCP, with EDNS and without. Its rate is
// what two processors that play other stories too do not notice.
func dnsperfStory(t *testing.T, r *tree) {
	file := r.write(t, "questions", questions)
	for _, how := range []string{"-m udp", "-m udp -e -D", "-m tcp", "-m tcp -e -D"} {
		r.passes(t, check{
			command: "dnsperf -s 10.77.0.12 -d " + file + " -l 2 -Q 200 -c 8 -T 1 -q 50 -t 30 " + how,
			want:    []string{`Queries lost:\s+0 \(`, `Response codes:\s+NOERROR \d+ \(100\.00%\)`, `Queries completed:\s+[1-9]\d+ \(`},
		})
	}
}

// Like replies to a network that is not exempt are limited, and of the rest
// every second comes, cut; not by TCP, and not those to who shows a cookie. All
// are asked for at once: at 50 a second, it would take a machine that needs 15 s
// for a thousand questions to answer enough of them.
// Nobody else asks for this name over IPv6.
func limitStory(t *testing.T, r *tree) {
	file := r.write(t, "flood", strings.Repeat("x.deep.mail.test TXT\n", 1000))
	flood := "dnsperf -s fd77::12 -c 4 -T 1 -n 1 -q 1000 -d " + file
	none := []string{`Queries lost:\s+0 \(`, `Queries completed:\s+1000 \(`}
	r.passes(t, check{command: flood + " -t 2", want: []string{`Queries lost:\s+[1-9]\d\d \(`, `Queries completed:\s+[1-9]\d\d \(`}})
	r.passes(t, check{command: flood + " -t 30 -m tcp", want: none})
	r.passes(t, check{command: flood + " -t 30 -E 10:" + r.cookie(t, "fd77::12"), want: none})
}

const (
	lookupsCounted = 2000

	// answersOff is how many answers a node may ever have had too many or too few.
	// Each of three agents walks a golden sequence, of which no run up to this
	// length misses an arc of 1/4, where c alone is handed out, by more than 3.25
	// answers: c is off by two thirds of that at each, 6.5 in all, and the others by
	// half as much. The rest is for what a resolver asks twice when the machine is
	// busy. Independent choices leave this in more than eight of ten runs.
	answersOff = 10.0
)

// Through a resolver that validates and caches nothing, clients meet the shares,
// at every moment.
func sharesStory(t *testing.T, r *tree) {
	r.validatingUnbound(t, forgetfulAt, "cache-max-ttl: 0")
	r.answers(t, forgetfulAt, "test.")
	got := map[string]float64{}
	for i := range lookupsCounted {
		m, err := r.query(forgetfulAt, "mail.test.", dns.TypeA)
		if err != nil || m.AuthenticatedData != r.signed {
			t.Fatalf("want AD %t, found %v: %v", r.signed, m, err)
		}
		r.count(got, m)
		for _, n := range r.nodes {
			if want := float64(i+1) * n.fair(); math.Abs(got[n.id]-want) > answersOff {
				t.Fatalf("after %d answers %s has had %.1f, want %.1f ± %v", i+1, n.id, got[n.id], want, answersOff)
			}
		}
	}
	t.Logf("after %d answers: %.4v", lookupsCounted, got)
}

// count adds an answer's part for each node in it.
func (r *tree) count(got map[string]float64, m *dns.Msg) {
	var met []string
	for _, rr := range m.Answer {
		if a, ok := rr.(*dns.A); ok {
			met = append(met, r.idOf(a.A.String()))
		}
	}
	for _, id := range met {
		got[id] += 1 / float64(len(met))
	}
}
