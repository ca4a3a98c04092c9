package otel

import (
	"context"
	"net/http"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/seakeep/seakeep/core"
	"github.com/seakeep/seakeep/telemetry"
)

// Served is the span of a request that came in.
type Served struct {
	of     *Tracer
	span   trace.Span
	method string // as the span's name begins with
	began  time.Time
	asked  []attribute.KeyValue // what meters know of the request
}

// StartServed begins the SERVER span of a request, beneath the one that its
// sender tells of. The context is the one to serve it with.
func (t *Tracer) StartServed(r *http.Request) (context.Context, *Served) {
	ctx := t.text.Extract(r.Context(), propagation.HeaderCarrier(r.Header))
	method, original := methodOf(r.Method)
	ctx, span := t.tracer.Start(ctx, spanName(method), trace.WithSpanKind(trace.SpanKindServer))
	s := &Served{of: t, span: span, method: spanName(method), began: time.Now()}
	scheme := "http"
	if r.TLS != nil {
		scheme = "https"
	}
	if t.meters.server != nil {
		s.asked = []attribute.KeyValue{attribute.String("http.request.method", method),
			attribute.String("url.scheme", scheme)}
	}
	if span.IsRecording() {
		host, port := hostOf(r.Host)
		all := []attribute.KeyValue{attribute.String("http.request.method", method),
			attribute.String("url.scheme", scheme), attribute.String("url.path", r.URL.Path),
			attribute.String("server.address", host),
			attribute.String("network.protocol.version", versionOf(r.ProtoMajor, r.ProtoMinor))}
		if port > 0 {
			all = append(all, attribute.Int("server.port", port))
		}
		if original != "" {
			all = append(all, attribute.String("http.request.method_original", original))
		}
		span.SetAttributes(all...)
	}
	return ctx, s
}

// Route says which of the program's routes it was, such as /orders/{id}: a
// template and never a path, or each would be a name of its own.
func (s *Served) Route(route string) {
	if route == "" {
		return
	}
	if s.asked != nil {
		s.asked = append(s.asked, attribute.String("http.route", route))
	}
	if s.span.IsRecording() {
		s.span.SetName(s.method + " " + route)
		s.span.SetAttributes(attribute.String("http.route", route))
	}
}

// Exemplify offers the span's trace as the exemplar of how long a request took, as
// the door has counted it.
func (s *Served) Exemplify(c core.Criticality, o core.Outcome, took time.Duration) {
	if sc := s.span.SpanContext(); s.of.metrics != nil && sc.IsSampled() {
		s.of.metrics.ExemplifyRequest(c, telemetry.Span{Outcome: o, Took: took},
			func() string { return sc.TraceID().String() })
	}
}

// End ends the span. status is the answer's; 0: there was none, because the
// client left or the connection broke. Of the answers only 5xx are errors: a 4xx
// is the client's.
func (s *Served) End(status int) {
	defer s.span.End()
	s.of.meters.served(s, status)
	if !s.span.IsRecording() || status == 0 {
		return
	}
	s.span.SetAttributes(attribute.Int("http.response.status_code", status))
	if status >= 500 {
		s.span.SetAttributes(attribute.String("error.type", statusText(status)))
		s.span.SetStatus(codes.Error, "")
	}
}

// Handler gives each request a SERVER span, for programs where nothing else
// does. The route is that of http.ServeMux, if next is one or has one.
func (t *Tracer) Handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, span := t.StartServed(r)
		s := &statusWriter{ResponseWriter: w}
		r = r.WithContext(ctx)
		panicked := true
		defer func() {
			span.Route(route(r.Pattern))
			switch {
			case panicked && s.status == 0:
				s.status = http.StatusInternalServerError
			case s.status == 0 && ctx.Err() == nil:
				s.status = http.StatusOK // as net/http answers then
			}
			span.End(s.status)
		}()
		next.ServeHTTP(s, r)
		panicked = false
	})
}

// route is a pattern of http.ServeMux without its method and host.
func route(pattern string) string {
	for i := range pattern {
		if pattern[i] == '/' {
			return pattern[i:]
		}
	}
	return ""
}

// statusWriter remembers the status of the answer.
type statusWriter struct {
	http.ResponseWriter
	status int
}

// WriteHeader implements http.ResponseWriter.
func (w *statusWriter) WriteHeader(status int) {
	if w.status == 0 && (status >= 200 || status == http.StatusSwitchingProtocols) {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (w *statusWriter) Write(p []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	return w.ResponseWriter.Write(p)
}

// Flush implements http.Flusher, which many handlers ask for by type.
func (w *statusWriter) Flush() {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	_ = http.NewResponseController(w.ResponseWriter).Flush()
}

// Unwrap lets http.ResponseController reach what is beneath.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
