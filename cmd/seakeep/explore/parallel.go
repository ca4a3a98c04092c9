package explore

import (
	"runtime"
	"sync"

	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/sim"
)

// Parallel makes runs side by side and returns them in the order of the seeds,
// so that nobody can tell how many processors there were.
func Parallel(s *config.Scenario, seeds []uint64) ([]*sim.Result, error) {
	out := make([]*sim.Result, len(seeds))
	errs := make([]error, len(seeds))
	room := make(chan struct{}, runtime.GOMAXPROCS(0))
	var all sync.WaitGroup
	for i, seed := range seeds {
		room <- struct{}{}
		all.Go(func() {
			out[i], errs[i] = sim.Run(s, sim.Options{Seed: seed})
			<-room
		})
	}
	all.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}
