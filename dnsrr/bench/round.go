package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"
)

// bench measures everything and prints it; what was measured before an
// interruption too.
func bench(ctx context.Context, o options, out, progress io.Writer) error {
	dir, err := os.MkdirTemp("", "evenkeel-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	h := &house{options: o, dir: dir}
	if err := os.Chmod(dir, 0o755); err != nil { // some servers drop their privileges before they read
		return err
	}
	began := machine()
	if err := h.tools(ctx); err != nil {
		return err
	}
	builds := o.builds()
	fmt.Fprintf(progress, "this takes about %s\n", o.duration(builds))
	if err := h.compile(ctx, builds); err != nil {
		return err
	}
	r := report{At: time.Now().UTC(), Machine: began, Rounds: o.rounds, Seconds: o.time.Seconds(), Ours: builds[0].name, Versions: versions(ctx)}
	for _, signed := range []bool{false, true} {
		r.Tables = append(r.Tables, h.visit(ctx, builds, signed, progress)...)
	}
	r.Notes, r.After = h.notes, machine()
	for _, t := range r.Tables {
		r.Notes = append(r.Notes, t.remarks()...)
	}
	if o.json {
		return r.json(out)
	}
	return r.markdown(out)
}

// duration is how long it takes where all rivals are here, with what compilers,
// clients and servers need.
func (o options) duration(builds []build) time.Duration {
	const begin, compile, start = 20 * time.Second, 8 * time.Second, 150 * time.Millisecond // of all; of a build; of a run
	total := begin
	for _, b := range builds {
		if b.path == "" {
			total += compile
		}
	}
	for _, m := range chosen(o.modes) {
		runs := 0
		for _, b := range builds {
			if b.takes(m.name) {
				runs++
			}
		}
		for _, r := range o.rivals() {
			if slices.Contains(r.modes, m.name) {
				runs++
			}
		}
		total += time.Duration(runs*o.rounds) * (o.time + start)
	}
	return total.Round(time.Second)
}

// rivals are those that take part, if they are here.
func (o options) rivals() (list []rival) {
	for _, r := range rivals {
		if !o.techniques && (len(o.servers) == 0 || slices.Contains(o.servers, r.name)) {
			list = append(list, r)
		}
	}
	return list
}

// visit starts the servers and measures them in all modes, those with
// signatures or the others.
func (h *house) visit(ctx context.Context, builds []build, signed bool, progress io.Writer) (tables []table) {
	list := slices.DeleteFunc(chosen(h.modes), func(m mode) bool { return m.load.Signed != signed })
	if len(list) == 0 || ctx.Err() != nil {
		return nil
	}
	servers := h.open(ctx, builds, signed, list)
	defer func() {
		for _, s := range servers {
			s.stop()
		}
	}()
	peaks := map[string]float64{}
	for _, m := range list {
		if m.half && len(peaks) == 0 {
			fmt.Fprint(progress, "to find the peaks: ")
			peaks = peaksOf(h.play(ctx, servers, mode{name: m.name}, 1, nil, progress))
		}
		t := h.play(ctx, servers, m, h.rounds, h.rates(m, servers, peaks), progress)
		if m.name == "saturation" {
			peaks = peaksOf(t)
		}
		tables = append(tables, t)
	}
	return tables
}

// open starts all that take part in one of the modes; who cannot is noted.
func (h *house) open(ctx context.Context, builds []build, signed bool, list []mode) (servers []*server) {
	takes := func(in []string) bool {
		return slices.ContainsFunc(list, func(m mode) bool { return slices.Contains(in, m.name) })
	}
	add := func(name string, s *server, err error) {
		if err != nil {
			h.note("%s%s is left out: %v", name, withSignatures(signed), err)
			return
		}
		servers = append(servers, s)
	}
	for _, b := range builds {
		if takes(b.modes(signed)) {
			s, err := h.farm(ctx, b, signed)
			add(b.name, s, err)
		}
	}
	for _, r := range h.rivals() {
		if takes(r.modes) {
			s, err := h.rival(ctx, r, signed)
			add(r.name, s, err)
		}
	}
	return servers
}

func withSignatures(signed bool) string {
	if signed {
		return " with signatures"
	}
	return ""
}

// rival starts one, and before it what it passes questions on to.
func (h *house) rival(ctx context.Context, r rival, signed bool) (*server, error) {
	if r.name != "dnsdist" {
		return h.start(ctx, r, signed)
	}
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	h.backend = fmt.Sprintf("127.0.0.1:%d", port)
	dir := filepath.Join(h.dir, "servers", "backend")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	behind, err := launch(strconv.Itoa(h.clientCore), dir, nil, filepath.Join(h.dir, "plain"), fmt.Sprint(port))
	if err != nil {
		return nil, err
	}
	s, err := h.start(ctx, r, signed)
	if err != nil {
		behind.stop()
		return nil, err
	}
	s.beside = append(s.beside, behind)
	return s, nil
}

// rates is what each server is asked in a mode, where that depends on it.
func (h *house) rates(m mode, servers []*server, peaks map[string]float64) map[string]int {
	if !m.half {
		return nil
	}
	common := peaks[servers[0].name]
	if p, ok := peaks["gdnsd"]; ok {
		common = min(common, p)
	}
	rates := map[string]int{}
	for _, s := range servers {
		rates[s.name] = int(min(common, peaks[s.name]) / 2)
	}
	return rates
}

// peaksOf is the median rate of each server at saturation.
func peaksOf(t table) map[string]float64 {
	peaks := map[string]float64{}
	for _, r := range t.Rows {
		if e := middle(r.values(figureQPS)); e.N > 0 {
			peaks[r.Server] = e.Median
		}
	}
	return peaks
}

// play measures one mode: in each round every server once, in another order.
func (h *house) play(ctx context.Context, servers []*server, m mode, rounds int, rates map[string]int, progress io.Writer) table {
	t := table{Mode: m.name, Says: m.says}
	var asked []*server
	for _, s := range servers {
		if slices.Contains(s.modes, m.name) {
			asked = append(asked, s)
			t.Rows = append(t.Rows, row{Server: s.name, Addresses: s.addresses, Against: s.against, Figures: make([]figure, rounds)})
		}
	}
	for round := range rounds {
		fmt.Fprintf(progress, "%s: round %d of %d, %d servers\n", m.name, round+1, rounds, len(asked))
		for _, i := range rand.New(rand.NewPCG(uint64(round), 1)).Perm(len(asked)) {
			if ctx.Err() != nil {
				return t
			}
			l := m.load
			l.For, l.Window, l.Letters, l.Dnsperf = h.time, h.window, h.letters, h.dnsperf
			if rate, ok := rates[asked[i].name]; ok {
				l.Rate = max(1, rate)
			}
			f, err := h.measure(ctx, asked[i], l)
			if err != nil {
				h.note("%s, %s, round %d: %v", m.name, asked[i].name, round+1, err)
			}
			t.Rows[i].Figures[round] = f
		}
	}
	return t
}

// measure is one run.
func (h *house) measure(ctx context.Context, s *server, l load) (figure, error) {
	before, err := s.process.spent()
	if err != nil {
		return figure{}, err
	}
	rested, began := idle(h.serverCore), time.Now()
	r, err := client{ctx, strconv.Itoa(h.clientCore), h.dir}.ask(l, s.port)
	if err != nil {
		return figure{}, err
	}
	outside := time.Since(began) - seconds(float64(r.Answered)/r.QPS) // the client began and ended, and the core slept
	rested = idle(h.serverCore) - rested - outside
	after, err := s.process.spent()
	if err != nil {
		return figure{}, err
	}
	d := after.since(before)
	f := figure{reply: r, Rate: l.Rate, CPU: d.CPU, User: d.User, System: d.System, Idle: max(0, rested)}
	f.Resident, f.Proportional = s.process.memory()
	return f, nil
}
