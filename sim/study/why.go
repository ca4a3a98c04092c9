package study

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/sim"
)

// Cause is one link of the chain of causes in a run.
type Cause struct {
	At   time.Duration
	Kind Kind
	Of   string // who it happens to
	Text string
}

// Kind says which rule found a cause. At the same instant an earlier kind comes
// first.
type Kind uint8

const (
	// Given is what the scenario says happens.
	Given Kind = iota
	// Late: attempts run into their limit.
	Late
	// Full: all workers are busy, or a bulkhead is.
	Full
	// Held: a throttle holds calls back.
	Held
	// Waiting: the queue promises a wait that nobody has the patience for.
	Waiting
	// Turned: a service turns requests away.
	Turned
	// Guarding: a door leaves features out, or lets in little until what it
	// lets in is of use.
	Guarding
	// Away: a health check has taken instances out.
	Away
	// Retrying: a policy makes more than one retry for ten calls.
	Retrying
	// Spent: a retry budget is spent.
	Spent
	// Breaking: a breaker changes.
	Breaking
	// Degraded: fallbacks stand in for answers.
	Degraded
	// Failing: an endpoint falls below 99 %.
	Failing
	// Recovered: it is back, or the run ends and it is not.
	Recovered
)

var kindNames = [...]string{"given", "late", "full", "held", "waiting", "turned", "guarding", "away",
	"retrying", "spent", "breaking", "degraded", "failing", "recovered"}

// String returns the kind's name in lower case.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "invalid"
}

// Why tells what led to what in a run, in the order of time. l has listened to
// that run.
func Why(s *config.Scenario, r *sim.Result, l *Log) []Cause {
	t := &tale{scenario: s, run: r, log: l, slices: slicesOf(r)}
	t.changes()
	t.services()
	t.doors()
	t.policies()
	// From here on moments are known to a slice only. They move to the cause
	// within their slice, so that no effect comes before its cause.
	t.exact = slices.Clone(t.causes)
	t.sort(t.exact)
	t.limits()
	t.users()
	t.sort(t.causes)
	return t.causes
}

// tale is a chain of causes while it is being found.
type tale struct {
	scenario *config.Scenario
	run      *sim.Result
	log      *Log
	slices   int
	causes   []Cause
	exact    []Cause // those whose moment is known to the nanosecond, in order
	ends     []ended // of changes
}

// ended is the end of a change of the scenario.
type ended struct {
	at   time.Duration
	what string
}

func (t *tale) add(at time.Duration, k Kind, of, text string) {
	t.causes = append(t.causes, Cause{at, k, of, text})
}

func (t *tale) sort(all []Cause) {
	slices.SortStableFunc(all, func(a, b Cause) int {
		return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Kind, b.Kind))
	})
}

// spell is a stretch of slices, the last one left out.
type spell struct{ from, to int }

// spells finds where something holds. A pause shorter than gap slices does not
// end a stretch.
func spells(n, gap int, on func(k int) bool) []spell { return stretches(n, gap, on, on) }

// stretches finds where something begins to hold, and from there on where it
// stays: what hovers at a threshold is one stretch.
func stretches(n, gap int, on, stays func(k int) bool) (all []spell) {
	for k := range n {
		last := len(all) - 1
		if !on(k) && (last < 0 || k-all[last].to >= gap || !stays(k)) {
			continue
		}
		if last >= 0 && k-all[last].to < gap {
			all[last].to = k + 1
			continue
		}
		all = append(all, spell{k, k + 1})
	}
	return all
}

// pause is the gap, in slices, that ends a stretch.
const pause = 3

// start is when slice k begins.
func (t *tale) start(k int) time.Duration { return time.Duration(k) * t.run.Slice }

// after is the moment for what begins in a stretch of time: the last cause that
// lies in it, or else its beginning.
func (t *tale) after(from, width time.Duration) time.Duration {
	at := from
	for _, c := range t.exact {
		if c.At >= from && c.At < from+width {
			at = c.At
		}
	}
	return at
}

// firstFrom is the first cause in a stretch of time, or 0.
func (t *tale) firstFrom(from, width time.Duration) time.Duration {
	for _, c := range t.exact {
		if c.At >= from && c.At < from+width {
			return c.At
		}
	}
	return 0
}

// caused is the moment of an effect, which no cause may follow: if there is none
// up to at, it is that of the first.
func (t *tale) caused(at time.Duration) time.Duration {
	if len(t.exact) > 0 {
		return max(at, t.exact[0].At)
	}
	return at
}

// list writes a, b and c.
func list(words []string) string {
	last := len(words) - 1
	if last < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:last], ", ") + " and " + words[last]
}

// percent is a share in whole percent. It says 100 only of all and 0 only of
// none.
func percent(some, all uint64) string {
	if all == 0 || some == 0 {
		return "0 %"
	}
	if some >= all {
		return "100 %"
	}
	return short(min(max(float64(int(100*float64(some)/float64(all)+0.5)), 1), 99)) + " %"
}

// most is how many stretches of one kind are told one by one.
const most = 3
