// Package otel offers calls to OpenTelemetry as spans, and telemetry.Metrics as
// instruments. It needs the API only: which SDK and which exporter stand behind
// it is the program's choice.
//
// # Spans
//
// A call is one INTERNAL span. Beneath it each attempt is one CLIENT span, as
// the conventions for HTTP want it: retries and copies are siblings, those after
// the first carry http.request.resend_count, and each sends a traceparent of its
// own, so that the next service's spans hang from the attempt that caused them.
// An attempt whose answer has a body lasts until the body has ended.
//
// A caller that leaves is no error: the span says outcome cancelled and sets
// neither a status nor error.type.
//
// # In a Go program
//
//	tracer := otel.NewTracer(otel.Options{Metrics: metrics})
//	policies, err := seakeep.OpenWith("seakeep.yaml",
//		seakeep.Options{Observer: metrics, Tracer: tracer})
//	...
//	http.ListenAndServe(addr, tracer.Handler(mux)) // SERVER spans, if nothing else makes them
//
// With Options.Metrics the histograms of metrics get exemplars: the traces of
// sampled calls.
package otel
