package main

import (
	"context"
	"time"
)

// loop makes n calls. One or two goroutines run the same loop at once, on the
// same shared object, so whatever it changes is its own. It panics if a call
// does not do what its row says.
type loop func(n int)

// variant is one way to do what its row says.
type variant struct {
	name string
	make func() loop // on objects of its own, made anew
	ours *ours       // nil: a peer's
}

// ours is what is asked of a variant of Seakeep.
type ours struct {
	allocs int      // most allocations a call may make, or add to the base; a test holds it
	peers  []string // variants of the row that it is compared with
}

// row is a piece of work, done by us and by peers.
type row struct {
	id, title string
	base      string // variant that does without; the others are measured by what they add
	variants  []variant
}

// rows is everything that is measured.
func rows() []row {
	return []row{
		closedRow(), openRow(), retryRow(), bulkheadRow(), timeoutRow(),
		stackRow(), earlierRow(), refusedRow(), httpRow(), doorRow(),
	}
}

// The settings of every row: all sides get the same ones, as far as they have
// them. Nothing ever waits and no limit is ever met, unless the row says so.
const (
	limit     = time.Second      // of an attempt
	slots     = 100              // of the bulkhead
	attempts  = 3                // of the retry, the first one included
	backoffBy = time.Millisecond // the first wait
	backoffTo = time.Second      // the longest wait
	window    = 10 * time.Second // of the breaker: 50 % of at least 20 calls
	buckets   = 10
	minCalls  = 20
	failures  = 0.5
	openFor   = time.Hour // longer than any run
)

var background = context.Background()

//go:noinline
func empty(context.Context) (int, error) { return 1, nil }

// waits is empty, but asks for the channel that a function waits on when it
// heeds its context, as net/http and database drivers do.
//
//go:noinline
func waits(ctx context.Context) (int, error) {
	if ctx.Done() == nil {
		return 0, errNoChannel
	}
	return 1, nil
}

type benchError string

// Error implements error.
func (e benchError) Error() string { return string(e) }

const (
	errNoChannel = benchError("the context has no channel")
	errFailed    = benchError("failed")
)

// mustPass stops the run if a call that should pass did not.
func mustPass(v int, err error) {
	if err != nil || v != 1 {
		panic(err)
	}
}

// mustRefuse stops the run if a call that should be refused was not.
func mustRefuse(_ int, err error) {
	if err == nil {
		panic("a call passed that should have been refused")
	}
}

// earlier returns a context whose deadline comes before every limit of a
// policy for it, and after any run.
func earlier() context.Context {
	ctx, cancel := context.WithTimeout(background, time.Hour)
	context.AfterFunc(ctx, cancel)
	return ctx
}

const laterLimit = 2 * time.Hour // a limit that a caller with earlier never meets
