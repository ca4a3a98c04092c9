package overload

import (
	"context"
	"sync"

	"github.com/seakeep/seakeep/cmd/seakeep/demo/live"
)

// together is how many requests a second both sides may get in all when they
// run at the same time. More than that is work for the machine, and then one
// side waits for the other to end.
const together = 1500

// spares is how many runs of a demo may be made again because the machine had
// other things to do. There are no more, so that a demo ends when it should.
const spares = 1

// pair is the two sides that are compared. Each makes a new scene whenever it
// is played.
type pair struct {
	bare, protected func() *scene // protected may make none
	apart           bool          // not at the same time
}

// play plays both sides, and the protected one again if its generator was late
// while there is a spare run: what the bare side shows, it shows on a busy
// machine too. y is nil if there is no protected side.
func (p pair) play(ctx context.Context, spare *int) (x, y *outcome, err error) {
	if x, y, err = p.once(ctx); err != nil {
		return nil, nil, err
	}
	y, err = again(ctx, spare, y, p.protected)
	return x, y, err
}

func (p pair) once(ctx context.Context) (x, y *outcome, err error) {
	a, b := p.bare(), p.protected()
	var other error
	second := func() {
		if b != nil {
			y, other = b.play(ctx)
		}
	}
	var wg sync.WaitGroup
	if !p.apart {
		wg.Go(second)
	}
	x, err = a.play(ctx)
	wg.Wait()
	if p.apart && err == nil {
		second()
	}
	if err == nil {
		err = other
	}
	return x, y, err
}

// again plays a side once more if its generator was late: a machine that is
// held up for a moment says nothing about what it measures. What is reported is
// the last run, be it late or not.
func again(ctx context.Context, spare *int, o *outcome, side func() *scene) (*outcome, error) {
	for o.lateness() > live.TooLate && *spare > 0 && ctx.Err() == nil {
		*spare--
		next, err := side().play(ctx)
		if err != nil {
			return nil, err
		}
		if next.short() {
			break // ended by hand: what there was before says more
		}
		next.repeats = o.repeats + 1
		o = next
	}
	return o, nil
}
