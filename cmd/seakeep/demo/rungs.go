package demo

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/seakeep/seakeep/config"
)

// Rungs is a set of rungs of the ladder.
type Rungs uint8

// The rungs that can be taken away, in the order in which they are named.
const (
	Timeout Rungs = 1 << iota // also the deadline that comes with a request
	Retry
	Budget
	Breaker
	Bulkhead
	Fallback

	None Rungs = 0
	All        = Timeout | Retry | Budget | Breaker | Bulkhead | Fallback
)

var rungNames = []string{"timeout", "retry", "budget", "breaker", "bulkhead", "fallback"}

// ParseRungs reads all, none, or a list such as timeout,retry.
func ParseRungs(text string) (Rungs, error) {
	switch text {
	case "all":
		return All, nil
	case "none":
		return None, nil
	}
	var set Rungs
	for word := range strings.SplitSeq(text, ",") {
		rung := None
		for i, name := range rungNames {
			if strings.TrimSpace(word) == name {
				rung = 1 << i
			}
		}
		if rung == None {
			return None, fmt.Errorf("--protect %q: there is no rung %q; give all, none, "+
				"or a list of %s", text, word, alternatives(rungNames))
		}
		set |= rung
	}
	return set, nil
}

// String writes what ParseRungs reads.
func (r Rungs) String() string {
	switch r {
	case All:
		return "all"
	case None:
		return "none"
	}
	var words []string
	for i, name := range rungNames {
		if r.has(1 << i) {
			words = append(words, name)
		}
	}
	return strings.Join(words, ",")
}

func (r Rungs) has(rung Rungs) bool { return r&rung != 0 }

//go:embed policy.yaml
var policyFile string

// policyName is what the policy file is called at the dashboard.
const policyName = "policy.yaml"

// policy reads the policy file without the rungs that are not in keep.
func policy(keep Rungs) (*config.File, error) {
	return config.Parse(policyName, []byte(policyText(keep)))
}

// policyText returns the policy file without the rungs that are not in keep. Their
// lines are empty, so that the others keep their numbers.
func policyText(keep Rungs) string {
	var b strings.Builder
	gone := false
	for line := range strings.Lines(policyFile) {
		text := strings.TrimLeft(line, " ")
		depth := len(line) - len(text)
		key, _, _ := strings.Cut(text, ":")
		if text != "\n" && depth <= rungDepth {
			rung := slices.Index(rungNames, key)
			gone = depth == rungDepth && rung >= 0 && !keep.has(1<<rung)
		}
		switch {
		case gone:
			b.WriteByte('\n')
		case key == rungNames[2] && !keep.has(Budget): // without the key there would be a usual one
			b.WriteString(strings.Repeat(" ", depth) + "budget: none\n")
		default:
			b.WriteString(line)
		}
	}
	return b.String()
}

// rungDepth is how far in the rungs of a dependency are, but the budget, which
// belongs to its retries.
const rungDepth = 4
