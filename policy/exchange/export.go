package exchange

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strings"

	"evenkeel/policy/throttle"
)

// An Export is what was read of Get-ThrottlingPolicy, Get-ThrottlingPolicyAssociation
// and Get-Mailbox, of any number of files in any order. The zero Export is
// empty. It is for one goroutine at a time.
type Export struct {
	policies []policy
	byName   map[string]int // of policies, by folded name
	aliases  map[string]int // likewise, by GUID, distinguished and canonical name
	accounts []account
	byKey    map[string]int // of accounts
	twins    map[twin]account
	links    map[string]string
	mistakes Mistakes
	defaults bool // some policy says whether it is the default
	assigned bool // some file has accounts
	partial  bool // so has one with mistakes, so that it may not have told of all
}

// Read adds what a file has, which goes by the name in mistakes. The form is
// found by the content: a list of Format-List, CSV, CLIXML or JSON, in UTF-8 or
// UTF-16. Property names are the same in any letter case, so those of 2010 and
// of later versions are. The error is [Mistakes]; what is around them was added.
func (x *Export) Read(name string, r io.Reader) error {
	rations := &ration{in: decoded(r)}
	found := reading{Export: x, file: name}
	f := &feed{ration: rations, object: found.object, spoilt: found.spoilt}
	rations.fill()
	in := bufio.NewReaderSize(rations, 1<<16)
	switch form(in) {
	case formJSON:
		f.json(in)
	case formCLIXML:
		f.clixml(in)
	case formList:
		f.list(in)
	default:
		f.csv(in)
	}
	return found.done()
}

// The forms of an export.
const (
	formCSV = iota
	formList
	formJSON
	formCLIXML
)

// form tells by the first line that is not empty.
func form(in *bufio.Reader) int {
	head, _ := in.Peek(4096)
	head = bytes.TrimLeft(head, " \t\r\n")
	first, _, _ := strings.Cut(string(head), "\n")
	first = strings.TrimRight(first, "\r \t")
	_, _, labelled := label(first)
	switch {
	case strings.HasPrefix(first, "[PS]"), strings.HasPrefix(first, "PS "), labelled:
		return formList
	case strings.HasPrefix(first, "<"):
		return formCLIXML
	case strings.HasPrefix(first, "["), strings.HasPrefix(first, "{"):
		return formJSON
	}
	return formCSV
}

// A reading is one file that is being added.
type reading struct {
	*Export
	file     string
	objects  int
	people   bool // it has accounts, were they read or not
	strange  int  // objects that are neither policies nor accounts
	first    int  // line of the first of them
	mistakes Mistakes
	more     int // mistakes that were not kept
}

func (r *reading) spoilt(line int, key, message string) {
	if len(r.mistakes) == mostMistakes {
		r.more++
		return
	}
	r.mistakes = append(r.mistakes, Mistake{File: r.file, Line: line, Key: shown(key), Message: message})
}

// done is the mistakes of the file, which are kept for Check too.
func (r *reading) done() error {
	switch {
	case r.objects == 0 && len(r.mistakes) == 0:
		r.spoilt(0, "", "nothing is in it: want what Get-ThrottlingPolicy, Get-ThrottlingPolicyAssociation or Get-Mailbox returns")
	case r.strange > 0:
		r.spoilt(r.first, "", fmt.Sprintf("%d objects, of which this is the first, are neither policies nor accounts with one: want ThrottlingPolicy, ThrottlingPolicyId, or a parameter of a policy", r.strange))
	}
	if r.more > 0 {
		r.mistakes = append(r.mistakes, Mistake{File: r.file, Message: fmt.Sprintf("and %d mistakes more", r.more)})
	}
	r.Export.mistakes = append(r.Export.mistakes, r.mistakes...)
	r.partial = r.partial || r.people && len(r.mistakes) > 0
	if len(r.mistakes) == 0 {
		return nil
	}
	return r.mistakes
}

// object adds what a cmdlet returned, by its properties.
func (r *reading) object(o *object) {
	r.objects++
	if len(r.policies)+len(r.accounts)+len(r.twins) >= mostObjects {
		r.spoilt(o.line, "", "more policies and accounts than can be read at a time")
		return
	}
	if link, ok := o.find("ThrottlingPolicyId"); ok {
		r.account(o, link, setAssociation)
	} else if link, ok := o.find("ThrottlingPolicy"); ok {
		r.account(o, link, setMailbox)
	} else if isPolicy(o) {
		r.policy(o)
	} else {
		if r.strange == 0 {
			r.first = o.line
		}
		r.strange++
	}
}

// isPolicy says that o has what policies alone have.
func isPolicy(o *object) bool {
	for _, p := range o.props {
		if _, ok := throttle.ParseParameter(p.name); ok || strings.EqualFold(p.name, "ThrottlingPolicyScope") {
			return true
		}
	}
	_, named := o.find("Name")
	_, standard := o.find("IsDefault")
	return named && standard
}

// shown is text that an administrator did not write, cut for a message.
func shown(text string) string {
	const most = 200
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}

// File is what was read, for [throttle.Compile]: policies of one name and second
// defaults are left out or made ordinary ones, since [Export.Check] tells of
// them; so are callers whose name is none by [throttle.Account]. Links are
// policies' names where those were read, and else as they stand.
func (x *Export) File() throttle.File {
	f := throttle.File{Generation: x.generation(), Policies: x.throttled(), Users: map[string]string{}}
	counts := map[string]account{}
	for _, a := range x.accounts {
		key := throttle.Account(a.caller, nil)
		if first, known := counts[key]; key != "" && (!known || a.compare(first) < 0) { // "": nobody asks under such a name
			counts[key] = a
		}
	}
	for _, a := range counts {
		f.Users[a.caller] = x.target(a.link)
	}
	return f
}

// throttled are the policies, with one default of each scope.
func (x *Export) throttled() (out []throttle.Policy) {
	var standard [3]int
	for _, s := range throttle.Scopes() {
		standard[s] = x.standard(s)
	}
	for i, p := range x.policies {
		if p.Scope != throttle.Regular && i != standard[p.Scope] {
			p.Scope = throttle.Regular
		}
		out = append(out, p.Policy)
	}
	return out
}

// standard is the policy of a scope that has one; of several the first by name,
// whichever was read first, and one that was deleted only where no other is; -1: none.
func (x *Export) standard(s throttle.Scope) int {
	best := -1
	for i, p := range x.policies {
		if p.Scope != s {
			continue
		}
		if best < 0 || before(p, x.policies[best]) {
			best = i
		}
	}
	return best
}

func before(p, q policy) bool {
	if p.Deleted != q.Deleted {
		return q.Deleted
	}
	return throttle.Fold(p.Name) < throttle.Fold(q.Name)
}

// generation is the newest of the defaults, or that of most policies.
func (x *Export) generation() throttle.Generation {
	var count, defaults [3]int
	for _, p := range x.policies {
		count[p.Generation]++
		if p.Scope != throttle.Regular && !p.Deleted {
			defaults[p.Generation]++
		}
	}
	for _, g := range throttle.Generations() { // the newest is the first
		if defaults[g] > 0 {
			return g
		}
	}
	best := throttle.Exchange2013
	for _, g := range throttle.Generations() {
		if count[g] > count[best] {
			best = g
		}
	}
	return best
}
