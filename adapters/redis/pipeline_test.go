package seakeepredis

import (
	"context"
	"testing"

	"github.com/redis/go-redis/v9"
)

// A pipeline of which one command was refused has run the others: sent again, it
// would run them twice. Reads may, and what was refused as a whole.
func TestPipelinesThatRanInPartAreNotSentAgain(t *testing.T) {
	incr, get := func() redis.Cmder { return redis.NewIntCmd(context.Background(), "incr", "k") },
		func() redis.Cmder { return redis.NewStringCmd(context.Background(), "get", "k") }
	for _, c := range []struct {
		name string
		make [2]func() redis.Cmder
		ends [2]error
		want int
	}{
		{"a write ran", [2]func() redis.Cmder{incr, incr}, [2]error{nil, said("TRYAGAIN wait")}, 1},
		{"a write ran, and the last did not", [2]func() redis.Cmder{incr, get}, [2]error{nil, said("BUSY script")}, 1},
		{"nothing ran", [2]func() redis.Cmder{incr, incr}, [2]error{said("LOADING"), said("LOADING")}, 2},
		{"reads", [2]func() redis.Cmder{get, get}, [2]error{nil, said("TRYAGAIN wait")}, 2},
	} {
		set := policies(t, "{retry: {attempts: 2, backoff: {base: 1ms}}}")
		h, sent := &Hook{policy: set.MustPolicy("cache"), mode: Store}, 0
		cmds := []redis.Cmder{c.make[0](), c.make[1]()}
		err := h.ProcessPipelineHook(func(_ context.Context, cmds []redis.Cmder) error {
			sent++
			for i, end := range c.ends {
				cmds[i].SetErr(end)
			}
			return firstError(cmds)
		})(context.Background(), cmds)
		if sent != c.want || err == nil {
			t.Errorf("%s: sent %d times, %v", c.name, sent, err)
		}
	}
}
