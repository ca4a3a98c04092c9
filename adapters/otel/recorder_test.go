package otel_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"sync"
	"testing"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/embedded"
	"go.opentelemetry.io/otel/trace/noop"
)

// recorder is a provider of spans that keeps them. It stands for an SDK, which
// whoever imports the adapter need not have.
type recorder struct {
	embedded.TracerProvider
	mu   sync.Mutex
	next uint64
	all  []*span
}

// Tracer implements trace.TracerProvider.
func (r *recorder) Tracer(string, ...trace.TracerOption) trace.Tracer { return &tracer{r: r} }

type tracer struct {
	embedded.Tracer
	r *recorder
}

// Start implements trace.Tracer.
func (t *tracer) Start(ctx context.Context, name string, o ...trace.SpanStartOption) (context.Context, trace.Span) {
	cfg := trace.NewSpanStartConfig(o...)
	t.r.mu.Lock()
	t.r.next++
	n := t.r.next
	t.r.mu.Unlock()
	above := trace.SpanContextFromContext(ctx)
	c := trace.SpanContextConfig{TraceID: above.TraceID(), TraceFlags: trace.FlagsSampled}
	binary.BigEndian.PutUint64(c.SpanID[:], n)
	if !above.IsValid() {
		binary.BigEndian.PutUint64(c.TraceID[8:], n)
	}
	s := &span{r: t.r, sc: trace.NewSpanContext(c), name: name, kind: cfg.SpanKind().String(),
		attrs: map[string]string{}, status: codes.Unset.String()}
	s.id, s.trace = s.sc.SpanID().String(), s.sc.TraceID().String()
	if above.IsValid() {
		s.parent = above.SpanID().String()
	}
	return trace.ContextWithSpan(ctx, s), s
}

// span is one of them.
type span struct {
	noop.Span
	r                             *recorder
	sc                            trace.SpanContext
	name, kind, id, parent, trace string
	status                        string
	attrs                         map[string]string
	over                          bool
}

func (s *span) String() string {
	return fmt.Sprintf("%s %s %s under %q %v %s\n", s.kind, s.name, s.id, s.parent, s.attrs, s.status)
}

// The rest implements trace.Span.

func (s *span) SpanContext() trace.SpanContext { return s.sc }
func (s *span) IsRecording() bool              { return true }
func (s *span) SetName(name string)            { s.name = name }

func (s *span) SetStatus(c codes.Code, _ string) { s.status = c.String() }

func (s *span) SetAttributes(all ...attribute.KeyValue) {
	for _, a := range all {
		s.attrs[string(a.Key)] = a.Value.String()
	}
}

func (s *span) End(...trace.SpanEndOption) {
	s.r.mu.Lock()
	defer s.r.mu.Unlock()
	if s.over {
		panic("a span ends twice: " + s.name)
	}
	s.over = true
	s.r.all = append(s.r.all, s)
}

// ended returns the spans that have ended, in that order.
func (r *recorder) ended() []*span {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]*span(nil), r.all...)
}

// await waits until so many have.
func (r *recorder) await(t *testing.T, n int) []*span {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		if all := r.ended(); len(all) >= n {
			return all
		}
	}
	t.Fatalf("%v", r.ended())
	return nil
}

// plain writes attributes as text.
type plain struct{}

// Encode implements attribute.Encoder.
func (plain) Encode(it attribute.Iterator) string {
	text := ""
	for it.Next() {
		a := it.Attribute()
		if text != "" {
			text += ","
		}
		text += string(a.Key) + "=" + a.Value.String()
	}
	return text
}

// ID implements attribute.Encoder.
func (plain) ID() attribute.EncoderID { return attribute.EncoderID{} }
