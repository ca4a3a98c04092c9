package sim

import (
	"fmt"
	"testing"

	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/internal/race"
)

// Waits of the textbook, of scenario files as people write them.
func TestWaitsOfTheTextbook(t *testing.T) {
	race.OneGoroutine(t)
	for _, c := range []struct {
		name, work string
		workers    int
		rate       int
		wait       float64 // mean, in ms
	}{
		// W = rho / (mu - lambda); half of it with constant work; Erlang C.
		{"M/M/1", "{floor: 0s, mean: 10ms}", 1, 70, 1000 * 0.7 / 30},
		{"M/D/1", "10ms", 1, 70, 1000 * 0.7 / 30 / 2},
		{"M/M/2", "{floor: 0s, mean: 10ms}", 2, 140, 1000 * 0.57647 / 60},
		{"M/M/5", "{floor: 0s, mean: 10ms}", 5, 400, 1000 * 0.55411 / 100},
	} {
		s, err := config.ParseScenario("q.yaml", []byte(fmt.Sprintf(`version: 1
name: queue
for: 2000s
warmup: 20s
clients: {users: {to: shop, rate: %d/s}}
services: {shop: {workers: %d, queue: {rule: fifo, length: 100000}, work: %s}}
`, c.rate, c.workers, c.work)), nil)
		if err != nil {
			t.Fatal(err)
		}
		shop := run(t, s, 0).Services[0]
		near(t, c.name, 1000*shop.Queued/shop.Rate, c.wait, 0.05*c.wait)
	}
}
