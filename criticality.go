package seakeep

import (
	"context"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/call"
)

// Criticality says how important a call is to whoever it is made for.
type Criticality = core.Criticality

// The classes, from what may be refused often to what is refused last. A call
// about which nothing was said is Critical.
const (
	Sheddable     = core.Sheddable
	SheddablePlus = core.SheddablePlus
	Critical      = core.Critical
	CriticalPlus  = core.CriticalPlus
)

type criticalityKey struct{}

// WithCriticality returns a context that says how important the calls below are.
// A policy's throttle counts the classes apart, and HTTP clients tell the other
// side. It holds until another WithCriticality replaces it. It panics if there
// is no such class.
func WithCriticality(ctx context.Context, c core.Criticality) context.Context {
	if c < core.Sheddable || c > core.CriticalPlus {
		panic("seakeep: WithCriticality of no class that there is")
	}
	return context.WithValue(ctx, criticalityKey{}, c)
}

// CriticalityOf returns what WithCriticality said, and Critical if nothing was
// said.
func CriticalityOf(ctx context.Context) core.Criticality {
	c, _ := LookupCriticality(ctx)
	return c
}

// LookupCriticality is CriticalityOf, and reports whether anything was said.
func LookupCriticality(ctx context.Context) (c core.Criticality, said bool) {
	c, said = ctx.Value(criticalityKey{}).(core.Criticality)
	return c, said
}

// throttled tells a plan with a throttle what it needs to know of a call.
func (s *state) throttled(ctx context.Context, req *call.Request) {
	if c, said := LookupCriticality(ctx); said {
		req.Class = c
	}
	req.Draw = s.draw()
}
