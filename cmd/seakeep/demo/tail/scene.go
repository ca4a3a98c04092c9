package tail

import (
	"context"
	"slices"
	"time"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/cmd/seakeep/demo/live"
)

// outcome is what a run came to.
type outcome struct {
	took    []time.Duration // in order, of the requests that count
	failed  int
	extra   float64
	ejected []Ejection
	counted time.Duration // less than planned if the run was ended early
	whole   bool          // it was not
	skipped uint64
	lateMS  float64
	repeats int // other runs that do not count, because the machine was busy
}

// short reports whether the run was ended too early to say anything.
func (o *outcome) short() bool { return o.counted < live.MinCounted || len(o.took) == 0 }

// play runs a variant until its end or that of ctx. With slowed every replica
// is slow from the moment on from which the run counts.
func (o Options) play(ctx context.Context, v variant, slowed bool) (*outcome, error) {
	clock := new(live.Clock)
	f := &fleet{seed: o.Seed, clock: clock}
	if slowed {
		f.allSlow = max(o.Warm, 1)
	}
	w := newWatcher(clock)
	p, err := o.opener()(f, v.file(), seakeep.Options{Observer: w})
	if err != nil {
		return nil, err
	}
	defer p.stop()
	w.know(p.urls)
	c := newCrowd(p, clock, o.Warm)
	clock.Start()
	ran, first, end := c.run(ctx, o.arrivals(), o.Warm+o.For)
	slices.Sort(c.took)
	return &outcome{took: c.took, failed: c.failed, extra: f.extra(first, end),
		ejected: w.ejections(o.Warm, ran), counted: max(ran-o.Warm, 0), whole: ran >= o.Warm+o.For,
		skipped: c.Skipped(), lateMS: c.LateMS()}, nil
}

// quantile returns a quantile of what is in order: the least that so large a
// share does not exceed.
func quantile(sorted []time.Duration, q float64) time.Duration {
	return sorted[min(int(q*float64(len(sorted))), len(sorted)-1)]
}

// over returns the share of what is in order that is above a limit.
func over(sorted []time.Duration, limit time.Duration) float64 {
	i, _ := slices.BinarySearch(sorted, limit+1)
	return float64(len(sorted)-i) / float64(len(sorted))
}
