package study

import (
	"math"
	"strings"

	"github.com/seakeep/seakeep/core/window"
	"github.com/seakeep/seakeep/sim"
)

// measure is one figure of one run.
type measure struct {
	name  string
	unit  Unit
	value float64 // NaN: this run has none

	// A share that was counted: so many of all.
	some, all uint64
	counted   bool

	// A quantile, and what it is one of.
	p       float64
	latency *window.Quantiles
}

func rate(name string, n uint64, seconds float64) measure {
	return measure{name: name, unit: PerSecond, value: float64(n) / seconds}
}

func number(name string, x float64) measure { return measure{name: name, value: x} }

// ratio is a over b; without b there is none.
func ratio(name string, u Unit, a, b float64) measure {
	m := measure{name: name, unit: u, value: math.NaN()}
	if b != 0 {
		m.value = a / b
	}
	return m
}

func share(name string, some, all uint64) measure {
	m := ratio(name, Share, float64(some), float64(all))
	m.some, m.all, m.counted = some, all, true
	return m
}

func quantile(name string, q *window.Quantiles, p float64) measure {
	m := measure{name: name, unit: Seconds, value: math.NaN(), p: p, latency: q}
	if d, ok := q.Quantile(p); ok {
		m.value = d.Seconds()
	}
	return m
}

// line is a row of one run: an endpoint, a service or a dependency.
type line struct {
	key, name string
	measures  []measure
}

// Figures of endpoints, services and dependencies, by which they are asked for.
const (
	Sent     = "sent"
	Answered = "answered"
	Success  = "success"
	Fallback = "fallback"
	P50      = "p50"
	P99      = "p99"
	P999     = "p999"
	GaveUp   = "gave-up"
	TimedOut = "timed-out"
	Refused  = "refused"
	Errored  = "errored"

	Rate       = "rate"
	Busy       = "busy"
	Queued     = "queued"
	MostBusy   = "most-busy"
	MostQueued = "most-queued"
	Limit      = "limit"

	Calls         = "calls"
	Attempts      = "attempts"
	Amplification = "amplification"
	Rejected      = "rejected"
	Transitions   = "transitions"
	Open          = "open"
)

func endpoint(e *sim.EndpointResult, seconds float64) []measure {
	ended := e.Answered() + e.Failed()
	m := ratio("mean", Seconds, 0, 0)
	if d, ok := e.Latency.Mean(); ok {
		m.value = d.Seconds()
	}
	return []measure{
		rate(Sent, e.Sent, seconds),
		rate(Answered, e.Answered(), seconds),
		share(Success, e.Answered(), ended),
		share(Fallback, e.Fallback, ended),
		m,
		quantile(P50, &e.Latency, 0.5),
		quantile("p90", &e.Latency, 0.9),
		quantile(P99, &e.Latency, 0.99),
		quantile(P999, &e.Latency, 0.999),
		share(GaveUp, e.GaveUp, ended),
		share(TimedOut, e.TimedOut, ended),
		share(Refused, e.Refused, ended),
		share(Errored, e.Errored, ended),
	}
}

func service(v *sim.ServiceResult, seconds float64) []measure {
	slots := 0
	for i := range v.Doors {
		if s := v.Doors[i].Slots; s != nil {
			slots += s.Limit
		}
	}
	return []measure{
		{name: Rate, unit: PerSecond, value: v.Rate},
		rate("served", v.Served, seconds),
		rate("failed", v.Failed, seconds),
		rate(Refused, v.Refused, seconds),
		rate("expired", v.Expired, seconds),
		rate("dropped", v.Dropped, seconds),
		rate("crashed", v.Crashed, seconds),
		rate("hung", v.Hung, seconds),
		number(Busy, v.Busy),
		number(Queued, v.Queued),
		number("here", v.Here),
		ratio("time", Seconds, v.Here, v.Rate),
		number(MostBusy, float64(v.MostBusy)),
		number(MostQueued, float64(v.MostQueued)),
		number(Limit, float64(slots)),
	}
}

func dependency(d *sim.DependencyResult, seconds float64) []measure {
	s := &d.Stats
	entered := s.Succeeded + s.Failed + s.Cancelled
	calls := entered + s.Rejected
	return []measure{
		{name: Calls, unit: PerSecond, value: d.Calls},
		{name: Attempts, unit: PerSecond, value: d.Attempts},
		amplification(d.Amplification),
		rate("retries", s.Retries, seconds),
		share(Rejected, s.Rejected, calls),
		share("failed", s.Failed, calls),
		rate("timeouts", s.Timeouts, seconds),
		share(Fallback, min(d.Answered+d.Chained, calls), calls),
		number(Transitions, float64(d.Transitions)),
		{name: Open, unit: Share, value: d.OpenShare},
	}
}

// amplification is none in a run in which no call made an attempt.
func amplification(x float64) measure {
	m := number(Amplification, x)
	if x == 0 {
		m.value = math.NaN()
	}
	return m
}

// report is the rows of one run: of endpoints, services, doors by class and by
// reason, and dependencies.
type report [5][]line

// lines gives the figures of one run, row by row. The rows are the same for
// every run of a scenario.
func lines(r *sim.Result) report {
	var endpoints, services, dependencies []line
	seconds := (r.For - r.Warmup).Seconds()
	names := endpointNames(r)
	for i := range r.Endpoints {
		endpoints = append(endpoints, line{"endpoints." + names[i], names[i],
			endpoint(&r.Endpoints[i], seconds)})
	}
	for i := range r.Services {
		v := &r.Services[i]
		services = append(services, line{"services." + v.Name, v.Name, service(v, seconds)})
	}
	for i := range r.Dependencies {
		d := &r.Dependencies[i]
		name := strings.ReplaceAll(d.Name, "/", ".")
		dependencies = append(dependencies, line{"dependencies." + d.By + "." + name,
			d.By + " > " + d.Name, dependency(d, seconds)})
	}
	doors, refusals := doorLines(r)
	return report{endpoints, services, doors, refusals, dependencies}
}

// only is the route of a service that gives none a name. Its endpoint goes by
// the name of the service.
const only = "default"

// endpointNames are those of the routes; if two clients ask for routes of the
// same name, with the client's before it.
func endpointNames(r *sim.Result) []string {
	names := make([]string, len(r.Endpoints))
	times := map[string]int{}
	for i := range r.Endpoints {
		e := &r.Endpoints[i]
		names[i] = e.Name
		if e.Name == only {
			names[i] = e.Service
		}
		times[names[i]]++
	}
	for i := range names {
		if times[names[i]] > 1 {
			names[i] = r.Endpoints[i].Client + "." + names[i]
		}
	}
	return names
}
