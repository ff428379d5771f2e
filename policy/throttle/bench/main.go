// Command bench measures what a decision about one of 100,000 callers costs,
// ours beside rate limiters of others, in this process and in turn.
//
// Start with rivals in rivals.go for who takes part, and round for how.
package main

import (
	"cmp"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"sync"
	"time"
	"unsafe"
)

func main() {
	keys := flag.Int("keys", 100_000, "callers")
	rounds := flag.Int("rounds", 15, "how often each takes its turn")
	turn := flag.Duration("turn", 300*time.Millisecond, "how long a turn is")
	flag.Parse()
	if flag.NArg() > 0 || *keys < 1 || *rounds < 1 {
		flag.Usage()
		os.Exit(2)
	}
	if err := run(*keys, *rounds, *turn); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

// A rival decides about one caller at an instant.
type rival struct {
	name   string
	decide func(now time.Time, caller string) bool
	bytes  float64 // of the heap, a caller
}

// run has every rival take its turns, and prints what came of it.
func run(keys, rounds int, turn time.Duration) error {
	all, err := rivals(keys)
	if err != nil {
		return err
	}
	wall, cpu := make([][]float64, len(all)), make([][]float64, len(all)) // ns a decision, by rival and round
	for range rounds {
		for _, i := range rand.Perm(len(all)) {
			w, c := round(all[i], uint64(keys), turn)
			wall[i], cpu[i] = append(wall[i], w), append(cpu[i], c)
		}
	}

	fmt.Printf("%d callers, %d goroutines, %d rounds of %v. Ratios are of the same round: the median, and the middle half\n\n", keys, runtime.GOMAXPROCS(0), rounds, turn)
	fmt.Println("| | ns a decision, least | median | ours is | CPU ns, least | median | ours is | B a caller |\n|---|---|---|---|---|---|---|---|")
	for i, r := range all {
		fmt.Printf("| %s | %s | %s | %.0f |\n", r.name, compared(wall[0], wall[i]), compared(cpu[0], cpu[i]), r.bytes)
	}
	return nil
}

// compared is what is printed of one rival's rounds beside ours.
func compared(ours, his []float64) string {
	ratios := make([]float64, len(ours))
	for k := range ratios {
		ratios[k] = ours[k] / his[k]
	}
	slices.Sort(ratios)
	return fmt.Sprintf("%.0f | %.0f | %.2f (%.2f–%.2f)", slices.Min(his), median(his), median(ratios), ratios[len(ratios)/4], ratios[len(ratios)*3/4])
}

func median(v []float64) float64 {
	v = slices.SortedFunc(slices.Values(v), cmp.Compare[float64])
	return v[len(v)/2]
}

// round is the wall time of a decision while every processor decides, about
// callers in an order without a pattern, for the time of a turn; and the
// processor time of one.
func round(r rival, keys uint64, turn time.Duration) (wall, cpu float64) {
	const batch = 1000 // decisions between two looks at the clock
	var wg sync.WaitGroup
	n := make([]int, runtime.GOMAXPROCS(0))
	start, before := time.Now(), spent()
	for w := range n {
		x := rand.Uint64() | 1
		wg.Go(func() {
			name := newCaller()
			for now := start; now.Sub(start) < turn; now = time.Now() {
				for range batch {
					x ^= x << 13
					x ^= x >> 7
					x ^= x << 17
					r.decide(now, name.number(x%keys))
				}
				n[w] += batch
			}
		})
	}
	wg.Wait()
	took, used, decisions := time.Since(start), spent()-before, 0
	for _, k := range n {
		decisions += k
	}
	return float64(took) / float64(decisions), float64(used) / float64(decisions)
}

// A caller is a name as long as the SID of a domain account, 44 bytes. It is
// written anew for every decision in the same place, as a front end reads it from
// a request: it is in the processor's cache, and what the rivals keep is not.
type caller []byte

func newCaller() caller {
	return []byte("S-1-5-21-1004336348-1177238915-682003330-1xxx"[:44])
}

// number is the name of caller i, good until the next.
func (c caller) number(i uint64) string {
	const digits = "0123456789abcdef"
	for k := range 8 {
		c[36-k] = digits[i>>(4*k)&15]
	}
	return unsafe.String(&c[0], len(c))
}
