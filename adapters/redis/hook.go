package seakeepredis

import (
	"context"
	"errors"
	"net"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/call"
	"github.com/seakeep/seakeep/core/fault"
	"github.com/seakeep/seakeep/core/retry"
)

// Mode is what Redis is to the program.
type Mode uint8

const (
	// Store: what it holds is needed. Errors stay errors.
	Store Mode = iota
	// Cache: what it holds can be had elsewhere. No answer in time is a miss.
	Cache
)

// CacheLimit is how long a call to a Cache takes at most if the policy has
// neither timeout.request nor timeout.total: longer than that, the place where
// the value comes from is as fast.
const CacheLimit = 20 * time.Millisecond

// Hook carries a client's commands through the ladder. It is safe for use by
// many goroutines.
type Hook struct {
	policy  *seakeep.Policy
	mode    Mode
	connect time.Duration // limits dialing; 0: go-redis' own DialTimeout does

	missed, unfilled, failed atomic.Uint64
}

// Stats counts what a Cache has answered by itself, commands of pipelines one
// by one.
type Stats struct {
	Missed   uint64 // reads that came to nothing for want of an answer
	Unfilled uint64 // values that were not stored
	Failed   uint64 // commands whose errors stayed errors, in both modes
}

// Stats reads the counters.
func (h *Hook) Stats() Stats {
	return Stats{Missed: h.missed.Load(), Unfilled: h.unfilled.Load(), Failed: h.failed.Load()}
}

type ticket struct{}

// DialHook implements redis.Hook.
func (h *Hook) DialHook(next redis.DialHook) redis.DialHook {
	if h.connect == 0 {
		return next
	}
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		ctx, cancel := context.WithTimeout(ctx, h.connect)
		defer cancel()
		return next(ctx, network, addr)
	}
}

// ProcessHook implements redis.Hook.
func (h *Hook) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		k := kindOf(cmd)
		if past(ctx, k) {
			return next(ctx, cmd)
		}
		err := h.run(ctx, work{k.read(), func(ctx context.Context) error { return next(ctx, cmd) }, nil})
		if err.is == nil {
			return err.said
		}
		if h.mode == Cache && err.down && missed(cmd) {
			h.answered(ctx, cmd, err.adapter)
			return cmd.Err()
		}
		h.failed.Add(1)
		cmd.SetErr(err.is)
		return err.is
	}
}

// past reports whether a command goes past the ladder: it waits on purpose, or
// it is part of a call that is in the ladder, as the handshake of a new
// connection is. A handshake that go-redis makes by itself is nobody's call.
func past(ctx context.Context, k kind) bool {
	return k == blocking || k == setup || ctx.Value(ticket{}) != nil
}

// ProcessPipelineHook implements redis.Hook. A pipeline is one call.
func (h *Hook) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		k := kindOfAll(cmds)
		if len(cmds) == 0 || past(ctx, k) {
			return next(ctx, cmds)
		}
		ran := false
		err := h.run(ctx, work{k.read(), func(ctx context.Context) error {
			ran = true
			return next(ctx, cmds)
		}, cmds})
		if err.is == nil {
			return err.said
		}
		transaction := cmds[0].Name() == "multi"
		for _, cmd := range cmds {
			if !ran {
				cmd.SetErr(err.is)
			}
			switch {
			case cmd.Err() == nil || errors.Is(cmd.Err(), redis.Nil):
			case h.mode == Cache && !transaction && down(err.adapter, cmd.Err()) && missed(cmd):
				h.answered(ctx, cmd, err.adapter)
			default:
				h.failed.Add(1)
			}
		}
		return firstError(cmds)
	}
}

func firstError(cmds []redis.Cmder) error {
	for _, c := range cmds {
		if err := c.Err(); err != nil {
			return err
		}
	}
	return nil
}

