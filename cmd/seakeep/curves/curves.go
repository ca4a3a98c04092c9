package curves

import "time"

// Curves are columns: the value at i of each list belongs to step i. nil is a
// step without a value.
type Curves struct {
	StepS     float64    `json:"step_s"`
	Busy      []*float64 `json:"busy"` // workers, on average
	Endpoints []Endpoint `json:"endpoints"`
}

// Endpoint is an endpoint of the program and the one dependency that it calls.
type Endpoint struct {
	Name     string     `json:"name"`
	Sent     []*float64 `json:"sent"`     // requests a second
	Success  []*float64 `json:"success"`  // share that got an answer in time, a fallback's included
	Fallback []*float64 `json:"fallback"` // share that a fallback answered
	P50MS    []*float64 `json:"p50_ms"`   // of answers
	P99MS    []*float64 `json:"p99_ms"`
	Calls    []*float64 `json:"calls"` // attempts a second that reach the dependency
	Open     []*float64 `json:"open"`  // share of the time in which its breaker was not closed
}

// New returns columns of so many steps, without values.
func New(names []string, steps int, step time.Duration) *Curves {
	empty := func() []*float64 { return make([]*float64, steps) }
	c := &Curves{StepS: step.Seconds(), Busy: empty()}
	for _, name := range names {
		c.Endpoints = append(c.Endpoints, Endpoint{name, empty(), empty(), empty(), empty(), empty(),
			empty(), empty()})
	}
	return c
}

// Set puts a step's row into an endpoint's columns.
func (e *Endpoint) Set(step int, r Row) {
	e.Sent[step], e.Success[step], e.Fallback[step] = r.Sent, r.Success, r.Fallback
	e.P50MS[step], e.P99MS[step] = r.P50MS, r.P99MS
}

// Value returns a pointer to a number, to three digits after the point, which is
// less than anybody sees.
func Value(x float64) *float64 {
	x = float64(int64(x*1000+0.5)) / 1000
	return &x
}
