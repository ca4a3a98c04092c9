package sim

import (
	"fmt"
	"strings"

	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/call"
	"github.com/seakeep/seakeep/core/fault"
)

// faults is what hurts the calls of one user to one dependency on purpose; those
// of the dependency's operations are the same.
type faults struct {
	*fault.Injector
	world     *World
	timer     Timer    // for the next rule that ends
	endpoints []string // by instance, as far as the policy names them
}

// Fire implements Actor: rules end by themselves.
func (f *faults) Fire(int, int64) {
	f.timer = Timer{}
	f.arm()
}

func (f *faults) arm() {
	f.world.Cancel(f.timer)
	f.timer = Timer{}
	if next := f.Sweep(f.world.now); next != core.Never {
		f.timer = f.world.At(next, Due, f, 0, 0)
	}
}

// hurtBy gives a member what its policy says of faults.
func (m *member) hurtBy(p *config.File) error {
	dep, _, _ := strings.Cut(m.name, "/")
	d := dependencyOf(p, m.name)
	w, c := m.world, fault.Config{Name: dep}
	name := fmt.Sprintf("%s[%d]>%s", m.of.by, m.of.index, dep)
	f := w.faults[name]
	if d != nil && d.Faults != nil {
		c = d.Faults.Config
	} else if f == nil {
		return nil
	}
	var err error
	if f == nil {
		f = &faults{world: w}
		var tell func(core.Event)
		if o := w.watch(m.of); o != nil {
			tell = o.Observe
		}
		seed := NewStream(w.seed, m.of.by+">"+dep, "faults").Of(uint64(m.of.index), 0)
		if f.Injector, err = fault.New(w.now, c, seed.key, tell); err != nil {
			return err
		}
		if w.faults == nil {
			w.faults = map[string]*faults{}
		}
		w.faults[name] = f
	} else if err = f.Reconfigure(w.now, c); err != nil {
		return err
	}
	if f.endpoints = nil; d != nil {
		for _, u := range d.Endpoints {
			f.endpoints = append(f.endpoints, u.String())
		}
	}
	m.faults = f
	f.arm()
	return nil
}

// told counts how a call ended, as the goroutine driver does.
func (f *faults) told(o *outcall, v call.Verdict) {
	if f == nil || f.Idle() {
		return
	}
	last := o.call.Last().Outcome
	switch {
	case v == call.Succeeded:
		f.Report(f.world.now, true)
	case (v == call.Rejected || v == call.Failed && last.Failed()) && !last.Neutral():
		f.Report(f.world.now, false)
	}
}

// wound is a fault that acts on an attempt.
type wound struct {
	fault.Injury
	o     *outcall
	f     *faults
	job   *job // while it is not sent
	lane  int
	until core.Instant // of the wait
	held  bool         // it counts as hurt
	over  bool
}

const (
	woundWaits = iota // what Fire is told
	woundHangs
	woundCuts
)

// hurt does what a fault does to an attempt, and reports whether that takes
// care of sending it.
func (o *outcall) hurt(lane int, j *job) bool {
	f := o.member.faults
	if f == nil || f.Idle() {
		return false
	}
	_, operation, _ := strings.Cut(o.member.name, "/")
	t := fault.Target{Operation: operation}
	if n := j.inst.index; n < len(f.endpoints) {
		t.Endpoint = f.endpoints[n]
	}
	in := f.Admit(o.now(), t)
	if in.By == "" {
		return false
	}
	h := &wound{Injury: in, o: o, f: f, job: j, lane: lane, held: true,
		until: o.now().Add(in.Wait)}
	o.jobs[lane], o.wounds[lane] = nil, h
	h.wait()
	return true
}

// Fire implements Actor.
func (h *wound) Fire(what int, _ int64) {
	switch {
	case h.over:
	case what == woundWaits:
		h.wait()
	case what == woundHangs:
		h.hang()
	case h.f.Holds(h.o.now(), h.Injury, fault.Reset):
		o := h.o
		o.giveUp(h.lane)
		o.returned(h.lane, fault.Hurt{Kind: fault.Reset}.Result())
	}
}

func (h *wound) now() core.Instant { return h.o.now() }

// wait goes on when the delay is over, or the rule.
func (h *wound) wait() {
	if h.now() < h.until && h.f.Holds(h.now(), h.Injury, fault.Latency) {
		h.again(min(h.until, h.f.Sweep(h.now())), woundWaits)
		return
	}
	switch {
	case h.Blow.Kind == fault.NoAnswer:
		h.lose()
		h.hang()
	case h.Blow.Kind != 0:
		h.lose()
		h.returns(h.Blow.Result())
	default:
		j := h.job
		h.job, h.o.jobs[h.lane] = nil, j
		if h.Body.Cut > 0 {
			h.again(h.now().Add(h.Body.Cut), woundCuts)
		} else {
			h.release() // how long bodies take is not modelled
		}
		h.o.dest.send(j)
	}
}

// hang lets the attempt go when the rule is over: its connection breaks then.
func (h *wound) hang() {
	if h.f.Holds(h.now(), h.Injury, fault.NoAnswer) {
		h.again(h.f.Sweep(h.now()), woundHangs)
		return
	}
	h.returns(fault.Hurt{Kind: fault.Reset}.Result())
}

func (h *wound) again(at core.Instant, what int) { h.o.member.world.At(at, Due, h, what, 0) }

// returns brings the attempt's result, as an event of its own.
func (h *wound) returns(r core.Result) {
	h.o.results[h.lane] = r
	h.o.member.world.At(h.now(), Ends, h.o, outReply, h.o.gen<<3|int64(h.lane))
}

func (h *wound) lose() {
	if j := h.job; j != nil {
		h.job = nil
		j.lose()
	}
}

func (h *wound) release() {
	if h.held {
		h.held = false
		h.f.Release(h.Injury)
	}
}

// unhurt takes note that an attempt has ended, or was given up.
func (o *outcall) unhurt(lane int) {
	if h := o.wounds[lane]; h != nil {
		o.wounds[lane] = nil
		h.over = true
		h.release()
		h.lose()
	}
}
