package seakeepredis

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/core"
)

// A cache that does not answer is a cache that holds nothing, after 20 ms, and is
// asked once.
func TestCacheThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asked atomic.Int32
		h, _, do := hooked(t, "{retry: {attempts: 3}}", Cache, func(ctx context.Context, c redis.Cmder) error {
			asked.Add(1)
			return hang(ctx, c)
		})
		var r seakeep.Report
		ctx := seakeep.With(t.Context(), seakeep.Call{Report: &r})
		get := redis.NewStringCmd(ctx, "get", "k")
		began := time.Now()
		if err := do(ctx, get); err != redis.Nil {
			t.Errorf("%v", err)
		}
		if took := time.Since(began); took != 19*ms || asked.Load() != 1 {
			t.Errorf("asked %d times, in %v", asked.Load(), took)
		}
		if r.Fallback != "omit" || len(r.Attempts) != 1 || h.Stats() != (Stats{Missed: 1}) {
			t.Errorf("report %+v, stats %+v", r, h.Stats())
		}
	})
}

// The wait for a slot is within the 20 ms.
func TestCacheLimitCoversTheSlot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, _, do := hooked(t, "{bulkhead: {limit: 1, queue: 5}, timeout: {acquire: 1s, request: 20ms}}", Cache, hang)
		for range 4 {
			go func() {
				began := time.Now()
				if err := do(t.Context(), redis.NewStringCmd(t.Context(), "get", "k")); err != redis.Nil {
					t.Errorf("%v", err)
				}
				if took := time.Since(began); took > 19*ms {
					t.Errorf("it took %v", took)
				}
			}()
		}
		time.Sleep(time.Second)
	})
}

// What each command comes to when there is no answer.
func TestMisses(t *testing.T) {
	ctx := context.Background()
	for _, c := range []struct {
		cmd  redis.Cmder
		want string
	}{
		{redis.NewStringCmd(ctx, "get", "k"), "redis: nil"},
		{redis.NewStringCmd(ctx, "HGET", "k", "f"), "redis: nil"},
		{redis.NewSliceCmd(ctx, "mget", "a", "b"), "[<nil> <nil>]"},
		{redis.NewSliceCmd(ctx, "hmget", "k", "a", "b", "c"), "[<nil> <nil> <nil>]"},
		{redis.NewCmd(ctx, "mget", "a"), "redis: nil"},
		{redis.NewCmd(ctx, "exists", "a"), "redis: nil"},
		{redis.NewBoolSliceCmd(ctx, "smismember", "k", "a", "b"), "[false false]"},
		{redis.NewZSliceCmd(ctx, "zrange", "k", 0, -1, "withscores"), "[]"},
		{redis.NewBoolCmd(ctx, "sismember", "k", "a"), "false"},
		{redis.NewDurationCmd(ctx, time.Second, "ttl", "k"), "gone"},
		{redis.NewCmd(ctx, "get", "a"), "redis: nil"},
		{redis.NewMapStringStringCmd(ctx, "hgetall", "k"), "map[]"},
		{redis.NewIntCmd(ctx, "exists", "k"), "0"},
		{redis.NewStringSliceCmd(ctx, "smembers", "k"), "[]"},
		{redis.NewStatusCmd(ctx, "set", "k", "v"), ""},
		{redis.NewStatusCmd(ctx, "set", "k", "nx", "ex", 10), ""},
		{redis.NewStatusCmd(ctx, "set", "k", "v", "NX"), "gone"},
		{redis.NewBoolCmd(ctx, "setnx", "k", "v"), "gone"},
		{redis.NewIntCmd(ctx, "incr", "k"), "gone"},
		{redis.NewIntCmd(ctx, "del", "k"), "gone"},
		{redis.NewBoolCmd(ctx, "expire", "k", 1), "gone"},
		{redis.NewCmd(ctx, "eval", "return 1", 0), "gone"},
		{redis.NewCmd(ctx, "unheard", "of"), "gone"},
	} {
		_, _, do := hooked(t, "{}", Cache, func(context.Context, redis.Cmder) error { return syscall.ECONNRESET })
		got := "gone"
		if err := do(ctx, c.cmd); err == redis.Nil {
			got = err.Error()
		} else if err == nil {
			got = value(c.cmd)
		}
		if got != c.want {
			t.Errorf("%v: %s, not %s", c.cmd.Args(), got, c.want)
		}
	}
}

