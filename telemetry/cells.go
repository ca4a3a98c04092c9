package telemetry

import (
	"math/rand/v2"
	"runtime"
	"sync/atomic"
	"time"
)

// buckets is how many a histogram has, the last without an upper end.
const buckets = len(bounds) + 1

// limits are the bounds in nanoseconds.
var limits = func() (all [len(bounds)]time.Duration) {
	for i, b := range bounds {
		all[i] = time.Duration(b * float64(time.Second))
	}
	return all
}()

// bucketOf returns the bucket of a duration. Most are in the lower ones.
func bucketOf(d time.Duration) int {
	for i, limit := range limits {
		if d <= limit {
			return i
		}
	}
	return len(limits)
}

// timings counts durations. It fills two lines of a cache.
type timings struct {
	counts [buckets]atomic.Uint64
	sum    atomic.Int64 // nanoseconds: 292 years of them
}

func (t *timings) record(d time.Duration) {
	t.counts[bucketOf(d)].Add(1)
	if d > 0 {
		t.sum.Add(int64(d))
	}
}

// stripes is how many copies there are of the counters that every call touches.
// Two processors that count at once then seldom want the same line of memory.
var stripes = func() uint32 {
	n := uint32(1)
	for n < 8 && int(n) < runtime.GOMAXPROCS(0) {
		n *= 2
	}
	return n
}()

// stripe returns one of them. Which one does not matter; chance spreads them
// well enough, and is cheaper than to find out where we run.
func stripe() uint32 {
	if stripes == 1 {
		return 0
	}
	return rand.Uint32() & (stripes - 1)
}

// table counts by two words, or by one.
type table struct {
	width int
	cells []atomic.Uint64
}

func newTable(height, width int) table { return table{width, make([]atomic.Uint64, height*width)} }

func (t *table) add(row, column int) {
	if row >= 0 && row*t.width+column < len(t.cells) {
		t.cells[row*t.width+column].Add(1)
	}
}

// each visits the cells that are not zero.
func (t *table) each(visit func(row, column int, n uint64)) {
	for i := range t.cells {
		if n := t.cells[i].Load(); n > 0 {
			visit(i/t.width, i%t.width, n)
		}
	}
}
