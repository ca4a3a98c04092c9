package seakeep

import (
	"context"
	"time"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/serve"
)

// Visit is a request that was let in. Its End must be called once, when the
// work for it has truly ended.
type Visit struct {
	visitContext
	door  *Door
	class core.Criticality
	v     serve.Visit
}

// visitContext is the context of a request that was let in. It knows how
// important the request is, and so what is called for it.
type visitContext struct {
	attemptContext
	visit *Visit
}

type visitKey struct{}

// Value knows the visit, and asks the parent for the rest.
func (c *visitContext) Value(key any) any {
	switch key.(type) {
	case visitKey:
		return c.visit
	case criticalityKey:
		return c.visit.class
	}
	return c.attemptContext.Value(key)
}

// Context returns the context for the work: it ends with the request's
// deadline, with the caller's leaving and with End, and tells what is below how
// important the work is.
func (v *Visit) Context() context.Context { return &v.visitContext }

// Open is Context without the deadline, for an answer that may stream on after
// it has begun in time.
func (v *Visit) Open() context.Context {
	return &openContext{v.parent, v}
}

// openContext is a visitContext without the deadline.
type openContext struct {
	context.Context
	visit *Visit
}

// Value knows what visitContext knows.
func (c *openContext) Value(key any) any {
	switch key.(type) {
	case visitKey:
		return c.visit
	case criticalityKey:
		return c.visit.class
	}
	return c.Context.Value(key)
}

// Left returns how much time there is for the answer; false if it may take any.
func (v *Visit) Left() (time.Duration, bool) {
	if v.v.Deadline() == core.Never {
		return 0, false
	}
	return max(v.v.Deadline().Sub(Now()), 0), true
}

// Waited returns how long the request waited at the door.
func (v *Visit) Waited() time.Duration { return v.v.Waited() }

// Took returns how long the request took, from its arrival until its answer
// began; 0 before End.
func (v *Visit) Took() time.Duration { return v.v.Took() }

// Class returns how important the request is.
func (v *Visit) Class() core.Criticality { return v.class }

// Late reports whether the request's deadline has passed, or had when the
// answer began.
func (v *Visit) Late() bool { return v.v.Late(Now()) }

// Answered says that the answer has begun and goes on at the caller's pace: a
// download, a stream, a connection that has become something else. It keeps its
// slot until End, but how long the work took and whether it was in time is
// settled, and the request's own deadline no longer ends its context. Only the
// first time counts.
func (v *Visit) Answered() {
	v.v.Answered(Now())
	v.extend(core.Never)
}

// Paced says that the request comes at its caller's pace, as a large upload
// does, so that the limit learns nothing from how long it takes.
func (v *Visit) Paced() { v.v.Paced() }

// End closes the accounts of the request: Success for an answer, Timeout and
// Overloaded for what says that it is too much, Cancelled if the caller left.
// Calling it again does nothing.
func (v *Visit) End(r core.Result) {
	defer v.cancel(context.Canceled) // also if an observer panics
	v.v.End(Now(), r)
}

// VisitOf returns the visit that a context belongs to; nil if it belongs to
// none.
func VisitOf(ctx context.Context) *Visit {
	v, _ := ctx.Value(visitKey{}).(*Visit)
	return v
}