// answered counts and reports an answer that did not come from Redis.
func (h *Hook) answered(ctx context.Context, cmd redis.Cmder, a seakeep.Adapter) {
	if kindOf(cmd) == fill {
		h.unfilled.Add(1)
	} else {
		h.missed.Add(1)
	}
	a.Answered(seakeep.CallOf(ctx), "omit", 0)
}

// work is what is done in each attempt.
type work struct {
	read bool
	do   func(context.Context) error
	cmds []redis.Cmder // of a pipeline
}

// ending is how a call has ended.
type ending struct {
	is      error // nil: Redis has answered
	said    error // what go-redis makes of that answer: nil, or redis.Nil
	down    bool  // there is no answer because Redis or the way to it is not well
	adapter seakeep.Adapter
}

// run carries work through the ladder.
func (h *Hook) run(ctx context.Context, w work) ending {
	a, info := h.policy.Adapter(), seakeep.CallOf(ctx)
	req := call.Request{Deadline: core.Never, Key: info.Key, RetriedAbove: info.RetriedAbove}
	if t, ok := ctx.Deadline(); ok {
		req.Deadline = seakeep.InstantOf(t)
	}
	if h.mode == Cache {
		req.Deadline = min(req.Deadline, seakeep.Now().Add(patience(a.Plan().Config())))
	}
	var last error
	end := a.Run(ctx, req, func(ctx context.Context, _ int) seakeep.Tried {
		var by string
		by, last = hurt(context.WithValue(ctx, ticket{}, true), a, info, w.do)
		tried := seakeep.Tried{Result: worst(a, last, w.cmds), Note: seakeep.NoteOf(by)}
		if tried.Result.Outcome != core.Success && ctx.Err() == context.Canceled {
			tried.Result = core.Result{Outcome: core.Cancelled} // go-redis sees deadlines only
		}
		tried.Facts.Safety, tried.Facts.Replayable = info.Safety(), true
		if w.read {
			tried.Facts.Safety = retry.Idempotent
		}
		tried.Result.NoRetry = tried.Result.NoRetry || h.mode == Cache
		return tried
	})
	if end.Verdict == call.Succeeded {
		return ending{said: last, adapter: a}
	}
	isDown := end.Verdict == call.Rejected ||
		end.Verdict == call.Failed && (end.Last.Outcome.Failed() || pooled(last))
	return ending{is: a.Failure(ctx, info.Key, end, last), down: isDown, adapter: a}
}

// patience is how long a call to a cache may take until it is given up, the wait
// for a slot included: a twentieth less than its limit, because a timer is late
// and the caller is to have its answer within the limit.
func patience(c call.Config) time.Duration {
	l := limit(c)
	return l - l/20
}

// limit is how long a call to a cache may take in all.
func limit(c call.Config) time.Duration {
	least := min(c.Timeout.Request, c.Timeout.Total)
	if least == 0 {
		least = max(c.Timeout.Request, c.Timeout.Total)
	}
	if least == 0 {
		return CacheLimit
	}
	return least
}

// worst is how an attempt went: a pipeline by the command that fared worst. That
// one was not run says nothing of the others: the pipeline is unsent if all are.
func worst(a seakeep.Adapter, err error, cmds []redis.Cmder) core.Result {
	r, unsent := classify(a, err), true
	for _, c := range cmds {
		each := classify(a, c.Err())
		if rank(each) > rank(r) {
			r = each
		}
		unsent = unsent && each.Cause == core.Unsent
	}
	if r.Cause == core.Unsent && !unsent {
		r.Cause = core.Unavailable
	}
	return r
}

func rank(r core.Result) int {
	switch {
	case r.Outcome.Failed():
		return 2
	case r.Outcome.Neutral():
		return 1
	}
	return 0
}

// down reports whether an error of one command of a pipeline says that Redis is
// not well.
func down(a seakeep.Adapter, err error) bool {
	var r *seakeep.Rejection
	return errors.As(err, &r) || pooled(err) || classify(a, err).Outcome.Failed()
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
