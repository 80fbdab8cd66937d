package telemetry

import (
	"context"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	"github.com/aws/smithy-go/middleware"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
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
