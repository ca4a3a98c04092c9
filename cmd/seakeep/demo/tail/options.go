package tail

import (
	"errors"
	"fmt"
	"time"

	"github.com/seakeep/seakeep/cmd/seakeep/demo/live"
)

// Options say how the demo runs.
type Options struct {
	Rate float64       // requests a second, to 5000
	Warm time.Duration // of each run, not counted: 0 to 1 minute
	For  time.Duration // of each run, counted: 1s to 10 minutes
	Seed uint64        // of arrivals and times

	open opener
	come func(rate float64, seed uint64) (next func() time.Duration)
}

const (
	maxRate = 5000
	maxWarm = time.Minute
	maxFor  = 10 * time.Minute
	// maxRequests bounds what a run keeps of its requests.
	maxRequests = 1 << 20
)

// Defaults returns a run of more than 20,000 counted requests for each variant:
// the slowest thousandth is 20 of them, enough that chance moves it little.
func Defaults() Options {
	return Options{Rate: 750, Warm: 4 * time.Second, For: 27 * time.Second, Seed: 1}
}

// Validate reports every option that cannot be used, by its flag.
func (o Options) Validate() error {
	var errs []error
	if !(o.Rate >= 1 && o.Rate <= maxRate) {
		errs = append(errs, fmt.Errorf("--rate is %g; give requests a second, from 1 to %d",
			o.Rate, maxRate))
	}
	if o.Warm < 0 || o.Warm > maxWarm {
		errs = append(errs, fmt.Errorf("--warm-up is %v; give a time such as 4s, at most %v",
			o.Warm, maxWarm))
	}
	if o.For < time.Second || o.For > maxFor {
		errs = append(errs, fmt.Errorf("--for is %v; give a time such as 27s, from 1s to %v",
			o.For, maxFor))
	}
	if n := o.Rate * (o.Warm + o.For).Seconds(); len(errs) == 0 && n > maxRequests*0.9 {
		errs = append(errs, fmt.Errorf("--rate and --for make %.0f requests a run; give less, "+
			"up to %.0f", n, maxRequests*0.9))
	}
	return errors.Join(errs...)
}

func (o Options) opener() opener {
	if o.open != nil {
		return o.open
	}
	return onSockets
}

// arrivals returns when users come, the same in every run.
func (o Options) arrivals() (next func() time.Duration) {
	if o.come != nil {
		return o.come(o.Rate, o.Seed)
	}
	return live.NewArrivals(o.Rate, o.Seed).Next
}
