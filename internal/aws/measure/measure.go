// Package measure counts what goes to AWS: each request that is sent, and each time
// that credentials are fetched.
package measure

import (
	"context"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	"github.com/aws/smithy-go/middleware"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/crossplane-contrib/provider-lambda/internal/aws/awserr"
)

const namespace = "provider_lambda"

// What became of a request: the values of the label result.
const (
	// OK requests were answered with what was asked for.
	OK = "ok"
	// NotFound requests were for what does not exist, which the first look at a resource
	// finds out.
	NotFound = "not_found"
	// Throttled requests were refused for the rate of requests.
	Throttled = "throttled"
	// Denied requests were refused for lack of rights, or for the credentials.
	Denied = "denied"
	// Rejected requests were refused for another reason that lies in them.
	Rejected = "rejected"
	// Failed requests were answered with an error of AWS's own.
	Failed = "failed"
	// Unanswered requests got no answer: AWS was not reached, or not in time.
	Unanswered = "unanswered"
)

// A Recorder counts what goes to AWS. It is a prometheus.Collector, and safe for
// concurrent use. A nil Recorder counts nothing.
type Recorder struct {
	now func() time.Time

	requests  *prometheus.CounterVec
	durations *prometheus.HistogramVec
	refreshes *prometheus.CounterVec
}

// New returns a Recorder that goes by a clock.
func New(now func() time.Time) *Recorder {
	return &Recorder{
		now: now,
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Namespace: namespace, Name: "aws_requests_total",
			Help: "Requests sent to AWS, each retry included, by what became of them: ok, not_found, throttled, denied, rejected, failed or unanswered",
		}, []string{"service", "operation", "result"}),
		durations: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Namespace: namespace, Name: "aws_request_duration_seconds",
			Help:    "How long a request to AWS took, from being sent to its answer",
			Buckets: []float64{0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30},
		}, []string{"service", "operation"}),
		refreshes: prometheus.NewCounterVec(prometheus.CounterOpts{
			Namespace: namespace, Name: "credential_refreshes_total",
			Help: "Fetches of temporary AWS credentials, by where they come from and by result: ok or failed",
		}, []string{"source", "result"}),
	}
}

// AddTo makes the clients of a config count their requests.
func (r *Recorder) AddTo(cfg *aws.Config) {
	if r == nil {
		return
	}
	cfg.APIOptions = append(cfg.APIOptions, func(stack *middleware.Stack) error {
		// Within the retries and after the quota, so that only what is sent counts; around
		// what makes an error of the answer, so that it can be told.
		return stack.Deserialize.Add(&step{recorder: r}, middleware.Before)
	})
}

// Credentials that count how often they are fetched. source is where they come from,
// one of a few words.
func (r *Recorder) Credentials(source string, p aws.CredentialsProvider) aws.CredentialsProvider {
	if r == nil {
		return p
	}
	for _, result := range []string{OK, Failed} {
		r.refreshes.WithLabelValues(source, result) // An increase can be told from 0 only.
	}
	return &counted{CredentialsProvider: p, source: source, refreshes: r.refreshes}
}

// Describe the metrics.
func (r *Recorder) Describe(ch chan<- *prometheus.Desc) {
	for _, c := range r.collectors() {
		c.Describe(ch)
	}
}

// Collect what was counted.
func (r *Recorder) Collect(ch chan<- prometheus.Metric) {
	for _, c := range r.collectors() {
		c.Collect(ch)
	}
}

func (r *Recorder) collectors() []prometheus.Collector {
	return []prometheus.Collector{r.requests, r.durations, r.refreshes}
}

// step of the SDK's stack.
type step struct{ recorder *Recorder }

// ID of the step.
func (*step) ID() string { return "MeasureRequest" }

// HandleDeserialize sends a request, and counts it.
func (s *step) HandleDeserialize(ctx context.Context, in middleware.DeserializeInput, next middleware.DeserializeHandler) (
	middleware.DeserializeOutput, middleware.Metadata, error,
) {
	service, operation := awsmiddleware.GetServiceID(ctx), awsmiddleware.GetOperationName(ctx)
	sent := s.recorder.now()
	out, md, err := next.HandleDeserialize(ctx, in)
	s.recorder.durations.WithLabelValues(service, operation).Observe(s.recorder.now().Sub(sent).Seconds())
	s.recorder.requests.WithLabelValues(service, operation, resultOf(err)).Inc()
	return out, md, err
}

// resultOf a request by its error.
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

// counted credentials.
type counted struct {
	aws.CredentialsProvider

	source    string
	refreshes *prometheus.CounterVec
}

// Retrieve credentials, and count it.
func (c *counted) Retrieve(ctx context.Context) (aws.Credentials, error) {
	got, err := c.CredentialsProvider.Retrieve(ctx)
	result := OK
	if err != nil {
		result = Failed
	}
	c.refreshes.WithLabelValues(c.source, result).Inc()
	return got, err
}
