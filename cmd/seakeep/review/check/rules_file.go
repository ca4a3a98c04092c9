package check

import (
	"fmt"
	"net"
	"net/netip"
	"strings"
	"time"

	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core/call"
)

var fileRules = []*Rule{
	{ID: "measured-missing", Severity: Info, Title: "nobody can tell whether the numbers fit",
		Why: "Rate and latency are what limits are judged by. Without them the rules that count " +
			"say nothing, and the plan has no threads.",
		Number:     "figures that are there, beside rate, p50, p99 and p999",
		Fix:        "measured: {rate, p50, p99, p999}, as the caller sees them",
		Bites:      "traffic or latency change, and nobody looks at the limits",
		dependency: measuredMissing},
	{ID: "observe-only", Severity: Info, Title: "a rung only watches",
		Why: "mode: observe decides and reports, and lets every call pass. It is meant for a while, and " +
			"forgotten it protects nothing.",
		Number:   "calls that it stops, beside all it would",
		Fix:      "mode: enforce",
		Bites:    "whatever the rung is there for",
		settings: observeOnly},
	{ID: "faults-in-file", Severity: Warning, Title: "the file hurts calls whenever it is loaded",
		Why: "Rules under faults begin with the file, on every start and reload, for every request that " +
			"is not set apart by a mark.",
		Number:     "share of requests that are hurt, beside none",
		Fix:        "start faults with seakeep fault, or set marked: true",
		Bites:      "the program restarts",
		dependency: faultsInFile},
	{ID: "admin-exposed", Severity: Warning, Title: "anybody in reach may give orders",
		Why: "The admin address shows the state and takes orders: open a breaker, start a fault. It " +
			"listens on every network of the machine.",
		Number: "networks that reach it, beside the machine itself",
		Fix:    "admin.listen on 127.0.0.1",
		Bites:  "somebody finds the port",
		file:   adminExposed},
	{ID: "sequence-over-deadline", Severity: Info, Title: "calls one after another may not fit into a request",
		Why: "Each dependency fits into serve.deadline, or into what the caller waits, all of them together do " +
			"not. Where a request calls one after the other, the last gets no time when the first are slow, " +
			"though they are within their limits. The file does not say which calls do.",
		Number: "time that all of them may take, beside the deadline, or the caller's limit",
		Fix:    "shorter limits, a longer deadline, or calls side by side",
		Bites:  "the dependencies get slow together",
		file:   sequenceOver,
		graph:  sequenceUnder},
	{ID: "objective-out-of-reach", Severity: Warning, Title: "more is promised than the dependencies keep",
		Why: "Dependencies that every request needs and nothing can stand in for multiply: four of " +
			"99.9 % leave 99.6 %. An objective above that is missed on a usual month, and so is one that asks " +
			"for a latency which more calls than it allows are measured to exceed.",
		Number: "what the dependencies leave, or what was measured, beside the objective",
		Fix:    "a lower objective, a fallback, or a better dependency",
		Bites:  "nothing has to happen: a usual month misses it",
		file:   outOfReach},
	{ID: "no-effect", Severity: Warning, Title: "a setting cannot do what it says",
		Why: "Two settings together leave one of them without effect. These are the warnings of " +
			"seakeep validate.",
		Number: "settings without effect, beside none",
		Fix:    "as the finding says",
		Bites:  "somebody relies on it"},
}

func measuredMissing(s *subject) {
	m := s.measured
	have := 0
	for _, is := range []bool{m.Rate > 0, m.P50 > 0, m.P99 > 0, m.P999 > 0} {
		if is {
			have++
		}
	}
	if m.Rate > 0 && (m.P99 > 0 || m.P999 > 0) {
		return
	}
	s.report(found{keys: []string{"measured"},
		why: fmt.Sprintf("rate and latency of %s are unknown, so that its limits cannot be judged",
			s.name()),
		number: Number{"figures that are there", float64(have), 4, "figures"},
		fix:    "write measured: {rate, p50, p99, p999} as the caller sees them"})
}

