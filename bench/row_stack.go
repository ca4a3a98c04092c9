package main

import (
	"github.com/failsafe-go/failsafe-go"
	"github.com/failsafe-go/failsafe-go/bulkhead"
	"github.com/failsafe-go/failsafe-go/timeout"
)

const failsafeOutside = "failsafe-go, timeout outermost"

func stackRow() row {
	do := func(fn caller) func() loop {
		return func() loop { return doPasses(background, ourPolicy(ourStack(limit)), fn) }
	}
	return row{id: "f", title: "timeout + bulkhead + retry + breaker around an empty function",
		variants: []variant{
			{"seakeep Do", do(empty),
				&ours{1, []string{failsafeName, failsafeCtx, byHandName}}},
			{"seakeep Do, total limit as well", func() loop {
				c := ourStack(limit)
				c.Timeout.Total = 2 * limit
				return doPasses(background, ourPolicy(c), empty)
			}, &ours{1, []string{failsafeName, byHandName}}},
			{"seakeep Do, function waits on ctx", do(waits),
				&ours{5, []string{failsafeWaits, byHandWaits}}},
			{name: failsafeName, make: func() loop {
				e, _ := failsafeStack[int](limit)
				return failsafeGet(e)
			}},
			{name: failsafeOutside, make: func() loop {
				return failsafeGet(failsafe.With[int](timeout.New[int](limit),
					bulkhead.New[int](slots), failsafeRetry[int](), failsafeBreaker[int]()))
			}},
			{name: failsafeCtx, make: func() loop {
				e, _ := failsafeStack[int](limit)
				return failsafeWith(background, e, empty)
			}},
			{name: failsafeWaits, make: func() loop {
				e, _ := failsafeStack[int](limit)
				return failsafeWith(background, e, waits)
			}},
			{name: byHandName, make: func() loop {
				return newByHand[int](limit).passes(background, empty, mustPass)
			}},
			{name: byHandWaits, make: func() loop {
				return newByHand[int](limit).passes(background, waits, mustPass)
			}},
		}}
}

func earlierRow() row {
	return row{id: "f2", title: "the same, where the caller's own deadline is the earlier",
		variants: []variant{
			{"seakeep Do", func() loop {
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
		{"seakeep Do", func() loop { return doRefuses(ourOpen(ourStack(limit))) },
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
