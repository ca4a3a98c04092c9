package gallery

import (
	"math"
	"time"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/bulkhead"
	lines "github.com/seakeep/seakeep/core/queue"
)

// queues puts the queue of core/bulkhead where others have published what comes
// of it.
func queues(s *sheet) {
	s.Setup = "Target 5 ms, interval 100 ms; the wait stays above the target. Then a mix of 10, 30, " +
		"40 and 20 % from the top, on one slot of 100 a second, strict priority."
	drops := codelDrops(5)
	for i, want := range []known{{100, 0, "ms"}, {70.7, 1, "ms"}, {57.7, 1, "ms"}, {50, 0, "ms"}} {
		gap := (drops[i+1] - drops[i]).Seconds() * 1000
		// A queue drops when a slot is given out, every 0.1 ms.
		s.mean("drop "+number(float64(i+2), 0, "")+" after", want, same(gap), off(0.2))
	}
	for _, row := range []struct {
		load float64
		want [core.Criticalities]float64
	}{
		{150, [...]float64{0, 67, 100, 100}},
		{200, [...]float64{0, 25, 100, 100}},
		{300, [...]float64{0, 0, 78, 100}},
	} {
		got := classesServed(row.load, [...]float64{0.2, 0.4, 0.3, 0.1})
		for i := core.Criticalities - 1; i >= 0; i-- {
			name := "at " + number(row.load, 0, "") + ", " + core.CriticalityAt(i).String()
			s.mean(name, known{row.want[i], 0, "%"}, same(got[i]), off(1))
		}
	}
}

// codelDrops gives one slot away every 0.1 ms to a queue that everybody joined
// at the start, and returns when its first n were dropped.
func codelDrops(n int) (drops []time.Duration) {
	const length = 6000
	b := must(bulkhead.New(bulkhead.Config{Limit: 1, Queue: length, Wait: time.Hour,
		Line: lines.Rules{Order: lines.CoDel, Target: 5 * ms, Interval: 100 * ms}}))
	b.TryAcquire(0, bulkhead.Place{})
	for range length {
		b.Enqueue(0, bulkhead.Place{}, nil)
	}
	for now := core.Instant(10 * ms); len(drops) < n; now += core.Instant(ms / 10) {
		before := b.Snapshot(now).Delayed
		b.Release(now, bulkhead.Place{})
		if b.Snapshot(now).Delayed > before {
			drops = append(drops, time.Duration(now))
		}
	}
	return drops
}

// classesServed offers so many requests a second of a mix of classes to one
// slot that serves 100 a second, for a minute, and returns the share of each
// class that was served, in per cent.
func classesServed(load float64, mix [core.Criticalities]float64) (got [core.Criticalities]float64) {
	b := must(bulkhead.New(bulkhead.Config{Limit: 1, Queue: 30, Wait: time.Second,
		Line: lines.Rules{Full: lines.DropLowest}}))
	b.TryAcquire(0, bulkhead.Place{})
	var waiting [core.Criticalities][]*bulkhead.Ticket
	var owed, sent, served [core.Criticalities]float64
	for now := core.Instant(0); now < core.Instant(60*second); now += core.Instant(10 * ms) {
		for i := range mix {
			for owed[i] += load * mix[i] / 100; owed[i] >= 1; owed[i]-- {
				sent[i]++
				p := bulkhead.Place{Class: core.CriticalityAt(i)}
				if t, _ := b.Enqueue(now, p, nil); t != nil {
					waiting[i] = append(waiting[i], t)
				}
			}
		}
		b.Release(now, bulkhead.Place{})
		for i := range waiting {
			var still []*bulkhead.Ticket
			for _, t := range waiting[i] {
				switch b.Poll(now, t) {
				case bulkhead.Waiting:
					still = append(still, t)
				case bulkhead.Granted:
					served[i]++
				}
			}
			waiting[i] = still
		}
		if inUse, _, _ := b.Busy(now); inUse == 0 {
			b.TryAcquire(now, bulkhead.Place{})
		}
	}
	for i := range got {
		got[i] = 100 * served[i] / math.Max(1, sent[i])
	}
	return got
}
