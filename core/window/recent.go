package window

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/seakeep/seakeep/core"
)

const (
	recentSlices  = 4
	defaultRecent = time.Minute // enough for a 99.9th percentile from 17 calls a second on
)

// Recent is a distribution of the latencies of a recent time, less up to a
// quarter of it. The zero value is empty, ready, and covers one minute;
// NewRecent makes one that covers another time. It takes 34 kB and is safe for
// concurrent use.
type Recent struct {
	// current and end are read by every Record. They change under mu when the
	// current slice has ended, which is rare. end is kept with its sign bit
	// flipped, so that the zero value is the earliest instant.
	current atomic.Uint32
	end     atomic.Uint64

	mu     sync.Mutex
	width  time.Duration
	slices [recentSlices]Histogram
}

// NewRecent returns an empty distribution over the last over. It panics if
// over is less than 1ms.
func NewRecent(over time.Duration) *Recent {
	if over < minOver {
		panic("window: NewRecent needs at least " + minOver.String())
	}
	return &Recent{width: over / recentSlices}
}

const signBit = 1 << 63

// Record counts one latency that ended at now. It does not allocate. A now
// older than the latest seen counts in the current slice.
func (r *Recent) Record(now core.Instant, d time.Duration) {
	if uint64(now)^signBit >= r.end.Load() {
		r.advance(now)
	}
	r.slices[r.current.Load()%recentSlices].Record(d)
}

// Snapshot returns the distribution at now.
func (r *Recent) Snapshot(now core.Instant) Quantiles {
	if uint64(now)^signBit >= r.end.Load() {
		r.advance(now)
	}
	var q Quantiles
	for i := range r.slices {
		r.slices[i].addTo(&q)
	}
	return q
}

// advance empties the slices that have expired. A Record that runs at the same
// moment may land in a slice just emptied, which only makes it younger.
func (r *Recent) advance(now core.Instant) {
	r.mu.Lock()
	defer r.mu.Unlock()
	width := r.width
	if width == 0 {
		width = defaultRecent / recentSlices
	}
	end := core.Instant(r.end.Load() ^ signBit)
	if now < end {
		return
	}
	steps := 0
	if now.Sub(end) >= width*recentSlices {
		steps, end = recentSlices, now.Add(width)
	}
	for ; now >= end && steps < recentSlices; steps++ {
		end = end.Add(width)
	}
	for range steps {
		next := (r.current.Load() + 1) % recentSlices
		r.slices[next].Reset()
		r.current.Store(next)
	}
	r.end.Store(uint64(end) ^ signBit)
}
