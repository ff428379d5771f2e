package farmlog

import (
	"strconv"
	"strings"
)

// A person has a mailbox, and a session while Outlook runs.
type person struct {
	user  string // "CONTOSO\anna.berg17"
	mail  string // "anna.berg17@contoso.example"
	box   string // the GUID of the mailbox
	query string // "MailboxId=…", as URLs have it
	ip    string
	agent string // the Outlook build
	home  *node  // where the mailbox is
	far   bool   // behind the story's device

	state   state
	on      int    // the front end that has the session, or was asked for it
	held    bool   // the front end has the session
	gen     uint32 // grows when the session's connections end: older answers are void
	starts  uint32 // how often Outlook was started
	opened  uint32 // contexts that were opened
	waits   bool   // a NotificationWait is pending
	waiting int64  // since when, in milliseconds
	leaves  int64  // the second in which Outlook is closed
	seq     int64  // requests of the session

	seen   [4]int32 // the last window in which a node had a row of the session, by node
	seenAt int32    // and any node
}

type state uint8

const (
	off state = iota
	works
	leaving
)

const (
	firstNames = "anna ben clara david emma felix greta hugo ida jonas karla leo mia nils olga paul rosa sam tina uwe vera willi yara zoe"
	lastNames  = "berg crane dorn ellis frost gray holm iver jung kern lang moor nash otto pike quinn roth stein thorn ulm vogt west york zell"
	builds     = "16.0.10411 16.0.14334 16.0.16731 16.0.17932"
)

// hire makes n people, of whom none works yet.
func (f *farm) hire(n int) {
	first, last, build := strings.Fields(firstNames), strings.Fields(lastNames), strings.Fields(builds)
	f.people = make([]person, n)
	for i := range f.people {
		name := first[i%len(first)] + "." + last[i/len(first)%len(last)] + strconv.Itoa(i)
		p := &f.people[i]
		*p = person{
			user: `CONTOSO\` + name, mail: name + "@contoso.example", box: guid(uint64(i) << 20),
			agent: "Microsoft Office/16.0 (Windows NT 10.0; Microsoft Outlook " + build[i%len(build)] + "; Pro)",
			home:  f.nodes[i/2%len(f.nodes)], far: i%5 == 0, seenAt: -1, seen: [4]int32{-1, -1, -1, -1},
		}
		net := "10.2" + strconv.Itoa(i%4) + "."
		if p.far {
			net = "10.30."
		}
		p.ip = net + strconv.Itoa(i/200%250) + "." + strconv.Itoa(10+i%200)
		p.query = "MailboxId=" + p.box + "@contoso.example"
		f.idle = append(f.idle, int32(i))
	}
}

// wanted is how many people work at this time of the day.
func (f *farm) wanted() int { return int(f.peak()*f.day() + 0.5) }

// day is their share of those in the busiest hour.
func (f *farm) day() float64 {
	day := [...]float64{.08, .08, .08, .08, .08, .09, .12, .2, .62, .93, 1, 1, .985, .98, 1, 1, .97, .78, .4, .25, .16, .12, .1, .09, .08}
	hour, part := f.now/3600%24, float64(f.now%3600)/3600
	return day[hour] + part*(day[hour+1]-day[hour])
}

// population lets people come and go, not too many at once.
func (f *farm) population() {
	want, step := f.wanted(), int(f.peak()/600)+1
	for range min(step, want-f.online, len(f.idle)) {
		who := f.idle[0]
		f.idle = f.idle[1:]
		f.come(who)
	}
	for i := 0; i < step && f.online > want; i++ {
		if p := f.anyone(); p != nil {
			f.leave(p)
		}
	}
}

// come starts a person's Outlook.
func (f *farm) come(who int32) {
	p := &f.people[who]
	p.state, p.gen, p.opened, p.seq = works, p.gen+1, 0, 0
	p.starts++
	p.leaves = f.now + 1800 + int64(9000*f.rng.ExpFloat64())
	p.seen, p.seenAt = [4]int32{-1, -1, -1, -1}, -1 // a new session
	f.online++
	f.actIn(1, who, opOpen)
}

// leave marks a person, who goes when a request is answered.
func (f *farm) leave(p *person) {
	if p.state == works {
		p.state = leaving
		f.online--
	}
}

// gone takes a person out; the person may come back after all others.
func (f *farm) gone(who int32) {
	p := &f.people[who]
	f.leave(p)
	f.detach(p)
	p.state, p.gen = off, p.gen+1
	f.idle = append(f.idle, who)
}

// anyone is a person who works; nil: none was found soon.
func (f *farm) anyone() *person {
	for range 8 {
		if p := &f.people[f.rng.IntN(len(f.people))]; p.state == works {
			return p
		}
	}
	return nil
}
