package seakeepredis

import (
	"context"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/seakeep/seakeep/core"
)

// late measures by how much this machine itself is late while do runs: how long
// sleeps of 20 ms take too long at most. What the tests allow is that and slack.
func late(do func()) time.Duration {
	const sleepers = 4
	stop, done := make(chan struct{}), make(chan time.Duration, sleepers)
	for range sleepers {
		go func() {
			var most time.Duration
			for {
				select {
				case <-stop:
					done <- most
					return
				default:
				}
				began := time.Now()
				time.Sleep(20 * ms)
				most = max(most, time.Since(began)-20*ms)
			}
		}()
	}
	do()
	close(stop)
	var most time.Duration
	for range sleepers {
		most = max(most, <-done)
	}
	return most
}

const slack = 10 * ms

// gets asks n times, one after the other, and returns how long each took.
func gets(t *testing.T, c *redis.Client, n int) (took []time.Duration) {
	for range n {
		began := time.Now()
		err := c.Get(context.Background(), "k").Err()
		took = append(took, time.Since(began))
		if err != redis.Nil {
			t.Errorf("a get of a Redis that is stopped: %v", err)
		}
	}
	return took
}

func most(took []time.Duration) time.Duration { return slices.Max(took) }

func median(took []time.Duration) time.Duration {
	slices.Sort(took)
	return took[len(took)/2]
}

// TestStopped stops a real Redis (SIGSTOP): its sockets still connect, and nobody
// answers. Each get is a miss within 20 ms; with the breaker open, in no time.
// When it goes on, so do we.
func TestStopped(t *testing.T) {
	addr, process := server(t)
	set := policies(t, "{timeout: {request: 20ms}, bulkhead: {limit: 10}, "+
		"breaker: {window: 10s, calls: 20, failures: 50%, open: {for: 1s}}}")
	client, h, err := NewClient(set, "cache", &redis.Options{Addr: addr}, Cache)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	ctx := context.Background()
	warm(t, client)
	process.Signal(syscall.SIGSTOP)
	var first, open []time.Duration
	over := late(func() {
		first = gets(t, client, 30)
		open = gets(t, client, 300)
	})
	t.Logf("stopped: a miss in %v at most (median %v), of 30; with the breaker open in %v (median %v), "+
		"of 300; this machine was late by %v", most(first), median(first), most(open), median(open), over)
	if median(first) > 20*ms+over || most(first) > 20*ms+slack+over || most(open) > slack+over || median(open) > ms {
		t.Error("a get took longer than it may")
	}
	if state := set.MustPolicy("cache").Snapshot().Breaker.State.String(); state != "open" {
		t.Errorf("the breaker is %s", state)
	}
	if s := h.Stats(); s.Missed < 330 || s.Failed != 0 {
		t.Errorf("%+v", s)
	}
	if err := client.Incr(ctx, "n").Err(); reason(err) != core.CircuitOpen {
		t.Errorf("a counter: %v", err)
	}
	process.Signal(syscall.SIGCONT)
	recovered(t, client)
}

func warm(t *testing.T, c *redis.Client) {
	t.Helper()
	ctx := context.Background()
	for range 50 { // the first calls may have their connections still to make
		if c.Set(ctx, "k", "v", 0).Err() == nil && c.Get(ctx, "k").Val() == "v" {
			return
		}
		time.Sleep(20 * ms)
	}
	t.Fatal("Redis does not answer")
}

func recovered(t *testing.T, c *redis.Client) {
	t.Helper()
	began := time.Now()
	for c.Get(context.Background(), "k").Val() != "v" {
		if time.Since(began) > 10*time.Second {
			t.Fatal("it has not recovered")
		}
		time.Sleep(10 * ms)
	}
	t.Logf("recovered %v after SIGCONT", time.Since(began).Round(ms))
}

// TestStoppedAndExhausted has 60 ask at once through a pool of four, with no
// breaker and no bulkhead: the wait for a connection, the dialing and the
// handshake are within the 20 ms as well, until the backlog of the stopped Redis
// is full and beyond.
func TestStoppedAndExhausted(t *testing.T) {
	addr, process := server(t)
	client, _, err := NewClient(policies(t, "{}"), "cache", &redis.Options{Addr: addr, PoolSize: 4}, Cache)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	warm(t, client)
	process.Signal(syscall.SIGSTOP)
	var mu sync.Mutex
	var all []time.Duration
	over := late(func() {
		var wg sync.WaitGroup
		for range 60 {
			wg.Go(func() {
				took := gets(t, client, 40)
				mu.Lock()
				all = append(all, took...)
				mu.Unlock()
			})
		}
		wg.Wait()
	})
	slices.Sort(all)
	t.Logf("60 at once through four connections: a miss in %v at most, p99 %v, median %v, of %d; "+
		"this machine was late by %v", most(all), all[len(all)*99/100], median(all), len(all), over)
	if all[len(all)*99/100] > 20*ms+slack+over || most(all) > 100*ms+over {
		t.Error("gets took longer than they may")
	}
	process.Signal(syscall.SIGCONT)
	recovered(t, client)
}

// TestRedis has a real Redis answer what a program asks: pipelines, transactions,
// blocking commands that go past the limit, errors of its own.
func TestRedis(t *testing.T) {
	addr, _ := server(t)
	set := policies(t, "{timeout: {request: 200ms}, bulkhead: {limit: 3}, breaker: {}}")
	client, h, err := NewClient(set, "cache", &redis.Options{Addr: addr}, Cache)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	ctx := context.Background()
	warm(t, client)
	pipe := client.Pipeline()
	get, none, wrong := pipe.Get(ctx, "k"), pipe.Get(ctx, "nothing"), pipe.LLen(ctx, "k")
	if _, err := pipe.Exec(ctx); err != redis.Nil {
		t.Errorf("a pipeline: %v", err)
	}
	if get.Val() != "v" || none.Err() != redis.Nil || wrong.Err() == nil {
		t.Errorf("%v, %v, %v", get, none, wrong)
	}
	if _, err := client.TxPipelined(ctx, func(p redis.Pipeliner) error {
		p.Incr(ctx, "n")
		p.Incr(ctx, "n")
		return nil
	}); err != nil || client.Get(ctx, "n").Val() != "2" {
		t.Errorf("a transaction: %v", err)
	}
	began := time.Now()
	if err := client.BLPop(ctx, time.Second, "list").Err(); err != redis.Nil || time.Since(began) < 900*ms {
		t.Errorf("BLPOP waited %v: %v", time.Since(began), err)
	}
	s := set.MustPolicy("cache").Snapshot()
	if s.Bulkhead.InUse != 0 || h.Stats().Missed != 0 {
		t.Errorf("%d slots taken, %+v", s.Bulkhead.InUse, h.Stats())
	}
	process := func(cmds ...redis.Cmder) error {
		return h.ProcessPipelineHook(func(_ context.Context, cmds []redis.Cmder) error {
			for _, c := range cmds {
				c.SetErr(syscall.ECONNRESET)
			}
			return syscall.ECONNRESET
		})(ctx, cmds)
	}
	a, b := redis.NewStringCmd(ctx, "get", "k"), redis.NewStatusCmd(ctx, "set", "k", "v")
	if err := process(a, b); err != redis.Nil || a.Err() != redis.Nil || b.Err() != nil {
		t.Errorf("a pipeline without an answer: %v; %v; %v", err, a.Err(), b.Err())
	}
	if err := process(redis.NewStatusCmd(ctx, "multi"), redis.NewStringCmd(ctx, "get", "k")); err != syscall.ECONNRESET {
		t.Errorf("a transaction without an answer: %v", err)
	}
}
