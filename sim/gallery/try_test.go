package gallery

import (
	"fmt"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core/budget"
	"github.com/seakeep/seakeep/core/retry"
	"github.com/seakeep/seakeep/sim/stats"
)

func TestTry33(t *testing.T) {
	base := stationConfig{service: 10 * time.Millisecond, patience: time.Second,
		load: []phase{{0, 80}, {10 * time.Second, 150}, {15 * time.Second, 80}}}
	none := retry.Backoff{Base: 1, Jitter: retry.None, Factor: 1}
	show := func(name string, f func(c *stationConfig)) {
		for _, poisson := range []bool{true} {
			var a, b, o, rec []float64
			n := 30
			for seed := range n {
				c := base
				c.poisson = poisson
				c.retry = retry.Config{Attempts: 3, Backoff: none}
				f(&c)
				s := simulate(c, uint64(seed), 110*time.Second)
				a = append(a, mean(s.good, 20, 30))
				b = append(b, mean(s.good, 60, 110))
				o = append(o, mean(s.offered, 60, 110))
				r := 110
				for r > 15 && s.good[r-1] >= 50 {
					r--
				}
				rec = append(rec, float64(r))
			}
			m := func(x []float64) string { e := stats.Mean(x, .95); return fmt.Sprintf("%6.1f (%5.1f)", e.Mean, e.SD) }
			fmt.Printf("%-20s poisson %-5v %s %s offered %s rec %v\n", name, poisson, m(a), m(b), m(o), m(rec))
			fmt.Println(rec)
		}
	}
	for _, r := range []float64{.1, .2} {
		show(fmt.Sprint("budget w10 ", r), func(c *stationConfig) { c.budget = &budget.Config{Ratio: r} })
		show(fmt.Sprint("budget w1 ", r), func(c *stationConfig) { c.budget = &budget.Config{Ratio: r, Window: time.Second} })
		show(fmt.Sprint("budget w3 ", r), func(c *stationConfig) { c.budget = &budget.Config{Ratio: r, Window: 3 * time.Second} })
		show(fmt.Sprint("budget floor3 ", r), func(c *stationConfig) { c.budget = &budget.Config{Ratio: r, Floor: 3} })
	}
	show("none", func(c *stationConfig) { c.retry.Attempts = 1 })
	show("drop", func(c *stationConfig) { c.expired = true })
	show("bound50", func(c *stationConfig) { c.bound = 50 })
	show("bound99", func(c *stationConfig) { c.bound = 99 })
	show("bound100", func(c *stationConfig) { c.bound = 100 })
	show("lifo", func(c *stationConfig) { c.lifo = true })
	for _, p := range []time.Duration{5 * time.Second} {
		show("timeout "+p.String(), func(c *stationConfig) { c.patience = p })
	}
}
