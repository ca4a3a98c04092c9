package seakeep

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/serve"
)

// Door protects a service from its callers: it lets in as many requests as can
// be served, the most important first, and refuses the rest while that is
// cheap. It is safe for use by many goroutines and outlives reloads of the file
// it came from. HTTP services use seakeephttp.Handler, which is built on it.
type Door struct {
	name  string
	state atomic.Pointer[doorState]
	sched scheduler
}

// doorState is a door's settings and running parts at one moment.
type doorState struct {
	door       *serve.Door
	name       string
	rejections [reasonSlots]atomic.Pointer[Rejection]
}

// NewDoor makes a door from a literal. The error lists every setting that
// cannot work.
func NewDoor(c serve.Config, observer core.Observer) (*Door, error) {
	d := &Door{name: c.Name}
	s, err := newDoorState(nil, c, observer)
	if err != nil {
		return nil, fmt.Errorf("seakeep: serve: %w", err)
	}
	d.use(s)
	return d, nil
}

func newDoorState(old *doorState, c serve.Config, o core.Observer) (*doorState, error) {
	var door *serve.Door
	if old != nil {
		door = old.door
	}
	next, err := door.Next(c, rand.Uint64(), o)
	if err != nil {
		return nil, err
	}
	return &doorState{door: next, name: c.Name}, nil
}

// use makes s the door's state and adjusts the parts that outlive a reload.
func (d *Door) use(s *doorState) {
	d.state.Store(s)
	s.door.Adopt(Now())
}

// Door returns the compiled settings in use, for reading their state and for
// an operator's orders. It changes with a reload.
func (d *Door) Door() *serve.Door { return d.state.Load().door }

// Arrival is what is known of a request when it comes in. The zero value is a
// request of class Critical about which nothing else is known.
type Arrival struct {
	Deadline core.Instant     // by when the caller wants the answer; zero: it did not say
	Class    core.Criticality // as far as the caller may claim it; zero: what ctx says
	Cohort   uint8            // of its user: see shed.CohortOf
	Tenant   string           // empty: none
	Retry    bool             // the caller has tried before
}

// Visit is a request that was let in. Its End must be called once, when the
// work for it has truly ended.
type Visit struct {
	visitContext
	door  *Door
	class core.Criticality
	v     serve.Visit
}

// visitContext is the context of a request that was let in. It knows how
// important the request is, and so what is called for it.
type visitContext struct {
	attemptContext
	visit *Visit
}

type visitKey struct{}

// Value knows the visit, and asks the parent for the rest.
func (c *visitContext) Value(key any) any {
	switch key.(type) {
	case visitKey:
		return c.visit
	case criticalityKey:
		return c.visit.class
	}
	return c.attemptContext.Value(key)
}

// Enter asks to serve a request, and waits for its turn if the door wants so.
// The error is a *Rejection, or ctx's own if the caller left meanwhile. A
// deadline of ctx counts as the caller's.
func (d *Door) Enter(ctx context.Context, a Arrival) (*Visit, error) {
	s := d.state.Load()
	now := Now()
	if a.Class == core.Critical {
		a.Class = CriticalityOf(ctx)
	}
	if latency, ok := d.sched.measure(now); ok {
		s.door.Scheduler(now, latency)
	}
	req := serve.Request{Deadline: deadlineOf(ctx), Class: a.Class, Cohort: a.Cohort,
		Tenant: a.Tenant, Retry: a.Retry, Left: ctx.Err() == context.Canceled}
	if a.Deadline != 0 {
		req.Deadline = min(req.Deadline, a.Deadline)
	}
	v := &Visit{door: d, class: a.Class}
	act := v.v.Begin(now, s.door, req)
	if act.Verdict == serve.WantPlace {
		w := make(waker, 1)
		act = v.v.Join(Now(), w)
		for act.Verdict == serve.Waiting {
			act = v.wait(ctx, w, act.WakeAt)
		}
	}
	switch act.Verdict {
	case serve.Admitted:
		v.visit, v.parent, v.started = v, ctx, now
		v.limit.Store(int64(v.v.Deadline()))
		return v, nil
	case serve.Left:
		return nil, context.Cause(ctx)
	}
	return nil, s.reject(&v.v)
}

