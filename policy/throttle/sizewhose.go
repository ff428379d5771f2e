package throttle

// Alone says that a caller's policy is his alone, as far as the Book was told: he is
// assigned to it, nobody else is, and nobody falls back to it.
func (b *Book) Alone(caller string) bool {
	i, how := b.standing(caller)
	name := Fold(b.standings[i].Policy)
	if p := b.policy(name); p == nil || p.Scope != Regular || how != assigned || name == b.initial {
		return false
	}
	n := 0
	for _, s := range b.users {
		if s != none && Fold(b.standings[s].Policy) == name {
			n++
		}
	}
	return n == 1
}
