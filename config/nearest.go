package config

import "strings"

// nearest returns the candidate that word most likely was meant to be, or ""
// when none is close. Case, hyphens and underscores do not count, because
// people carry the spelling of other tools over: max_wait, maxWait.
func nearest(word string, candidates []string) string {
	const longest = 40 // no key comes near; also bounds the work on hostile input
	if len(word) > longest {
		return ""
	}
	best, bestDistance := "", 0
	for _, c := range candidates {
		allowed := 1
		switch {
		case len(c) >= 8:
			allowed = 3
		case len(c) >= 4:
			allowed = 2
		}
		if len(c) > len(word)+8 || len(word) > len(c)+8 {
			continue
		}
		d := distance(fold(word), fold(c))
		if d <= allowed && 2*d < len(fold(c)) && (best == "" || d < bestDistance) {
			best, bestDistance = c, d
		}
	}
	return best
}

func fold(s string) string { return joiners.Replace(strings.ToLower(s)) }

var joiners = strings.NewReplacer("-", "", "_", "", " ", "")

// distance counts the single edits between a and b: a letter more, less,
// changed, or swapped with its neighbour (optimal string alignment).
func distance(a, b string) int {
	prev2, prev, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(prev[j]+1, row[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], prev2[j-2]+1)
			}
		}
		prev2, prev, row = prev, row, prev2
	}
	return prev[len(b)]
}
