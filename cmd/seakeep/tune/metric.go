package tune

import (
	"fmt"
	"math"
	"slices"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/telemetry"
)

// attempts is the metric that latencies are read from: of single attempts,
// because that is what timeout.request limits. Its place in telemetry's table is
// found by the name that OpenTelemetry has for it.
var attempts = definition("seakeep.attempt.duration")

func definition(otel string) telemetry.Definition {
	all := telemetry.Definitions()
	i := slices.IndexFunc(all, func(d telemetry.Definition) bool { return d.OTel == otel })
	if i < 0 || all[i].Kind != telemetry.Histogram {
		panic(fmt.Sprintf("tune: telemetry has no histogram %s", otel))
	}
	return all[i]
}

// The labels of that metric.
const (
	byDependency = "dependency"
	byOperation  = "operation"
	byOutcome    = "outcome"
)

// timing is what a series of the histogram counts: bins with their outcome.
type timing struct {
	bins  []bin
	count int
}

// gathered are the series of one dependency, all of its operations together.
type gathered struct {
	bins        []bin
	calls       int
	failed, cut int
}

// put adds a series.
func (g *gathered) put(outcome string, t timing) {
	switch outcome {
	case core.Cancelled.String():
		return // the caller left: nobody knows how long it would have taken
	case core.Success.String(), core.Ignored.String():
		g.bins = append(g.bins, t.bins...)
	case core.Timeout.String():
		g.failed += t.count
		g.cut += t.count
		for _, b := range t.bins {
			g.bins = append(g.bins, bin{b.low, math.Inf(1), b.count})
		}
	default:
		g.failed += t.count
	}
	g.calls += t.count
}

// ofBuckets makes bins of classic buckets: upper ends, and how many are at most
// that.
func ofBuckets(ends []float64, upTo []float64) (t timing) {
	low, done := 0.0, 0.0
	for i, end := range ends {
		if n := int(math.Round(upTo[i] - done)); n > 0 {
			t.bins = append(t.bins, bin{low, end, n})
			t.count += n
			done = upTo[i]
		}
		low = end
	}
	return t
}
