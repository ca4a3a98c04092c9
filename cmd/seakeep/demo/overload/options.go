package overload

import (
	"errors"
	"fmt"
	"time"

	"github.com/seakeep/seakeep/cmd/seakeep/demo/live"
)

// Options say how the demo of overload runs.
type Options struct {
	Loads   []float64     // times the capacity, each from 0.05 to 20
	Machine Machine       // at most 5000 requests a second at the highest load
	Warm    time.Duration // of each point, not counted: 0 to 1 minute
	For     time.Duration // of each point, counted: 1s to 10 minutes
	Seed    uint64        // of arrivals, classes and times

	guard guard
	open  opener
}

const (
	maxLoad    = 20
	minLoad    = 0.05
	maxPoints  = 50
	maxWorkers = 1000
	maxWarm    = time.Minute
	maxFor     = 10 * time.Minute
)

// Defaults returns the sweep that shows where a program without protection
// stops being useful. In the four seconds before each point counts, the queue
// of a program that gets half as much again as it can do has grown to
// twice its users' patience, and what protects it has found its limit.
func Defaults() Options {
	return Options{Loads: []float64{0.5, 0.8, 1, 1.5, 2, 3, 10}, Machine: DefaultMachine(),
		Warm: 4 * time.Second, For: 5 * time.Second, Seed: 1, guard: &doorman{file: "overload.yaml"}}
}

// DefaultMachine returns four workers that do 200 requests a second together:
// enough for a percentile within seconds, and little enough that ten times that
// is no work for the generator. No two requests take the same time, which is
// what makes a queue at less than full load.
func DefaultMachine() Machine {
	return Machine{Workers: 4, Floor: 10 * time.Millisecond, Mean: 20 * time.Millisecond}
}

// Validate reports every option that cannot be used, by its flag.
func (o Options) Validate() error {
	errs := []error{o.Machine.validate(), checkTimes(o.Warm, o.For)}
	if len(o.Loads) == 0 || len(o.Loads) > maxPoints {
		errs = append(errs, fmt.Errorf("--load has %d points; give 1 to %d, such as 0.5,1,3",
			len(o.Loads), maxPoints))
	}
	for _, load := range o.Loads {
		if !(load >= minLoad && load <= maxLoad) {
			errs = append(errs, fmt.Errorf("--load %g is no load; give times the capacity, "+
				"from %g to %d", load, minLoad, maxLoad))
		} else if rate := load * o.Machine.Capacity(); rate > live.MaxOutstanding {
			errs = append(errs, fmt.Errorf("--load %g is %.0f requests a second; give at most %d, "+
				"because that many can be under way", load, rate, live.MaxOutstanding))
		}
	}
	return errors.Join(errs...)
}

func (m Machine) validate() error {
	if m.Workers < 1 || m.Workers > maxWorkers {
		return fmt.Errorf("--workers is %d; give 1 to %d", m.Workers, maxWorkers)
	}
	if m.Mean < time.Millisecond || m.Mean > time.Second {
		return fmt.Errorf("the program's work is %v; give a time such as 20ms, from 1ms to 1s", m.Mean)
	}
	return nil
}

func checkTimes(warm, counted time.Duration) error {
	var errs []error
	if warm < 0 || warm > maxWarm {
		errs = append(errs, fmt.Errorf("--warm-up is %v; give a time such as 4s, at most %v", warm,
			maxWarm))
	}
	if counted < time.Second || counted > maxFor {
		errs = append(errs, fmt.Errorf("--for is %v; give a time such as 6s, from 1s to %v", counted,
			maxFor))
	}
	return errors.Join(errs...)
}
