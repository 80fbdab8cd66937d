// Package telemetry traces and measures calls to AWS. It sends OpenTelemetry traces to a collector,
// configured by the environment variables of OpenTelemetry's specification, and has the SDK's
// middleware that records each call as a span and counts requests.
//
// A span has the operation, the region, the result and the number of attempts, with the attributes
// of OpenTelemetry's semantic conventions for AWS SDKs. It has nothing of what was sent or received:
// requests hold the values of environment variables and code. Requests do not get trace context: AWS
// needs none, and another header would have to be signed.
package telemetry

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/go-logr/logr"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	semconv "go.opentelemetry.io/otel/semconv/v1.37.0"
	"go.opentelemetry.io/otel/trace"
)

const (
	// service is the name of the service if the environment has none.
	service = "provider-lambda"

	// scope is the name of the code that creates spans.
	scope = "github.com/crossplane-contrib/provider-lambda"

	// flushTimeout is the time that spans may take to be sent when the provider ends. Only the process
	// waits for it: the leader's lease is released before.
	flushTimeout = 5 * time.Second
)

// Tracing has a tracer, and sends its spans.
type Tracing struct {
	provider *sdktrace.TracerProvider
	version  string
	log      logr.Logger
}

// Start starts to send traces of a version of the provider by OTLP, in the background. The environment variables OTEL_*
// set endpoint, headers, certificates, sampling and limits. If the collector does not answer, spans are dropped, and
// the log says so from time to time. Start returns an error if a variable has a value that is not supported.
func Start(ctx context.Context, version string, log logr.Logger, now func() time.Time) (*Tracing, error) {
	t := &Tracing{version: version, log: log.WithName("tracing")}
	off, err := isOff()
	if err != nil {
		return nil, err
	}
	if off {
		t.log.Info("Traces are asked for by a flag, but the environment turns them off")
		return t, nil
	}
	protocol := cmp.Or(os.Getenv("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL"), os.Getenv("OTEL_EXPORTER_OTLP_PROTOCOL"),
		"http/protobuf")
	otel.SetLogger(logr.New(sdkLog{log: t.log}))
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) {
		t.log.Info("OpenTelemetry reports an error: check the environment variables OTEL_*", "error", err.Error())
	}))
	exporter, err := newExporter(ctx, protocol)
	if err != nil {
		return nil, err
	}
	what, err := resource.New(ctx,
		resource.WithTelemetrySDK(),
		resource.WithAttributes(semconv.ServiceName(service), semconv.ServiceVersion(version)),
		resource.WithFromEnv(), // Later options override earlier ones.
	)
	if err != nil {
		return nil, fmt.Errorf("cannot read the resource attributes of traces: check OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	t.provider = sdktrace.NewTracerProvider(sdktrace.WithResource(what), sdktrace.WithIDGenerator(IDs{}),
		sdktrace.WithBatcher(&reporter{SpanExporter: exporter, log: t.log, now: now}))
	t.log.Info("Traces are sent to an OpenTelemetry collector", "protocol", protocol)
	return t, nil
}

// sdkLog logs which part of the environment OpenTelemetry's SDK cannot read and ignores. It leaves out all values,
// since the SDK quotes headers, which have tokens.
type sdkLog struct {
	logr.LogSink

	log logr.Logger
}

// Init does nothing.
func (sdkLog) Init(logr.RuntimeInfo) {}

// Enabled returns false: only errors are logged.
func (sdkLog) Enabled(int) bool { return false }

// Error logs the message of an error.
func (s sdkLog) Error(_ error, msg string, _ ...any) {
	s.log.Info("OpenTelemetry ignores a setting: check the environment variables OTEL_*", "cannot", msg)
}

// Tracer returns the provider's tracer, nil if the environment disables traces.
func (t *Tracing) Tracer() trace.Tracer {
	if t.provider == nil {
		return nil
	}
	return t.provider.Tracer(scope, trace.WithInstrumentationVersion(t.version), trace.WithSchemaURL(semconv.SchemaURL))
}

// Stop sends the remaining spans, for at most flushTimeout, even if the context is done, as it is
// when the provider ends.
func (t *Tracing) Stop(ctx context.Context) {
	if t.provider == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), flushTimeout)
	defer cancel()
	if err := t.provider.Shutdown(ctx); err != nil {
		t.log.Info("Cannot send the last traces", "error", err.Error())
	}
}

func isOff() (bool, error) {
	if strings.EqualFold(os.Getenv("OTEL_SDK_DISABLED"), "true") {
		return true, nil
	}
	switch e := cmp.Or(os.Getenv("OTEL_TRACES_EXPORTER"), "otlp"); e {
	case "otlp":
		return false, nil
	case "none":
		return true, nil
	default:
		return false, fmt.Errorf("OTEL_TRACES_EXPORTER is %q: it is otlp or none", e)
	}
}

func newExporter(ctx context.Context, protocol string) (sdktrace.SpanExporter, error) {
	var e sdktrace.SpanExporter
	var err error
	switch protocol {
	case "http/protobuf":
		e, err = otlptracehttp.New(ctx)
	case "grpc":
		e, err = otlptracegrpc.New(ctx)
	default:
		return nil, fmt.Errorf("OTEL_EXPORTER_OTLP_PROTOCOL is %q: it is http/protobuf or grpc", protocol)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot send traces by %s: check the environment variables OTEL_EXPORTER_OTLP_*: %w",
			protocol, err)
	}
	return e, nil
}

// reportInterval is the minimum time between two equal lines of the log.
const reportInterval = 10 * time.Minute

// reporter logs that spans cannot be sent: the first time, and then every reportInterval. The SDK
// would log each attempt.
type reporter struct {
	sdktrace.SpanExporter

	log logr.Logger
	now func() time.Time

	mu       sync.Mutex
	failing  bool
	loggedAt time.Time
	lost     int
}

// ExportSpans sends spans to the collector. It logs errors instead of returning them.
func (r *reporter) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	r.report(len(spans), r.SpanExporter.ExportSpans(ctx, spans))
	return nil
}

func (r *reporter) report(spans int, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err == nil {
		if r.failing {
			r.log.Info("Traces are sent again", "spansLost", r.lost)
			r.failing, r.lost = false, 0
		}
		return
	}
	r.lost += spans
	reason, _, _ := strings.Cut(err.Error(), " (body:") // What the collector says may quote a header.
	if now := r.now(); !r.failing || now.Sub(r.loggedAt) >= reportInterval {
		r.log.Info("Cannot send traces: check the collector, and the environment variables OTEL_EXPORTER_OTLP_*",
			"error", reason, "spansLost", r.lost)
		r.loggedAt = now
	}
	r.failing = true
}
