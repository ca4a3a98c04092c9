package fault

import (
	"errors"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seakeep/seakeep/core"
)

// ErrRefused is what an order's error wraps that is right in itself and that
// the settings do not let through.
var ErrRefused = errors.New("fault: refused")

type refusal string

func (r refusal) Error() string        { return string(r) }
func (r refusal) Is(target error) bool { return target == ErrRefused }
func refuse(why string) error          { return refusal(why) }
func percent(share float64) string     { return strconv.FormatFloat(100*share, 'g', 4, 64) + "%" }

// Target is what a rule's scope is compared with: a request, as far as whoever
// makes it knows it.
type Target struct {
	Operation, Endpoint, Method, Path string
	// Marks are the names of rules that the request asks for, with commas
	// between. Who calls has made sure that its sender may.
	Marks string
}

// Injury is what happens to one request: first Wait, then the Blow, or the
// request with Body done to its answer.
type Injury struct {
	Wait time.Duration
	Blow Hurt // Error, Refused, Reset or NoAnswer; of Kind 0: the request is sent
	Body Body
	By   string // the names of the rules, with commas between; empty: unhurt
}

// Body is what happens to a request that is sent, and to its answer's body.
type Body struct {
	Cut   time.Duration // after which the connection breaks; 0: it does not
	Piece int64         // bytes delivered at once; 0: as they come
	Pause time.Duration // before each piece
	Rate  int64         // bytes a second; 0: no limit
}

// add puts what a rule does to what others do.
func (in *Injury) add(e *entry, d *draws) {
	if in.By != "" {
		in.By += ","
	}
	in.By += e.rule.Name
	b := &in.Body
	switch h := e.rule.Hurt; {
	case h.Kind == Latency:
		in.Wait += h.latency(d)
	case h.Kind == SlowBody && (b.Piece == 0 || h.Bytes < b.Piece):
		b.Piece = h.Bytes
		b.Pause += h.Delay
	case h.Kind == SlowBody:
		b.Pause += h.Delay
	case h.Kind == Bandwidth && (b.Rate == 0 || h.Bytes < b.Rate):
		b.Rate = h.Bytes
	case h.Kind == Bandwidth:
	case h.Kind == Reset && h.Delay > 0:
		if b.Cut == 0 || h.Delay < b.Cut {
			b.Cut = h.Delay
		}
	case in.Blow.Kind == 0:
		in.Blow = h
	}
}

// Injector decides which requests are hurt. It is safe for use by many
// goroutines. Make one with New.
//
// Each attempt does Admit just before it is sent, and Release once the fault no
// longer acts on it. Each call does Report at its end.
type Injector struct {
	emit    func(core.Event)
	running atomic.Int32

	mu   sync.Mutex
	last core.Instant // the latest time told, because the machine's never goes back
	m    machine
}

// New returns an injector whose rules begin now. The seed decides which
// requests are hurt. emit, if it is not nil, is told of every injury and of
// every rule that begins or ends, after the lock is released.
func New(now core.Instant, c Config, seed uint64, emit func(core.Event)) (*Injector, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	j := &Injector{emit: emit, last: now, m: newMachine(now, c, seed)}
	j.mu.Lock()
	j.unlock(now, Injury{})
	return j, nil
}

// Idle reports whether no rule runs, in a nanosecond: then there is nothing to
// ask.
func (j *Injector) Idle() bool { return j == nil || j.running.Load() == 0 }

// Reconfigure takes over another file. Its rules begin now, unless they are the
// same as before: those go on, or stay ended. Orders go on if it allows them. It
// changes nothing if c is not valid.
func (j *Injector) Reconfigure(now core.Instant, c Config) error {
	if err := c.Validate(); err != nil {
		return err
	}
	j.mu.Lock()
	now = j.clamp(now)
	j.m.reconfigure(now, c)
	j.unlock(now, Injury{})
	return nil
}

// Start begins a rule by order; force lifts the limit on the share, and no
// other. The error is ErrRefused if the settings do not let the rule through.
func (j *Injector) Start(now core.Instant, r Rule, force bool) error {
	j.mu.Lock()
	now = j.clamp(now)
	err := j.m.start(now, r, force)
	j.unlock(now, Injury{})
	return err
}

// Check is Start without the beginning: its error says why the rule could not.
func (j *Injector) Check(now core.Instant, r Rule, force bool) error {
	j.mu.Lock()
	now = j.clamp(now)
	_, err := j.m.may(now, &r, force)
	j.unlock(now, Injury{})
	return err
}

// Stop ends the running rules of this name, or all if it is empty, and returns
// how many those were.
func (j *Injector) Stop(now core.Instant, name string) int {
	j.mu.Lock()
	now = j.clamp(now)
	j.m.sweep(now)
	n := j.m.end(overHand, func(e *entry) bool { return name == "" || e.rule.Name == name })
	j.unlock(now, Injury{})
	return n
}

