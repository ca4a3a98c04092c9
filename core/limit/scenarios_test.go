package limit

import (
	"math/rand/v2"
	"time"
)

// named is a scenario with what it is called in the documentation, and from
// which second to which its figures are taken.
type named struct {
	name     string
	about    string
	initial  int // 0: the algorithm's own, or nearest to it
	from, to int
	scenario
}

const (
	tenth = 10 * time.Millisecond // of a server's ten workers: 1,000 a second together
	shift = 60 * time.Second      // when something changes
	mend  = 120 * time.Second     // when it changes back
)

// between reports whether at lies within the time of change.
func between(at time.Duration) bool { return at >= shift && at < mend }

// slower serves three times as slowly for a minute.
func slower(at time.Duration, r *rand.Rand) time.Duration {
	d := time.Duration(r.ExpFloat64() * float64(tenth))
	if between(at) {
		d *= 3
	}
	return d
}

// stalls takes a whole second for one request of a hundred.
func stalls(_ time.Duration, r *rand.Rand) time.Duration {
	if r.Float64() < 0.01 {
		return time.Second
	}
	return tenth
}

func scenarios() []named {
	const two, three = 120 * time.Second, 180 * time.Second
	workers := func(n int) func(time.Duration) int { return func(time.Duration) int { return n } }
	surge := func(at time.Duration) float64 {
		if between(at) {
			return 1500
		}
		return 300
	}
	return []named{
		{"overload", "1,500/s, times exponential", 0, 60, 120,
			scenario{always(1500), exponential(tenth), nil, two}},
		{"overload, fixed", "1,500/s, times fixed", 0, 60, 120,
			scenario{always(1500), exact(tenth), nil, two}},
		{"below", "800/s, times exponential", 0, 60, 120,
			scenario{always(800), exponential(tenth), nil, two}},
		{"wrong start", "overload from a limit of 200, first minute", 200, 0, 60,
			scenario{always(1500), exponential(tenth), nil, two}},
		{"slower", "overload while times are 30 ms", 0, 60, 120,
			scenario{always(1500), slower, nil, three}},
		{"faster again", "the minute after that", 0, 120, 180,
			scenario{always(1500), slower, nil, three}},
		{"surge", "a minute of 1,500/s after one of 300/s", 0, 60, 120,
			scenario{surge, exponential(tenth), nil, three}},
		{"stalls", "800/s, one request of 100 takes 1 s", 0, 60, 600,
			scenario{always(800), stalls, nil, 600 * time.Second}},
		{"100 workers", "15,000/s, first half minute", 0, 0, 30,
			scenario{always(15000), exponential(tenth), workers(100), 30 * time.Second}},
		{"one worker", "150/s, times exponential", 0, 60, 120,
			scenario{always(150), exponential(tenth), workers(1), two}},
	}
}

// configure returns settings under which an algorithm can be compared: wide
// bounds, and its own numbers in all else.
func (n named) configure(a Algorithm) Config {
	c := Config{Algorithm: a, Max: 1000, Initial: 20}
	if a == AIMD || a == Gradient2 {
		c.Min = 3 // 20, as published, is more than the smallest server here can use
	}
	if n.initial > 0 {
		c.Initial = n.initial
	}
	return c
}

// results plays the scenario with two seeds and returns the mean of each
// figure.
func (n named) results(c Config) total {
	var t total
	const seeds = 2
	for seed := range uint64(seeds) {
		one := sum(play(n.scenario, must(c, seed), seed)[n.from:n.to])
		t.served += one.served / seeds
		t.refused += one.refused / seeds
		t.p50 += one.p50 / seeds
		t.p99 += one.p99 / seeds
		t.limit += one.limit / seeds
	}
	return t
}
