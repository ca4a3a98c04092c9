package otel

import (
	"strings"

	"go.opentelemetry.io/otel/attribute"
)

// setter is a carrier that is written to and never read.
type setter func(field, value string)

// Get implements propagation.TextMapCarrier.
func (setter) Get(string) string { return "" }

// Set implements propagation.TextMapCarrier.
func (s setter) Set(field, value string) { s(field, value) }

// Keys implements propagation.TextMapCarrier.
func (setter) Keys() []string { return nil }

// Calling implements seakeepgrpc.MethodTrace: the full method and how to set
// fields of its metadata.
func (a *attempt) Calling(method string, set func(field, value string)) {
	a.of.of.text.Inject(a.ctx, setter(set))
	if a.span.IsRecording() {
		a.span.SetName(method)
		a.span.SetAttributes(attribute.String("rpc.system.name", "grpc"), attribute.String("rpc.method", method))
	}
}

// Status implements seakeepgrpc.MethodTrace: a status by its name in Go, such as
// DeadlineExceeded.
func (a *attempt) Status(code string) {
	if a.rpc = rpcStatus(code); a.span.IsRecording() {
		a.span.SetAttributes(attribute.String("rpc.response.status_code", a.rpc))
	}
}

// rpcStatus is a status as the conventions write it: DEADLINE_EXCEEDED.
func rpcStatus(code string) string {
	var b strings.Builder
	for i, r := range code {
		if i > 0 && r >= 'A' && r <= 'Z' && code != "OK" {
			b.WriteByte('_')
		}
		b.WriteRune(r)
	}
	if code == "Canceled" {
		return "CANCELLED"
	}
	return strings.ToUpper(b.String())
}