func value(c redis.Cmder) string {
	switch c := c.(type) {
	case *redis.SliceCmd:
		return fmt.Sprint(c.Val())
	case *redis.BoolSliceCmd:
		return fmt.Sprint(c.Val())
	case *redis.BoolCmd:
		return fmt.Sprint(c.Val())
	case *redis.ZSliceCmd:
		return fmt.Sprint(c.Val())
	case *redis.MapStringStringCmd:
		return fmt.Sprint(c.Val())
	case *redis.IntCmd:
		return fmt.Sprint(c.Val())
	case *redis.StringSliceCmd:
		return fmt.Sprint(c.Val())
	case *redis.StatusCmd:
		return c.Val()
	}
	return "?"
}

// What had been read of an answer that broke off is not taken for all of it.
func TestBrokenAnswer(t *testing.T) {
	_, _, do := hooked(t, "{}", Cache, func(_ context.Context, c redis.Cmder) error {
		c.(*redis.StringSliceCmd).SetVal([]string{"a", "", ""})
		return syscall.ECONNRESET
	})
	cmd := redis.NewStringSliceCmd(t.Context(), "smembers", "k")
	if err := do(t.Context(), cmd); err != nil || len(cmd.Val()) != 0 {
		t.Errorf("%v, %v", cmd.Val(), err)
	}
}

// A caller who leaves while Redis is asked counts against nobody.
func TestCallerLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, set, do := hooked(t, "{timeout: {request: 1s}}", Cache, func(ctx context.Context, _ redis.Cmder) error {
			deadline, _ := ctx.Deadline() // go-redis looks at nothing else
			time.Sleep(time.Until(deadline))
			return timeout{}
		})
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(ms, cancel)
		if err := do(ctx, redis.NewStringCmd(ctx, "get", "k")); !errors.Is(err, context.Canceled) {
			t.Errorf("%v", err)
		}
		if s := set.MustPolicy("cache").Snapshot().Stats; s.Timeouts != 0 || s.Cancelled != 1 {
			t.Errorf("%d timeouts, %d cancelled", s.Timeouts, s.Cancelled)
		}
	})
}

// An open breaker and a full bulkhead are misses, in no time; the caller's own
// mistakes and a caller who leaves are not.
func TestCacheRefusals(t *testing.T) {
	get := func() *redis.StringCmd { return redis.NewStringCmd(context.Background(), "get", "k") }
	next := func(context.Context, redis.Cmder) error { return said("LOADING Redis is loading") }
	h, set, do := hooked(t, "{breaker: {window: {consecutive: 3}}}", Cache, next)
	for range 5 {
		if err := do(t.Context(), get()); err != redis.Nil {
			t.Fatal(err)
		}
	}
	if b := set.MustPolicy("cache").Snapshot().Breaker; b.State.String() != "open" || h.Stats().Missed != 5 {
		t.Errorf("the breaker is %v, %+v", b.State, h.Stats())
	}
	if err := do(t.Context(), redis.NewIntCmd(t.Context(), "incr", "n")); reason(err) != core.CircuitOpen {
		t.Errorf("a counter: %v", err)
	}
	_, _, do = hooked(t, "{}", Cache, func(context.Context, redis.Cmder) error { return said("WRONGTYPE no") })
	if err := do(t.Context(), get()); err == nil || !strings.HasPrefix(err.Error(), "WRONGTYPE") {
		t.Errorf("its own mistake: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := do(ctx, get()); !errors.Is(err, context.Canceled) {
		t.Errorf("a caller who left: %v", err)
	}
}

// A store's errors stay errors, and its reads are sent again.
func TestStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asked int
		next := func(_ context.Context, c redis.Cmder) error {
			if asked++; asked < 3 {
				return syscall.ECONNRESET
			}
			return redis.Nil
		}
		_, _, do := hooked(t, "{retry: {attempts: 3, backoff: {base: 1ms, cap: 5ms}, budget: none}}", Store, next)
		if err := do(t.Context(), redis.NewStringCmd(t.Context(), "get", "k")); err != redis.Nil || asked != 3 {
			t.Errorf("a read was sent %d times, then %v", asked, err)
		}
		asked = 0
		if err := do(t.Context(), redis.NewIntCmd(t.Context(), "incr", "k")); !errors.Is(err, syscall.ECONNRESET) || asked != 1 {
			t.Errorf("a counter was sent %d times, then %v", asked, err)
		}
		asked = 1
		ctx := seakeep.With(t.Context(), seakeep.Call{Idempotent: true})
		if err := do(ctx, redis.NewStatusCmd(ctx, "set", "k", "v")); err != redis.Nil || asked != 3 {
			t.Errorf("a write that may be repeated: %d, %v", asked, err)
		}
	})
}

