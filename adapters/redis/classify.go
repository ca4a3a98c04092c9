package seakeepredis

import (
	"errors"
	"strings"

	"github.com/redis/go-redis/v9"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/core"
)

// own is the caller's own mistake, or its own business.
var own = core.Result{Outcome: core.Ignored, Cause: core.ClientError}

// classify goes by the program's own word (seakeep.Options.Classify) or what
// package seakeep knows of errors, and else by what Redis says.
func classify(a seakeep.Adapter, err error) core.Result {
	if err == nil || errors.Is(err, redis.Nil) {
		return core.Result{Outcome: core.Success}
	}
	if r := a.Classify(err); r.Outcome != core.Failure || r.Cause != core.Unknown {
		if !pooled(err) {
			return r
		}
	}
	return Classify(err)
}

// pooled reports whether an error is about our own pool.
func pooled(err error) bool {
	return errors.Is(err, redis.ErrPoolTimeout) || errors.Is(err, redis.ErrPoolExhausted)
}

// Classify says what an error of go-redis or of Redis means; nil and redis.Nil
// are successes. See docs/redis.md for the table.
func Classify(err error) core.Result {
	var said redis.Error
	switch {
	case err == nil, errors.Is(err, redis.Nil):
		return core.Result{Outcome: core.Success}
	case pooled(err):
		return core.Result{Outcome: core.Ignored, Cause: core.Unsent}
	case errors.Is(err, redis.ErrClosed):
		return own
	case errors.As(err, &said):
		return saying(said.Error())
	}
	return seakeep.Classify(err)
}

// saying goes by the first word of Redis' error.
func saying(text string) core.Result {
	word, rest, _ := strings.Cut(text, " ")
	switch word {
	case "LOADING", "BUSY", "TRYAGAIN", "CLUSTERDOWN", "MASTERDOWN": // not run, and soon better
		return core.Result{Outcome: core.Overloaded, Cause: core.Unsent}
	case "OOM": // not run, and no better until something is removed
		return core.Result{Outcome: core.Overloaded, Cause: core.Unavailable, NoRetry: true}
	case "READONLY": // it was the primary, and is not any more; not run
		return core.Result{Outcome: core.Failure, Cause: core.Unsent}
	case "NOREPLICAS", "MISCONF": // refuses writes, because it could not keep them
		return core.Result{Outcome: core.Failure, Cause: core.Unavailable}
	case "ERR":
		if strings.HasPrefix(rest, "max number of clients") {
			return core.Result{Outcome: core.Overloaded, Cause: core.Unsent}
		}
	}
	return own
}
