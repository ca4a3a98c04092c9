package telemetry

import (
	"math"
	"sync/atomic"
	"time"
)

// The buckets of Prometheus' native histograms at their schema 3: each is
// 2^(1/8) times as wide as the one before, so that a quantile is known to 4.4 %.
// They reach from a microsecond to 17 minutes; what is outside counts at the end.
const (
	// FineSchema is the resolution of Timing.Fine, as Prometheus numbers it.
	FineSchema = 3
	fineSteps  = 1 << FineSchema
	fineLowest = -20 * fineSteps
	fineCount  = 30*fineSteps + 1
)

// fineBounds are the upper ends of the buckets between a half and one.
var fineBounds = func() (all [fineSteps]float64) {
	for i := range all {
		all[i] = math.Exp2(float64(i)/fineSteps - 1)
	}
	return all
}()

// fine is the native histograms of a policy.
type fine struct{ calls, attempts [outcomes]fineCounts }

// fineCounts takes its memory with the first duration. Whoever counts in usual
// buckets as well counts here first; see refine.
type fineCounts struct {
	at atomic.Pointer[[fineCount]atomic.Uint64]
}

func (f *fineCounts) record(d time.Duration) {
	counts := f.at.Load()
	if counts == nil {
		f.at.CompareAndSwap(nil, new([fineCount]atomic.Uint64))
		counts = f.at.Load()
	}
	counts[fineBucket(d)-fineLowest].Add(1)
}

// fineBucket returns the number of a duration's bucket, whose upper end is
// 2^(number/8) seconds.
func fineBucket(d time.Duration) int {
	if d <= 0 {
		return fineLowest
	}
	fraction, exponent := math.Frexp(d.Seconds())
	i := 0
	for i < fineSteps && fraction > fineBounds[i] {
		i++
	}
	return min(max(i+(exponent-1)*fineSteps, fineLowest), fineLowest+fineCount-1)
}

// read returns what is counted, by the bucket's number.
func (f *fineCounts) read() map[int]uint64 {
	counts := f.at.Load()
	if counts == nil {
		return nil
	}
	found := map[int]uint64{}
	for i := range counts {
		if n := counts[i].Load(); n > 0 {
			found[i+fineLowest] = n
		}
	}
	return found
}

// refine adds the finer buckets to what was read of the usual ones. A histogram
// whose count is not what is in its finer buckets is refused by Prometheus, and
// the whole scrape with it: what was counted here since the usual ones were read
// is taken into the count, and for this once into the last of those.
func (t *Timing) refine(f *fineCounts) {
	t.Fine = f.read()
	total := uint64(0)
	for _, n := range t.Fine {
		total += n
	}
	if total > t.Count {
		t.Counts[len(t.Counts)-1] += total - t.Count
		t.Count = total
	}
}
