package otel

import (
	"context"
	"time"

	api "go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"

	"github.com/seakeep/seakeep"
	"github.com/seakeep/seakeep/telemetry"
)

// meters record the durations of HTTP under the names of the conventions, for
// dashboards that know those and not ours. They are nil if nobody wants them.
type meters struct{ client, server metric.Float64Histogram }

func newMeters(p metric.MeterProvider) (m meters) {
	if p == nil {
		return m
	}
	meter := p.Meter(scope)
	histogram := func(name, help string) metric.Float64Histogram {
		h, err := meter.Float64Histogram(name, metric.WithUnit("s"), metric.WithDescription(help),
			metric.WithExplicitBucketBoundaries(telemetry.Bounds()...))
		if err != nil {
			api.Handle(err) // and h records nothing
		}
		return h
	}
	m.client = histogram("http.client.request.duration", "Duration of HTTP client requests.")
	m.server = histogram("http.server.request.duration", "Duration of HTTP server requests.")
	return m
}

// attempt records one that was made over HTTP. The context has its span, from
// which a provider of meters takes its exemplars.
func (m meters) attempt(a *attempt, r *seakeep.AttemptReport) {
	if m.client == nil || a.sent == nil {
		return
	}
	all := a.sent
	if a.status > 0 {
		all = append(all, attribute.Int("http.response.status_code", a.status))
	}
	if kind := a.errorType(r); kind != "" {
		all = append(all, attribute.String("error.type", kind))
	}
	m.client.Record(a.ctx, max(r.Took, 0).Seconds(), metric.WithAttributes(all...))
}

// served records a request that came in. One whose client left has no status,
// and is no error.
func (m meters) served(s *Served, status int) {
	if m.server == nil {
		return
	}
	all := s.asked
	if status > 0 {
		all = append(all, attribute.Int("http.response.status_code", status))
	}
	if status >= 500 {
		all = append(all, attribute.String("error.type", statusText(status)))
	}
	ctx := trace.ContextWithSpan(context.Background(), s.span)
	m.server.Record(ctx, time.Since(s.began).Seconds(), metric.WithAttributes(all...))
}
