package demo

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/seakeep/seakeep/cmd/seakeep/dashboard"
	"github.com/seakeep/seakeep/cmd/seakeep/demo/live"
)

// names are the dependencies, and also the endpoints of checkout that need
// them.
var names = [...]string{"pricing", "inventory", "recommendations"}

const (
	patience = time.Second           // until a user gives up
	ownWork  = 2 * time.Millisecond  // of checkout, for each request
	floor    = 5 * time.Millisecond  // of a dependency's latency
	usual    = 20 * time.Millisecond // a healthy dependency's mean latency

	maxRate = live.MaxOutstanding // at which patience alone lets that many be outstanding
	maxPool = 100_000
	maxRun  = time.Hour
)

// Options say what to run.
type Options struct {
	For     time.Duration // 1s to 1h
	Stay    bool          // until ctx ends, whatever For says
	Rate    int           // requests a second in all, 1 to 5000
	Slow    []Slow        // what goes wrong, and when; none: nothing does
	Protect Rungs         // which rungs of the policy file stay
	Pool    int           // checkout's workers
	Queue   int           // how many requests may wait for one
	Seed    uint64        // of arrivals and latencies
	Admin   string        // host:port of checkout's dashboard and metrics; empty: nowhere
	Spare   bool          // another port will do if Admin's is taken

	Dashboard dashboard.Options // of the dashboard there
}

// Defaults returns the options that show the cascade. The slow window begins
// after a sixth of the run and lasts for half of it, so that there is a before
// and an after.
func Defaults(run time.Duration) Options {
	return Options{For: run, Rate: 600, Protect: All, Pool: 200, Queue: 20, Seed: 1,
		Slow: []Slow{{Name: "recommendations", Mean: 2 * time.Second,
			Start: run / 6, Length: run / 2}}}
}

// end is when the run is over.
func (o Options) end() time.Duration {
	if o.Stay {
		return math.MaxInt64
	}
	return o.For
}

// Validate reports every option that cannot be used, by its flag.
func (o Options) Validate() error {
	var errs []error
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if o.For < time.Second || o.For > maxRun {
		bad("--for is %v; give a time such as 30s, from 1s to %v", o.For, maxRun)
	}
	if o.Rate < 1 || o.Rate > maxRate {
		bad("--rate is %d; give requests a second such as 600, from 1 to %d", o.Rate, maxRate)
	}
	if o.Pool < 1 || o.Pool > maxPool {
		bad("--pool is %d; give a number of workers such as 200, from 1 to %d", o.Pool, maxPool)
	}
	if o.Queue < 0 || o.Queue > maxPool {
		bad("--queue is %d; give how many requests may wait for a worker, from 0 to %d",
			o.Queue, maxPool)
	}
	for i, s := range o.Slow {
		if !o.Stay && s.Start >= o.For && o.For >= time.Second { // else --for is the mistake
			bad("--slow %v begins when the run is over, after %v; raise --for, or begin earlier",
				s, o.For)
		}
		for _, other := range o.Slow[:i] {
			if s.Name == other.Name && s.Start < other.end() && other.Start < s.end() {
				bad("--slow %v and --slow %v overlap; end one before the other begins", other, s)
			}
		}
	}
	return errors.Join(errs...)
}
