package seakeepsql

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/config"
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/call"
	"github.com/seakeep/seakeep/core/fault"
	"github.com/seakeep/seakeep/core/retry"
)

// Limits are those of timeout that are the pool's and not the ladder's. 0 is no
// limit of its own.
type Limits struct {
	Connect time.Duration // for a new connection, the handshake included
	Acquire time.Duration // for a connection of the pool
}

// part is what the calls of a dependency, or of one of its operations, are under.
type part struct {
	policy *seakeep.Policy
	Limits
}

// view is what one state of the policy file means for a database.
type view struct {
	file       *config.File
	whole      part
	operations map[string]part
	slots      int // of all bulkheads together; 0: one has no bound
	queued     int // calls that may wait for those
}

// guard carries calls through the ladder of one database.
type guard struct {
	set    *seakeep.Set // nil: one policy without a file
	name   string
	latest atomic.Pointer[view]
	resize func(*view)
}

type operationKey struct{}

// Operation returns a context whose calls are under the operation of this name:
// its own timeouts, and its own slots and breaker where the file says so. It
// holds for every database below.
func Operation(ctx context.Context, name string) context.Context {
	return context.WithValue(ctx, operationKey{}, name)
}

// ReadOnly returns a context that says that its queries change nothing, so that
// one that failed may be sent again. It keeps what seakeep.With has said.
func ReadOnly(ctx context.Context) context.Context {
	c := *seakeep.CallOf(ctx)
	c.Idempotent = true
	return seakeep.With(ctx, c)
}

// part returns what a call is under.
func (g *guard) part(ctx context.Context) (part, error) {
	v := g.view()
	name, _ := ctx.Value(operationKey{}).(string)
	if name == "" || g.set == nil {
		return v.whole, nil
	}
	if p, ok := v.operations[name]; ok {
		return p, nil
	}
	return part{}, seakeep.Ignore(fmt.Errorf(
		"seakeepsql: dependency %q has no operation %q: add it to the policy file", g.name, name))
}

// view returns what the policy file means, which is read anew after a reload.
func (g *guard) view() *view {
	v := g.latest.Load()
	if g.set == nil || v.file == g.set.File() {
		return v
	}
	next := g.look()
	if next == nil { // the file no longer has it: its policy goes on as it was
		return v
	}
	if g.latest.CompareAndSwap(v, next) {
		g.resize(next)
	}
	return next
}

// look reads the policy file; nil: it has no such dependency.
func (g *guard) look() *view {
	v := &view{file: g.set.File(), operations: map[string]part{}}
	for _, d := range v.file.Dependencies {
		if d.Name != g.name {
			continue
		}
		whole, err := g.set.Policy(g.name)
		if err != nil {
			return nil
		}
		v.whole = part{whole, Limits{d.Connect, d.Acquire}}
		bounded := v.count(&d.Call)
		for i := range d.Operations {
			o := &d.Operations[i]
			p, err := g.set.Policy(g.name + "/" + o.Name)
			if err != nil {
				return nil
			}
			v.operations[o.Name] = part{p, Limits{o.Connect, o.Acquire}}
			if o.Own.Has(call.RungBulkhead) {
				bounded = v.count(&o.Call) && bounded
			}
		}
		if !bounded {
			v.slots, v.queued = 0, 0
		}
		return v
	}
	return nil
}

// count adds the slots of a bulkhead. It reports false if there is no bound.
func (v *view) count(c *call.Config) bool {
	if c.Bulkhead == nil || c.Observe.Has(call.RungBulkhead) {
		return false
	}
	v.slots, v.queued = v.slots+c.Bulkhead.Limit, v.queued+c.Bulkhead.Queue
	return true
}

// answer says what of an answer is still to come when the driver has returned.
type answer uint8

const (
	whole  answer = iota // nothing
	body                 // rows, within the call's total limit
	stream               // a transaction, which only its caller limits
)

// errLate is why an answer is lost of which the most was still to come when the
// attempt's limit passed.
var errLate = fmt.Errorf("seakeepsql: the answer came too late: %w", context.DeadlineExceeded)

