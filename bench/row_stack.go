package main

import (
	"time"

	"github.com/failsafe-go/failsafe-go"
	"github.com/failsafe-go/failsafe-go/bulkhead"
	"github.com/failsafe-go/failsafe-go/circuitbreaker"
	"github.com/failsafe-go/failsafe-go/timeout"
	"github.com/seakeep/seakeep"
)

// The two places a timeout can have: around each attempt, where our ladder has
// its Request limit, and around everything, where it has its Total limit.
const (
	stackAttempt = "seakeep Do, limit of an attempt"
	stackTotal   = "seakeep Do, limit of the call"
	stackWaits   = "seakeep Do, function waits on ctx"

	outermost    = "failsafe-go, timeout outermost"
	outermostCtx = "failsafe-go, timeout outermost, ctx per call"
)

func stackRow() row {
	do := func(c seakeep.Config, fn caller) func() loop {
		return func() loop { return doPasses(background, ourPolicy(c), fn) }
	}
	total := ourStack(limit)
	total.Timeout = seakeep.Timeout{Total: limit}
	inner := func(use func(failsafe.Executor[int]) loop) func() loop {
		return func() loop { e, _ := failsafeStack[int](limit); return use(e) }
	}
	outer := func(use func(failsafe.Executor[int]) loop) func() loop {
		return func() loop { return use(failsafeOuter(limit)) }
	}
	withCtx := func(fn caller) func(failsafe.Executor[int]) loop {
		return func(e failsafe.Executor[int]) loop { return failsafeWith(background, e, fn) }
	}
	hand := func(fn caller) func() loop {
		return func() loop { return newByHand[int](limit).passes(background, fn, mustPass) }
	}
	return row{id: "f", title: "timeout + bulkhead + retry + breaker around an empty function",
		variants: []variant{
			{stackTotal, do(total, empty),
				&ours{1, []string{outermost, outermostCtx, byHandName}}},
			{stackAttempt, do(ourStack(limit), empty),
				&ours{1, []string{failsafeName, failsafeCtx}}},
			{stackWaits, do(ourStack(limit), waits),
				&ours{5, []string{failsafeWaits, byHandWaits}}},
			{name: outermost, make: outer(failsafeGet)},
			{name: outermostCtx, make: outer(withCtx(empty))},
			{name: failsafeName, make: inner(failsafeGet)},
			{name: failsafeCtx, make: inner(withCtx(empty))},
			{name: failsafeWaits, make: inner(withCtx(waits))},
			{name: byHandName, make: hand(empty)},
			{name: byHandWaits, make: hand(waits)},
		}}
}

func earlierRow() row {
	return row{id: "f2", title: "the same, where the caller's own deadline is the earlier",
		variants: []variant{
			{stackAttempt, func() loop {
				return doPasses(earlier(), ourPolicy(ourStack(laterLimit)), empty)
			}, &ours{0, []string{failsafeCtx, byHandName}}},
			{name: failsafeCtx, make: func() loop {
				e, _ := failsafeStack[int](laterLimit)
				return failsafeWith(earlier(), e, empty)
			}},
			{name: byHandName, make: func() loop {
				return newByHand[int](laterLimit).passes(earlier(), empty, mustPass)
			}},
		}}
}

func refusedRow() row {
	return row{id: "k", title: "the same, refused by an open breaker", variants: []variant{
		{stackAttempt, func() loop { return doRefuses(ourOpen(ourStack(limit))) },
			&ours{0, []string{failsafeName, byHandName, gobreakerName}}},
		{name: failsafeName, make: func() loop {
			e, b := failsafeStack[int](limit)
			b.Open()
			return failsafeRefused(e)
		}},
		{name: byHandName, make: func() loop {
			h := newByHand[int](limit)
			h.breaker = gobreakerOpen()
			return h.passes(background, empty, mustRefuse)
		}},
		{name: gobreakerName, make: openGobreaker},
	}}
}

// failsafeStack is in the order of our ladder, with the timeout innermost.
func failsafeStack[T any](limit time.Duration) (failsafe.Executor[T],
	circuitbreaker.CircuitBreaker[T]) {
	b := failsafeBreaker[T]()
	return failsafe.With(bulkhead.New[T](slots), failsafeRetry[T](), b, timeout.New[T](limit)), b
}

func failsafeOuter(limit time.Duration) failsafe.Executor[int] {
	return failsafe.With(timeout.New[int](limit), bulkhead.New[int](slots), failsafeRetry[int](),
		failsafeBreaker[int]())
}
