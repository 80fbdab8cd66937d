package telemetry

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/go-logr/logr/funcr"
	"github.com/google/go-cmp/cmp"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/crossplane-contrib/provider-lambda/internal/test/process"
	"github.com/crossplane-contrib/provider-lambda/internal/test/tracingtest"
)

// lines are the lines that were logged, in order.
type lines struct {
	mu  sync.Mutex
	all []string
}

func (l *lines) logger() logr.Logger {
	return funcr.New(func(_, args string) {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.all = append(l.all, args)
	}, funcr.Options{})
}

func (l *lines) get() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.all)
}

func start(t *testing.T) *Tracing {
	t.Helper()
	tr, err := Start(t.Context(), "dev", logr.Discard(), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// TestCollector checks that spans reach a collector by either protocol, at the latest when the provider ends.
func TestCollector(t *testing.T) {
	cases := map[string]struct {
		reason    string
		collector func(testing.TB) (*tracingtest.Collector, string)
		protocol  string
	}{
		"Default": {reason: "By default, OTLP is sent by HTTP.", collector: tracingtest.ByHTTP},
		"HTTP":    {reason: "The protocol may be HTTP.", collector: tracingtest.ByHTTP, protocol: "http/protobuf"},
		"gRPC":    {reason: "The protocol may be gRPC.", collector: tracingtest.ByGRPC, protocol: "grpc"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, url := tc.collector(t)
			t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", url)
			t.Setenv("OTEL_EXPORTER_OTLP_PROTOCOL", tc.protocol)
			t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "x-team=shop")
			t.Setenv("OTEL_RESOURCE_ATTRIBUTES", "deployment.environment.name=test")
			t.Setenv("OTEL_BSP_SCHEDULE_DELAY", "3600000")
			tr := start(t)
			_, span := tr.Tracer().Start(t.Context(), "a")
			span.End()
			if len(got.Spans()) > 0 {
				t.Fatalf("nothing is due yet, got %v", got.Spans())
			}
			tr.Stop(t.Context())
			if diff := cmp.Diff([]string{"a"}, got.Spans()); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff([]string{"shop"}, got.Headers()); diff != "" {
				t.Errorf("headers: -want, +got:\n%s", diff)
			}
			for _, want := range []string{
				"service.name=provider-lambda ", "service.version=dev ",
				"deployment.environment.name=test ", "telemetry.sdk.language=go ",
			} {
				if !strings.Contains(got.Resource(), want) {
					t.Errorf("want %s among what traces are of, got %s", want, got.Resource())
				}
			}
		})
	}
}

// TestEnvironment checks the standard environment variables.
func TestEnvironment(t *testing.T) {
	got, url := tracingtest.ByHTTP(t)
	t.Setenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", url+"/v1/traces")
	t.Setenv("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc")
	t.Setenv("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "http/protobuf")
	t.Setenv("OTEL_SERVICE_NAME", "lambda-blue")
	tr := start(t)
	_, span := tr.Tracer().Start(t.Context(), "kept")
	span.End()
	tr.Stop(t.Context())
	if len(got.Spans()) != 1 || !strings.Contains(got.Resource(), "service.name=lambda-blue ") {
		t.Errorf("want a span of lambda-blue, got %v of %s", got.Spans(), got.Resource())
	}

	t.Setenv("OTEL_TRACES_SAMPLER", "traceidratio")
	t.Setenv("OTEL_TRACES_SAMPLER_ARG", "0")
	tr = start(t)
	_, span = tr.Tracer().Start(t.Context(), "dropped")
	span.End()
	tr.Stop(t.Context())
	if len(got.Spans()) != 1 {
		t.Errorf("the sampler drops all, got %v", got.Spans())
	}
}

func TestOff(t *testing.T) {
	for name, value := range map[string]string{"OTEL_SDK_DISABLED": "true", "OTEL_TRACES_EXPORTER": "none"} {
		t.Run(name, func(t *testing.T) {
			t.Setenv(name, value)
			tr := start(t)
			if tr.Tracer() != nil {
				t.Error("no tracer costs less than one that does nothing")
			}
			tr.Stop(t.Context())
		})
	}
}

func TestWrongEnvironment(t *testing.T) {
	cases := map[string]struct{ name, value, want string }{
		"Protocol":   {"OTEL_EXPORTER_OTLP_PROTOCOL", "carrier-pigeon", "it is http/protobuf or grpc"},
		"Exporter":   {"OTEL_TRACES_EXPORTER", "zipkin", "it is otlp or none"},
		"Attributes": {"OTEL_RESOURCE_ATTRIBUTES", "no-value", "check OTEL_RESOURCE_ATTRIBUTES"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Setenv(tc.name, tc.value)
			if _, err := Start(t.Context(), "dev", logr.Discard(), time.Now); err == nil ||
				!strings.Contains(err.Error(), tc.want) {
				t.Errorf("want an error that says %q, got %v", tc.want, err)
			}
		})
	}
}