func observeOnly(s *subject) {
	report := func(key string) {
		s.report(found{keys: []string{key + ".mode"},
			why:    fmt.Sprintf("%s of %s decides and lets every call pass", key, s.name()),
			number: Number{"calls that it stops", 0, 100, "%"},
			fix:    "set " + key + ".mode to enforce", changes: []Change{s.set(key+".mode", "enforce")}})
	}
	for _, r := range []struct {
		rung call.Rungs
		key  string
	}{{call.RungTimeout, "timeout"}, {call.RungRetry, "retry"}, {call.RungBreaker, "breaker"},
		{call.RungBulkhead, "bulkhead"}, {call.RungThrottle, "throttle"}, {call.RungHedge, "hedge"}} {
		if !s.on(r.rung) {
			report(r.key)
		}
	}
	if s.op != nil {
		return
	}
	if h := s.dep.Health; h != nil && h.Observe {
		report("health")
	}
	if o := s.dep.Outlier; o != nil && o.Observe {
		report("outlier")
	}
	if f := s.dep.Failover; f != nil && f.Observe {
		report("failover")
	}
}

func faultsInFile(s *subject) {
	c := s.dep.Faults
	if c == nil {
		return
	}
	for i, r := range c.Rules {
		if r.Scope.Marked {
			continue
		}
		s.report(found{keys: []string{fmt.Sprintf("faults.rules.%d", i), "faults"},
			why: fmt.Sprintf("the fault %s hurts requests to %s from when the file is loaded", r.Name,
				s.name()),
			number: Number{"requests that are hurt", 100 * min(r.Share, c.Share), 0, "%"},
			fix:    "remove the rule and start it with seakeep fault, or set its marked to true",
			changes: []Change{s.set(fmt.Sprintf("faults.rules.%d.marked", i),
				"true")}})
	}
}

func adminExposed(s *subject) {
	if s.Admin.Listen == "" {
		return
	}
	host, port, err := net.SplitHostPort(s.Admin.Listen)
	if err != nil {
		return
	}
	addr, err := netip.ParseAddr(host)
	if host != "" && (err != nil || !addr.IsUnspecified()) {
		return
	}
	s.report(found{keys: []string{"admin.listen"},
		why:     s.Admin.Listen + " is on every network that the machine has",
		number:  Number{"networks that reach it (1: all)", 1, 0, ""},
		fix:     "set admin.listen to 127.0.0.1:" + port,
		changes: []Change{{"admin.listen", "127.0.0.1:" + port}}})
}

// idle adds what seakeep validate warns of, where no rule has found the same.
func (s *source) idle() {
	rule := Find("no-effect")
	for _, w := range s.Warnings() {
		told := false
		for i := range s.found {
			told = told || s.found[i].about(w.Path)
		}
		if told {
			continue
		}
		s.found = append(s.found, Finding{Rule: rule.ID, Severity: rule.Severity, File: s.Name(),
			Line: w.Line, Column: w.Column, Path: w.Path, Why: w.Problem,
			Number: Number{"settings without effect", 1, 0, ""}, Fix: w.Fix, Changes: []Change{},
			Bites: rule.Bites})
	}
}

// about reports whether a finding is about the rung of a path, of the same
// dependency.
func (f *Finding) about(path string) bool {
	rung := func(p string) string {
		parts := strings.Split(p, ".")
		return strings.Join(parts[:min(3, len(parts))], ".")
	}
	if rung(f.Path) == rung(path) {
		return true
	}
	// The limits of attempts are timeouts and retries at once.
	limits := strings.NewReplacer(".retry", ".timeout", ".breaker.slow", ".timeout")
	return rung(limits.Replace(f.Path)) == rung(limits.Replace(path)) && strings.HasPrefix(path, "dependencies.")
}

