package main

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"strings"
	"time"

	api "go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"

	"github.com/seakeep/seakeep/adapters/otel"
	"github.com/seakeep/seakeep/telemetry"
)

// tracing sends spans to where a flag, or OpenTelemetry's own variables, say.
type tracing struct {
	endpoint string
	log      *slog.Logger
	provider *sdk.TracerProvider
}

// wanted reports whether spans are to be sent at all. Nobody gets them by
// accident: to where has to be said.
func (t *tracing) wanted() bool {
	if strings.EqualFold(os.Getenv("OTEL_SDK_DISABLED"), "true") || os.Getenv("OTEL_TRACES_EXPORTER") == "none" {
		return false
	}
	return t.endpoint != "" || os.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT") != "" ||
		os.Getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") != ""
}

// check judges the flag.
func (t *tracing) check() error {
	if t.endpoint == "" {
		return nil
	}
	u, err := url.Parse(t.endpoint)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return fmt.Errorf("--otlp-endpoint is %q; give an address such as http://127.0.0.1:4318", t.endpoint)
	}
	return nil
}

// start makes what makes spans. Which of them are kept, how they are batched and
// what headers go with them is said by OpenTelemetry's variables, such as
// OTEL_TRACES_SAMPLER.
func (t *tracing) start(service string, m *telemetry.Metrics) (*otel.Tracer, error) {
	var o []otlptracehttp.Option
	if t.endpoint != "" {
		at := strings.TrimSuffix(t.endpoint, "/")
		if u, _ := url.Parse(at); u.Path == "" { // as the variable has it: the base of all signals
			at += "/v1/traces"
		}
		o = append(o, otlptracehttp.WithEndpointURL(at))
	}
	exporter, err := otlptracehttp.New(context.Background(), o...)
	if err != nil {
		return nil, fmt.Errorf("spans: %w", err)
	}
	name := cmp.Or(os.Getenv("OTEL_SERVICE_NAME"), service, "seakeep")
	about, err := resource.New(context.Background(), resource.WithTelemetrySDK(), resource.WithHost(),
		resource.WithAttributes(attribute.String("service.name", name)), resource.WithFromEnv())
	if err != nil {
		t.log.Warn("spans: what this program is", "error", err)
	}
	api.SetErrorHandler(api.ErrorHandlerFunc(t.failed))
	t.provider = sdk.NewTracerProvider(sdk.WithBatcher(exporter), sdk.WithResource(about))
	return otel.NewTracer(otel.Options{Provider: t.provider, Metrics: m}), nil
}

// failed is told when spans are lost. The SDK waits seconds between two tries,
// so that this is never many lines.
func (t *tracing) failed(err error) { t.log.Warn("spans were not sent", "error", err) }

// lastSpans is how long the end of the program waits for the last spans to be
// sent.
const lastSpans = 5 * time.Second

// stop sends what is left.
func (t *tracing) stop() {
	if t.provider == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), lastSpans)
	defer cancel()
	if err := t.provider.Shutdown(ctx); err != nil {
		t.failed(err)
	}
}
