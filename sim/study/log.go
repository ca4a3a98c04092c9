package study

import (
	"strconv"
	"strings"
	"time"

	"github.com/seakeep/seakeep/core"
)

// Log gathers the decisions of the policies of one run: how many of which kind,
// in each slice of time. Its Observe is made for sim.Options.Trace.
type Log struct {
	width time.Duration
	of    []*decisions // in the order of their first decision
	by    map[string]*decisions
	doors []*doorLog // in the order of their first decision
}

// decisions are those of all users of a policy of one dependency.
type decisions struct {
	by, name string
	bins     []bin
	changes  []change
}

// bin counts decisions in a slice of time.
type bin struct {
	calls, attempts, timeouts uint64
	waited                    time.Duration // by the attempts that timed out
	retries                   uint64
	full, held, denied        uint64        // refused by bulkhead and throttle; retries by the budget
	fullAt, heldAt, deniedAt  time.Duration // the first of them
}

// change is one of a breaker.
type change struct {
	at       time.Duration
	user     int
	from, to string
	reason   core.Reason
}

// finer is how many slices a Log has for each slice of a run's charts.
const finer = 4

// NewLog returns an empty log of a run of the given length.
func NewLog(length time.Duration) *Log {
	const slices = 120 * finer
	return &Log{width: max(1, length/slices), by: map[string]*decisions{}}
}

// Observe takes one decision.
func (l *Log) Observe(e core.Event) {
	if l.observeDoor(e) {
		return
	}
	d := l.by[e.Policy]
	if d == nil {
		d = l.find(e.Policy)
	}
	b := d.bin(int(time.Duration(e.At) / l.width))
	switch e.Kind {
	case core.CallStarted:
		b.calls++
	case core.AttemptStarted:
		b.attempts++
	case core.AttemptEnded:
		if e.Outcome == core.Timeout {
			b.timeouts++
			b.waited += e.Took
		}
	case core.RetryScheduled:
		b.retries++
	case core.RetryDenied:
		if e.Reason == core.BudgetExhausted {
			first(&b.denied, &b.deniedAt, e.At)
		}
	case core.CallRejected:
		switch {
		case e.Observed:
		case e.Reason == core.BulkheadFull, e.Reason == core.QueueTimeout:
			first(&b.full, &b.fullAt, e.At)
		case e.Reason == core.Throttled:
			first(&b.held, &b.heldAt, e.At)
		}
	case core.BreakerChanged:
		d.changes = append(d.changes, change{time.Duration(e.At), userOf(e.Policy), e.From, e.To,
			e.Reason})
	}
}

func first(count *uint64, at *time.Duration, now core.Instant) {
	if *count == 0 {
		*at = time.Duration(now)
	}
	*count++
}

// find returns the decisions of a policy's users, all instances together. A
// policy of package sim is called who[instance]>dependency.
func (l *Log) find(policy string) *decisions {
	who, name, _ := strings.Cut(policy, ">")
	by := who[:max(strings.LastIndexByte(who, '['), 0)]
	for _, d := range l.of {
		if d.by == by && d.name == name {
			l.by[policy] = d
			return d
		}
	}
	d := &decisions{by: by, name: name}
	l.of = append(l.of, d)
	l.by[policy] = d
	return d
}

func userOf(policy string) int {
	_, rest, _ := strings.Cut(policy, "[")
	number, _, _ := strings.Cut(rest, "]")
	n, _ := strconv.Atoi(number)
	return n
}

func (d *decisions) bin(k int) *bin {
	for len(d.bins) <= k {
		d.bins = append(d.bins, bin{})
	}
	return &d.bins[k]
}

// sum adds up the bins from one to another, that one left out.
func (d *decisions) sum(from, to int) (s bin) {
	for k := max(from, 0); k < min(to, len(d.bins)); k++ {
		b := &d.bins[k]
		s.calls += b.calls
		s.attempts += b.attempts
		s.timeouts += b.timeouts
		s.waited += b.waited
		s.retries += b.retries
		s.denied += b.denied
		s.full += b.full
		s.held += b.held
	}
	return s
}
