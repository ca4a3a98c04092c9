package demo

import (
	_ "embed"
	"fmt"
	"strings"

	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core/deadline"
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
var policyFile []byte

// policy reads the policy file and takes away every rung that is not in keep.
func policy(keep Rungs) (*config.File, error) {
	file, err := config.Parse("demo/policy.yaml", policyFile)
	if err != nil {
		return nil, err
	}
	for _, d := range file.Dependencies {
		c := &d.Call
		if !keep.has(Timeout) {
			c.Timeout, d.Connect, d.Acquire = deadline.Config{}, 0, 0
		}
		if !keep.has(Retry) {
			c.Retry, d.Replay = nil, 0
		}
		if !keep.has(Budget) || c.Retry == nil {
			c.Budget = nil
		}
		if !keep.has(Breaker) {
			c.Breaker = nil
		}
		if !keep.has(Bulkhead) {
			c.Bulkhead = nil
		}
		if !keep.has(Fallback) {
			d.Fallback = config.Fallback{}
		}
	}
	return file, nil
}
