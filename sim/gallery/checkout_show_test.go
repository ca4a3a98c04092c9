package gallery

import (
	"fmt"
	"testing"
	"time"

	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/sim/stats"
)

func TestCheckoutShow(t *testing.T) {
	m := func(xs []float64) string { e := stats.Mean(xs, .95); return fmt.Sprintf("%.1f±%.1f", e.Mean, e.Half) }
	for _, row := range []struct {
		name string
		t    table
	}{
		{"1", table{}},
		{"2", table{slow: second}},
		{"3", table{slow: second, rungs: rungTimeout}},
		{"4", table{slow: second, rungs: rungTimeout + rungRetry}},
		{"5", table{slow: second, rungs: rungTimeout + rungBudget}},
		{"6", table{slow: second, rungs: rungTimeout + rungBudget + rungBreaker("20", "10") + rungFallback}},
		{"7", table{silent: 1, rungs: rungBulkhead + rungFallback}},
		{"8", table{silent: 10 * second}},
		{"9", table{slow: 300 * ms, rungs: rungTimeout}},
		{"10", table{slow: 300 * ms, rungs: rungTimeout + rungRetry}},
		{"11a", table{slow: 300 * ms, rungs: rungTimeout + rungRetry + rungBreaker("1000", "1000") + rungFallback, length: 310 * second}},
		{"11b", table{slow: 300 * ms, rungs: rungTimeout + rungRetry + rungBreaker("3000", "3000") + rungFallback, length: 310 * second}},
		{"12a", table{slow: 300 * ms, rungs: rungTimeout + rungBudget + rungBreaker("3000", "3000") + rungFallback, length: 310 * second}},
		{"12b", table{slow: 300 * ms, rungs: rungTimeout + rungBudget + rungBreaker("20", "10") + rungFallback, length: 310 * second}},
		{"12c", table{slow: 300 * ms, rungs: rungTimeout + rungBudget + rungBreaker("100", "100") + rungFallback, length: 310 * second}},
		{"13", table{slow: second, rungs: rungBulkhead + rungFallback}},
		{"14", table{slow: second, rungs: rungTimeout + rungBulkhead + rungFallback}},
		{"14b", table{slow: second, rungs: rungTimeout + rungBulkhead}},
		{"fifo", table{slow: second, queue: config.Queue{Rule: config.FIFO}}},
		{"fifo drop", table{slow: second, queue: config.Queue{Rule: config.FIFO, DropExpired: true}}},
		{"lifo", table{slow: second, queue: config.Queue{Rule: config.LIFO}}},
		{"b100", table{slow: second, queue: config.Queue{Rule: config.FIFO, Length: 100}}},
		{"b300", table{slow: second, queue: config.Queue{Rule: config.FIFO, Length: 300}}},
		{"b500", table{slow: second, queue: config.Queue{Rule: config.FIFO, Length: 500}}},
		{"b560", table{slow: second, queue: config.Queue{Rule: config.FIFO, Length: 560}}},
		{"b573", table{slow: second, queue: config.Queue{Rule: config.FIFO, Length: 573}}},
		{"b800", table{slow: second, queue: config.Queue{Rule: config.FIFO, Length: 800}}},
	} {
		start := time.Now()
		r := row.t.sample([]uint64{1, 2, 3, 4, 5})
		fmt.Printf("%-9s ab %s p99 %s busy %s busyC %s calls %s answerC %s real %s fallback %s changes %s open %s full %s ok %s %v\n", row.name, m(r.of(ab)), m(r.of(p99)), m(r.of(busy)), m(r.of(busyC)), m(r.of(calls)), m(r.of(answerC)), m(r.of(realC)), m(r.of(fallback)), m(r.of(changed)), m(r.of(open)), m(r.of(full)), m(r.of(func(c *checkoutRun) float64 { return c.attemptsOK })), time.Since(start).Round(time.Millisecond))
	}
}
