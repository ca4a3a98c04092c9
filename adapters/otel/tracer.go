package otel

import (
	"context"
	"strings"
	"time"

	api "go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/core/call"
	"github.com/seakeep/seakeep/telemetry"
)

// scope is what the spans and instruments say that they are made by.
const scope = "github.com/seakeep/seakeep/adapters/otel"

// Options are settings of a Tracer. The zero value of each is its default.
type Options struct {
	// Provider makes the spans. The default is OpenTelemetry's global one.
	Provider trace.TracerProvider
	// Propagator tells the next service of the span, and reads what the one
	// before has told. The default is W3C's traceparent, tracestate and baggage.
	Propagator propagation.TextMapPropagator
	// Metrics, if set, gets the traces of sampled calls as exemplars.
	Metrics *telemetry.Metrics
	// Meters, if set, gets the two durations of HTTP that the conventions name:
	// http.client.request.duration of attempts, and of the requests that Handler
	// serves http.server.request.duration.
	Meters metric.MeterProvider
}

// Tracer makes spans of calls. It is a seakeep.Tracer, and safe for use by many
// goroutines.
type Tracer struct {
	tracer  trace.Tracer
	text    propagation.TextMapPropagator
	metrics *telemetry.Metrics
	meters  meters
}

// NewTracer returns a Tracer.
func NewTracer(o Options) *Tracer {
	if o.Provider == nil {
		o.Provider = api.GetTracerProvider()
	}
	if o.Propagator == nil {
		o.Propagator = propagation.NewCompositeTextMapPropagator(propagation.TraceContext{}, propagation.Baggage{})
	}
	return &Tracer{tracer: o.Provider.Tracer(scope), text: o.Propagator, metrics: o.Metrics,
		meters: newMeters(o.Meters)}
}

// StartCall implements seakeep.Tracer.
func (t *Tracer) StartCall(ctx context.Context, policy string) (context.Context, seakeep.CallTrace) {
	ctx, span := t.tracer.Start(ctx, "call "+policy, trace.WithSpanKind(trace.SpanKindInternal))
	c := &called{of: t, policy: policy, span: span}
	if span.IsRecording() {
		dependency, operation, _ := strings.Cut(policy, "/")
		span.SetAttributes(attribute.String("seakeep.dependency", dependency))
		if operation != "" {
			span.SetAttributes(attribute.String("seakeep.operation", operation))
		}
	}
	return ctx, c
}

// called is the span of a call.
type called struct {
	of     *Tracer
	policy string
	span   trace.Span
}

// StartAttempt implements seakeep.CallTrace.
func (c *called) StartAttempt(ctx context.Context, number int, copied bool) (context.Context, seakeep.AttemptTrace) {
	ctx, span := c.of.tracer.Start(ctx, c.policy, trace.WithSpanKind(trace.SpanKindClient))
	a := &attempt{of: c, span: span, ctx: ctx, number: number}
	if span.IsRecording() {
		kind := "first"
		switch {
		case copied:
			kind = "hedge"
		case number > 0:
			kind = "retry"
		}
		span.SetAttributes(attribute.String("seakeep.attempt.kind", kind))
	}
	return ctx, a
}

// EndCall implements seakeep.CallTrace.
func (c *called) EndCall(end seakeep.CallEnd) {
	defer c.span.End()
	outcome := telemetry.CallOutcome(end.Reason, end.Last.Outcome)
	if end.Verdict == call.Succeeded && end.Attempts == 0 { // the cache had it
		outcome = core.Success
	}
	if c.span.IsRecording() {
		c.describe(&end, outcome)
	}
	c.of.exemplify(c.span, telemetry.Span{Policy: c.policy, Timed: telemetry.CallTimed, Outcome: outcome,
		Took: end.Took})
}

func (c *called) describe(end *seakeep.CallEnd, outcome core.Outcome) {
	word := outcome.String()
	if outcome == 0 {
		word = "rejected"
	}
	c.span.SetAttributes(attribute.String("seakeep.outcome", word), attribute.Int("seakeep.attempts", end.Attempts))
	if end.Reason != core.NoReason {
		c.span.SetAttributes(attribute.String("seakeep.reason", end.Reason.String()))
	}
	if end.Fallback != "" {
		c.span.SetAttributes(attribute.String("seakeep.fallback", end.Fallback))
	}
	if outcome == core.Success || outcome.Neutral() || end.Fallback != "" {
		return // the caller got what it wanted, or left, or asked for the wrong thing
	}
	c.span.SetAttributes(attribute.String("error.type", errorType(word, end)))
	c.span.SetStatus(codes.Error, "")
}

// errorType is the rule that refused the call, or else how it ended.
func errorType(outcome string, end *seakeep.CallEnd) string {
	if end.Attempts == 0 && end.Reason != core.NoReason {
		return end.Reason.String()
	}
	return outcome
}

// exemplify offers the span's trace as an exemplar, if it is one that is kept.
func (t *Tracer) exemplify(span trace.Span, s telemetry.Span) {
	if sc := span.SpanContext(); t.metrics != nil && sc.IsSampled() {
		t.metrics.Exemplify(s, func() string { return sc.TraceID().String() })
	}
}

// attempt is the span of an attempt.
type attempt struct {
	of     *called
	span   trace.Span
	ctx    context.Context
	number int
	sent   []attribute.KeyValue // of HTTP: what meters know of the request
	status int                  // of the answer; 0: there is none, or it is not HTTP's
	err    error                // why there is none
	rpc    string               // status of gRPC; empty: it is not gRPC's, or not known
}

// EndAttempt implements seakeep.AttemptTrace.
func (a *attempt) EndAttempt(r seakeep.AttemptReport) {
	defer a.span.End()
	if a.span.IsRecording() {
		a.describe(&r)
	}
	a.of.of.meters.attempt(a, &r)
	a.of.of.exemplify(a.span, telemetry.Span{Policy: a.of.policy, Timed: telemetry.AttemptTimed,
		Outcome: r.Result.Outcome, Took: max(r.Took, time.Duration(0))})
}

func (a *attempt) describe(r *seakeep.AttemptReport) {
	o := r.Result.Outcome
	a.span.SetAttributes(attribute.String("seakeep.outcome", o.String()))
	if r.Faults != "" {
		a.span.SetAttributes(attribute.String("seakeep.faults", r.Faults))
	}
	kind := a.errorType(r)
	if kind == "" {
		return
	}
	a.span.SetAttributes(attribute.String("error.type", kind))
	text := ""
	if a.err != nil {
		text = a.err.Error()
	}
	a.span.SetStatus(codes.Error, text)
}

// errorType is empty for what is no error.
func (a *attempt) errorType(r *seakeep.AttemptReport) string {
	switch o := r.Result.Outcome; {
	case o == core.Cancelled:
		return ""
	case a.status >= 400:
		return statusText(a.status)
	case a.rpc != "" && a.rpc != "OK":
		return a.rpc
	case o == core.Success:
		return ""
	case o == core.Timeout:
		return "timeout"
	case r.Result.Cause != core.NoCause:
		return r.Result.Cause.String()
	default:
		return o.String()
	}
}
