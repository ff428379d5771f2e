package node

import "evenkeel/queue"

// turned counts who was turned away from any queue. It remembers each queue by
// its name, so that one that cannot be read for a while keeps its number: else
// the sum would fall, and rise again with the queue's return, as if somebody
// were refused just then. A queue whose own count begins anew is no refusal.
type turned struct {
	last map[string]uint64 // as each queue was last seen
	sum  uint64
}

// parted are the queues that are measured, and those of which only the refusals
// are known.
func parted(queues []queue.Queue) (measured, others []queue.Queue) {
	for _, q := range queues {
		if q.Depth == queue.Unmeasured {
			others = append(others, q)
			continue
		}
		measured = append(measured, q)
	}
	return measured, others
}

// see returns t with what the queues say now. Queues of one name count as one.
func (t turned) see(queues []queue.Queue) turned {
	now := make(map[string]uint64, len(t.last))
	for _, q := range queues {
		now[q.Name] += q.Refused
	}
	for name, n := range now {
		t.sum += n - min(n, t.last[name])
	}
	for name, n := range t.last {
		if _, seen := now[name]; !seen {
			now[name] = n
		}
	}
	t.last = now
	return t
}
