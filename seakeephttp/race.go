package seakeephttp

import (
	"context"
	"math/bits"
	"sync"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/call"
)

// HedgeHeader marks a copy of a request that is slow. The first attempt is still
// under way, so whoever has too much to do serves it last.
const HedgeHeader = "X-Seakeep-Hedge"

// race is the attempts of a request that may have copies. Each has an exchange
// of its own, on a goroutine of its own; that of the call takes over from those
// that count.
type race struct {
	x *exchange // the call's

	mu   sync.Mutex // guards what the attempts share of x: tried, unsent, mayHaveRun and the body
	live int        // attempts that somebody waits for
	over bool       // one has been answered well

	tied   bool // copies are, to their first attempt
	tie    *tie // of the latest first attempt; nil: there is none
	paired bool // the copy was sent
}

// hedged reports whether copies of the request may be sent.
func (x *exchange) hedged() bool {
	plan := x.adapter.Plan()
	return plan.Hedged() && plan.Hedges(x.safety, x.several()) &&
		x.req.Header["Upgrade"] == nil && !x.info.RetriedAbove
}

// several reports whether there is more than one endpoint for the request.
func (x *exchange) several() bool {
	if x.only != 0 && x.choice().Only != 0 {
		return bits.OnesCount64(x.only) > 1
	}
	return x.pool.dir != nil && len(x.pool.order) > 1
}

// run carries the request through the ladder.
func (x *exchange) run(ctx context.Context, ask call.Request) seakeep.Ending {
	if !x.hedged() {
		return x.adapter.Run(ctx, ask, x.try)
	}
	ask.Hedge = true
	if x.upload != nil {
		x.upload.share()
	}
	r := &race{x: x, tied: x.tied()}
	return x.adapter.Race(ctx, ask, seakeep.Racer{Try: r.try, Facts: r.facts})
}

// facts is what a copy depends on.
func (r *race) facts() call.Facts {
	r.mu.Lock()
	defer r.mu.Unlock()
	x := r.x
	return call.Facts{Safety: x.safety, Replayable: x.replayable(false), Tied: r.tied,
		Elsewhere: x.pool.elsewhere(x.choice()) && (!r.tied || r.tie != nil)}
}

// try makes one attempt.
func (r *race) try(ctx context.Context, attempt int) (tried seakeep.Tried) {
	x := r.x
	y := &exchange{req: x.req, info: x.info, adapter: x.adapter, pool: x.pool, file: x.file, upload: x.upload,
		safety: x.safety, only: x.only}
	y.last = &y.first
	r.mu.Lock()
	y.tried = x.tried
	r.live++
	copied := r.live > 1
	body, again, err := x.nextBody()
	r.mu.Unlock()
	returned := false
	defer func() {
		if !returned { // the base transport has panicked
			y.left()
		}
	}()
	if err != nil {
		y.err = err
		tried.Result = core.Result{Outcome: core.Ignored, Cause: core.ClientError}
	} else {
		y.first.req.Body, y.first.req.GetBody = body, again
		tried.Result = r.send(ctx, y, attempt, copied)
	}
	returned = true
	r.mu.Lock()
	defer r.mu.Unlock()
	r.live--
	r.over = r.over || tried.Result.Outcome == core.Success
	y.tried = x.tried
	tried.Facts = call.Facts{Safety: x.safety, Replayable: x.replayable(false),
		Elsewhere: x.pool.elsewhere(y.choice())}
	result := tried.Result
	tried.Note = &seakeep.Note{Faults: y.last.hurtBy(), Lost: y.err == errTwinStarted,
		Then: func(kept bool) { r.then(y, result, kept) }}
	return tried
}

// send sends the request to an endpoint.
func (r *race) send(ctx context.Context, y *exchange, attempt int, copied bool) core.Result {
	s := y.last
	body, again := s.req.Body, s.req.GetBody
	tie, ok := r.choose(ctx, y, copied)
	if !ok {
		y.nowhere(body)
		return core.Result{Outcome: core.Failure, Cause: core.Unsent, NoRetry: true}
	}
	r.mu.Lock()
	r.x.tried |= y.at.bit()
	r.mu.Unlock()
	if copied && tie != nil {
		attempt-- // it is as much the first as the other
	}
	s.prepare(ctx, y, attempt)
	s.req.Body, s.req.GetBody = body, again
	tie.mark(s, copied)
	if copied && tie == nil {
		s.header()[HedgeHeader] = []string{"1"}
	}
	stop := r.interrupts(ctx)
	defer stop()
	resp, err := inTime(ctx, s, y)
	var result core.Result
	switch {
	case err == nil && tie.lost(resp):
		discard(resp)
		r.x.pool.of.untied.Store(0)
		result, err = core.Result{Outcome: core.Cancelled}, errTwinStarted
		y.err = err
	case err == nil:
		result = s.classify(resp)
		y.resp = resp
	default:
		f := failed{err: err, caller: y.req.Context(), unsent: s.traced && !s.got.Load()}
		result, y.err = f.result(y.adapter.Classify), err
		if ctx.Err() == context.Canceled { // another attempt was first
			result = core.Result{Outcome: core.Cancelled}
		}
	}
	y.at.ended(result, err == nil)
	if result.Outcome.Failed() && y.open() {
		y.takeWhole() // what comes of the others may be worse
	}
	return result
}

// then hands an attempt's answer to the call, or drops it.
func (r *race) then(y *exchange, result core.Result, kept bool) {
	x := r.x
	if !kept {
		if y.resp != nil {
			discard(y.resp)
		}
		y.left()
		return
	}
	x.putAside()
	x.last = y.last
	switch {
	case y.resp != nil:
		x.resp, x.err, x.whole = y.resp, nil, y.whole
		x.at, y.at = y.at, visit{}
	case x.err == nil && x.resp == nil || result.Outcome != core.Ignored && y.err != errTwinStarted:
		x.err = y.err
	}
	if result.Outcome == core.Success && x.upload != nil {
		x.upload.leave(y.last.req.Body)
	}
	if result.Outcome.Failed() {
		r.mu.Lock()
		x.learn(result)
		r.mu.Unlock()
	}
}

// interrupts is that of exchange for attempts that read one body: it is told
// when nobody waits for an attempt any more, and none has been answered.
func (r *race) interrupts(ctx context.Context) (stop func()) {
	if _, ok := r.x.req.Body.(interface{ Interrupt() }); !ok {
		return nothing
	}
	all, cancel := context.WithCancel(context.WithoutCancel(ctx))
	leave := context.AfterFunc(ctx, func() {
		r.mu.Lock()
		alone := r.live <= 1 && !r.over
		r.mu.Unlock()
		if alone {
			cancel()
		}
	})
	back := r.x.interrupts(all)
	return func() {
		leave()
		back()
		cancel()
	}
}
