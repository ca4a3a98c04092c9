package seakeep

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seakeep/seakeep/core"
)

func newQueue[T any](t *testing.T, c QueueConfig[T]) *Queue[T] {
	t.Helper()
	q, err := NewQueue(c)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

func TestQueueConfigNamesFieldAndRemedy(t *testing.T) {
	c := QueueConfig[int]{Length: 0, PerFlow: -1, Wait: -1, Full: 9, Order: 9, Delay: QueueDelay{Target: -1}}
	c.Floors[1] = 2
	_, err := NewQueue(c)
	want := []string{"queue: Length: is 0; give", "Wait: is -1ns; give", "Full: is 9; use Block",
		"PerFlow: is -1; give", "Order: is 9; use", "Delay.Target: is -1ns; give", "Floors: is 2"}
	got := strings.Split(err.Error(), "\n")
	if len(got) != len(want) {
		t.Fatalf("errors are %q", got)
	}
	for i := range want {
		if !strings.HasPrefix(got[i], want[i]) {
			t.Errorf("error %q, want it to begin %q", got[i], want[i])
		}
	}
	names := fmt.Sprint(Block, Reject, DropOldest, DropLowest, QueueFull(9))
	if names != "block reject drop-oldest drop-lowest invalid" {
		t.Errorf("names are %s", names)
	}
}

func TestQueueErrors(t *testing.T) {
	for _, err := range []error{ErrQueueFull, ErrQueueClosed, errFlowFull} {
		if !errors.Is(err, ErrRejected) || errors.Is(err, context.Canceled) {
			t.Errorf("%v does not match ErrRejected alone", err)
		}
	}
	if !errors.Is(errFlowFull, ErrQueueFull) || errors.Is(ErrQueueClosed, ErrQueueFull) {
		t.Error("the errors match each other wrongly")
	}
}

// The important come first, in order, whatever the goroutine's timing.
func TestQueueServesByClass(t *testing.T) {
	ctx := context.Background()
	q := newQueue(t, QueueConfig[string]{Length: 9})
	for i, c := range []Criticality{Sheddable, Critical, CriticalPlus, Critical} {
		if err := q.Put(WithCriticality(ctx, c), fmt.Sprint(c, i)); err != nil {
			t.Fatal(err)
		}
	}
	if s := q.Snapshot(); s.Classes != [core.Criticalities]int{1, 0, 2, 1} || s.Len != 4 {
		t.Errorf("%+v", s)
	}
	for _, want := range []string{"critical_plus 2", "critical 1", "critical 3", "sheddable 0"} {
		if got, err := q.Take(ctx); got != want || err != nil {
			t.Errorf("Take is %q, %v; want %q", got, err, want)
		}
	}
}

// A producer waits for a place, the more important first; a consumer for an
// item; and neither longer than its context says.
func TestQueueMakesProducersAndConsumersWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := context.Background()
		q := newQueue(t, QueueConfig[string]{Length: 1})
		if err := q.Put(ctx, "first"); err != nil {
			t.Fatal(err)
		}
		ended := map[string]error{}
		var mu sync.Mutex
		var wg sync.WaitGroup
		put := func(c Criticality, v string, patience time.Duration) {
			wg.Go(func() {
				ctx, cancel := context.WithTimeout(WithCriticality(ctx, c), patience)
				defer cancel()
				err := q.Put(ctx, v)
				mu.Lock()
				ended[v] = err
				mu.Unlock()
			})
			synctest.Wait()
		}
		put(Sheddable, "low", time.Minute)
		put(CriticalPlus, "high", time.Minute)
		put(CriticalPlus, "impatient", time.Second)
		if s := q.Snapshot(); s.Producers != 3 {
			t.Errorf("%d producers wait", s.Producers)
		}
		time.Sleep(2 * time.Second)
		var got []string
		for range 3 {
			v, err := q.Take(ctx)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, v)
			synctest.Wait()
		}
		if !slices.Equal(got, []string{"first", "high", "low"}) {
			t.Errorf("taken in the order %v", got)
		}
		wg.Wait()
		if !errors.Is(ended["impatient"], context.DeadlineExceeded) || ended["high"] != nil || ended["low"] != nil {
			t.Errorf("the producers got %v", ended)
		}
		began := time.Now()
		short, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		if v, err := q.Take(short); !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != time.Second {
			t.Errorf("Take from an empty queue is %q, %v after %v", v, err, time.Since(began))
		}
		if s := q.Snapshot(); s.Consumers != 0 || s.Producers != 0 || s.Put != 3 || s.Taken != 3 {
			t.Errorf("afterwards %+v", s)
		}
	})
}

// A consumer that waits gets the item at once, in order of arrival.
func TestQueueHandsOverAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t, QueueConfig[int]{Length: 1})
		got := make(chan string, 3)
		for i := range 3 {
			go func() {
				v, err := q.Take(context.Background())
				got <- fmt.Sprint(i, " ", v, " ", err)
			}()
			synctest.Wait()
		}
		for i := range 2 {
			if err := q.Put(context.Background(), 10+i); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			if want, g := fmt.Sprintf("%d %d <nil>", i, 10+i), <-got; g != want {
				t.Errorf("consumer and item: %s, want %s", g, want)
			}
		}
		q.Close()
		if g := <-got; g != fmt.Sprint("2 0 ", ErrQueueClosed) {
			t.Errorf("the last consumer got %s", g)
		}
	})
}

