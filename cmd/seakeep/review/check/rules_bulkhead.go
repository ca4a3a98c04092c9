package check

import (
	"fmt"
	"math"
	"strings"
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
	{ID: "acquire-too-long", Severity: Warning, Title: "the wait for a slot is longer than the call",
		Why: "A slot that is not free within tens of milliseconds will not be for long. Who waits for it " +
			"longer than an answer may take holds a thread, and is too late.",
		Number:   "wait for a slot or a connection, beside the limit of an attempt",
		Fix:      "timeout.acquire of tens of milliseconds",
		Bites:    "the slots are all taken",
		settings: acquireLong},
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
		why: fmt.Sprintf("%s/s to %s that take %s need %s slots, and there are %d",
			figure(s.measured.Rate, 4), s.name(), span(latency(s.measured, 0.01)), figure(need, 3), b.Limit),
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
		f.why = fmt.Sprintf("%s may hold %d calls, %s times what it needs at its p99", s.name(),
			b.Limit, figure(float64(b.Limit)/need, 3))
	default:
		return
	}
	size := s.size()
	if door > 0 {
		size = min(size, max(1, door/2, ceil(need)))
	}
	f.changes = []Change{s.set("bulkhead.limit", "%d", size)}
	if door > 0 && size >= door {
		f.changes = append(f.changes, Change{s.limitKey(), fmt.Sprint(2 * size)})
	}
	f.fix = s.told(f.changes)
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
		why: fmt.Sprintf("within timeout.acquire, %s, %s calls to %s get a slot, and %d may wait",
			span(b.Wait), figure(places, 4), s.name(), b.Queue),
		number:  Number{"places", float64(b.Queue), places, "places"},
		fix:     fmt.Sprintf("set bulkhead.queue to %d", int(places)),
		changes: []Change{s.set("bulkhead.queue", "%d", int(places))}})
}

func acquireLong(s *subject) {
	wait, limit := s.settings.Acquire, s.limit()
	if limit == 0 || wait <= limit || !s.on(call.RungTimeout) || s.dep.Kind == config.Async {
		return
	}
	good := max(roundDown(limit/10), time.Millisecond)
	s.report(found{keys: []string{"timeout.acquire"},
		why: fmt.Sprintf("a call to %s may wait %s for a slot, and the answer may take %s", s.name(),
			span(wait), span(limit)),
		number:  Number{"wait for a slot", inMillis(wait), inMillis(limit), "ms"},
		fix:     "set timeout.acquire to " + span(good),
		changes: []Change{s.set("timeout.acquire", "%s", span(good))}})
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
	v := s.of(of[0], s.rule)
	f := found{keys: []string{"bulkhead.limit"},
		why: fmt.Sprintf("the optional dependencies may hold %d of the %d requests that the door lets in",
			sum, door),
		number: Number{"slots of optional dependencies", float64(sum), allOthers * float64(door), "slots"}}
	// Each gets what its p99 needs, and the rest is shared as it was.
	least := make([]int, len(of))
	needs := 0
	for i, d := range of {
		least[i] = max(1, int(math.Ceil(s.of(d, s.rule).needed())))
		needs += least[i]
	}
	spare := int(allOthers*float64(door)) - needs
	if spare < 0 {
		key, most := s.limitKey(), ceil(float64(sum)/allOthers)
		f.fix = fmt.Sprintf("set %s to %d: they need %d slots at their p99", key, most, needs)
		f.changes = []Change{{key, fmt.Sprint(most)}}
		v.report(f)
		return
	}
	var shares []string
	for i, d := range of {
		limit := s.of(d, s.rule).slots().Limit
		n := min(limit, least[i]+spare*limit/sum)
		shares = append(shares, fmt.Sprintf("%s %d", d.Name, n))
		f.changes = append(f.changes, s.of(d, s.rule).set("bulkhead.limit", "%d", n))
	}
	f.fix = "set their limits to less: " + strings.Join(shares, ", ")
	v.report(f)
}
