package window

import (
	"math"
	"time"

	"github.com/seakeep/seakeep/core"
)

// kind is which of the three windows a Window is.
type kind uint8

const (
	inRow kind = iota
	byCalls
	byTime
)

// flags of one remembered result.
const (
	wasFailed = 1 << iota
	wasSlow
)

// unset is the end of a slice that nobody has begun: every now is past it.
const unset core.Instant = math.MinInt64

// Window counts results. It must be made by New or Init. It has no lock and
// reads no clock: callers give a now that does not go back. If it does go
// back, the result is counted as if it came at the latest time seen.
type Window struct {
	kind  kind
	next  int // byCalls: the ring's next place. byTime: the current slice
	row   int
	total Counts

	ring []uint8 // byCalls

	end    core.Instant // byTime: when the current slice ends; unset while empty
	width  time.Duration
	slices []Counts
}

// New returns an empty window. It panics if the config is not valid.
func New(c Config) *Window {
	w := new(Window)
	w.Init(c)
	return w
}

// Init makes w an empty window, for use inside another struct. It panics if
// the config is not valid.
func (w *Window) Init(c Config) {
	if err := c.Validate(); err != nil {
		panic("window: " + err.Error())
	}
	*w = Window{end: unset}
	switch {
	case c.Calls > 0:
		w.kind = byCalls
		w.ring = make([]uint8, c.Calls)
	case c.Over > 0:
		n := c.Buckets
		if n == 0 {
			n = defaultBuckets
		}
		w.kind = byTime
		w.slices = make([]Counts, n)
		w.width = c.Over / time.Duration(n)
	}
}

// Record adds one result. It does not allocate.
func (w *Window) Record(now core.Instant, failed, slow bool) {
	if failed {
		w.row++
	} else {
		w.row = 0
	}
	switch w.kind {
	case byTime:
		if now >= w.end {
			w.advance(now)
		}
		w.slices[w.next].add(failed, slow)
		w.total.add(failed, slow)
	case byCalls:
		w.push(failed, slow)
	default:
		if !failed {
			w.total = Counts{}
			return
		}
		w.total.add(failed, slow)
	}
}

// push overwrites the oldest result of the ring.
func (w *Window) push(failed, slow bool) {
	if int(w.total.Calls) == len(w.ring) {
		var old Counts
		f := w.ring[w.next]
		old.add(f&wasFailed != 0, f&wasSlow != 0)
		w.total.take(&old)
	}
	var f uint8
	if failed {
		f |= wasFailed
	}
	if slow {
		f |= wasSlow
	}
	w.ring[w.next] = f
	w.next++
	if w.next == len(w.ring) {
		w.next = 0
	}
	w.total.add(failed, slow)
}

// Counts returns what the window holds at now. Results that have grown too old
// are dropped first. A window of failures in a row holds that row.
func (w *Window) Counts(now core.Instant) Counts {
	if w.kind == byTime && now >= w.end {
		w.expire(now)
	}
	return w.total
}

// InARow returns the number of failures since the last success or Reset.
func (w *Window) InARow() int { return w.row }

// Reset empties the window.
func (w *Window) Reset(core.Instant) {
	w.clear()
	w.row = 0
}

func (w *Window) clear() {
	w.end = unset
	w.next = 0
	w.total = Counts{}
	clear(w.slices)
}

// advance makes the current slice one that holds now.
func (w *Window) advance(now core.Instant) {
	w.expire(now)
	if w.end == unset {
		w.end = now.Add(w.width)
	}
}

// expire moves on to the slice that holds now, dropping those that are too
// old: at most all of them, whatever the gap. After a gap as long as the
// window nothing is left, and the next result begins a slice of its own.
func (w *Window) expire(now core.Instant) {
	if w.end == unset {
		return
	}
	if now.Sub(w.end) >= w.width*time.Duration(len(w.slices)) {
		w.clear()
		return
	}
	for range w.slices {
		if now < w.end {
			return
		}
		w.next++
		if w.next == len(w.slices) {
			w.next = 0
		}
		w.total.take(&w.slices[w.next])
		w.slices[w.next] = Counts{}
		w.end = w.end.Add(w.width)
	}
}
