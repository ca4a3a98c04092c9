package check

import (
	"fmt"
	"time"

	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core/bulkhead"
	"github.com/seakeep/seakeep/core/call"
)

const (
	roomy     = 10  // times what the p99 needs, from which a bulkhead is none
	headroom  = 2   // over what the p99 needs
	usualSize = 50  // where nothing was measured
	allOthers = 0.5 // of the door's slots that optional dependencies may hold
)

var bulkheadRules = []*Rule{
	{ID: "bulkhead-missing", Severity: Warning, Title: "one dependency may take all threads",
		Why: "Timeouts bound how long a call holds a thread, not how many calls do. A bulkhead keeps " +
			"a slow dependency to its own share, from the first second on.",
		Number:     "threads that calls of two seconds hold, beside what the p99 needs",
		Fix:        "bulkhead.limit of rate x p99, twice",
		Bites:      "the dependency gets slow",
		dependency: bulkheadMissing},
	{ID: "bulkhead-too-small", Severity: Warning, Title: "healthy calls find no slot",
		Why: "By Little's law rate x latency calls are under way. A bulkhead below rate x p99 refuses " +
			"calls at every small rise; below rate x p50 it does so always, which is an error.",
		Number:     "slots, beside rate x p99",
		Fix:        "bulkhead.limit of rate x p99, twice",
		Bites:      "latency rises a little, as at a peak",
		dependency: bulkheadSmall},
	{ID: "bulkhead-too-large", Severity: Warning, Title: "the bulkhead holds nothing back",
		Why: "Slots for all of the service's requests, or for many times what the calls need, are as " +
			"good as none: a slow dependency takes everything before they are full.",
		Number:     "slots, beside what the p99 needs or the door lets in",
		Fix:        "bulkhead.limit of rate x p99, twice",
		Bites:      "the dependency gets slow",
		dependency: bulkheadLarge},
	{ID: "bulkhead-queue-too-long", Severity: Warning, Title: "places in the queue that nobody is served from",
		Why: "A slot comes free limit / latency times a second. Whoever waits behind more than come " +
			"free within timeout.acquire waits in vain.",
		Number:     "places, beside throughput x timeout.acquire",
		Fix:        "a shorter bulkhead.queue, or none",
		Bites:      "the slots are all taken",
		dependency: bulkheadQueue},
	{ID: "optional-holds-too-much", Severity: Warning, Title: "what can be left out may hold most of the slots",
		Why: "When optional dependencies get slow together, as those on one host do, their bulkheads " +
			"together leave too little for what the service is for.",
		Number: "slots of all optional dependencies, beside half of the door's",
		Fix:    "small bulkheads for optional dependencies",
		Bites:  "the optional dependencies get slow together",
		file:   optionalHolds},
}

// slots is the bulkhead if it is on.
func (s *subject) slots() *bulkhead.Config {
	if b := s.settings.Call.Bulkhead; b != nil && s.on(call.RungBulkhead) {
		return b
	}
	return nil
}

// needed is how many slots the calls need at their p99; 0: unknown.
func (s *subject) needed() float64 {
	return s.measured.Rate * latency(s.measured, 0.01).Seconds()
}

// size is a good number of slots.
func (s *subject) size() int {
	if need := s.needed(); need > 0 {
		return max(ceil(headroom*need), 5)
	}
	return usualSize
}

func bulkheadMissing(s *subject) {
	if s.settings.Call.Bulkhead != nil || s.dep.Kind == config.Async {
		return
	}
	s.report(found{keys: []string{"bulkhead"},
		why:     fmt.Sprintf("nothing bounds how many calls to %s are under way", s.name()),
		number:  s.threads(2 * time.Second),
		fix:     fmt.Sprintf("set bulkhead to {limit: %d}", s.size()),
		changes: []Change{s.set("bulkhead", "{limit: %d}", s.size())}})
}

func bulkheadSmall(s *subject) {
	b, need := s.slots(), s.needed()
	if b == nil || need == 0 || float64(b.Limit) >= need {
		return
	}
	f := found{keys: []string{"bulkhead.limit"},
		why: fmt.Sprintf("%.4g/s to %s that take %s need %.3g slots, and there are %d", s.measured.Rate,
			s.name(), span(latency(s.measured, 0.01)), need, b.Limit),
		number:  Number{"slots", float64(b.Limit), need, "slots"},
		fix:     fmt.Sprintf("set bulkhead.limit to %d", s.size()),
		changes: []Change{s.set("bulkhead.limit", "%d", s.size())}}
	if float64(b.Limit) < s.measured.Rate*s.measured.P50.Seconds() {
		f.severity, f.bites = Error, "nothing has to happen: it refuses calls on a usual day"
	}
	s.report(f)
}

func bulkheadLarge(s *subject) {
	b, need, door := s.slots(), s.needed(), s.served()
	if b == nil {
		return
	}
	f := found{keys: []string{"bulkhead.limit"}, number: Number{What: "slots",
		Value: float64(b.Limit), Unit: "slots"}}
	switch {
	case door > 0 && b.Limit >= door:
		f.number.Limit = float64(door)
		f.why = fmt.Sprintf("%s may hold %d calls, and the door lets in no more than %d requests",
			s.name(), b.Limit, door)
	case need >= 1 && float64(b.Limit) > roomy*need:
		f.number.Limit = need
		f.why = fmt.Sprintf("%s may hold %d calls, %.3g times what it needs at its p99", s.name(),
			b.Limit, float64(b.Limit)/need)
	default:
		return
	}
	size := s.size()
	if door > 0 {
		size = min(size, max(1, door/2))
	}
	f.fix = fmt.Sprintf("set bulkhead.limit to %d", size)
	f.changes = []Change{s.set("bulkhead.limit", "%d", size)}
	s.report(f)
}

func bulkheadQueue(s *subject) {
	b := s.slots()
	if b == nil || b.Queue == 0 || s.measured.P50 == 0 {
		return
	}
	places := float64(b.Limit) / s.measured.P50.Seconds() * b.Wait.Seconds()
	if float64(b.Queue) <= places {
		return
	}
	s.report(found{keys: []string{"bulkhead.queue"},
		why: fmt.Sprintf("within timeout.acquire, %s, %.4g calls to %s get a slot, and %d may wait",
			span(b.Wait), places, s.name(), b.Queue),
		number:  Number{"places", float64(b.Queue), places, "places"},
		fix:     fmt.Sprintf("set bulkhead.queue to %d", int(places)),
		changes: []Change{s.set("bulkhead.queue", "%d", int(places))}})
}

func optionalHolds(s *subject) {
	door, sum := s.served(), 0
	var of []*config.Dependency
	for _, d := range s.Dependencies {
		v := s.of(d, s.rule)
		if b := v.slots(); b != nil && d.Kind == config.Optional {
			sum += b.Limit
			of = append(of, d)
		}
	}
	if door == 0 || float64(sum) <= allOthers*float64(door) {
		return
	}
	each := max(1, int(allOthers*float64(door))/len(of))
	v := s.of(of[0], s.rule)
	f := found{keys: []string{"bulkhead.limit"},
		why: fmt.Sprintf("the optional dependencies may hold %d of the %d requests that the door lets in",
			sum, door),
		number: Number{"slots of optional dependencies", float64(sum), allOthers * float64(door), "slots"},
		fix:    fmt.Sprintf("set the limit of each to %d", each)}
	for _, d := range of {
		f.changes = append(f.changes, s.of(d, s.rule).set("bulkhead.limit", "%d", each))
	}
	v.report(f)
}