// An item goes when its time is up, whether or not anybody looks, and its
// place is free in that instant.
func TestQueueDropsWhatIsTooLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var dropped []string
		var q *Queue[string]
		began := time.Now()
		q = newQueue(t, QueueConfig[string]{Length: 2, Wait: time.Second, OnDrop: func(v string, why core.Reason) {
			dropped = append(dropped, fmt.Sprint(v, " ", why, " ", time.Since(began)))
			q.Len() // the lock is free
		}})
		ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
		defer cancel()
		q.Put(ctx, "mine")
		q.Put(context.Background(), "queue's")
		q.Put(context.Background(), "waited for a place") // until 300ms
		if got := time.Since(began); got != 300*time.Millisecond {
			t.Errorf("the place was free after %v", got)
		}
		time.Sleep(5 * time.Second)
		synctest.Wait()
		want := []string{"mine queue-timeout 300ms", "queue's queue-timeout 1s", "waited for a place queue-timeout 1.3s"}
		if !slices.Equal(dropped, want) {
			t.Errorf("dropped %q, want %q", dropped, want)
		}
		if s := q.Snapshot(); s.Put != 3 || s.TimedOut != 3 || s.Len != 0 {
			t.Errorf("%+v", s)
		}
		late, cancel := context.WithDeadline(context.Background(), time.Now())
		defer cancel()
		if err := q.Put(late, "late"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("an item that is late already gets %v", err)
		}
	})
}

func TestQueueWhenFull(t *testing.T) {
	ctx := context.Background()
	for _, c := range []struct {
		full    QueueFull
		again   error // for another item of the same class
		left    string
		dropped string
	}{
		{Reject, ErrQueueFull, "high a", ""},
		{DropOldest, nil, "high again", "low evicted;a evicted;"},
		{DropLowest, ErrQueueFull, "high a", "low evicted;"},
	} {
		dropped := ""
		q := newQueue(t, QueueConfig[string]{Length: 2, Full: c.full,
			OnDrop: func(v string, why core.Reason) { dropped += fmt.Sprint(v, " ", why, ";") }})
		q.Put(ctx, "a")
		q.Put(WithCriticality(ctx, Sheddable), "low")
		high := q.Put(WithCriticality(ctx, CriticalPlus), "high")
		if c.full == Reject {
			if !errors.Is(high, ErrQueueFull) {
				t.Errorf("reject: %v", high)
			}
			q.Take(ctx)
			q.Take(ctx)
			q.Put(WithCriticality(ctx, CriticalPlus), "high")
			q.Put(ctx, "a")
		} else if high != nil {
			t.Errorf("%v: the most important gets %v", c.full, high)
		}
		if err := q.Put(ctx, "again"); err != c.again {
			t.Errorf("%v: another of the same class gets %v, want %v", c.full, err, c.again)
		}
		one, _ := q.Take(ctx)
		two, _ := q.Take(ctx)
		if one+" "+two != c.left || dropped != c.dropped {
			t.Errorf("%v: left %s, %s; dropped %q", c.full, one, two, dropped)
		}
	}
}

// One flow's flood costs the others neither turns nor places.
func TestQueueIsFairToFlows(t *testing.T) {
	ctx := context.Background()
	q := newQueue(t, QueueConfig[int]{Length: 100, PerFlow: 10, Full: Reject})
	for i := range 20 {
		err := q.PutAs(ctx, 1, QueuePlace{Flow: 1})
		if full := i >= 10; full != errors.Is(err, ErrQueueFull) {
			t.Fatalf("item %d: %v", i, err)
		}
	}
	q.PutAs(ctx, 2, QueuePlace{Flow: 2})
	q.PutAs(ctx, 2, QueuePlace{Flow: 2})
	var got []int
	for range 5 {
		v, _ := q.Take(ctx)
		got = append(got, v)
	}
	if !slices.Equal(got, []int{1, 2, 1, 2, 1}) {
		t.Errorf("flows are served %v", got)
	}
	defer func() {
		if recover() == nil || q.Len() != 7 {
			t.Error("no panic, or the lock is taken")
		}
	}()
	q.PutAs(ctx, 3, QueuePlace{Class: 9})
}

func TestQueueCloseDrains(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := context.Background()
		q := newQueue(t, QueueConfig[int]{Length: 2, Wait: time.Second})
		q.Put(ctx, 1)
		time.Sleep(time.Second / 2)
		q.Put(ctx, 2)
		blocked := make(chan error, 1)
		go func() { blocked <- q.Put(ctx, 3) }()
		synctest.Wait()
		q.Close()
		q.Close()
		if err := <-blocked; err != ErrQueueClosed {
			t.Errorf("who waited for a place gets %v", err)
		}
		if err := q.Put(ctx, 4); err != ErrQueueClosed {
			t.Errorf("who comes after Close gets %v", err)
		}
		time.Sleep(time.Second / 2) // the first item's time is up
		if v, err := q.Take(ctx); v != 2 || err != nil {
			t.Errorf("after Close Take is %d, %v", v, err)
		}
		if _, err := q.Take(ctx); err != ErrQueueClosed {
			t.Errorf("when it is empty Take gets %v", err)
		}
	})
}