// What waits on purpose, and what go-redis sends within a call, goes past.
func TestPast(t *testing.T) {
	var nested func(context.Context, redis.Cmder) error
	_, set, do := hooked(t, "{bulkhead: {limit: 1}, timeout: {request: 20ms}}", Store, func(ctx context.Context, c redis.Cmder) error {
		if _, limited := ctx.Deadline(); limited != (c.Name() == "get" || c.Name() == "xread") {
			t.Errorf("%v has a limit: %v", c.Args(), limited)
		}
		if c.Name() == "get" { // its connection is new
			return nested(ctx, redis.NewStatusCmd(ctx, "config", "get"))
		}
		return nil
	})
	nested = func(ctx context.Context, c redis.Cmder) error {
		if ctx.Value(ticket{}) == nil {
			t.Error("no ticket")
		}
		h := &Hook{policy: set.MustPolicy("cache")}
		return h.ProcessHook(func(context.Context, redis.Cmder) error { return nil })(ctx, c)
	}
	ctx := t.Context()
	for _, c := range []redis.Cmder{
		redis.NewStringSliceCmd(ctx, "blpop", "k", 0), redis.NewXStreamSliceCmd(ctx, "xread", "BLOCK", 0, "streams", "s", "$")} {
		if kindOf(c) != blocking {
			t.Errorf("%v does not block", c.Args())
		}
	}
	for _, c := range []redis.Cmder{redis.NewStringSliceCmd(ctx, "blpop", "k", 0),
		redis.NewXStreamSliceCmd(ctx, "xread", "streams", "s", "0"), redis.NewStringCmd(ctx, "get", "k")} {
		if err := do(ctx, c); err != nil {
			t.Errorf("%v: %v", c.Args(), err)
		}
	}
}

// TestClassify holds the table of docs/redis.md.
func TestClassify(t *testing.T) {
	page, err := os.ReadFile("../../docs/redis.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		row  string
		err  error
		want string
	}{
		{"`redis.Nil`", redis.Nil, "success none"},
		{"a limit passed", context.DeadlineExceeded, "timeout timeout"},
		{"", &timeoutError{}, "timeout timeout"},
		{"the caller left", context.Canceled, "cancelled none"},
		{"a connection was refused", fmt.Errorf("dial: %w", syscall.ECONNREFUSED), "failure unsent"},
		{"a connection broke", syscall.ECONNRESET, "failure reset"},
		{"the pool had no connection (`redis.ErrPoolTimeout`, `redis.ErrPoolExhausted`)", redis.ErrPoolTimeout, "ignored unsent"},
		{"the client is closed", redis.ErrClosed, "ignored client-error"},
		{"LOADING, BUSY, TRYAGAIN, CLUSTERDOWN, MASTERDOWN", said("LOADING x"), "overloaded unsent"},
		{"", said("BUSY x"), "overloaded unsent"},
		{"", said("CLUSTERDOWN x"), "overloaded unsent"},
		{"ERR max number of clients reached", said("ERR max number of clients reached"), "overloaded unsent"},
		{"OOM (not retried)", said("OOM command not allowed"), "overloaded unavailable"},
		{"READONLY", said("READONLY You can't"), "failure unsent"},
		{"NOREPLICAS, MISCONF", said("MISCONF x"), "failure unavailable"},
		{"MOVED, ASK, of which a cluster client tells nobody", said("MOVED 1 a:1"), "ignored client-error"},
		{"WRONGTYPE, NOAUTH, NOPERM, NOSCRIPT, CROSSSLOT, EXECABORT, every other word", said("WRONGTYPE x"), "ignored client-error"},
		{"", said("ERR syntax error"), "ignored client-error"},
		{"any other error", errors.New("what"), "failure unknown"},
	} {
		r := Classify(c.err)
		if got := fmt.Sprintf("%v %v", r.Outcome, r.Cause); got != c.want {
			t.Errorf("%v: %s, not %s", c.err, got, c.want)
		}
		row := "| " + c.row + " | " + strings.Replace(c.want, " ", " | ", 1) + " |"
		if row = strings.ReplaceAll(row, " none |", " |"); c.row != "" && !strings.Contains(string(page), row) {
			t.Errorf("docs/redis.md has no row %s", row)
		}
	}
}

type timeoutError struct{ timeout }
