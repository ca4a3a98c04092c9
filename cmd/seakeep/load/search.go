package load

import (
	"context"
	"fmt"
	"math"
	"time"
)

const (
	halvings = 4  // of the gap between what holds and what does not
	doubles  = 24 // at most
	tries    = 3  // of a rate while this machine is late
)

// Limit is what Search found.
type Limit struct {
	Holds float64 `json:"holds"`         // the highest rate that held; 0: none did
	Fails float64 `json:"fails"`         // the lowest above it that did not; 0: none was found
	Why   string  `json:"why,omitempty"` // why there is no Fails
	Best  float64 `json:"best_goodput"`  // the highest goodput of any step
}

// past is what Search tries beyond the limit, as times it.
var past = []float64{1.25, 1.5, 2}

// Search finds the limit from a rate on, never above most, with steps of a
// length, and then shows what is past it.
func (t *Test) Search(ctx context.Context, from, most float64, each time.Duration) (
	all []Result, l Limit, err error) {
	defer t.open()()
	try := func(rate float64, cut bool) (r Result, err error) {
		for range tries {
			if r, err = t.step(ctx, Step{rate, rate, each}, cut); err != nil {
				return r, err
			}
			all = append(all, r)
			if !r.Generator {
				break
			}
		}
		return r, nil
	}
	for rate, n := from, 0; l.Fails == 0; rate, n = min(2*rate, most), n+1 {
		r, err := try(rate, true)
		switch {
		case err != nil:
			return all, l, err
		case r.Holds && (rate >= most || n == doubles):
			l.Holds, l.Why = rate, "it holds at the highest rate that was to be tried"
			return all, l.of(all), nil
		case r.Holds:
			l.Holds = rate
		case r.Generator:
			l.Why = tooBusy
			return all, l.of(all), nil
		case r.Good == 0 && l.Holds == 0 && r.Example != "": // there is nothing to load
			l.Fails, l.Why = rate, nothingGood
			return all, l.of(all), nil
		default:
			l.Fails = rate
		}
	}
	for n := 0; n < halvings && l.Holds > 0; n++ {
		rate := (l.Holds + l.Fails) / 2
		r, err := try(rate, true)
		switch {
		case err != nil:
			return all, l, err
		case r.Holds:
			l.Holds = rate
		case r.Generator: // it decides nothing
			l.Why = tooBusy
			n = halvings
		default:
			l.Fails = rate
		}
	}
	for _, times := range past {
		if rate := math.Max(l.Holds, from) * times; rate <= most {
			if _, err := try(rate, false); err != nil {
				return all, l, err
			}
		}
	}
	return all, l.of(all), nil
}

const tooBusy = "this machine was late with its own requests: it cannot offer more, and what it saw says " +
	"nothing about the server"

const nothingGood = "not one request was good, at the lowest rate"

// NothingGood says what came instead, if no request of the whole run was good;
// else it is empty.
func (r *Report) NothingGood() string {
	for i := range r.Steps {
		if r.Steps[i].Good > 0 {
			return ""
		}
	}
	for i := range r.Steps {
		if s := &r.Steps[i]; s.Example != "" {
			return fmt.Sprintf("not one request was good: %s; such as: %s", s.troubles(), s.Example)
		}
	}
	return ""
}

// of adds the highest goodput of steps that ran to their end.
func (l Limit) of(all []Result) Limit {
	for _, r := range all {
		if !r.Cut {
			l.Best = max(l.Best, r.Goodput)
		}
	}
	return l
}

// LimitOf reads the limit off steps that were not chosen by Search.
func LimitOf(all []Result) (l Limit) {
	for _, r := range all {
		switch {
		case r.Holds:
			l.Holds = max(l.Holds, r.To)
		case r.Generator:
			l.Why = tooBusy
		case l.Fails == 0 || r.To < l.Fails:
			l.Fails = r.To
		}
	}
	if l.Fails == 0 && l.Why == "" {
		l.Why = "every step held"
	}
	return l.of(all)
}
