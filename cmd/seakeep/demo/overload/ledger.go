package overload

import (
	"sync"
	"time"

	"github.com/seakeep/seakeep/cmd/seakeep/demo/live"
	"github.com/seakeep/seakeep/core/window"
)

// tally is what became of the requests of one kind.
type tally struct {
	served, refused, lost uint64
	latency               window.Histogram // of those that were served
}

func (t *tally) offered() uint64 { return t.served + t.refused + t.lost }

// p99 returns the 99th percentile of what was served, in milliseconds; nil
// without any.
func p99(q window.Quantiles) *float64 {
	d, ok := q.Quantile(0.99)
	if !ok {
		return nil
	}
	ms := live.Round(float64(d)/float64(time.Millisecond), 1)
	return &ms
}

// second is what became of the requests that were planned in one second.
type second struct{ offered, served uint64 }

// ledger counts requests by what became of them. A request belongs to the
// moment for which it was planned.
type ledger struct {
	from time.Duration // what was planned earlier is in seconds only

	mu      sync.Mutex
	kinds   []tally
	seconds []second
}

// newLedger returns a ledger for a run that ends at until.
func newLedger(kinds int, from, until time.Duration) *ledger {
	return &ledger{from: from, kinds: make([]tally, kinds),
		seconds: make([]second, (until+time.Second-1)/time.Second)}
}

// note writes down how a guest fared.
func (l *ledger) note(g *guest, e ending) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := &l.seconds[g.at/time.Second]
	s.offered++
	if e.fate == served {
		s.served++
	}
	if g.at < l.from {
		return
	}
	t := &l.kinds[g.kind]
	switch e.fate {
	case served:
		t.served++
		t.latency.Record(e.took)
	case refused:
		t.refused++
	case lost:
		t.lost++
	}
}
