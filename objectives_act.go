package seakeep

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/slo"
)

// lookEvery is how often objectives are looked at.
const lookEvery = 5 * time.Second

// look works out what has changed, at most once in lookEvery. Every event does
// it, and Run does it beside them, so that an idle service recovers too.
func (o *Objectives) look() {
	now := unix()
	due := o.sweepAt.Load()
	if int64(now) < due && due-int64(now) <= int64(lookEvery) || // a clock may be put back
		!o.sweepAt.CompareAndSwap(due, int64(now.Add(lookEvery))) {
		return
	}
	o.sweep(now)
}

func (o *Objectives) sweep(now core.Instant) {
	changed := false
	for _, p := range o.all {
		changes, _ := p.slo.Sweep(now)
		for _, ch := range changes {
			changed = changed || !ch.Alert
			o.tell(p, ch)
		}
	}
	if changed {
		o.obey(false)
	}
}

// tell makes an event of a change.
func (o *Objectives) tell(p *promise, ch slo.Change) {
	to := o.set.options.Observer
	if to == nil {
		return
	}
	e := core.Event{At: Now(), Key: p.cfg.Name, Policy: o.set.File().Service, Seq: ch.Seq}
	if ch.Alert {
		e.Kind, e.From, e.To = core.BurnChanged, "quiet", "burning"
		e.Detail = ch.Burn.Pair.Long.String()
		if !ch.Burn.Firing {
			e.From, e.To = e.To, e.From
		}
	} else {
		e.Kind, e.Observed = core.BudgetChanged, o.cfg.Observe
		e.From, e.To = strconv.Itoa(ch.From), strconv.Itoa(ch.To)
		e.Detail = fmt.Sprintf("%.3g%%", 100*ch.Left)
	}
	to.Observe(e)
}

// Acts is what the steps that are taken of all budgets ask for together.
type Acts struct {
	Spare  float64 // the share of their budgets that retries and hedges have
	Level  int     // features that are off at least
	Freeze string  // why drills are frozen; empty: they are not
}

// Acts returns what is asked for now. With mode observe nobody obeys it.
func (o *Objectives) Acts() Acts {
	a := Acts{Spare: 1}
	if o == nil {
		return a
	}
	now := unix()
	for _, p := range o.all {
		s := p.slo.Snapshot(now)
		a.Spare = min(a.Spare, s.Acts.Spare)
		a.Level = max(a.Level, s.Acts.Level)
		if s.Acts.Freeze && a.Freeze == "" {
			a.Freeze = fmt.Sprintf("drills are frozen while little is left of the error budget of %s (%.3g%%)",
				p.cfg.Name, 100*s.LeftOfPeriod)
		}
	}
	return a
}

// obey puts what is asked for to use. After a reload every part has its usual
// numbers again, and only what differs from them is put back.
func (o *Objectives) obey(reloaded bool) {
	if o == nil {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	a := o.Acts()
	if o.cfg.Observe {
		a = Acts{Spare: 1}
	}
	o.set.table.Load().obey(a, !reloaded || a.Spare < 1)
}

// release gives everything back: the file in use has no objectives any more. It
// is not yet in use, but its parts are.
func (o *Objectives) release(next *table) {
	if o != nil {
		next.obey(Acts{Spare: 1}, false)
	}
}

func (t *table) obey(a Acts, scale bool) {
	now := Now()
	if scale {
		for _, p := range t.policies {
			p.Plan().Scale(now, a.Spare)
		}
	}
	for _, f := range t.faults {
		f.Freeze(a.Freeze)
	}
	if t.door != nil && t.file.Serve != nil {
		t.door.Door().DegradeFloor(now, a.Level)
	}
}

// Run looks at the objectives every few seconds until ctx ends. If save is
// not nil it is given the states of all, for Restore in another process, as
// often as the file says, and once at the end. Without Run they are looked at
// when something is counted, and end with the process. The errors of save are
// told to it: Run goes on.
func (s *Set) Run(ctx context.Context, save func(states map[string][]byte)) {
	saved := time.Now()
	for ctx.Err() == nil {
		wait := lookEvery
		if o := s.Objectives(); o != nil {
			o.look()
			if save != nil && time.Since(saved) >= o.cfg.Flush {
				save(o.States())
				saved = time.Now()
			}
			if save != nil {
				wait = min(wait, max(o.cfg.Flush-time.Since(saved), time.Millisecond))
			}
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
		}
	}
	if o := s.Objectives(); o != nil && save != nil {
		save(o.States())
	}
}

// States returns what was counted of each objective, by its name.
func (o *Objectives) States() map[string][]byte {
	if o == nil {
		return nil
	}
	now := unix()
	states := make(map[string][]byte, len(o.all))
	for _, p := range o.all {
		states[p.cfg.Name] = append(binary.BigEndian.AppendUint64(nil, p.mark), p.slo.State(now)...)
	}
	return states
}

// Restore adds what States has returned in another process. Call it once, before
// anything is counted. The error names the objectives that now count something
// else, or whose state cannot be read; those begin with nothing.
func (o *Objectives) Restore(states map[string][]byte) error {
	if o == nil {
		return nil
	}
	var errs []error
	for _, p := range o.all {
		state, ok := states[p.cfg.Name]
		switch {
		case !ok:
		case len(state) < 8 || binary.BigEndian.Uint64(state) != p.mark:
			errs = append(errs, fmt.Errorf("seakeep: objective %s: what was kept counts something else; "+
				"it begins anew", p.cfg.Name))
		default:
			if err := p.slo.Restore(state[8:]); err != nil {
				errs = append(errs, fmt.Errorf("seakeep: objective %s: %w", p.cfg.Name, err))
			}
		}
	}
	o.sweep(unix())
	o.obey(false)
	return errors.Join(errs...)
}