func outOfReach(s *subject) {
	if s.SLO == nil {
		return
	}
	left, names := 1.0, []string{}
	for _, d := range s.Dependencies {
		if d.Kind == config.Critical && d.Availability > 0 && len(d.Fallback.Order) == 0 && d.Failover == nil {
			left *= d.Availability
			names = append(names, d.Name)
		}
	}
	for i := range s.SLO.Objectives {
		o := &s.SLO.Objectives[i]
		s.tooSlow(o)
		if o.Place == config.PlaceCalls || o.Objective <= left {
			continue
		}
		s.report(found{keys: []string{"slo.objectives." + o.Name + ".objective", "slo"},
			why: fmt.Sprintf("%s promises %.6g %%, and %s in series leave %.6g %%", o.Name,
				100*o.Objective, strings.Join(names, ", "), 100*left),
			number: Number{"what the dependencies leave", 100 * left, 100 * o.Objective, "%"},
			fix:    "promise less, or let something stand in for one of them"})
	}
}

// tooSlow looks at what an objective asks for and what was measured there.
func (s *subject) tooSlow(o *config.Objective) {
	var m config.Measured
	what := "requests"
	switch d := s.Dependency(o.Dependency); {
	case o.Place == config.PlaceCalls && d != nil:
		m, what = d.Measured, "calls to "+d.Name
	case o.Place == config.PlaceServe && s.Serve != nil && len(o.Paths) == 0 && len(o.Classes) == 0:
		m = s.Serve.Measured
	}
	share, ok := slower(m, o.Latency)
	if o.Latency == 0 || !ok || o.Latency >= tail(m) || 1-share >= o.Objective {
		return
	}
	s.report(found{keys: []string{"slo.objectives." + o.Name + ".latency", "slo"},
		why: fmt.Sprintf("%s promises %.6g %% within %s, and on a usual day %s of %s take longer", o.Name,
			100*o.Objective, span(o.Latency), percent(share), what),
		number: Number{"within that time, as measured", 100 * (1 - share), 100 * o.Objective, "%"},
		fix:    "promise a time that was measured, or make it faster"})
}

// sequenceUnder is sequenceOver for what a caller with a file of its own gives.
func sequenceUnder(g *graph, rule *Rule) {
	for _, e := range g.edges {
		outer := e.from.of(e.dep, rule)
		limit := outer.limit()
		if limit == 0 || e.to.deadline() > 0 || g.way(e.to, e.from, nil) != nil {
			continue
		}
		sum, names := e.to.inARow(limit)
		if len(names) < 2 || sum <= limit {
			continue
		}
		outer.report(found{keys: []string{"timeout.request", "timeout.total", "timeout"},
			why: fmt.Sprintf("%s may spend %s on %s one after the other, and %s waits %s for it", e.to.Service,
				span(sum), strings.Join(names, ", "), e.from.Service, span(limit)),
			number: Number{"time that all of them may take", inMillis(sum), inMillis(limit), "ms"},
			fix:    "shorten their limits, or call them side by side"})
	}
}

// inARow is how long the calls may take that every request needs, one after
// the other; 0 if one alone may take longer than there is, which is a finding
// of its own.
func (s *source) inARow(have time.Duration) (sum time.Duration, names []string) {
	for _, d := range s.Dependencies {
		if d.Kind != config.Critical {
			continue
		}
		v := s.of(d, nil)
		_, total := v.times()
		takes := v.worst(0.5)
		if total > 0 {
			takes = min(takes, total)
		}
		if takes == 0 || takes > have {
			return 0, nil
		}
		sum += takes
		names = append(names, d.Name)
	}
	return sum, names
}

func sequenceOver(s *subject) {
	deadline := s.deadline()
	if deadline == 0 {
		return
	}
	sum, names := s.inARow(deadline)
	if sum <= deadline {
		return
	}
	s.report(found{keys: []string{"serve.deadline.default"},
		why: fmt.Sprintf("%s may take %s one after the other, and a request has %s",
			strings.Join(names, ", "), span(sum), span(deadline)),
		number:  Number{"time that all of them may take", inMillis(sum), inMillis(deadline), "ms"},
		fix:     "shorten their limits, or call them side by side",
		changes: []Change{}})
}
