package seakeeptest

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// Script is a function for seakeep.Do that answers by a list and records its
// calls. It is safe for use by many goroutines, and works in the fake time of
// package testing/synctest.
type Script[T any] struct {
	began time.Time

	mu    sync.Mutex
	steps []Step[T]
	given int // of the first step
	calls []*Call
}

// Step is what a Script does when it is called.
type Step[T any] struct {
	After time.Duration // how long it takes
	Value T
	Err   error
	// Silent steps never answer: they end when their context does, with its
	// error.
	Silent bool
	// Panic, if it is not nil, is what the function panics with.
	Panic any
	// Times is how many calls go so. Zero is one. The last step of a script is
	// for all calls that are left, whatever it says.
	Times int
}

// Call is one call of a Script.
type Call struct {
	At    time.Duration // since the script was made
	Took  time.Duration
	Limit time.Duration // what its context left it; zero: no limit
	Err   error
	Ended bool
}

// NewScript returns a function that goes by these steps. Without any it
// returns the zero value at once.
func NewScript[T any](steps ...Step[T]) *Script[T] {
	return &Script[T]{began: time.Now(), steps: append([]Step[T](nil), steps...)}
}

// Call is the function. It heeds its context.
func (s *Script[T]) Call(ctx context.Context) (v T, err error) {
	step, rec := s.next(ctx)
	defer func() { s.end(rec, err) }()
	if err = wait(ctx, step); err != nil {
		return v, err
	}
	if step.Panic != nil {
		err = fmt.Errorf("panic: %v", step.Panic)
		panic(step.Panic)
	}
	return step.Value, step.Err
}

// wait waits until a step is due. It returns the error of the context if that
// ends before.
func wait[T any](ctx context.Context, step Step[T]) error {
	if step.Silent {
		<-ctx.Done()
		return ctx.Err()
	}
	if step.After <= 0 {
		return nil
	}
	timer := time.NewTimer(step.After)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// next chooses the step for a call, and records the call.
func (s *Script[T]) next(ctx context.Context) (Step[T], *Call) {
	rec := &Call{At: time.Since(s.began)}
	if until, ok := ctx.Deadline(); ok {
		rec.Limit = time.Until(until)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls = append(s.calls, rec)
	if len(s.steps) == 0 {
		return Step[T]{}, rec
	}
	step := s.steps[0]
	s.given++
	if s.given >= max(step.Times, 1) && len(s.steps) > 1 {
		s.steps, s.given = s.steps[1:], 0
	}
	return step, rec
}

func (s *Script[T]) end(rec *Call, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	rec.Took, rec.Err, rec.Ended = time.Since(s.began)-rec.At, err, true
}

// Calls returns the calls so far, in their order.
func (s *Script[T]) Calls() []Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]Call, len(s.calls))
	for i, c := range s.calls {
		out[i] = *c
	}
	return out
}
