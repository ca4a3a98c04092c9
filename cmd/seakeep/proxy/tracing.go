package proxy

import (
	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/telemetry"
)

// setOptions are how the sets of policies tell what they do.
func (p *Proxy) setOptions() seakeep.Options {
	return p.withTracer(seakeep.Options{Observer: telemetry.Tee(p.changes, p.metrics, p.options.Observer)})
}

// withTracer adds what makes spans, if something does: a nil pointer in an
// interface would not be nil.
func (p *Proxy) withTracer(o seakeep.Options) seakeep.Options {
	if p.tracer != nil {
		o.Tracer = p.tracer
	}
	return o
}

// follow begins the span of a request that has come in, beneath its sender's,
// and returns what ends it. Without spans what the sender says of its own goes
// on to the dependency as it came.
func (x *exchange) follow() (end func()) {
	if x.p.tracer == nil {
		return func() {}
	}
	ctx, span := x.p.tracer.StartServed(x.r)
	x.r = x.r.WithContext(ctx)
	return func() {
		if x.passage != nil {
			if class, outcome, took, ok := x.passage.Ended(); ok {
				span.Exemplify(class, outcome, took)
			}
		}
		span.End(max(x.status, x.refused))
	}
}
