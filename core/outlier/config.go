package outlier

import (
	"errors"
	"fmt"
	"time"
)

// Off as the first number of a rule switches it off.
const Off = -1

// Config holds a detector's numbers. The zero Config is one to use.
type Config struct {
	// Interval is how often endpoints are compared and may come back. 0 is 10s:
	// long enough for requests to divide by, short enough to matter.
	Interval time.Duration
	// Consecutive has the rules about errors in a row.
	Consecutive Consecutive
	// SuccessRate compares the endpoints' success rates.
	SuccessRate SuccessRate
	// FailureShare is the rule for what is bad by any comparison.
	FailureShare FailureShare
	// Latency compares the endpoints' latencies.
	Latency Latency
	// Base is how long the first ejection lasts at least; the n-th of a series
	// lasts n times as long. 0 is 30s, about what a process needs to restart.
	Base time.Duration
	// Cap bounds an ejection. 0 is 5m, or Base if that is more: whoever was
	// mended must not be forgotten.
	Cap time.Duration
	// MaxOut bounds how many may be out.
	MaxOut MaxOut
}

// Consecutive counts errors in a row, over any time.
type Consecutive struct {
	// Errors in a row of any kind. 0 is 5: fewer happen by chance (at 10 %
	// errors five in a row are one in 100,000), more cost more calls.
	Errors int
	// Gateway is for 502, 503, 504 and no answer. 0 has no count of its own.
	Gateway int
	// Local is for attempts without an answer: not connected, broken, timed
	// out. 0 counts them as Errors; any number counts them here only.
	Local int
}

// SuccessRate takes out what is too far below the mean.
type SuccessRate struct {
	// Sigma is how many standard deviations below the mean the limit is. 0 is
	// 1.9, so that one bad endpoint of five is seen: with 2 it needs six.
	Sigma float64
	// Hosts is how many endpoints must have Requests before any is judged. 0 is
	// 5: below that nobody can be 1.9 deviations away.
	Hosts int
	// Requests is how many an endpoint must have had in the interval. 0 is 100.
	Requests int
}

// FailureShare takes out whatever fails too much.
type FailureShare struct {
	// Share of requests that failed, to be reached. 0 is 0.85.
	Share float64
	// Hosts is how many endpoints must have Requests before any is judged. 0 is
	// 5: of fewer, each is so large a part that the breaker sees it too.
	Hosts int
	// Requests is how many an endpoint must have had in the interval. 0 is 50.
	Requests int
	// Enforce is the share of those found by this rule that are taken out, for
	// trying it out. 0 is 1: all.
	Enforce float64
}

// Latency takes out what is much slower than the others.
type Latency struct {
	// Factor is how many times the others' median is too slow. 0 is 5: machines
	// of two generations and two zones differ by 2 or 3, and a balancer that
	// looks at latency copes with that.
	Factor float64
	// Quantile of an endpoint's latencies that is compared. 0 is 0.5: the
	// median tells a slow endpoint from one with a few slow answers.
	Quantile float64
	// Over is how far above the others' median it must be besides. 0 is 10ms,
	// because a multiple of next to nothing hurts nobody.
	Over time.Duration
	// Hosts is how many endpoints must have Requests before any is judged. 0 is
	// 3: of two nobody knows which one is odd.
	Hosts int
	// Requests is how many an endpoint must have had in the interval. 0 is 20.
	Requests int
}

// MaxOut bounds how many endpoints may be out.
type MaxOut struct {
	// Share of all endpoints, rounded down. 0 is 0.5: one of two may go, one of
	// three, and never the only one. The tenth that others have means that a
	// cluster of fewer than ten ejects nobody.
	Share float64
	// AlwaysOne lets one go, of two endpoints or more, even if Share of them is
	// less than one.
	AlwaysOne bool
}

const (
	maxInterval = time.Hour
	maxTime     = 24 * time.Hour
	mostInARow  = 10_000
	mostCounted = 1_000_000
	// maxEndpoints is how many bits a mask has.
	maxEndpoints = 64
)

