package e2e

import (
	"fmt"
	"math"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"
)

// soak names the variable of the environment that says how many rounds are
// played instead of gateRounds, which is what fits beside the other stories.
const soak = "EVENKEEL_SOAK"

const (
	gateRounds = 12
	roundFarms = 4                // side by side
	apart      = 4 * time.Second  // between the two rises of a round, at most
	bothHigh   = 2 * time.Second  // how long both stay
	newcomer   = 18 * time.Second // how long one who has just started gives no leave to fail, and gets none
)

// A strain is what the farm's gossip suffers in one round.
type strain struct {
	name string
	late time.Duration // how long a packet is under way at most, and overtaken by others
	lost int           // percent
	cut  cutting       // when the node that is loaded first hears nobody any more, and nobody it
}

type cutting int

const (
	never cutting = iota
	before
	between // the two rises
)

var strains = [...]strain{
	{name: "none"},
	{name: "late by 0.3 s", late: 300 * time.Millisecond},
	{name: "cut off between", cut: between},
	{name: "late by 0.3 s, a third lost", late: 300 * time.Millisecond, lost: 30},
	{name: "cut off before", cut: before},
	{name: "late by 2 s", late: 2 * time.Second},
	{name: "late by 2 s, a third lost", late: 2 * time.Second, lost: 30},
}

// A tally is how many rounds were played under each strain, and in how many of
// them a probe failed.
type tally struct{ played, failed [len(strains)]int }

func (s *tally) add(o tally) {
	for i := range strains {
		s.played[i] += o.played[i]
		s.failed[i] += o.failed[i]
	}
}

func (s tally) String() (text string) {
	for i, strain := range strains {
		text += fmt.Sprintf("\n%-28s %3d rounds, a probe failed in %d", strain.name, s.played[i], s.failed[i])
	}
	return text
}

// Two of three nodes are loaded, the second at some time before the word of the
// first can be everywhere, or a little after; while words are late, out of order,
// lost, or do not arrive at all. One probe may fail, never two. A round is one
// rise of both loads.
func roundsStory(t *testing.T, bin string) {
	rounds := gateRounds
	if text := os.Getenv(soak); text != "" {
		var err error
		if rounds, err = strconv.Atoi(text); err != nil {
			t.Fatalf("%s: %v", soak, err)
		}
	}
	var sum tally
	var mu sync.Mutex
	var farms sync.WaitGroup
	for i := range roundFarms {
		farms.Go(func() {
			t.Run(strconv.Itoa(i), func(t *testing.T) {
				got := playRounds(t, bin, i, rounds)
				mu.Lock()
				defer mu.Unlock()
				sum.add(got)
			})
		})
	}
	farms.Wait()
	t.Logf("the guard:%v", sum)
	if sum.failed == [len(strains)]int{} {
		t.Error("no probe failed in any round, so that two could not")
	}
}

// playRounds plays the rounds of farm i.
func playRounds(t *testing.T, bin string, i, rounds int) (got tally) {
	f := newFarm(t, bin, fmt.Sprintf("rounds%d", i), 200, 200, 400)
	f.relay(t)
	for _, n := range f.nodes {
		n.set.Hold, n.set.Ramp = time.Second, time.Second
	}
	f.startAll(t)
	w := f.watch(t)
	time.Sleep(newcomer)
	for round := i; round < rounds && !t.Failed(); round += roundFarms {
		kind := (round/roundFarms + 2*i) % len(strains) // so that all are met in the first three rounds of four farms
		failed := w.failing.Load()
		f.round(t, round, strains[kind])
		got.played[kind]++
		if w.failing.Load() > failed {
			got.failed[kind]++
		}
	}
	return got
}

// round loads two nodes and relieves them. When each of them happens is the
// round's timetable, whatever the agents make of it in the meantime.
func (f *farm) round(t *testing.T, round int, s strain) {
	t.Helper()
	f.calm(t)
	_, part := math.Modf(float64(round) * math.Phi)
	after := time.Duration(part * part * float64(apart)) // half of them within a second, which is the dangerous time
	one, other := f.nodes[round%2], f.nodes[1-round%2]
	t.Logf("round %d: %s, %s %v after %s", round, s.name, other.id, after, one.id)
	f.suffer(t, s)
	defer f.heal(t, s)

	first, second := newCrowd(t), newCrowd(t)
	if s.cut != never {
		defer one.mend(t)
	}
	if s.cut == before {
		one.cut(t)
	}
	overload(t, first, one)
	time.Sleep(after)
	if s.cut == between {
		one.cut(t)
	}
	overload(t, second, other)
	time.Sleep(bothHigh)
	one.relieve(first)
	time.Sleep(apart - after)
	other.relieve(second)
}

// suffer puts a strain on the farm's gossip.
func (f *farm) suffer(t *testing.T, s strain) {
	t.Helper()
	f.late.Store(int64(s.late))
	for _, n := range f.nodes {
		if s.lost > 0 {
			n.lose(t, s.lost)
		}
	}
}

// heal undoes suffer.
func (f *farm) heal(t *testing.T, s strain) {
	t.Helper()
	f.late.Store(0)
	for _, n := range f.nodes {
		if s.lost > 0 {
			n.nft(t, "delete table inet loss")
		}
	}
}
