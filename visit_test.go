package seakeep

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/degrade"
	"github.com/seakeep/seakeep/core/serve"
)

func TestEnterWithAContextThatIsOver(t *testing.T) {
	d := doorOf(t, serve.Config{Slots: slots(1)})
	gone, cancel := context.WithCancelCause(context.Background())
	cancel(errors.New("a reason of its own"))
	if _, err := d.Enter(gone, Arrival{}); err != context.Canceled {
		t.Errorf("cancelled: %v", err)
	}
	late, end := context.WithTimeout(context.Background(), -1)
	defer end()
	var r *Rejection
	if _, err := d.Enter(late, Arrival{}); !errors.As(err, &r) || r.Reason != core.DeadlineExceeded {
		t.Errorf("late: %v", err)
	}
	for _, err := range []error{errors.New("of another kind"), context.DeadlineExceeded} {
		if v, got := d.Enter(over2{context.Background(), err}, Arrival{}); v != nil || !errors.Is(got, err) {
			t.Errorf("%v: %v", err, got)
		}
	}
	if n := d.Snapshot(); n.Slots.InUse != 0 || n.Classes[2].Left != 2 || n.Classes[2].Refused != 2 {
		t.Errorf("%+v %+v", n.Slots, n.Classes[2])
	}
}

// over2 is a context that ended for a reason that the standard library does not
// have, or without having said when it would.
type over2 struct {
	context.Context
	err error
}

func (o over2) Err() error { return o.err }

func TestEnterWantsAClass(t *testing.T) {
	defer func() {
		if r := fmt.Sprint(recover()); !strings.HasPrefix(r, "seakeep: Enter") {
			t.Errorf("it says %q", r)
		}
	}()
	_, _ = doorOf(t, serve.Config{}).Enter(context.Background(), Arrival{Class: 77})
}

// A visit's context is one like any other, and costs no goroutine.
func TestVisitContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := doorOf(t, serve.Config{Slots: slots(9), Degrade: &degrade.Config{Features: []string{"a", "b"}}})
		_ = d.Degrade(1)
		type key struct{}
		parent, leave := context.WithCancel(context.WithValue(context.Background(), key{}, "value"))
		before := runtime.NumGoroutine()
		v, err := d.Enter(parent, Arrival{Class: core.Sheddable, Deadline: Now().Add(time.Second)})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(v.Context())
		defer cancel()
		below, end := context.WithTimeout(context.WithValue(ctx, key{}, "below"), time.Hour)
		defer end()
		if at, ok := below.Deadline(); !ok || time.Until(at) != time.Second {
			t.Errorf("the deadline is in %v", time.Until(at))
		}
		for _, c := range []context.Context{v.Context(), v.Open(), below} {
			if CriticalityOf(c) != core.Sheddable || Allows(c, "a") || !Allows(c, "b") || VisitOf(c) != v {
				t.Errorf("%v: %v, a: %v, b: %v", c, CriticalityOf(c), Allows(c, "a"), Allows(c, "b"))
			}
		}
		if v.Context().Value(key{}) != "value" || v.Open().Value(key{}) != "value" {
			t.Error("the parent's values are lost")
		}
		if n := runtime.NumGoroutine(); n > before { // other tests' may end meanwhile
			t.Errorf("%d goroutines more", n-before)
		}
		var fired atomic.Bool
		context.AfterFunc(v.Context(), func() { fired.Store(true) })
		time.Sleep(time.Second)
		synctest.Wait()
		if below.Err() != context.DeadlineExceeded || !fired.Load() || v.Open().Err() != nil || !v.Late() {
			t.Errorf("at its deadline: %v, open: %v", below.Err(), v.Open().Err())
		}
		v.End(done)
		if v.Context().Err() != context.DeadlineExceeded || VisitOf(below) != v || Allows(below, "a") {
			t.Error("after the end it is another")
		}
		w, _ := d.Enter(parent, Arrival{})
		leave()
		if <-w.Context().Done(); w.Context().Err() != context.Canceled || w.Open().Err() != context.Canceled {
			t.Error("leaving does not end it")
		}
		w.End(core.Result{Outcome: core.Cancelled})
		x, _ := d.Enter(context.Background(), Arrival{})
		x.End(done)
		if _, ok := <-x.Context().Done(); ok || x.Context().Err() != context.Canceled {
			t.Error("the end does not end it")
		}
		synctest.Wait()
		if n := runtime.NumGoroutine(); n > before {
			t.Errorf("%d goroutines are left", n-before)
		}
	})
}

// Once an answer has begun in time its own deadline is over.
func TestAnsweredLiftsTheDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := doorOf(t, serve.Config{Slots: slots(1)})
		v, err := d.Enter(context.Background(), Arrival{Deadline: Now().Add(time.Second)})
		if err != nil {
			t.Fatal(err)
		}
		ctx := v.Context()
		gone := ctx.Done()
		v.Answered()
		time.Sleep(time.Hour)
		synctest.Wait()
		select {
		case <-gone:
			t.Error("it ended")
		default:
		}
		v.Answered()
		if ctx.Err() != nil || v.Late() {
			t.Errorf("%v, late: %v", ctx.Err(), v.Late())
		}
		v.End(done)
		if n := d.Snapshot(); n.Classes[2].Useful != 1 || n.Latency.Max != 0 || ctx.Err() != context.Canceled {
			t.Errorf("%+v, longest %v, %v", n.Classes[2], n.Latency.Max, ctx.Err())
		}
	})
}
