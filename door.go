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
	d := &Door{}
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

// Enter asks to serve a request, and waits for its turn if the door wants so.
// The error is a *Rejection, or ctx's own if the caller left meanwhile. A
// deadline of ctx counts as the caller's. Enter panics if the arrival is of no
// class that there is.
func (d *Door) Enter(ctx context.Context, a Arrival) (*Visit, error) {
	if a.Class < core.Sheddable || a.Class > core.CriticalPlus {
		panic("seakeep: Enter of no class that there is")
	}
	if a.Class == core.Critical {
		a.Class = CriticalityOf(ctx)
	}
	s := d.state.Load()
	now := Now()
	if latency, ok := d.sched.measure(now); ok {
		s.door.Scheduler(now, latency)
	}
	req := serve.Request{Deadline: deadlineOf(ctx), Class: a.Class, Cohort: a.Cohort,
		Tenant: a.Tenant, Retry: a.Retry}
	if a.Deadline != 0 {
		req.Deadline = min(req.Deadline, a.Deadline)
	}
	switch err := ctx.Err(); err {
	case nil:
	case context.DeadlineExceeded:
		req.Deadline = min(req.Deadline, now)
	default:
		req.Left = true
	}
	var v serve.Visit // a refused request has no other
	settled := false
	defer func() {
		if !settled { // an observer has panicked
			v.Abort(Now())
		}
	}()
	act := v.Begin(now, s.door, req)
	if act.Verdict == serve.WantPlace {
		act = queueUp(ctx, &v)
	}
	settled = true
	switch act.Verdict {
	case serve.Admitted:
		in := &Visit{door: d, class: a.Class, v: v}
		in.visit, in.parent, in.started = in, ctx, now
		in.limit.Store(int64(v.Deadline()))
		return in, nil
	case serve.Left:
		return nil, ctx.Err()
	}
	return nil, s.reject(&v)
}

// queueUp waits for a slot until the request has one, or has lost its place, or
// its caller leaves.
func queueUp(ctx context.Context, v *serve.Visit) serve.Action {
	w := make(waker, 1)
	act := v.Join(Now(), w)
	for act.Verdict == serve.Waiting {
		kind := sleep(ctx, w, act.WakeAt) // before the clock is read
		act = v.Step(Now(), kind)
	}
	return act
}

// sleep waits until t, the queue's word, or the caller's leaving.
func sleep(ctx context.Context, w waker, t core.Instant) serve.Kind {
	timer := time.NewTimer(t.Sub(Now()))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-w:
	case <-ctx.Done():
		return serve.CallerLeft
	}
	return serve.Woke
}

// doorGranule is how finely a door's Rejection tells the time. The shedder's
// advice moves with every request, by less than anybody could heed; as long as
// it is the same the answer made of it can be used again.
const doorGranule = 100 * time.Millisecond

// reject returns the Rejection for a refused visit, shared where it can be.
func (s *doorState) reject(v *serve.Visit) *Rejection {
	r, after := v.Reason(), v.RetryAfter()
	if over := after % doorGranule; over > 0 {
		after += doorGranule - over
	}
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
