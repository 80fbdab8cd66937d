package telemetry

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	"github.com/aws/smithy-go/middleware"
	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/attribute"
	semconv "go.opentelemetry.io/otel/semconv/v1.22.0"
	"go.opentelemetry.io/otel/trace"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
	"github.com/crossplane-contrib/provider-lambda/internal/aws/quota"
	"github.com/crossplane-contrib/provider-lambda/internal/metrics"
)

// The results of a request: the values of the label result.
const (
	// OK is a request that succeeded.
	OK = "ok"
	// NotFound is a request for what does not exist, as the first read of a resource often is.
	NotFound = "not_found"
	// Throttled is a request that AWS throttled.
	Throttled = "throttled"
	// Denied is a request that AWS refused for missing permissions or for the credentials.
	Denied = "denied"
	// Rejected is a request that AWS refused for another reason that lies in the request.
	Rejected = "rejected"
	// Failed is a request that failed with an error of AWS's own.
	Failed = "failed"
	// Unanswered is a request without an answer: AWS was not reached, or not in time.
	Unanswered = "unanswered"
)

// A Recorder counts requests to AWS and fetches of credentials. It is a prometheus.Collector, and
// safe for concurrent use. A nil Recorder counts nothing.
type Recorder struct {
	metrics.Group

	now func() time.Time

	requests  *prometheus.CounterVec
	durations *prometheus.HistogramVec
	refreshes *prometheus.CounterVec
}

// New returns a Recorder with a clock.
func New(now func() time.Time) *Recorder {
	r := &Recorder{
		now:      now,
		requests: metrics.AWSRequests(), durations: metrics.AWSRequestDuration(),
		refreshes: metrics.CredentialRefreshes(),
	}
	r.Group = metrics.Group{r.requests, r.durations, r.refreshes}
	return r
}

// Middleware returns the middleware that counts and times requests. It is nil if the Recorder is nil.
func (r *Recorder) Middleware() middleware.DeserializeMiddleware {
	if r == nil {
		return nil
	}
	return middleware.DeserializeMiddlewareFunc("MeasureRequest", r.measure)
}

// Credentials returns a provider that counts how often its credentials are fetched. source is where
// they come from: one of few values.
func (r *Recorder) Credentials(source string, p aws.CredentialsProvider) aws.CredentialsProvider {
	if r == nil {
		return p
	}
	for _, result := range []string{OK, Failed} {
		r.refreshes.WithLabelValues(source, result) // Prometheus sees an increase only if the series existed before.
	}
	return &counted{CredentialsProvider: p, source: source, refreshes: r.refreshes}
}

// measure sends a request, and counts and times it.
func (r *Recorder) measure(ctx context.Context, in middleware.DeserializeInput, next middleware.DeserializeHandler) (
	middleware.DeserializeOutput, middleware.Metadata, error,
) {
	service, operation := awsmiddleware.GetServiceID(ctx), awsmiddleware.GetOperationName(ctx)
	sent := r.now()
	out, md, err := next.HandleDeserialize(ctx, in)
	r.durations.WithLabelValues(service, operation).Observe(r.now().Sub(sent).Seconds())
	r.requests.WithLabelValues(service, operation, resultOf(err)).Inc()
	return out, md, err
}

// resultOf returns the result of a request with an error.
func resultOf(err error) string {
	status := awserr.StatusCode(err)
	switch {
	case err == nil:
		return OK
	case awserr.IsThrottled(err):
		return Throttled
	case awserr.IsNotFound(err):
		return NotFound
	case awserr.IsAccessDenied(err), awserr.IsUnauthenticated(err):
		return Denied
	case status == 0:
		return Unanswered
	case status >= http.StatusInternalServerError:
		return Failed
	}
	return Rejected
}

// counted counts fetches of credentials.
type counted struct {
	aws.CredentialsProvider

	source    string
	refreshes *prometheus.CounterVec
}

// Retrieve fetches credentials.
func (c *counted) Retrieve(ctx context.Context) (aws.Credentials, error) {
	got, err := c.CredentialsProvider.Retrieve(ctx)
	result := OK
	if err != nil {
		result = Failed
	}
	c.refreshes.WithLabelValues(c.source, result).Inc()
	return got, err
}

// Events on spans, and their attributes.
const (
	// EventDeferred is a call that was not sent because its quota is exhausted.
	EventDeferred = "call deferred"

	// EventThrottled is a call that AWS throttled.
	EventThrottled = "call throttled"

	// EventRetry is another attempt of a call.
	EventRetry = "call retried"

	// KeyWait is the time to wait, in seconds.
	KeyWait = attribute.Key("crossplane.wait")

	// KeyOperations are the operations of AWS that an event is about.
	KeyOperations = attribute.Key("crossplane.aws.operations")
)

type triesKey struct{}

// tries counts the attempts of a call.
type tries struct {
	count int
	last  error
}

// recordAttempt records the result of an attempt on the span of the call.
func recordAttempt(ctx context.Context, in middleware.FinalizeInput, next middleware.FinalizeHandler) (
	middleware.FinalizeOutput, middleware.Metadata, error,
) {
	t, ok := ctx.Value(triesKey{}).(*tries)
	if !ok {
		return next.HandleFinalize(ctx, in)
	}
	span := trace.SpanFromContext(ctx)
	if t.count > 0 {
		span.AddEvent(EventRetry, trace.WithAttributes(errorType(t.last)))
	}
	out, md, err := next.HandleFinalize(ctx, in)
	t.count++
	t.last = err
	switch wait, deferred := quota.Deferred(err); {
	case deferred:
		span.AddEvent(EventDeferred, trace.WithAttributes(KeyWait.Float64(wait.Seconds())))
	case awserr.IsThrottled(err):
		after, _ := awserr.RetryAfter(err)
		span.AddEvent(EventThrottled, trace.WithAttributes(KeyWait.Float64(after.Seconds())))
	}
	return out, md, err
}

// errorType returns AWS's code, or why there was no answer.
func errorType(err error) attribute.KeyValue {
	if code := awserr.Code(err); code != "" {
		return semconv.ErrorTypeKey.String(code)
	}
	switch {
	case errors.Is(err, context.Canceled):
		return semconv.ErrorTypeKey.String("canceled")
	case awserr.IsTimeout(err):
		return semconv.ErrorTypeKey.String("timeout")
	default:
		return semconv.ErrorTypeOther
	}
}
