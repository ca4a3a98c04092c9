package simulate

import (
	"context"
	"fmt"
	"runtime"
	"sync"

	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/sim"
	"github.com/seakeep/seakeep/sim/study"
)

// Question is what to run.
type Question struct {
	File     string   // where the scenario is from, to tell how to run it again
	Sets     []string // what was changed, as KEY=VALUE
	Scenario *config.Scenario
	Wishes   []study.Wish // run on until these are met
	Why      bool         // tell the chain of causes of the first run
	Page     bool         // a page is to be written, which tells it too
	Most     int          // runs, whatever is wished; 0: 1000
}

// Report is what came out.
type Report struct {
	Question
	Summary  *study.Summary
	Findings []study.Finding
	Causes   []study.Cause // if they were asked for
	Unmet    []string      // wishes that were given up
}

// Check reports a key in the scenario's expectations or in the wishes that
// there is no figure of, before anything has run.
func (q *Question) Check() error {
	blank, err := study.Blank(q.Scenario)
	if err != nil {
		return err
	}
	for _, w := range q.Wishes {
		if _, err := blank.Get(w.Key); err != nil {
			return err
		}
	}
	_, err = blank.Check(q.Scenario.Expect)
	return err
}

// Run makes the runs, side by side, and summarises them in the order of their
// seeds.
func Run(ctx context.Context, q Question) (*Report, error) {
	r := &Report{Question: q}
	most := q.Most
	if most == 0 {
		most = 1000
	}
	var log *study.Log
	if q.Why || q.Page {
		log = study.NewLog(q.Scenario.For)
	}
	var results []*sim.Result
	for want := q.Scenario.Runs; len(results) < want; {
		more, err := runs(ctx, q.Scenario, span{len(results), want}, log)
		if err != nil {
			return nil, err
		}
		results = append(results, more...)
		r.Summary = study.Summarise(results)
		if want, err = r.Summary.More(q.Wishes, max(most, q.Scenario.Runs)); err != nil {
			return nil, err
		}
	}
	for _, w := range q.Wishes {
		if !r.Summary.Met(w) {
			r.Unmet = append(r.Unmet, fmt.Sprintf("%s is not as exact as was wished after %d runs",
				w.Key, len(results)))
		}
	}
	if log != nil {
		r.Causes = study.Why(q.Scenario, results[0], log)
	}
	var err error
	r.Findings, err = r.Summary.Check(q.Scenario.Expect)
	return r, err
}

// Failed returns how many expectations do not hold.
func (r *Report) Failed() (n int) {
	for _, f := range r.Findings {
		if !f.Holds {
			n++
		}
	}
	return n
}

// span is a range of seeds, the last one left out.
type span struct{ from, to int }

// runs makes the runs of a range of seeds. The log listens to the run of seed 0.
func runs(ctx context.Context, s *config.Scenario, seeds span, log *study.Log) ([]*sim.Result, error) {
	out := make([]*sim.Result, seeds.to-seeds.from)
	errs := make([]error, len(out))
	room := make(chan struct{}, runtime.GOMAXPROCS(0))
	var all sync.WaitGroup
	for i := range out {
		room <- struct{}{}
		if ctx.Err() != nil {
			break
		}
		o := sim.Options{Seed: uint64(seeds.from + i)}
		if log != nil && o.Seed == 0 {
			o.Trace = log.Observe
		}
		all.Go(func() {
			out[i], errs[i] = sim.Run(s, o)
			<-room
		})
	}
	all.Wait()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// TraceOf makes the first run and hands out its decisions in order.
func TraceOf(s *config.Scenario, each func(core.Event)) error {
	_, err := sim.Run(s, sim.Options{Trace: each})
	return err
}