// wait sleeps until t, the queue's word, or the caller's leaving.
func (v *Visit) wait(ctx context.Context, w waker, t core.Instant) serve.Action {
	timer := time.NewTimer(t.Sub(Now()))
	defer timer.Stop()
	kind := serve.Woke
	select {
	case <-timer.C:
	case <-w:
	case <-ctx.Done():
		kind = serve.CallerLeft
	}
	return v.v.Step(Now(), kind)
}

// Context returns the context for the work: it ends with the request's
// deadline, with the caller's leaving and with End, and tells what is below how
// important the work is.
func (v *Visit) Context() context.Context { return &v.visitContext }

// Open is Context without the deadline, for an answer that may stream on after
// it has begun in time.
func (v *Visit) Open() context.Context {
	return &openContext{v.parent, v}
}

// openContext is a visitContext without the deadline.
type openContext struct {
	context.Context
	visit *Visit
}

// Value knows what visitContext knows.
func (c *openContext) Value(key any) any {
	switch key.(type) {
	case visitKey:
		return c.visit
	case criticalityKey:
		return c.visit.class
	}
	return c.Context.Value(key)
}

// Left returns how much time there is for the answer; false if it may take any.
func (v *Visit) Left() (time.Duration, bool) {
	if v.v.Deadline() == core.Never {
		return 0, false
	}
	return max(v.v.Deadline().Sub(Now()), 0), true
}

// Waited returns how long the request waited at the door.
func (v *Visit) Waited() time.Duration { return v.v.Waited() }

// Late reports whether the request's deadline has passed.
func (v *Visit) Late() bool { return Now() >= v.v.Deadline() }

// End closes the accounts of the request: Success for an answer, Timeout and
// Overloaded for what says that it is too much, Cancelled if the caller left.
// Calling it again does nothing.
func (v *Visit) End(r core.Result) {
	v.v.End(Now(), r)
	v.cancel(context.Canceled)
}

// reject returns the Rejection for a refused visit, shared where it can be.
func (s *doorState) reject(v *serve.Visit) *Rejection {
	r, after := v.Reason(), coarse(v.RetryAfter())
	if int(r) >= len(s.rejections) {
		return &Rejection{Policy: s.name, Reason: r, RetryAfter: after, door: s.door}
	}
	slot := &s.rejections[r]
	if old := slot.Load(); old != nil && old.RetryAfter == after {
		return old
	}
	made := &Rejection{Policy: s.name, Reason: r, RetryAfter: after, door: s.door}
	slot.Store(made)
	return made
}

// VisitOf returns the visit that a context belongs to; nil if it belongs to
// none.
func VisitOf(ctx context.Context) *Visit {
	v, _ := ctx.Value(visitKey{}).(*Visit)
	return v
}

// Allows reports whether a feature of the policy file's degrade list is on: a
// program asks it before it does work that it could leave out. It is true for
// what the list does not name, and outside of a Door.
func Allows(ctx context.Context, feature string) bool {
	v := VisitOf(ctx)
	return v == nil || v.door.Allows(feature)
}

// Allows is the function Allows for a program without requests.
func (d *Door) Allows(feature string) bool { return d.Door().Allows(Now(), feature) }

// Dropped returns the features of the list that are off, the first of them
// first; nil while everything is on.
func (d *Door) Dropped() []string { return d.Door().Dropped(Now()) }

// Admit is the operator's lever: it lets in this share of the demand from now
// on, the most important first, and everything again over the ramp. Without a
// ramp it stays until the next order.
func (d *Door) Admit(share float64, ramp time.Duration) error {
	if !(share >= 0 && share <= 1) || ramp < 0 {
		return errors.New("seakeep: Admit wants a share from 0 to 1 and a ramp of 0 or more")
	}
	d.Door().Reduce(Now(), share, ramp)
	return nil
}

// Degrade sets by hand how many features of the list are off, until
// DegradeAuto.
func (d *Door) Degrade(level int) error { return d.Door().Degrade(Now(), level) }

// DegradeAuto gives the level of degradation back to the pressure.
func (d *Door) DegradeAuto() { d.Door().DegradeAuto(Now()) }

// Snapshot reads the state of every rung of the door.
func (d *Door) Snapshot() serve.Snapshot { return d.Door().Snapshot(Now()) }
