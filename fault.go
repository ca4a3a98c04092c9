package seakeep

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/call"
	"github.com/seakeep/seakeep/core/fault"
)

// Faults hurts a share of the attempts of a dependency, or of the requests
// behind the door, on purpose. Its rules come from the policy file and from
// Start. It is safe for use by many goroutines and outlives reloads. The nil
// Faults hurts nothing.
type Faults struct {
	observer core.Observer
	inj      *fault.Injector

	frozen atomic.Pointer[string] // why nothing may be hurt for now; nil: it may

	mu    sync.Mutex
	over  chan struct{} // closed when a rule ends
	cfg   *config.Faults
	timer *time.Timer // ends the rules whose time is up
}

func newFaults(c fault.Config, draw func() float64, o core.Observer) (*Faults, error) {
	f := &Faults{observer: o, over: make(chan struct{})}
	f.timer = time.AfterFunc(fault.MaxFor, func() { f.arm() })
	f.timer.Stop()
	seed := rand.Uint64()
	if draw != nil {
		seed = uint64(draw() * (1 << 53))
	}
	var err error
	if f.inj, err = fault.New(Now(), c, seed, f.heard); err != nil {
		return nil, err
	}
	f.arm()
	return f, nil
}

// arm ends the rules whose time is up, and comes back for the next. Nobody need
// ask for a rule to make it end.
func (f *Faults) arm() {
	now := Now()
	if next := f.inj.Sweep(now); next != core.Never {
		f.timer.Reset(next.Sub(now))
	}
}

// heard passes an event on, and wakes those who hang because of a rule that has
// ended.
func (f *Faults) heard(e core.Event) {
	if e.Kind == core.FaultChanged && e.To == "off" {
		f.mu.Lock()
		close(f.over)
		f.over = make(chan struct{})
		f.mu.Unlock()
	}
	if f.observer != nil {
		f.observer.Observe(e)
	}
}

// use takes over what the policy file says now; nil: nothing may be hurt.
func (f *Faults) use(c *config.Faults, name string) {
	next := fault.Config{Name: name}
	if c != nil {
		next = c.Config
	}
	_ = f.inj.Reconfigure(Now(), next) // the file's reader has checked it
	f.mu.Lock()
	f.cfg = c
	f.mu.Unlock()
	f.arm()
}

// Idle reports whether no rule runs.
func (f *Faults) Idle() bool { return f == nil || f.inj.Idle() }