// Validate reports every field that cannot be used, one error a field, joined.
func (c Config) Validate() error {
	f := c.Filled()
	return errors.Join(
		span("Interval", c.Interval, 10*time.Millisecond, maxInterval, "10s"),
		count("Consecutive.Errors", c.Consecutive.Errors, Off, mostInARow, "5, or Off"),
		count("Consecutive.Gateway", c.Consecutive.Gateway, 0, mostInARow, "5, or 0 for none"),
		count("Consecutive.Local", c.Consecutive.Local, 0, mostInARow, "5, or 0 for none"),
		number("SuccessRate.Sigma", c.SuccessRate.Sigma, 0.1, 10, "1.9, or Off"),
		count("SuccessRate.Hosts", c.SuccessRate.Hosts, 0, maxEndpoints, "5"),
		count("SuccessRate.Requests", c.SuccessRate.Requests, 0, mostCounted, "100"),
		number("FailureShare.Share", c.FailureShare.Share, 0.01, 1, "0.85, or Off"),
		count("FailureShare.Hosts", c.FailureShare.Hosts, 0, maxEndpoints, "5"),
		count("FailureShare.Requests", c.FailureShare.Requests, 0, mostCounted, "50"),
		share("FailureShare.Enforce", c.FailureShare.Enforce, "1"),
		number("Latency.Factor", c.Latency.Factor, 1.1, 1000, "5, or Off"),
		share("Latency.Quantile", c.Latency.Quantile, "0.5"),
		span("Latency.Over", c.Latency.Over, time.Microsecond, time.Hour, "10ms"),
		count("Latency.Hosts", c.Latency.Hosts, 0, maxEndpoints, "3"),
		count("Latency.Requests", c.Latency.Requests, 0, mostCounted, "20"),
		span("Base", c.Base, 10*time.Millisecond, maxTime, "30s"),
		span("Cap", c.Cap, f.Base, maxTime, "5m, not less than Base"),
		share("MaxOut.Share", c.MaxOut.Share, "0.5"),
	)
}

func span(field string, d, least, most time.Duration, like string) error {
	if d == 0 || d >= least && d <= most {
		return nil
	}
	return fmt.Errorf("%s: is %v; give a time such as %s, from %v to %v",
		field, d, like, least, most)
}

func count(field string, n, least, most int, like string) error {
	if n >= least && n <= most {
		return nil
	}
	return fmt.Errorf("%s: is %d; give a number such as %s, at most %d", field, n, like, most)
}

// number is for a rule's first field, which may be Off.
func number(field string, v, least, most float64, like string) error {
	if v == 0 || v == Off || v >= least && v <= most {
		return nil
	}
	return fmt.Errorf("%s: is %v; give a number such as %s, from %v to %v",
		field, v, like, least, most)
}

func share(field string, v float64, like string) error {
	if v >= 0 && v <= 1 {
		return nil
	}
	return fmt.Errorf("%s: is %v; give a share such as %s, from 0 to 1", field, v, like)
}

// Filled returns c with the defaults in place of its zeros.
func (c Config) Filled() Config {
	fill(&c.Interval, 10*time.Second)
	fill(&c.Consecutive.Errors, 5)
	fill(&c.SuccessRate.Sigma, 1.9)
	fill(&c.SuccessRate.Hosts, 5)
	fill(&c.SuccessRate.Requests, 100)
	fill(&c.FailureShare.Share, 0.85)
	fill(&c.FailureShare.Hosts, 5)
	fill(&c.FailureShare.Requests, 50)
	fill(&c.FailureShare.Enforce, 1)
	fill(&c.Latency.Factor, 5)
	fill(&c.Latency.Quantile, 0.5)
	fill(&c.Latency.Over, 10*time.Millisecond)
	fill(&c.Latency.Hosts, 3)
	fill(&c.Latency.Requests, 20)
	fill(&c.Base, 30*time.Second)
	fill(&c.Cap, max(5*time.Minute, c.Base))
	fill(&c.MaxOut.Share, 0.5)
	return c
}

func fill[T int | float64 | time.Duration](field *T, value T) {
	if *field == 0 {
		*field = value
	}
}
