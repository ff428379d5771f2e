package sim

// A cascade is what all of this is about: nearly all clients of a node move
// within a minute, and the node that receives them refuses within five.

const (
	cascadeWithin = 60  // s in which they move
	cascadeReach  = 300 // s in which the receiver refuses
	cascadeShare  = 0.8 // of a node's clients
	cascadeLeast  = 0.1 // of its limit, in connections, or it is no story
)

// moves remembers a minute of every node.
type moves struct {
	sessions [][]int   // by node, a ring of seconds
	cut      [][]int   // the same, of all that were cut so far
	refused  []float64 // by node, so far
	moved    []int     // by node: the second in which its clients had moved; 0 is never
	counted  []bool    // by node: that move was a cascade already
	second   int
	cascades int
}

func newMoves(n int) moves {
	m := moves{sessions: make([][]int, n), cut: make([][]int, n), refused: make([]float64, n), moved: make([]int, n), counted: make([]bool, n)}
	for i := range n {
		m.sessions[i], m.cut[i] = make([]int, cascadeWithin), make([]int, cascadeWithin)
	}
	return m
}

// see adds a second.
func (m *moves) see(w *world) {
	m.second++
	k := m.second % cascadeWithin
	for i := range w.nodes {
		n := &w.nodes[i]
		before, cut := m.sessions[i][k], n.cut-m.cut[i][k]
		big := float64(perSession*before) >= cascadeLeast*float64(n.Limit)
		if big && float64(cut) >= cascadeShare*float64(before) && (m.moved[i] == 0 || m.second-m.moved[i] > cascadeWithin) {
			m.moved[i], m.counted[i] = m.second, false
		}
		m.sessions[i][k], m.cut[i][k] = n.sessions, n.cut
	}
	for i := range w.nodes {
		if n := &w.nodes[i]; n.refused > m.refused[i] {
			m.refused[i] = n.refused
			m.blame(i)
		}
	}
}

// blame counts the moves that node i, which refuses, is the receiver of.
func (m *moves) blame(i int) {
	for j, s := range m.moved {
		if j != i && s > 0 && m.second-s <= cascadeReach && !m.counted[j] {
			m.cascades++
			m.counted[j] = true
		}
	}
}