// Admit decides about one attempt. If the Injury is By somebody, it is to be
// released.
func (j *Injector) Admit(now core.Instant, t Target) Injury {
	if j.Idle() {
		return Injury{}
	}
	j.mu.Lock()
	now = j.clamp(now)
	in := j.m.admit(now, &t)
	j.unlock(now, in)
	return in
}

// Release says that the injury no longer acts: the wait is over and there is
// nothing else, or the answer's body has been delivered. It panics if there is
// nothing to release.
func (j *Injector) Release(in Injury) {
	if in.By == "" {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.m.active == 0 {
		panic("fault: Release without Admit")
	}
	j.m.active--
}

// Holds reports whether a rule that hurts in this way still runs. Who hangs, or
// delivers a body slowly, asks it now and then, and stops when it does not.
func (j *Injector) Holds(now core.Instant, in Injury, kind Kind) bool {
	j.mu.Lock()
	now = j.clamp(now)
	j.m.sweep(now)
	held := false
	for i := range j.m.entries {
		e := &j.m.entries[i]
		held = held ||
			e.over == "" && e.rule.Hurt.Kind == kind && named(in.By, e.rule.Name)
	}
	j.unlock(now, Injury{})
	return held
}

// Report counts how a call ended, for Abort. A neutral end is not reported.
func (j *Injector) Report(now core.Instant, succeeded bool) {
	if j.Idle() {
		return
	}
	j.mu.Lock()
	now = j.clamp(now)
	j.m.report(now, succeeded)
	j.unlock(now, Injury{})
}

// Sweep ends the rules whose time is up, and returns when it is due again.
func (j *Injector) Sweep(now core.Instant) (next core.Instant) {
	j.mu.Lock()
	now = j.clamp(now)
	j.m.sweep(now)
	next = j.m.next
	j.unlock(now, Injury{})
	return next
}

// Snapshot is an injector at one moment.
type Snapshot struct {
	Config Config // filled
	Active int    // requests that are being hurt
	Rules  []Status
	// Calls that ended in the window of Abort, as of the last one, and how many
	// of them succeeded: only while a rule runs.
	Calls, Good int64
}

// Status is a rule that runs, or has run.
type Status struct {
	Rule               Rule
	Order              bool          // an operator's; otherwise the file's
	Left               time.Duration // 0: it has ended
	Over               string        // why it has ended; empty: it runs
	Seen, Hurt, Spared uint64        // requests in its scope, hurt, and let pass for Concurrent
}

// Snapshot returns the injector as it is at now.
func (j *Injector) Snapshot(now core.Instant) Snapshot {
	j.mu.Lock()
	now = j.clamp(now)
	j.m.sweep(now)
	s := Snapshot{Config: j.m.cfg, Active: j.m.active, Calls: j.m.calls.sum.calls,
		Good: j.m.calls.sum.good}
	for _, e := range j.m.entries {
		one := Status{Rule: e.rule, Order: e.order, Over: e.over, Seen: e.seen, Hurt: e.hurt,
			Spared: e.spared}
		if e.over == "" {
			one.Left = e.until.Sub(now)
		}
		s.Rules = append(s.Rules, one)
	}
	j.unlock(now, Injury{})
	return s
}

// clamp returns the latest time told so far: two goroutines may read the clock
// in one order and take the lock in the other.
func (j *Injector) clamp(now core.Instant) core.Instant {
	j.last = max(j.last, now)
	return j.last
}

// unlock ends a section and tells what happened in it.
func (j *Injector) unlock(now core.Instant, in Injury) {
	name, changed := j.m.cfg.Name, j.m.changed
	j.m.changed = nil
	j.running.Store(int32(j.m.running))
	j.mu.Unlock()
	if j.emit == nil {
		return
	}
	for _, c := range changed {
		e := core.Event{At: now, Kind: core.FaultChanged, Policy: name, Key: c.name,
			From: "off", To: "on", Detail: c.over}
		if c.over != "" {
			e.From, e.To = e.To, e.From
		}
		j.emit(e)
	}
	if in.By != "" {
		j.emit(core.Event{At: now, Kind: core.FaultInjected, Policy: name, Key: in.By,
			Took: in.Wait, Detail: in.kind().String()})
	}
}

// kind is the worst that the injury does.
func (in *Injury) kind() Kind {
	switch {
	case in.Blow.Kind != 0:
		return in.Blow.Kind
	case in.Body.Cut > 0:
		return Reset
	case in.Body.Piece > 0:
		return SlowBody
	case in.Body.Rate > 0:
		return Bandwidth
	}
	return Latency
}