// TestIgnoredVariables checks that the log names variables that OpenTelemetry's SDK ignores, without their values: a
// header usually has a token, from which someone has left out the name, or which is not escaped.
func TestIgnoredVariables(t *testing.T) {
	cases := map[string]struct{ name, value, want string }{
		"NoName":      {"OTEL_EXPORTER_OTLP_HEADERS", "Bearer s3cret", "parse headers"},
		"NotEscaped":  {"OTEL_EXPORTER_OTLP_TRACES_HEADERS", "authorization=Bearer %s3cret", "escape header value"},
		"Endpoint":    {"OTEL_EXPORTER_OTLP_ENDPOINT", "http://user:s3cret@%", "parse url"},
		"Certificate": {"OTEL_EXPORTER_OTLP_CERTIFICATE", "/s3cret/ca.crt", "read tls ca cert file"},
		"Sampler":     {"OTEL_TRACES_SAMPLER", "some", "unsupported sampler: some"},
	}
	for _, protocol := range []string{"http/protobuf", "grpc"} {
		for name, tc := range cases {
			t.Run(protocol+name, func(t *testing.T) {
				t.Setenv("OTEL_EXPORTER_OTLP_PROTOCOL", protocol)
				t.Setenv(tc.name, tc.value)
				var log lines
				tr, err := Start(t.Context(), "dev", log.logger(), time.Now)
				if err != nil {
					t.Fatal(err)
				}
				tr.Stop(t.Context())
				got := strings.Join(log.get(), "\n")
				if !strings.Contains(got, tc.want) || strings.Contains(got, "s3cret") {
					t.Errorf("want %q, and no value, got:\n%s", tc.want, got)
				}
			})
		}
	}
}

// TestRefusedToken checks that the log does not have the token that a collector quotes in its refusal.
func TestRefusedToken(t *testing.T) {
	collector := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Error(w, "unknown token: "+r.Header.Get("Authorization"), http.StatusUnauthorized)
	}))
	t.Cleanup(collector.Close)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.URL)
	t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "Authorization=Bearer%20s3cret")
	var log lines
	tr, err := Start(t.Context(), "dev", log.logger(), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	_, span := tr.Tracer().Start(t.Context(), "refused")
	span.End()
	tr.Stop(t.Context())
	got := strings.Join(log.get(), "\n")
	if !strings.Contains(got, "401 Unauthorized") || strings.Contains(got, "s3cret") {
		t.Errorf("want the status alone, got:\n%s", got)
	}
}

// nowhere returns an address that refuses connections.
func nowhere(t *testing.T) string {
	t.Helper()
	address, err := process.FreeAddress()
	if err != nil {
		t.Fatal(err)
	}
	return "http://" + address
}

// TestUnreachableCollector checks that a collector that does not answer delays neither spans nor
// the end, and that the log does not repeat itself.
func TestUnreachableCollector(t *testing.T) {
	for _, protocol := range []string{"http/protobuf", "grpc"} {
		t.Run(protocol, func(t *testing.T) {
			t.Setenv("OTEL_EXPORTER_OTLP_PROTOCOL", protocol)
			t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", nowhere(t))
			t.Setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "100")
			t.Setenv("OTEL_BSP_MAX_QUEUE_SIZE", "20")
			t.Setenv("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "5")
			var log lines
			tr, err := Start(t.Context(), "dev", log.logger(), time.Now)
			if err != nil {
				t.Fatal(err)
			}
			began := time.Now()
			for i := range 10_000 {
				_, span := tr.Tracer().Start(t.Context(), fmt.Sprint(i))
				span.End()
			}
			if took := time.Since(began); took > flushTimeout {
				t.Errorf("spans wait for the collector: %s", took)
			}
			tr.Stop(t.Context())
			if took := time.Since(began); took > 3*flushTimeout {
				t.Errorf("the end waits for the collector: %s", took)
			}
			failures := 0
			for _, l := range log.get() {
				if strings.Contains(l, "Cannot send") {
					failures++
				}
			}
			if failures < 1 || failures > 2 {
				t.Errorf("want one line or two, got %s", strings.Join(log.get(), "\n"))
			}
		})
	}
}

// script returns the errors that it is given.
type script struct {
	sdktrace.SpanExporter

	err error
}

func (s *script) ExportSpans(context.Context, []sdktrace.ReadOnlySpan) error { return s.err }

func TestReports(t *testing.T) {
	var log lines
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	s := &script{err: errors.New("refused")}
	r := &reporter{SpanExporter: s, log: log.logger(), now: func() time.Time { return now }}
	export := func(after time.Duration) {
		now = now.Add(after)
		if err := r.ExportSpans(t.Context(), make([]sdktrace.ReadOnlySpan, 2)); err != nil {
			t.Errorf("the SDK would log %v on its own", err)
		}
	}
	export(0)
	for range 100 {
		export(5 * time.Second)
	}
	export(10 * time.Minute)
	s.err = nil
	export(time.Second)
	export(time.Second)
	want := []string{
		`"level"=0 "msg"="Cannot send traces: check the collector, and the environment variables OTEL_EXPORTER_OTLP_*" "error"="refused" "spansLost"=2`,
		`"level"=0 "msg"="Cannot send traces: check the collector, and the environment variables OTEL_EXPORTER_OTLP_*" "error"="refused" "spansLost"=204`,
		`"level"=0 "msg"="Traces are sent again" "spansLost"=204`,
	}
	if diff := cmp.Diff(want, log.get()); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}
