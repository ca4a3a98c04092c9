package gallery

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core/retry"
	"github.com/seakeep/seakeep/sim/stats"
)

func m(x []float64) string {
	e := stats.Mean(x, .95)
	return fmt.Sprintf("%6.1f (%5.1f)", e.Mean, e.SD)
}

func TestTry36(t *testing.T) {
	for _, T := range []int{120, 200, 300} {
		for name, f := range map[string]func(c *stationConfig){
			"fifo":  func(c *stationConfig) {},
			"drop":  func(c *stationConfig) { c.expired = true },
			"bound": func(c *stationConfig) { c.bound = 50 },
			"lifo":  func(c *stationConfig) { c.lifo = true },
			"fb":    func(c *stationConfig) { c.short = 5 * time.Millisecond; c.long = 100 * time.Millisecond },
		} {
			for _, load := range []float64{80, 100, 120, 200, 300} {
				var g, p []float64
				for seed := range 10 {
					c := stationConfig{service: 10 * time.Millisecond, random: true, poisson: true, patience: time.Second, load: []phase{{0, load}}, keepTimes: true}
					f(&c)
					s := simulate(c, uint64(seed), time.Duration(T)*time.Second)
					g = append(g, mean(s.good, 0, T))
					slices.Sort(s.sojourns)
					p = append(p, s.sojourns[len(s.sojourns)*99/100].Seconds())
				}
				fmt.Printf("%d %-6s %v: %s p99 %.3f\n", T, name, load, m(g), stats.Mean(p, .95).Mean)
			}
		}
	}
}

func TestTryHot(t *testing.T) {
	for _, random := range []bool{false, true} {
		for _, tc := range []struct {
			load float64
			n    int
			lost bool
		}{{280, 2, false}, {280, 1, false}, {280, 2, true}, {140, 2, false}, {150, 2, false}, {145, 2, false}, {155, 2, false}} {
			var o, g, h []float64
			for seed := range 5 {
				c := stationConfig{service: time.Second / 300, random: random, poisson: true, patience: time.Second, load: []phase{{0, tc.load}}, retry: retry.Config{Attempts: tc.n, Backoff: retry.Backoff{Base: 1, Jitter: retry.None, Factor: 1}}, outage: [2]time.Duration{20 * time.Second, 30 * time.Second}, lost: tc.lost}
				s := simulate(c, uint64(seed), 400*time.Second)
				o = append(o, mean(s.offered, 170, 215))
				g = append(g, mean(s.good, 170, 215))
				h = append(h, mean(s.good, 350, 400))
			}
			fmt.Printf("random %v %+v offered %s good %s end %s\n", random, tc, m(o), m(g), m(h))
		}
	}
}

func TestTryMongo(t *testing.T) {
	t0 := time.Now()
	for _, cap := range []float64{15000, 16000, 17000} {
		for _, tc := range []struct {
			load, cut float64
			d         int
		}{{6200, .22, 10}, {6200, .20, 10}, {6200, .2, 9}, {4200, .2, 10}} {
			c := stationConfig{service: time.Duration(1e9 / cap), poisson: true, patience: 3 * time.Second, load: []phase{{0, tc.load}}, retry: retry.Config{Attempts: 5, Backoff: retry.Backoff{Base: 1, Jitter: retry.None, Factor: 1}},
				slowed: []phase{{5 * time.Second, 1 / tc.cut}, {time.Duration(5+tc.d) * time.Second, 1}}}
			s := simulate(c, 1, 75*time.Second)
			fmt.Printf("%v %+v offered %.0f good %.0f  fired %d %v\n", cap, tc, mean(s.offered, 60, 75), mean(s.good, 60, 75), s.Fired(), time.Since(t0))
		}
	}
}
