package gallery

import (
	"fmt"
	"testing"
	"time"

	"github.com/seakeep/seakeep/core/retry"
)

func TestMongo2(t *testing.T) {
	for _, v := range []struct {
		name            string
		poisson, random bool
		back            time.Duration
	}{{"poisson", true, false, 1}, {"even", false, false, 1}, {"random", true, true, 1}, {"evenrandom", false, true, 1}, {"back 10", true, false, 10 * time.Millisecond}, {"back100", true, false, 100 * time.Millisecond}} {
		for _, cap := range []float64{15000, 16000, 16500, 17000, 17500} {
			fmt.Print(v.name, " ", cap, ": ")
			for _, tc := range []struct {
				load, cut float64
				d         int
			}{{6200, .22, 10}, {6200, .20, 10}, {6200, .2, 9}} {
				c := stationConfig{service: time.Duration(1e9 / cap), random: v.random, poisson: v.poisson, patience: 3 * time.Second, load: []phase{{0, tc.load}}, retry: retry.Config{Attempts: 5, Backoff: retry.Backoff{Base: v.back, Jitter: retry.None, Factor: 1}},
					slowed: []phase{{5 * time.Second, 1 / tc.cut}, {time.Duration(5+tc.d) * time.Second, 1}}}
				s := simulate(c, 1, 60*time.Second)
				fmt.Printf(" %.0f", mean(s.good, 50, 60))
			}
			fmt.Println()
		}
	}
}
