package check

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core/retry"
)

// point is a quantile: the share of calls that take longer than at.
type point struct {
	at, above float64
}

func quantiles(m config.Measured) (all []point) {
	all = append(all, point{0, 1})
	for _, q := range []struct {
		at    time.Duration
		above float64
	}{{m.P50, 0.5}, {m.P99, 0.01}, {m.P999, 0.001}} {
		switch last := &all[len(all)-1]; {
		case q.at.Seconds() > last.at:
			all = append(all, point{q.at.Seconds(), q.above})
		case q.at > 0 && q.at.Seconds() == last.at: // the same time says more
			last.above = q.above
		}
	}
	return all
}

// slower is the share of calls that take longer than d: exponential between the
// quantiles that were measured, and beyond the last as before it. It reports
// false if none was.
func slower(m config.Measured, d time.Duration) (share float64, ok bool) {
	all := quantiles(m)
	if len(all) < 2 {
		return 0, false
	}
	at := d.Seconds()
	i := 1
	for i < len(all)-1 && at > all[i].at {
		i++
	}
	a, b := all[i-1], all[i]
	slope := math.Log(b.above/a.above) / (b.at - a.at)
	return a.above * math.Exp(slope*(at-a.at)), true
}

// latency is the time that one call in 1/above takes or more; 0: unknown.
func latency(m config.Measured, above float64) time.Duration {
	all := quantiles(m)
	for i := 1; i < len(all); i++ {
		a, b := all[i-1], all[i]
		if above < b.above && i < len(all)-1 {
			continue
		}
		slope := math.Log(b.above/a.above) / (b.at - a.at)
		return time.Duration((a.at + math.Log(above/a.above)/slope) * float64(time.Second))
	}
	return 0
}

// tail is the largest quantile that was measured; 0: none.
func tail(m config.Measured) time.Duration { return max(m.P50, m.P99, m.P999) }

// goodTimeout is the p99.9 and half of it again, rounded up. Without a
// measurement it is a second.
func goodTimeout(m config.Measured) time.Duration {
	p := latency(m, 0.001)
	if p == 0 {
		return time.Second
	}
	return roundUp(p + p/2)
}

// roundUp gives a time that somebody might have written: 1, 1.5, 2, 2.5, 3, 4,
// 5, 6 or 8 times a power of ten.
func roundUp(d time.Duration) time.Duration {
	unit := time.Duration(1)
	for unit*10 <= d {
		unit *= 10
	}
	for _, tenths := range []time.Duration{10, 15, 20, 25, 30, 40, 50, 60, 80} {
		if unit < 10 {
			break // below 10ns
		}
		if n := unit / 10 * tenths; n >= d {
			return n
		}
	}
	return unit * 10
}

// roundDown gives such a time that is no more than d.
func roundDown(d time.Duration) time.Duration {
	best := time.Microsecond
	for t := best; t <= d; t = roundUp(t + 1) {
		best = t
	}
	return best
}

// atLeast is the probability of k or more of n, each with probability p.
func atLeast(n, k int, p float64) float64 {
	switch {
	case k <= 0 || p >= 1:
		return 1
	case p <= 0 || k > n:
		return 0
	}
	sum := 0.0
	for i := k; i <= n; i++ {
		sum += math.Exp(choose(n, i) + float64(i)*math.Log(p) + float64(n-i)*math.Log(1-p))
	}
	return min(sum, 1)
}

// choose is the logarithm of n over k.
func choose(n, k int) float64 {
	a, _ := math.Lgamma(float64(n + 1))
	b, _ := math.Lgamma(float64(k + 1))
	c, _ := math.Lgamma(float64(n - k + 1))
	return a - b - c
}

// pauses is how long a call waits between its attempts: draw is where in its
// range each wait is, from 0 to 1.
func pauses(r *retry.Config, attempts int, draw float64) (sum time.Duration) {
	var before time.Duration
	for k := 1; k < attempts; k++ {
		before = r.Backoff.Delay(k, before, draw)
		sum += before
	}
	return sum
}

func millis(v float64) time.Duration { return time.Duration(v * float64(time.Millisecond)) }

func inMillis(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// span writes a time as files have it.
func span(d time.Duration) string {
	if d > time.Millisecond {
		d = d.Round(time.Microsecond)
	}
	text := d.String()
	if d > time.Second {
		text = d.Round(time.Millisecond).String()
	}
	if s, ok := strings.CutSuffix(text, "m0s"); ok {
		text = s + "m"
	}
	if s, ok := strings.CutSuffix(text, "h0m"); ok {
		text = s + "h"
	}
	return text
}

// percent writes a share as files have it.
func percent(share float64) string { return figure(100*share, 3) + "%" }

// figure writes a number with so many digits, and never with an exponent.
func figure(v float64, digits int) string {
	if text := strconv.FormatFloat(v, 'g', digits, 64); !strings.Contains(text, "e") {
		return text
	}
	if math.Abs(v) >= 1 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	v, _ = strconv.ParseFloat(strconv.FormatFloat(v, 'g', digits, 64), 64)
	return strconv.FormatFloat(v, 'f', -1, 64)
}

// ceil rounds up to a number that somebody might have written.
func ceil(v float64) int {
	n := int(math.Ceil(v))
	switch {
	case n > 1000:
		return (n + 99) / 100 * 100
	case n > 100:
		return (n + 9) / 10 * 10
	}
	return max(n, 1)
}
