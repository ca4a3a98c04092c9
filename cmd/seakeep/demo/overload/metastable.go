package overload

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/seakeep/seakeep/cmd/seakeep/demo/live"
)

// Spike is a while in which more users come.
type Spike struct {
	Rate float64 // requests a second
	At   time.Duration
	For  time.Duration
}

func (s Spike) end() time.Duration { return s.At + s.For }

// MetastableOptions say how the demo of a metastable failure runs.
type MetastableOptions struct {
	Machine Machine
	Rate    float64 // requests a second, before the spike and after it
	Spike   Spike
	For     time.Duration // 1s to 10 minutes
	Seed    uint64

	variants []variant
	open     opener
}

// attempts of a client that gives each of them a second and asks again at once.
const attempts = 3

// MetastableDefaults returns the spike of the simulator's scenario of the same
// name: five seconds of 150/s for a program that does 100/s and usually gets 80.
func MetastableDefaults() MetastableOptions {
	return MetastableOptions{
		Machine: Machine{Workers: 1, Floor: 10 * time.Millisecond, Mean: 10 * time.Millisecond},
		Rate:    80, Spike: Spike{Rate: 150, At: 10 * time.Second, For: 5 * time.Second},
		For: time.Minute, Seed: 1, variants: variants()}
}

// Validate reports every option that cannot be used, by its flag.
func (o MetastableOptions) Validate() error {
	errs := []error{checkTimes(0, o.For)}
	rate := func(name string, x float64) {
		if !(x >= 1 && x <= live.MaxOutstanding/attempts) {
			errs = append(errs, fmt.Errorf("%s is %g; give requests a second, from 1 to %d", name, x,
				live.MaxOutstanding/attempts))
		}
	}
	rate("--rate", o.Rate)
	rate("--spike", o.Spike.Rate)
	if o.Spike.At < 0 || o.Spike.For <= 0 || o.Spike.end() >= o.For {
		errs = append(errs, fmt.Errorf("--for is %v; give more than %v, when the spike ends", o.For,
			o.Spike.end()))
	}
	return errors.Join(errs...)
}

// variant is one way to stand in front of the program.
type variant struct {
	name, about string
	guard       guard
	levers      []lever
	recovers    bool // what it promises; false: that it does not
}

// lever is what an operator does by hand.
type lever struct {
	at    time.Duration
	admit float64       // share of what comes
	ramp  time.Duration // until all comes in again
}

// String writes the command.
func (l lever) String() string {
	text := fmt.Sprintf("seakeep admit %.0f%%", l.admit*100)
	if l.ramp > 0 {
		text += " --ramp " + live.Short(l.ramp)
	}
	return text
}

// operated is a guard that obeys an operator.
type operated interface {
	admit(ctx context.Context, share float64, ramp time.Duration) error
}

// Metastable lets a spike pass over the program in all its variants at the same
// time. If ctx ends it stops early.
func Metastable(ctx context.Context, o MetastableOptions, out io.Writer) (*MetastableReport, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	r := newMetastableReport(o)
	fmt.Fprint(out, r.headline())
	outcomes := make([]*outcome, len(o.variants))
	waits := make([][]float64, len(o.variants))
	errs := make([]error, len(o.variants))
	say := &teller{out: out}
	var wg sync.WaitGroup
	for i, v := range o.variants {
		wg.Go(func() {
			s := o.scene(v)
			s.begun = func(c *live.Clock, a *app) func() {
				return o.watch(ctx, v, watched{c, a, &waits[i], say})
			}
			outcomes[i], errs[i] = s.play(ctx)
		})
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	for i, v := range o.variants {
		r.add(v, outcomes[i], waits[i])
	}
	r.Interrupted = ctx.Err() != nil
	r.judge()
	return r, nil
}

func (o MetastableOptions) scene(v variant) *scene {
	s := &scene{machine: o.Machine, guard: v.guard, open: o.open, seed: o.Seed, kinds: 1,
		length: o.For, attempts: attempts, next: even(o.Rate, o.Spike)}
	if s.open == nil {
		s.open = onSockets
	}
	return s
}

// watched is what a variant's watcher looks at.
type watched struct {
	clock *live.Clock
	app   *app
	waits *[]float64 // in the program's queue, each second, in seconds
	say   *teller
}

// watch looks at the queue once a second and pulls the variant's levers. What
// it returns ends that.
func (o MetastableOptions) watch(ctx context.Context, v variant, w watched) (end func()) {
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	wg.Go(func() {
		for at := time.Second; at <= o.For; at += time.Second {
			if !live.Pause(ctx, at-w.clock.Now()) {
				return
			}
			wait := w.app.wait(w.clock.Instant(w.clock.Now()))
			*w.waits = append(*w.waits, live.Round(wait.Seconds(), 2))
		}
	})
	wg.Go(func() {
		for _, l := range v.levers {
			if !live.Pause(ctx, l.at-w.clock.Now()) {
				return
			}
			hand, ok := v.guard.(operated)
			if !ok {
				continue
			}
			if err := hand.admit(ctx, l.admit, l.ramp); err != nil && ctx.Err() == nil {
				w.say.line(w.clock, v.name+": "+err.Error())
				continue
			}
			w.say.line(w.clock, fmt.Sprintf("%s: %v", v.name, l))
		}
	})
	return func() { cancel(); wg.Wait() }
}

// teller writes lines from several goroutines.
type teller struct {
	mu  sync.Mutex
	out io.Writer
}

func (t *teller) line(c *live.Clock, text string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	fmt.Fprintf(t.out, "%6.2fs  %s\n", c.Now().Seconds(), text)
}
