package logs

import (
	"cmp"
	"context"
	"io"
	"slices"
	"time"
)

// arrange makes streams of what was seen.
func (f *Found) arrange(ctx context.Context, sights []sight, node string) error {
	if err := measureCopies(ctx, sights); err != nil {
		return err
	}
	finds := f.once(sights)
	if node == "" {
		named(finds)
	} else if err := calledAll(finds, node); err != nil {
		return err
	}
	slices.SortFunc(finds, func(a, b find) int {
		return cmp.Or(cmp.Compare(a.node, b.node), cmp.Compare(a.kind, b.kind), cmp.Compare(a.folder, b.folder),
			a.first.Compare(b.first), cmp.Compare(len(a.base()), len(b.base())), cmp.Compare(a.base(), b.base()), cmp.Compare(a.name, b.name))
	})
	for _, x := range finds {
		n := len(f.Streams)
		if n == 0 || f.Streams[n-1].Node != x.node || f.Streams[n-1].Kind != x.kind || f.Streams[n-1].Folder != x.folder {
			f.Streams = append(f.Streams, Stream{Node: x.node, Kind: x.kind, Folder: x.folder})
			n++
		}
		s := &f.Streams[n-1]
		s.Logs = append(s.Logs, x.log())
		f.Nodes = append(f.Nodes, x.node)
	}
	f.Nodes = slices.Compact(f.Nodes)
	slices.SortStableFunc(f.Faults, func(a, b Fault) int { return cmp.Compare(a.Name, b.Name) })
	return nil
}

// base is the file's own name.
func (f find) base() string { return f.parts[len(f.parts)-1] }

func (f find) log() Log {
	return Log{Name: f.name, Size: f.size, Packed: f.packed, Kind: f.kind, First: f.first, usual: f.usual,
		open: f.item.open}
}

// once leaves copies out. A copy that was made earlier is the beginning of the
// later one, so the longest is kept.
func (f *Found) once(sights []sight) (out []find) {
	slices.SortFunc(sights, func(a, b sight) int { return cmp.Or(cmp.Compare(b.size, a.size), cmp.Compare(a.name, b.name)) })
	type key struct {
		kind string
		mark [32]byte
	}
	seen := map[key]bool{}
	for _, s := range sights {
		k := key{string(rune(s.kind)), s.mark}
		if s.rows > 0 && seen[k] {
			f.Doubles++
			continue
		}
		seen[k] = true
		out = append(out, find{sight: s, place: placeOf(s.parts, s.below), own: plainName(s.node)})
	}
	return out
}

// measureCopies unpacks logs of which there are copies: the longest of them is
// kept, and the bytes on disk do not say which that is.
func measureCopies(ctx context.Context, sights []sight) error {
	copies := map[[32]byte]int{}
	for _, s := range sights {
		copies[s.mark]++
	}
	for i, s := range sights {
		if s.size >= 0 || s.rows == 0 || copies[s.mark] < 2 {
			continue
		}
		r, err := s.open(ctx, func(int) {})
		if err != nil { // that is told when it is read
			continue
		}
		sights[i].size, _ = io.Copy(io.Discard, r) // as far as it can be read
		r.close()
	}
	return ctx.Err()
}

// slack is how much later than the first row of the next log the last row of one
// may be written: services hold rows back, each as it likes.
const slack = 15 * time.Minute

// Within is f without the logs that have no row between the times, as far as the
// first rows tell. A zero time is no bound.
func (f *Found) Within(from, to time.Time) *Found {
	out := *f
	out.Streams = nil
	for _, s := range f.Streams {
		all := s.Logs
		s.Logs = nil
		for i, l := range all {
			if !to.IsZero() && l.First.After(to) || !from.IsZero() && i+1 < len(all) && l.endsBefore(all[i+1], from) {
				continue
			}
			s.Logs = append(s.Logs, l)
		}
		if len(s.Logs) > 0 {
			out.Streams = append(out.Streams, s)
		}
	}
	return &out
}

// endsBefore says that the next log of a server begins long before a time. Of
// logs that somebody renamed it is not known whether one follows the other.
func (l Log) endsBefore(next Log, from time.Time) bool {
	return l.usual && next.usual && !next.First.IsZero() && next.First.Before(from.Add(-slack))
}
