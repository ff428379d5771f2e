package farmlog

import (
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"time"
)

// How many seconds ahead something can be laid down.
const (
	horizon  = 1024 // an answer
	farthest = 8192 // what somebody will do
)

// A farm is played from second to second.
type farm struct {
	story  Story
	scale  float64
	detail float64
	begins time.Time
	create func(string) (io.WriteCloser, error)
	rng    *rand.Rand // of what happens
	err    error      // the first of the files

	now    int64  // seconds since the story begins
	clock  string // "2026-03-02 08:01:12"
	stamp  string // "2026-03-02T08:01:12."
	serial uint64 // of GUIDs

	nodes  []*node
	people []person
	idle   []int32 // people who are off, the longest first
	online int     // people who work
	turn   int     // of the balancer, when it takes turns

	acts   [farthest][]act    // what people do, by second
	ends   [horizon][]request // what is answered, by second
	script map[int64][]func() // what the story wants, by second
	each   []func()           // what the story watches, every second

	logs  []*log
	truth *tally
	think float64 // seconds between two of a session's Executes
}

// A node is a front end and a mailbox server.
type node struct {
	name, host, addr string
	base             string // the GUID of its database
	index            int

	pool     pool  // of MAPI's front end
	attached int   // sessions it has
	auth     int64 // milliseconds that one leg of logging on takes
	slow     int64 // milliseconds that its mailboxes need in addition

	up      bool // in the eyes of the balancer
	failed  int  // probes, one after the other
	probeAt int64
	ill     bool              // its health check answers 503, whatever the pool does
	off     [protocols]string // why HTTP.sys refuses all requests of a protocol; "": it does not

	http, front, back, mapi, ews *log
	proxy                        [protocols]*log
}

// A protocol is what a client speaks.
type protocol uint8

const (
	pMapi protocol = iota
	pEws
	pEas
	pOwa
	pAuto
	protocols
)

func (p protocol) folder() string {
	return [...]string{"Mapi", "Ews", "Eas", "Owa", "Autodiscover"}[p]
}

// pool names the application pool of a front end.
func (p protocol) pool() string {
	return [...]string{"MSExchangeMapiFrontEndAppPool", "MSExchangeServicesAppPool", "MSExchangeSyncAppPool", "MSExchangeOWAAppPool", "MSExchangeAutodiscoverAppPool"}[p]
}

func newFarm(s Story, o Options, scale, detail float64, create func(string) (io.WriteCloser, error)) *farm {
	f := &farm{
		story: s, scale: scale, detail: detail, begins: o.Start, create: create,
		rng:    rand.New(rand.NewPCG(o.Seed, mix(o.Seed))),
		serial: mix(o.Seed ^ 0x5eed), script: map[int64][]func(){},
		truth: newTally(s), think: 600 / detail,
	}
	for i, name := range s.Nodes {
		f.nodes = append(f.nodes, f.newNode(i, name))
	}
	f.hire(int(f.peak()*1.15) + 4)
	f.night()
	if s.play != nil {
		s.play(f)
	}
	return f
}

func (f *farm) newNode(i int, name string) *node {
	n := &node{name: name, host: name + ".contoso.example", addr: "10.1.0." + string(rune('1'+i)) + "1", base: guid(uint64(i) + 31), index: i, up: true, auth: 3}
	n.pool = pool{limit: max(10, int(1000*f.scale)), rate: math.Inf(1)}
	n.http, n.front, n.back = f.httpErr(name), f.iis(name, "W3SVC1"), f.iis(name, "W3SVC2")
	for p := range protocols {
		n.proxy[p] = f.exchange(name, "HttpProxy/"+p.folder(), "HttpProxy", "HttpProxy", fieldsHTTPProxy)
	}
	n.mapi = f.exchange(name, "MapiHttp/Mailbox", "MapiHttp", "MapiHttp", fieldsMapiHTTP)
	fields := fieldsEws2016
	if f.story.old {
		fields = fieldsEws2013
	}
	n.ews = f.exchange(name, "Ews", "Ews", "Ews", fields)
	return n
}

// peak is how many sessions there are in the busiest hour.
func (f *farm) peak() float64 { return math.Max(8, float64(f.story.Sessions)*f.scale) }

func (f *farm) time(second int64) time.Time { return f.begins.Add(time.Duration(second) * time.Second) }

// at lays down what is to be done at a time of the story.
func (f *farm) at(when time.Duration, do func()) {
	s := int64(when / time.Second)
	f.script[s] = append(f.script[s], do)
}

// event notes something for the truth, in seconds from the start.
func (f *farm) event(node, what string, from, to int64) {
	f.truth.Events = append(f.truth.Events, Span{node, what, f.time(from), f.time(to)})
}

// run plays the story to its end.
func (f *farm) run() error {
	for f.now = range int64(f.story.Length / time.Second) {
		now := f.time(f.now)
		f.clock, f.stamp = now.Format(time.DateTime), now.Format("2006-01-02T15:04:05.")
		f.second()
		if f.err != nil {
			return f.err
		}
	}
	return nil
}

// second plays one second: first what is decided, then what is asked, then what
// is answered.
func (f *farm) second() {
	for _, do := range f.script[f.now] {
		do()
	}
	delete(f.script, f.now)
	for _, do := range f.each {
		do()
	}
	f.balance()
	f.population()
	for _, n := range f.nodes {
		f.serve(n)
	}
	f.actions()
	f.everyday()
	f.answers()
}

func (f *farm) actions() {
	slot := &f.acts[f.now%farthest]
	for i := 0; i < len(*slot); i++ { // it may grow
		f.act((*slot)[i])
	}
	*slot = (*slot)[:0]
}

func (f *farm) answers() {
	slot := &f.ends[f.now%horizon]
	slices.SortFunc(*slot, func(a, b request) int { return int(a.end - b.end) })
	for i := range *slot {
		f.answer(&(*slot)[i])
	}
	*slot = (*slot)[:0]
}

// answerAt lays down when a request is answered; not later than the horizon allows.
func (f *farm) answerAt(r request) {
	r.end = min(r.end, (f.now+horizon-1)*1000)
	slot := &f.ends[r.end/1000%horizon]
	*slot = append(*slot, r)
}

// within is a moment of this second, in milliseconds from the start.
func (f *farm) within() int64 { return f.now*1000 + f.rng.Int64N(1000) }

// about is a number of about mean, seldom much larger.
func (f *farm) about(mean float64) int64 {
	return int64(mean * (0.3 + 0.7*f.rng.ExpFloat64()))
}

// draw says how many of what happens rate times a second happen in this one.
func (f *farm) draw(rate float64) int { return int(rate + f.rng.Float64()) }

func (f *farm) id() uint64 {
	f.serial++
	return f.serial
}
