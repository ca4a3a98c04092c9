package seakeep

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seakeep/seakeep/core"
)

func TestAttemptContextEndsAtItsLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newAttemptContext(context.Background(), Now(), Now().Add(50*time.Millisecond))
		if d, ok := c.Deadline(); !ok || time.Until(d) != 50*time.Millisecond {
			t.Errorf("deadline in %v, %v", time.Until(d), ok)
		}
		if err := c.Err(); err != nil {
			t.Fatalf("ended at birth: %v", err)
		}
		begin := time.Now()
		<-c.Done()
		if took := time.Since(begin); took != 50*time.Millisecond {
			t.Errorf("ended after %v", took)
		}
		if c.Err() != context.DeadlineExceeded {
			t.Errorf("Err = %v", c.Err())
		}
	})
}

// Most attempts never look at Done; Err must tell the time all the same.
func TestAttemptContextErrWithoutDone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newAttemptContext(context.Background(), Now(), Now().Add(time.Second))
		time.Sleep(999 * time.Millisecond)
		if err := c.Err(); err != nil {
			t.Errorf("early: %v", err)
		}
		time.Sleep(time.Millisecond)
		if err := c.Err(); err != context.DeadlineExceeded {
			t.Errorf("late: %v", err)
		}
		select {
		case <-c.Done():
		default:
			t.Error("Done is open although Err is set")
		}
	})
}

func TestAttemptContextHearsItsParent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		parent, cancel := context.WithCancel(context.Background())
		c := newAttemptContext(parent, Now(), Now().Add(time.Hour))
		child, stop := context.WithCancel(c)
		defer stop()
		heard := make(chan struct{})
		context.AfterFunc(c, func() { close(heard) })
		cancel()
		<-child.Done()
		<-heard
		if c.Err() != context.Canceled || child.Err() != context.Canceled {
			t.Errorf("Err = %v, child %v", c.Err(), child.Err())
		}
	})
}

func TestAttemptContextAfterFunc(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newAttemptContext(context.Background(), Now(), Now().Add(time.Second))
		ran := 0
		stop := c.AfterFunc(func() { ran++ })
		c.AfterFunc(func() { ran += 10 })
		if !stop() || stop() {
			t.Error("stop must report true once")
		}
		c.cancel(context.Canceled)
		synctest.Wait()
		if ran != 10 {
			t.Errorf("ran = %d, want the one that was not stopped", ran)
		}
		late := c.AfterFunc(func() { ran += 100 })
		synctest.Wait()
		if ran != 110 || late() {
			t.Errorf("a func added after the end: ran = %d", ran)
		}
	})
}

// Once an answer's head is out the attempt's limit no longer cuts its body.
func TestAttemptContextExtend(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newAttemptContext(context.Background(), Now(), Now().Add(100*time.Millisecond))
		done := c.Done()
		time.Sleep(50 * time.Millisecond)
		if !c.extend(Now().Add(time.Second)) {
			t.Fatal("extend reports an end that was not")
		}
		time.Sleep(999 * time.Millisecond)
		select {
		case <-done:
			t.Fatal("ended before the new limit")
		default:
		}
		if !c.extend(core.Never) {
			t.Fatal("extend reports an end that was not")
		}
		time.Sleep(time.Hour)
		if c.Err() != nil {
			t.Errorf("ended without a limit: %v", c.Err())
		}
		if _, ok := c.Deadline(); ok {
			t.Error("a deadline where there is none")
		}
		c.cancel(context.Canceled)
		if c.extend(core.Never) {
			t.Error("extend after the end")
		}
	})
}

// Derived contexts of the standard library must not cost a goroutine each.
func TestAttemptContextDerivedNeedsNoGoroutine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newAttemptContext(context.Background(), Now(), core.Never)
		for range 100 {
			_, cancel := context.WithCancel(c)
			defer cancel()
		}
		w := c.armed()
		w.mu.Lock()
		n := len(w.funcs)
		w.mu.Unlock()
		if n != 100 {
			t.Errorf("%d of 100 derived contexts registered as functions", n)
		}
		c.cancel(errors.New("over"))
	})
}

func TestAttemptContextRace(t *testing.T) {
	for range 200 {
		parent, cancel := context.WithCancel(context.Background())
		c := newAttemptContext(parent, Now(), Now().Add(time.Microsecond))
		var wg sync.WaitGroup
		for _, f := range []func(){
			cancel,
			func() { c.cancel(context.Canceled) },
			func() { <-c.Done() },
			func() { c.extend(core.Never) },
			func() { _ = c.Err() },
			func() { c.AfterFunc(func() {})() },
			func() { _, stop := context.WithTimeout(c, time.Hour); stop() },
		} {
			wg.Go(f)
		}
		wg.Wait()
		if c.Err() == nil {
			t.Fatal("still alive")
		}
	}
}
