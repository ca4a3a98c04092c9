package main

import (
	"github.com/failsafe-go/failsafe-go"
	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/core"
)

func closedRow() row {
	return row{id: "a", title: "closed breaker: admit, empty function, report", variants: []variant{
		{"seakeep, now given", closedGiven, &ours{0, []string{gobreakerName, failsafePermit}}},
		{"seakeep, clock read before and after", closedRead,
			&ours{0, []string{gobreakerName, failsafePermit}}},
		{"seakeep Do, breaker alone", closedDo, &ours{0, []string{gobreakerName, failsafeName}}},
		{name: gobreakerName, make: closedGobreaker},
		{name: failsafePermit, make: closedPermit},
		{name: failsafeName, make: func() loop {
			return failsafeGet(failsafe.With[int](failsafeBreaker[int]()))
		}},
	}}
}

// The names of the peers' variants.
const (
	gobreakerName  = "gobreaker Execute"
	failsafeName   = "failsafe-go"
	failsafePermit = "failsafe-go, permit"
	failsafeCtx    = "failsafe-go, ctx per call"
	failsafeWaits  = "failsafe-go, function waits on ctx"
	byHandName     = "by hand"
	byHandWaits    = "by hand, function waits on ctx"
)

func closedGiven() loop {
	b := bareBreaker()
	return func(n int) {
		now := core.Instant(0)
		for range n {
			now += tick
			p, _ := b.Admit(now)
			if !p.OK() {
				panic("refused")
			}
			mustPass(empty(background))
			b.Report(now, p, core.Success, 0)
		}
	}
}

func closedRead() loop {
	b := bareBreaker()
	return func(n int) {
		for range n {
			began := seakeep.Now()
			p, _ := b.Admit(began)
			if !p.OK() {
				panic("refused")
			}
			mustPass(empty(background))
			now := seakeep.Now()
			b.Report(now, p, core.Success, now.Sub(began))
		}
	}
}

func closedDo() loop {
	p := ourPolicy(seakeep.Config{Name: "bench", Breaker: ourBreaker()})
	return doPasses(background, p, empty)
}

func closedGobreaker() loop {
	b := gobreakerOf[int]()
	fn := func() (int, error) { return empty(background) }
	return func(n int) {
		for range n {
			mustPass(b.Execute(fn))
		}
	}
}

func closedPermit() loop {
	b := failsafeBreaker[int]()
	return func(n int) {
		for range n {
			if !b.TryAcquirePermit() {
				panic("refused")
			}
			mustPass(empty(background))
			b.RecordSuccess()
		}
	}
}

func openRow() row {
	return row{id: "b", title: "open breaker: refuse", variants: []variant{
		{"seakeep, now given", openGiven, &ours{0, []string{gobreakerName, failsafePermit}}},
		{"seakeep, clock read", openRead, &ours{0, []string{gobreakerName, failsafePermit}}},
		{"seakeep Do, breaker alone", func() loop {
			return doRefuses(ourOpen(seakeep.Config{Name: "bench", Breaker: ourBreaker()}))
		}, &ours{0, []string{gobreakerName, failsafeName}}},
		{name: gobreakerName, make: openGobreaker},
		{name: failsafePermit, make: openPermit},
		{name: failsafeName, make: openFailsafe},
	}}
}

func openGiven() loop {
	b := bareOpen()
	opened := seakeep.Now()
	return func(n int) {
		now := opened
		for range n {
			now++
			if p, _ := b.Admit(now); p.OK() {
				panic("admitted")
			}
		}
	}
}

func openRead() loop {
	b := bareOpen()
	return func(n int) {
		for range n {
			if p, _ := b.Admit(seakeep.Now()); p.OK() {
				panic("admitted")
			}
		}
	}
}

func openGobreaker() loop {
	b := gobreakerOpen()
	fn := func() (int, error) { return empty(background) }
	return func(n int) {
		for range n {
			mustRefuse(b.Execute(fn))
		}
	}
}

func openPermit() loop {
	b := failsafeBreaker[int]()
	b.Open()
	return func(n int) {
		for range n {
			if b.TryAcquirePermit() {
				panic("admitted")
			}
		}
	}
}

func openFailsafe() loop {
	b := failsafeBreaker[int]()
	b.Open()
	return failsafeRefused(failsafe.With[int](b))
}

func failsafeRefused(e failsafe.Executor[int]) loop {
	fn := func() (int, error) { return empty(background) }
	return func(n int) {
		for range n {
			mustRefuse(e.Get(fn))
		}
	}
}
