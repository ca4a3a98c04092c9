package main

import (
	"fmt"
	"slices"
	"time"
)

// options say how long to measure.
type options struct {
	pairs int           // rounds: in each, every proxy has a burst
	burst time.Duration // how long one is
}

// result is what one proxy's bursts in a row came to: medians, and quartiles of
// its ratios to plain, round by round.
type result struct {
	Row      string   `json:"row"`
	Party    string   `json:"proxy"`
	Requests float64  `json:"requests_per_second"`
	CPU      float64  `json:"cpu_us"` // processor time of a request
	User     float64  `json:"user_us"`
	System   float64  `json:"system_us"`
	P50      float64  `json:"p50_us"`
	P99      float64  `json:"p99_us"`
	Ratio    quartile `json:"of_plain"`
	// OfOff is the ratio to our own with the ladder off.
	OfOff *quartile `json:"of_ladder_off,omitempty"`
}

type quartile struct {
	Low    float64 `json:"low"`
	Median float64 `json:"median"`
	High   float64 `json:"high"`
}

// measureRow starts every proxy and lets them take turns.
func measureRow(s *stage, r row, which []party, o options) ([]result, error) {
	var procs []*process
	var clients [][]client
	defer func() {
		for i, p := range procs {
			for _, c := range clients[i] {
				c.close()
			}
			p.stop()
		}
	}()
	for _, party := range which {
		p, err := party.start(s, r.h2Both)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", party.name, err)
		}
		procs, clients = append(procs, p), append(clients, nil)
		all, err := r.clients(p)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", party.name, err)
		}
		clients[len(clients)-1] = all
		// The first requests open connections and grow heaps.
		if _, err := drive(all, o.burst/4, r.rate); err != nil {
			return nil, fmt.Errorf("%s, row %s: %w", party.name, r.id, err)
		}
	}
	bursts := make([][]burst, len(procs))
	for round := range o.pairs {
		for turn := range procs {
			i := (turn + round) % len(procs) // each round begins with another one
			b, err := turnOf(procs[i], clients[i], r, o.burst)
			if err != nil {
				return nil, fmt.Errorf("%s, row %s: %w", procs[i].name, r.id, err)
			}
			bursts[i] = append(bursts[i], b)
		}
	}
	return summarize(r, procs, bursts), nil
}

// turnOf is one burst against one proxy. Its clients stay connected.
func turnOf(p *process, clients []client, r row, d time.Duration) (burst, error) {
	u0, s0, err := p.cpu()
	if err != nil {
		return burst{}, err
	}
	b, err := drive(clients, d, r.rate)
	if err != nil {
		return burst{}, fmt.Errorf("%w\n%s", err, &p.out)
	}
	u1, s1, err := p.cpu()
	b.user, b.system = u1-u0, s1-s0
	return b, err
}

func summarize(r row, procs []*process, bursts [][]burst) (out []result) {
	at := func(name string) []burst {
		i := slices.IndexFunc(procs, func(p *process) bool { return p.name == name })
		if i < 0 {
			return nil
		}
		return bursts[i]
	}
	for i, p := range procs {
		of := func(f func(burst) float64) float64 { return quantile(each(bursts[i], f), 0.5) }
		res := result{Row: r.id, Party: p.name, CPU: of(burst.cpu),
			User:     of(func(b burst) float64 { return b.per(b.user) }),
			System:   of(func(b burst) float64 { return b.per(b.system) }),
			Requests: of(func(b burst) float64 { return float64(b.requests) / b.took.Seconds() }),
			P50:      of(func(b burst) float64 { return b.latency(0.5) }),
			P99:      of(func(b burst) float64 { return b.latency(0.99) }),
			Ratio:    ratios(bursts[i], at(plainName))}
		if off := at(offName); p.name == onName && off != nil {
			q := ratios(bursts[i], off)
			res.OfOff = &q
		}
		out = append(out, res)
	}
	return out
}

// per is a time's share of each request, in microseconds.
func (b burst) per(d time.Duration) float64 {
	return float64(d.Microseconds()) / float64(max(b.requests, 1))
}

func (b burst) cpu() float64 { return b.per(b.user + b.system) }

func (b burst) latency(q float64) float64 {
	if len(b.latencies) == 0 {
		return 0
	}
	return float64(b.latencies[int(q*float64(len(b.latencies)-1))].Microseconds())
}

func each(bursts []burst, f func(burst) float64) (out []float64) {
	for _, b := range bursts {
		out = append(out, f(b))
	}
	return out
}

// ratios compares round by round, because both bursts were a moment apart.
func ratios(ours, theirs []burst) quartile {
	var all []float64
	for i := range min(len(ours), len(theirs)) {
		all = append(all, ours[i].cpu()/theirs[i].cpu())
	}
	return quartile{quantile(all, 0.25), quantile(all, 0.5), quantile(all, 0.75)}
}

// quantile returns the value that a share q of the values lies below, between
// two values the mean by distance.
func quantile(values []float64, q float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	at := q * float64(len(sorted)-1)
	low := int(at)
	high := min(low+1, len(sorted)-1)
	return sorted[low] + (at-float64(low))*(sorted[high]-sorted[low])
}

// idle is what connections cost that do nothing.
type idle struct {
	Party string  `json:"proxy"`
	Bytes float64 `json:"bytes_per_connection"`
}

const idleConns = 1000

// measureIdle opens connections that have had a request each, and then wait.
func measureIdle(s *stage, party party) (out idle, err error) {
	p, err := party.start(s, false)
	if err != nil {
		return idle{}, err
	}
	defer p.stop()
	var open []client
	defer func() {
		for _, c := range open {
			c.close()
		}
	}()
	connect := func(n int) error {
		for range n {
			c, err := newRaw(p.address, 1<<10)
			if err != nil {
				return err
			}
			open = append(open, c)
			if err := c.exchange(); err != nil {
				return err
			}
		}
		time.Sleep(time.Second) // for what happens behind an answer
		return nil
	}
	if err := connect(conns); err != nil { // heaps have grown to what they are in use
		return idle{}, err
	}
	before, err := p.pss()
	if err != nil {
		return idle{}, err
	}
	if err := connect(idleConns); err != nil {
		return idle{}, err
	}
	after, err := p.pss()
	return idle{party.name, float64(after-before) / idleConns}, err
}
