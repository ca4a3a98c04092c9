package overload

import (
	"context"
	"fmt"
	"io"

	"github.com/seakeep/seakeep/cmd/seakeep/demo/live"
	"github.com/seakeep/seakeep/core"
)

// Sweep offers the program each load in turn, bare and protected, and tells on
// out how it goes. If ctx ends it stops early, and the report is about the time
// until then.
func Sweep(ctx context.Context, o Options, out io.Writer) (*Report, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	r := newReport(o)
	fmt.Fprint(out, r.headline())
	spare := spares
	for i, load := range o.Loads {
		b, p, err := pair{
			bare:      func() *scene { return o.scene(load, i, bare{}) },
			protected: func() *scene { return o.scene(load, i, o.guard) },
			apart:     2*load*r.Capacity > together,
		}.play(ctx, &spare)
		if err != nil {
			return nil, err
		}
		if ctx.Err() != nil && (b.short() || p.short()) {
			break // too short to say anything
		}
		r.add(load, b, p)
		fmt.Fprint(out, r.row(len(r.Bare)-1))
		if ctx.Err() != nil {
			break
		}
	}
	r.Interrupted = ctx.Err() != nil
	r.judge()
	return r, nil
}

// scene is one side of one point. Both sides get the same guests.
func (o Options) scene(load float64, i int, g guard) *scene {
	if g == nil {
		return nil
	}
	seed := o.Seed + uint64(i)
	return &scene{machine: o.Machine, guard: g, open: o.opener(), seed: seed, warm: o.Warm,
		length: o.For, next: mixed(load*o.Machine.Capacity(), seed), kinds: core.Criticalities}
}

func (o Options) opener() opener {
	if o.open != nil {
		return o.open
	}
	return onSockets
}

// add puts a point into the report.
func (r *Report) add(load float64, b, p *outcome) {
	r.Bare = append(r.Bare, pointOf(load, b))
	if p != nil {
		r.Protected = append(r.Protected, pointOf(load, p))
	}
}

func pointOf(load float64, o *outcome) Point {
	p := Point{Load: load, ByClass: map[string]ClassPoint{}, LateMS: o.lateMS, Skipped: o.skipped, Repeats: o.repeats,
		CountedS: live.Round(o.counted.Seconds(), 3)}
	latency := o.kinds[0].latency.Snapshot()
	var offered, servedInTime uint64
	for i := range o.kinds {
		t := &o.kinds[i]
		offered += t.offered()
		servedInTime += t.served
		if i > 0 {
			latency = latency.Merge(t.latency.Snapshot())
		}
		p.ByClass[core.CriticalityAt(i).String()] = ClassPoint{o.perSecond(t.offered()),
			o.perSecond(t.served), o.perSecond(t.refused), t.offered(), t.served}
	}
	p.Offered, p.Goodput = o.perSecond(offered), o.perSecond(servedInTime)
	p.P99 = p99(latency)
	return p
}
