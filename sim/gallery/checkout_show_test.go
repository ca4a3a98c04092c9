package gallery

import (
	"fmt"
	"testing"

	"github.com/seakeep/seakeep/sim/stats"
)

func TestCheckoutShow(t *testing.T) {
	m := func(xs []float64) string { e := stats.Mean(xs, .95); return fmt.Sprintf("%.2f±%.2f(%.1f)", e.Mean, e.Half, e.SD) }
	show := func(name string, t table, n int) {
		var seeds []uint64
		for i := range n {
			seeds = append(seeds, uint64(i))
		}
		r := t.sample(seeds)
		fmt.Printf("%-9s ab %s busy %s calls %s real %s fallback %s changes %s open %s ok %s \n", name, m(r.of(ab)), m(r.of(busy)), m(r.of(calls)), m(r.of(realC)), m(r.of(fallback)), m(r.of(changed)), m(r.of(open)), m(r.of(func(c *checkoutRun) float64 { return c.attemptsOK })))
	}
	show("6", table{slow: second, rungs: rungTimeout + rungBudget + rungBreaker("20", "10") + rungFallback}, 40)
	show("6r", table{slow: second, rungs: rungTimeout + rungRetry + rungBreaker("20", "10") + rungFallback}, 40)
	for _, w := range [][2]string{{"1000", "10"}, {"1000", "20"}, {"1000", "100"}, {"1000", "500"}, {"3000", "10"}, {"3000", "100"}, {"3000", "300"},{"3000", "1000"}, {"20", "10"}, {"100", "10"}, {"100", "50"}} {
		show("11 "+w[0]+" "+w[1], table{slow: 300 * ms, rungs: rungTimeout + rungRetry + rungBreaker(w[0], w[1]) + rungFallback, length: 310 * second}, 5)
		show("12 "+w[0]+" "+w[1], table{slow: 300 * ms, rungs: rungTimeout + rungBudget + rungBreaker(w[0], w[1]) + rungFallback, length: 310 * second}, 5)
	}
}
