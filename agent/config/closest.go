package config

import "strings"

// closest finds the candidate that name is most likely a misspelling of, in any
// letter case: at most two letters wrong, missing, too many or swapped, and not
// most of them. It is returned as it is written among them.
func closest(name string, candidates []string) (string, bool) {
	name = strings.ToLower(name)
	best, least := "", 3
	for _, c := range candidates {
		if len(name) > len(c)+2 || len(c) > len(name)+2 {
			continue // and so a long name costs nothing
		}
		if d := distance(name, strings.ToLower(c)); d < least && 2*d < len(c) {
			best, least = c, d
		}
	}
	return best, best != ""
}

// distance counts the letters to insert, delete, replace or swap with their
// neighbour to get from a to b (optimal string alignment).
func distance(a, b string) int {
	var before []int
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		next := make([]int, len(b)+1)
		next[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			next[j+1] = min(row[j]+cost, row[j+1]+1, next[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				next[j+1] = min(next[j+1], before[j-1]+1)
			}
		}
		before, row = row, next
	}
	return row[len(b)]
}