// job is one call's work: what is done in each attempt, and how its errors
// are to be seen.
type job struct {
	do func(context.Context) error
	// judge says what an error means; nil is judged.
	judge  func(a seakeep.Adapter, info *seakeep.Call, err error) seakeep.Tried
	begins answer
	// within is set for a call in the driver: its connection is had already,
	// and another attempt must go to another, which is for database/sql to find.
	within bool
}

// request returns the limit of one statement; 0: none.
func (g *guard) request(ctx context.Context) time.Duration {
	p, err := g.part(ctx)
	if err != nil {
		return 0
	}
	c := p.policy.Plan().Config()
	if c.Observe.Has(call.RungTimeout) {
		return 0
	}
	return c.Timeout.Request
}

// run carries a job through the ladder. The hold it returns is of the attempt
// that went well, and is to be ended.
func (g *guard) run(ctx context.Context, j job) (*hold, error) {
	p, err := g.part(ctx)
	if err != nil {
		return nil, err
	}
	if j.judge == nil {
		j.judge = judged
	}
	a, info := p.policy.Adapter(), seakeep.CallOf(ctx)
	var h *hold
	var last error
	req := call.Request{Deadline: core.Never, Key: info.Key, RetriedAbove: info.RetriedAbove,
		Tail: true}
	if t, ok := ctx.Deadline(); ok {
		req.Deadline = seakeep.InstantOf(t)
	}
	returned := false
	defer func() {
		if !returned && h != nil { // the work panicked, and Run has closed its accounts
			h.give(seakeep.Tail{})
			h.end(core.Failure)
		}
	}()
	end := a.Run(ctx, req, func(ctx context.Context, _ int) seakeep.Tried {
		h = newHold(ctx, g, p.Limits)
		h.front = !j.within
		if !j.within && p.Acquire > 0 {
			h.leash.limit(p.Acquire, &AcquireError{p.Acquire})
		}
		var by string
		by, last = hurt(h.context(), a, info, j.do)
		if last == nil {
			return seakeep.Tried{Result: core.Result{Outcome: core.Success}, Note: seakeep.NoteOf(by)}
		}
		last = h.because(last)
		tried := j.judge(a, info, last)
		tried.Result.NoRetry = tried.Result.NoRetry || j.within
		tried.Note = seakeep.NoteOf(by)
		h.give(seakeep.Tail{}) // Run itself tells how this attempt ended
		h.end(tried.Result.Outcome)
		return tried
	})
	returned = true
	if end.Verdict == call.Succeeded {
		late := j.begins != whole && !end.Tail.Begun(j.begins == stream)
		h.give(end.Tail)
		if late {
			h.end(core.Timeout)
			return nil, errLate
		}
		return h, nil
	}
	end.Tail.End(core.Cancelled) // only the slot is left: the outcome has been told
	return nil, a.Failure(ctx, info.Key, end, last)
}

// hurt does the work, unless a fault does something to it.
func hurt(ctx context.Context, a seakeep.Adapter, info *seakeep.Call,
	do func(context.Context) error) (by string, err error) {
	f, operation := a.Faults()
	if f.Idle() || info.Unhurt {
		return "", do(ctx)
	}
	h := f.Begin(fault.Target{Operation: operation, Marks: info.Faults})
	if h == nil {
		return "", do(ctx)
	}
	defer h.End()
	if err := h.Before(ctx); err != nil {
		return h.By, err
	}
	return h.By, do(ctx)
}

// judged is how the error of a call is seen that may be sent again if its caller
// says so.
func judged(a seakeep.Adapter, info *seakeep.Call, err error) seakeep.Tried {
	t := seakeep.Tried{Result: classify(a, err)}
	t.Facts.Safety, t.Facts.Replayable = info.Safety(), true
	return t
}

// repeatable is how the error of a transaction is seen that may run again.
func repeatable(a seakeep.Adapter, _ *seakeep.Call, err error) seakeep.Tried {
	t := seakeep.Tried{Result: classify(a, err)}
	t.Facts.Safety, t.Facts.Replayable = retry.Idempotent, true
	var c *commitError
	switch {
	case Contended(err):
		t.Result = core.Result{Outcome: core.Overloaded, Cause: core.Unavailable}
	case errors.As(err, &c): // it may have been committed
		t.Facts.Safety, t.Result.NoRetry = retry.Unsafe, true
	}
	return t
}
