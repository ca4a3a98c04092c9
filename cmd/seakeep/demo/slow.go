package demo

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/seakeep/seakeep/cmd/seakeep/demo/live"
)

// Fault is what goes wrong with a dependency.
type Fault uint8

const (
	// Late dependencies answer, but take their time.
	Late Fault = iota
	// Down dependencies reset every connection at once.
	Down
	// Silent dependencies take a request and never answer it.
	Silent
)

// Slow is a time in which a dependency is not well.
type Slow struct {
	Name   string
	Fault  Fault
	Mean   time.Duration // Late: the mean latency, at least the floor
	Start  time.Duration // since the run began
	Length time.Duration
}

const (
	slowForm = "NAME=LATENCY@START+LENGTH, such as recommendations=2s@3s+12s"
	maxMean  = time.Hour
)

// ParseSlow reads NAME=LATENCY@START+LENGTH. LATENCY is a time, down or none.
func ParseSlow(text string) (Slow, error) {
	var s Slow
	fail := func(format string, args ...any) (Slow, error) {
		return s, fmt.Errorf("--slow %q: "+format, append([]any{text}, args...)...)
	}
	name, rest, ok1 := strings.Cut(text, "=")
	latency, rest, ok2 := strings.Cut(rest, "@")
	start, length, ok3 := strings.Cut(rest, "+")
	if !ok1 || !ok2 || !ok3 {
		return fail("give %s", slowForm)
	}
	s.Name = name
	if !slices.Contains(names[:], name) {
		return fail("there is no dependency %q; give %s", name, alternatives(names[:]))
	}
	var err error
	switch latency {
	case "down":
		s.Fault = Down
	case "none":
		s.Fault = Silent
	default:
		s.Mean, err = time.ParseDuration(latency)
		if err != nil || s.Mean < floor || s.Mean > maxMean {
			return fail("%q is no latency; give a time such as 2s, from %v to %v, or down, "+
				"or none for no answer", latency, floor, maxMean)
		}
	}
	if s.Start, err = time.ParseDuration(start); err != nil || s.Start < 0 {
		return fail("%q is no start; give a time since the run began, such as 3s", start)
	}
	s.Length, err = time.ParseDuration(length)
	if err != nil || s.Length <= 0 || s.Length > maxRun {
		return fail("%q is no length; give a time such as 12s, at most %v", length, maxRun)
	}
	return s, nil
}

// alternatives writes a, b or c.
func alternatives(words []string) string {
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// String writes what ParseSlow reads.
func (s Slow) String() string {
	return fmt.Sprintf("%s=%s@%s+%s", s.Name, s.latency(), live.Short(s.Start), live.Short(s.Length))
}

func (s Slow) latency() string {
	switch s.Fault {
	case Down:
		return "down"
	case Silent:
		return "none"
	}
	return live.Short(s.Mean)
}

// what says in words what happens.
func (s Slow) what() string {
	switch s.Fault {
	case Down:
		return s.Name + " resets every connection"
	case Silent:
		return s.Name + " takes requests and never answers"
	}
	return fmt.Sprintf("%s answers in %s instead of %s", s.Name, live.Short(s.Mean), live.Short(usual))
}

// wrong reports whether it is another latency than usual.
func (s Slow) wrong() bool { return s.Fault != Late || s.Mean != usual }

func (s Slow) end() time.Duration { return s.Start + s.Length }

func (s Slow) holds(at time.Duration) bool { return at >= s.Start && at < s.end() }

// span is a part of the run.
type span struct{ from, to time.Duration }

// spans returns the union of the slow windows within a run, in order. Without
// any it is the whole run.
func spans(slow []Slow, run time.Duration) (union []span) {
	sorted := slices.Clone(slow)
	slices.SortFunc(sorted, func(a, b Slow) int { return int(a.Start - b.Start) })
	for _, s := range sorted {
		from, to := s.Start, min(s.end(), run)
		if from >= to {
			continue
		}
		if last := len(union) - 1; last >= 0 && from <= union[last].to {
			union[last].to = max(union[last].to, to)
			continue
		}
		union = append(union, span{from, to})
	}
	if len(slow) == 0 {
		return []span{{0, run}}
	}
	return union
}

// within reports whether at lies in one of the spans.
func within(all []span, at time.Duration) bool {
	for _, s := range all {
		if at >= s.from && at < s.to {
			return true
		}
	}
	return false
}

// length returns how long the spans are together, up to an end.
func length(all []span, end time.Duration) (sum time.Duration) {
	for _, s := range all {
		sum += max(min(s.to, end)-s.from, 0)
	}
	return sum
}
