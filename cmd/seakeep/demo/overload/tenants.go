package overload

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"time"

	"github.com/seakeep/seakeep/cmd/seakeep/demo/live"
	"github.com/seakeep/seakeep/core/window"
)

// TenantOptions say how the demo of tenants runs.
type TenantOptions struct {
	Machine Machine
	Flood   float64       // what one tenant sends then, in times the capacity: 0.05 to 20
	Warm    time.Duration // of each run, not counted: 0 to 1 minute
	For     time.Duration // of each run, counted: 1s to 10 minutes
	Seed    uint64

	guard guard
	open  opener
}

const (
	neighbours = 9    // tenants beside the one that floods
	steady     = 0.05 // of the capacity: what each of the nine sends
)

// TenantDefaults returns a flood of ten times the capacity.
func TenantDefaults() TenantOptions {
	return TenantOptions{Machine: DefaultMachine(), Flood: 10, Warm: 4 * time.Second,
		For: 12 * time.Second, Seed: 1, guard: &doorman{file: "tenants.yaml"}}
}

// Validate reports every option that cannot be used, by its flag.
func (o TenantOptions) Validate() error {
	errs := []error{o.Machine.validate(), checkTimes(o.Warm, o.For)}
	if !(o.Flood >= minLoad && o.Flood <= maxLoad) {
		errs = append(errs, fmt.Errorf("--flood is %g; give times the capacity such as 10, from %g to %d",
			o.Flood, minLoad, maxLoad))
	} else if rate := o.Flood * o.Machine.Capacity(); rate > live.MaxOutstanding {
		errs = append(errs, fmt.Errorf("--flood %g is %.0f requests a second; give at most %d, "+
			"because that many can be under way", o.Flood, rate, live.MaxOutstanding))
	}
	return errors.Join(errs...)
}

// Tenants floods the program in the name of one tenant and looks at the nine
// others, bare and protected. If ctx ends it stops early.
func Tenants(ctx context.Context, o TenantOptions, out io.Writer) (*TenantReport, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	r := newTenantReport(o)
	fmt.Fprint(out, r.headline())
	spare := spares
	for _, flooded := range []bool{false, true} {
		load := steady * (neighbours + 1)
		if flooded {
			load = o.Flood
		}
		b, p, err := pair{
			bare:      func() *scene { return o.scene(bare{}, flooded) },
			protected: func() *scene { return o.scene(o.guard, flooded) },
			apart:     2*load*r.Capacity > together,
		}.play(ctx, &spare)
		if err != nil {
			return nil, err
		}
		if ctx.Err() != nil && (b.short() || p.short()) {
			break
		}
		r.add(flooded, b, p)
		fmt.Fprint(out, r.rows(flooded))
	}
	r.Interrupted = ctx.Err() != nil
	r.judge()
	return r, nil
}

// scene is one run. The flood, if any, begins with what is counted, so that the
// moment in which it comes is part of the figures.
func (o TenantOptions) scene(g guard, flooded bool) *scene {
	if g == nil {
		return nil
	}
	open := o.open
	if open == nil {
		open = onSockets
	}
	s := &scene{machine: o.Machine, guard: g, open: open, seed: o.Seed, kinds: neighbours + 1,
		warm: o.Warm, length: o.For}
	capacity := o.Machine.Capacity()
	last := steady * capacity
	if flooded {
		last = o.Flood * capacity
	}
	s.next = merged(o.theNine(capacity), o.theTenth(steady*capacity, last))
	return s
}

// theNine returns the guests of the tenants that send what they always send.
func (o TenantOptions) theNine(capacity float64) func() *guest {
	arrivals := live.NewArrivals(neighbours*steady*capacity, o.Seed)
	rng := rand.New(rand.NewPCG(o.Seed, 3))
	return func() *guest {
		k := rng.IntN(neighbours)
		return &guest{at: arrivals.Next(), kind: k, tenant: fmt.Sprintf("tenant-%d", k+1)}
	}
}

// theTenth returns those of the tenant that floods, at one rate during the
// warm-up and another afterwards.
func (o TenantOptions) theTenth(before, after float64) func() *guest {
	arrivals, shift := live.NewArrivals(before, o.Seed+1), time.Duration(0)
	return func() *guest {
		at := arrivals.Next() + shift
		if at >= o.Warm && shift == 0 {
			arrivals, shift = live.NewArrivals(after, o.Seed+2), o.Warm
			at = arrivals.Next() + shift
		}
		return &guest{at: at, kind: neighbours, tenant: fmt.Sprintf("tenant-%d", neighbours+1)}
	}
}

// merged returns the guests of both, in order.
func merged(a, b func() *guest) func() *guest {
	x, y := a(), b()
	return func() (next *guest) {
		if x.at <= y.at {
			next, x = x, a()
		} else {
			next, y = y, b()
		}
		return next
	}
}

// nine returns what became of the requests of the nine together.
func (o *outcome) nine() (offered, ok uint64, latency window.Quantiles) {
	latency = o.kinds[0].latency.Snapshot()
	for i := range neighbours {
		t := &o.kinds[i]
		offered, ok = offered+t.offered(), ok+t.served
		if i > 0 {
			latency = latency.Merge(t.latency.Snapshot())
		}
	}
	return offered, ok, latency
}