// Settings returns what the policy file says; nil: nothing may be hurt.
func (f *Faults) Settings() *config.Faults {
	if f == nil {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.cfg
}

// Start begins a rule, which takes hold of the next attempt. The error is
// fault.ErrRefused if the policy file does not allow it, if the policy of an error
// budget has frozen drills, or if more would be hurt than the file allows, which
// force overrides.
func (f *Faults) Start(r fault.Rule, force bool) error {
	if err := f.thawed(); err != nil {
		return err
	}
	defer f.arm()
	return f.inj.Start(Now(), r, force)
}

// Stop ends the running rule of this name, or all if it is empty, and lets go
// of whoever hangs. It returns how many rules it has ended.
func (f *Faults) Stop(name string) int { return f.inj.Stop(Now(), name) }

// Snapshot reads the rules that run, and those that have run.
func (f *Faults) Snapshot() fault.Snapshot { return f.inj.Snapshot(Now()) }

// report counts how a call ended.
func (f *Faults) report(end *Ending) {
	if f.Idle() {
		return
	}
	switch o := end.Last.Outcome; {
	case end.Verdict == call.Succeeded:
		f.inj.Report(Now(), true)
	case end.wantsFallback() && !o.Neutral():
		f.inj.Report(Now(), false)
	}
}

// Hurt is an attempt that is hurt. Its End must be called once the fault no
// longer acts on it.
type Hurt struct {
	fault.Injury
	f    *Faults
	once sync.Once
}

// Begin decides about one attempt just before it is sent; nil: it goes on
// unhurt.
func (f *Faults) Begin(t fault.Target) *Hurt {
	if f.Idle() || f.frozen.Load() != nil {
		return nil
	}
	in := f.inj.Admit(Now(), t)
	if in.By == "" {
		return nil
	}
	return &Hurt{Injury: in, f: f}
}

// Names returns the names of the rules, with commas between; empty: unhurt.
func (h *Hurt) Names() string {
	if h == nil {
		return ""
	}
	return h.By
}

// End says that the fault no longer acts. Calling it again does nothing.
func (h *Hurt) End() { h.once.Do(func() { h.f.inj.Release(h.Injury) }) }

// Over reports whether the rule that hurts in this way has ended.
func (h *Hurt) Over(k fault.Kind) bool { return !h.f.inj.Holds(Now(), h.Injury, k) }

// Before does what comes before an attempt is sent: it waits, and returns the
// error of one that is not sent at all. An attempt that gets no answer hangs
// until ctx ends, or until the rule does, which breaks its connection.
func (h *Hurt) Before(ctx context.Context) error {
	if !h.Pause(ctx, h.Wait, fault.Latency) {
		return ctx.Err()
	}
	switch h.Blow.Kind {
	case 0:
		return nil
	case fault.NoAnswer:
		for !h.Over(fault.NoAnswer) {
			if !h.Pause(ctx, fault.MaxFor, fault.NoAnswer) {
				return ctx.Err()
			}
		}
		return h.reset()
	}
	return &FaultError{h.By, h.Blow}
}

// Cut calls broke when the connection is to break, if that is to be, and unless
// the rule or stop comes first.
func (h *Hurt) Cut(broke func()) (stop func()) {
	if h.Body.Cut == 0 {
		return func() {}
	}
	timer := time.AfterFunc(h.Body.Cut, func() {
		if !h.Over(fault.Reset) {
			broke()
		}
	})
	return func() { timer.Stop() }
}

// Broken is the error of an attempt whose connection Cut has broken.
func (h *Hurt) Broken() error { return h.reset() }

func (h *Hurt) reset() error { return &FaultError{h.By, fault.Hurt{Kind: fault.Reset}} }

// Pause waits for d, or until no rule hurts in this way any more. It reports
// false if ctx ended first.
func (h *Hurt) Pause(ctx context.Context, d time.Duration, k fault.Kind) bool {
	if d <= 0 {
		return ctx.Err() == nil
	}
	until := Now().Add(d)
	for {
		h.f.mu.Lock()
		over := h.f.over
		h.f.mu.Unlock()
		now := Now()
		if now >= until || h.Over(k) {
			return ctx.Err() == nil
		}
		timer := time.NewTimer(min(until, h.f.inj.Sweep(now)).Sub(now))
		select {
		case <-timer.C:
		case <-over:
		case <-ctx.Done():
			timer.Stop()
			return false
		}
		timer.Stop()
	}
}

// FaultError is the error of an attempt that was hurt on purpose.
type FaultError struct {
	By   string // the names of the rules, with commas between
	Hurt fault.Hurt
}

// Error says which fault it was.
func (e *FaultError) Error() string {
	what := e.Hurt.Kind.String()
	switch {
	case e.Hurt.GRPC > 0:
		what = fmt.Sprintf("%s, code %d", what, e.Hurt.GRPC)
	case e.Hurt.Status > 0:
		what = fmt.Sprintf("%s %d", what, e.Hurt.Status)
	}
	return "seakeep: fault injected by " + e.By + ": " + what
}

// Unwrap returns what a real fault of the kind would be, where the system has
// an error for it.
func (e *FaultError) Unwrap() error {
	switch e.Hurt.Kind {
	case fault.Refused:
		return syscall.ECONNREFUSED
	case fault.Reset:
		return syscall.ECONNRESET
	}
	return nil
}

// hurt decides about an attempt of a Go function.
func (s *state) hurt(c *Call) *Hurt {
	if s.faults.Idle() || c.Unhurt {
		return nil
	}
	return s.faults.Begin(fault.Target{Operation: s.operation, Marks: c.Faults})
}

// injured calls fn as far as the fault lets it. What a fault does to bodies
// does nothing to a function, whose answer has none.
func injured[T any](ctx context.Context, h *Hurt, fn func(context.Context) (T, error)) (v T, err error) {
	if h == nil {
		return fn(ctx)
	}
	defer h.End()
	if err := h.Before(ctx); err != nil {
		return v, err
	}
	if h.Body.Cut == 0 {
		h.End()
		return fn(ctx)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	broken := h.Broken()
	defer h.Cut(func() { cancel(broken) })()
	if v, err = fn(ctx); err != nil && context.Cause(ctx) == broken {
		err = broken
	}
	return v, err
}
