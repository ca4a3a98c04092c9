package seakeep

import (
	"context"
	"errors"
	"fmt"

	"github.com/seakeep/seakeep/core"
)

// errExercise is what a fallback is given when nothing has failed.
var errExercise = errors.New("seakeep: nothing failed; the fallback is exercised")

// exercise runs every fallback that can fail, beside a healthy call, and drops
// the answers.
func exercise[T any](ctx context.Context, s *state, or func(context.Context, error) (T, error)) {
	ctx = context.WithoutCancel(ctx)
	go func() {
		for _, a := range s.fallback.cfg.Order {
			if a.Static != nil {
				s.exercised(kinds[kindStatic], caught(func() error {
					_, err := decode[T](a.Static.Body)
					return err
				}))
			}
		}
		if or != nil {
			s.exercised(kinds[kindFunction], s.fallback.guard(ctx, func(ctx context.Context) error {
				return caught(func() error {
					_, err := or(ctx, errExercise)
					return err
				})
			}))
		}
	}()
}

// caught turns a panic into an error: nobody could recover it beside a call
// that went well, and it would end the program.
func caught(run func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the fallback panicked: %v", r)
		}
	}()
	return run()
}

// exercised records how exercising a fallback went.
func (s *state) exercised(kind string, err error) {
	e := core.Event{At: Now(), Kind: core.FallbackAnswered, Reason: core.Exercise, Detail: kind}
	if err != nil {
		e.Kind = core.FallbackRefused
	}
	s.plan.Emit(e)
}
